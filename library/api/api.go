// Package api checks that package library is up to date: that it holds all that is exported now by the packages which
// cells can import. A digest of each package's exported declarations is stored when the tables are generated. A test
// compares the digests.
//
//	now, err := api.Digests("../..")
//	stored := api.Parse(file)
//	stale := api.Stale(stored, now)
package api

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Own reports whether a package of this module is one that cells can import. The other packages are the program around
// them.
func Own(path string) bool {
	for _, p := range []string{"bench", "cmd", "core/cuda/fakecuda", "core/webgpu/fakewebgpu", "fidelity", "kernel",
		"library/api", "library/gen", "library/symbols", "notebooks", "python", "server", "web", "wasm"} {
		if path == "nacre/"+p || strings.HasPrefix(path, "nacre/"+p+"/") {
			return false
		}
	}
	return strings.HasPrefix(path, "nacre/") && path != "nacre/library" && !strings.Contains(path+"/", "/internal/")
}

// Digests returns, for the module in the folder root, a short hash of the exported declarations of each package that
// cells can import, the version of each required module, and the version of Go under "go".
func Digests(root string) (map[string]string, error) {
	m := map[string]string{}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	m["go"] = mod.Go.Version
	for _, r := range mod.Require {
		if strings.HasPrefix(r.Mod.Path, "gonum.org/") || strings.HasPrefix(r.Mod.Path, "gorgonia.org/") {
			m[r.Mod.Path] = r.Mod.Version
		}
	}
	err = filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		name := d.Name()
		if rel != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" ||
			name == "node_modules") {
			return fs.SkipDir
		}
		p := path.Join("nacre", filepath.ToSlash(rel))
		if rel != "." && !Own(p) {
			return nil
		}
		sum, err := digest(dir)
		if sum != "" {
			m[p] = sum
		}
		return err
	})
	return m, err
}

// digest is "" for a folder without a package to import.
func digest(dir string) (string, error) {
	ctx := build.Default // the tables are generated for it
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags = "linux", "amd64", false, nil
	p, err := ctx.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none || err == nil && p.Name == "main" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var decls []string
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		ast.FileExports(f)
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			if fd, ok := d.(*ast.FuncDecl); ok {
				fd.Body = nil
			}
			var b bytes.Buffer
			if err := format.Node(&b, token.NewFileSet(), d); err != nil {
				return "", err
			}
			decls = append(decls, strings.Join(strings.Fields(b.String()), " "))
		}
	}
	slices.Sort(decls)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(decls, "\n"))))[:16], nil
}

// Format returns the text of digests, one a line, for Parse.
func Format(m map[string]string) []byte {
	var b bytes.Buffer
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintln(&b, k, m[k])
	}
	return b.Bytes()
}

// Parse reads the text of digests.
func Parse(text []byte) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(string(text)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		m[k] = v
	}
	return m
}

// Stale lists the keys that differ, sorted.
func Stale(stored, now map[string]string) []string {
	var list []string
	for k := range now {
		if stored[k] != now[k] {
			list = append(list, k)
		}
	}
	for k := range stored {
		if now[k] == "" {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}
