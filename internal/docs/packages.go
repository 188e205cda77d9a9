package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// packages writes the index of Nacre's packages that cells can import, each with what its comment begins with.
// Which they are stands in library/symbols/api.txt, what the browser lacks in
// library/symbols/absent_js.txt.
func packages(root, _ string) (string, error) {
	exported, err := os.ReadFile(filepath.Join(root, "library", "symbols", "api.txt"))
	if err != nil {
		return "", err
	}
	missing, err := os.ReadFile(filepath.Join(root, "library", "symbols", "absent_js.txt"))
	if err != nil {
		return "", err
	}
	absent := map[string]bool{}
	for line := range strings.Lines(string(missing)) {
		absent[strings.TrimSpace(line)] = true
	}
	var b strings.Builder
	for line := range strings.Lines(string(exported)) {
		path, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		folder, own := strings.CutPrefix(path, "nacre/")
		if !own || forTests(folder) {
			continue
		}
		text, err := synopsis(filepath.Join(root, filepath.FromSlash(folder)))
		if err != nil {
			return "", fmt.Errorf("%s: %w (library/symbols/api.txt names it: run go generate ./library first)",
				path, err)
		}
		mark := ""
		if absent[path] {
			mark = " †"
		}
		b.WriteString(strings.ReplaceAll(wrap(fmt.Sprintf("- `%s`%s %s", path, mark, text), width-2), "\n", "\n  ") +
			"\n")
	}
	return b.String(), nil
}

// forTests reports whether only tests import a package: one whose name ends with test or begins with fake.
func forTests(folder string) bool {
	base := folder[strings.LastIndex(folder, "/")+1:]
	return strings.HasSuffix(base, "test") || strings.HasPrefix(base, "fake")
}

// citation is a year in brackets with whoever wrote that year.
var citation = regexp.MustCompile(`\s*\([^()]*\b(?:19|20)\d\d\b[^()]*\)`)

// synopsis returns what a package's comment begins with after "Package name": its first sentence without citations, up
// to a colon where there are six words before it.
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
		if text, ok := strings.CutPrefix(f.Doc.Text(), "Package "+f.Name.Name+" "); ok {
			return brief(text), nil
		}
	}
	return "", fmt.Errorf("no file has a comment that begins with Package")
}

func brief(text string) string {
	text, _, _ = strings.Cut(citation.ReplaceAllString(text, ""), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	for _, ending := range []string{". ", "? ", "; "} {
		text, _, _ = strings.Cut(text, ending)
	}
	if clause, _, cut := strings.Cut(text, ": "); cut && len(strings.Fields(clause)) >= 6 {
		text = clause
	}
	return strings.TrimSuffix(text, ".")
}
