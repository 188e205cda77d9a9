package main

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// packages writes the index of Nacre's packages that cells can import, each with what its comment begins with.
// Which they are stands in library/api.txt, what the browser lacks in library/absent_js.txt.
func packages(root, _ string) (string, error) {
	exported, err := os.ReadFile(filepath.Join(root, "library", "api.txt"))
	if err != nil {
		return "", err
	}
	missing, err := os.ReadFile(filepath.Join(root, "library", "absent_js.txt"))
	if err != nil {
		return "", err
	}
	absent := map[string]bool{}
	for line := range strings.Lines(string(missing)) {
		absent[strings.TrimSpace(line)] = true
	}
	var b strings.Builder
	b.WriteString("| import | the package |\n|---|---|\n")
	for line := range strings.Lines(string(exported)) {
		path, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		folder, own := strings.CutPrefix(path, "nacre/")
		if !own || forTests(folder) {
			continue
		}
		sentence, err := synopsis(filepath.Join(root, filepath.FromSlash(folder)))
		if err != nil {
			return "", fmt.Errorf("%s: %w (library/api.txt names it: run go generate ./library first)", path, err)
		}
		mark := ""
		if absent[path] {
			mark = " †"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s |\n", path, mark, strings.ReplaceAll(sentence, "|", `\|`))
	}
	return b.String(), nil
}

// forTests says whether only tests import a package: one whose name ends with test or begins with fake.
func forTests(folder string) bool {
	base := folder[strings.LastIndex(folder, "/")+1:]
	return strings.HasSuffix(base, "test") || strings.HasPrefix(base, "fake")
}

// synopsis is the first sentence of a package's comment, up to a colon, without the words "Package name".
func synopsis(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return "", err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		text := f.Doc.Text()
		if rest, ok := strings.CutPrefix(text, "Package "+f.Name.Name+" "); ok {
			clause, _, _ := strings.Cut(new(doc.Package).Synopsis(rest), ": ")
			return strings.TrimSuffix(clause, "."), nil
		}
	}
	return "", fmt.Errorf("no file has a comment that begins with Package")
}
