package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ordered are the packages whose files never use one another in a circle, so each can be read from its last file
// upwards.
var ordered = []string{"kernel", "kernel/assist", "kernel/jupyter", "kernel/jupyter/zmq", "kernel/jupyter/zmtp"}

// TestFilesFormNoCircle keeps the packages of the list ordered, as Linux and a browser compile them.
func TestFilesFormNoCircle(t *testing.T) {
	for _, folder := range ordered {
		for _, system := range []string{"linux/amd64", "js/wasm"} {
			uses := usesOf(t, filepath.Join(rootOf(t), folder), system)
			if folder == "kernel" && len(uses) < 20 {
				t.Fatalf("only %d files of package kernel use others", len(uses))
			}
			if c := circle(uses); c != nil {
				t.Errorf("files of package %s use one another in a circle: %s: move a declaration to a file that both "+
					"may use", folder, strings.Join(c, " -> "))
			}
		}
	}
}

func TestCircle(t *testing.T) {
	uses := map[string][]string{"a": {"b", "c"}, "b": {"c"}, "c": {"d"}}
	if c := circle(uses); c != nil {
		t.Errorf("circle %v in %v", c, uses)
	}
	uses["d"] = []string{"b"}
	if c := circle(uses); !slices.Equal(c, []string{"b", "c", "d", "b"}) {
		t.Errorf("circle %v in %v", c, uses)
	}
}

// nothing imports each package as an empty one: who uses whom within a package can be told without what it imports.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// usesOf lists, for each file of a package, the files that declare what it uses.
func usesOf(t *testing.T, folder, system string) map[string][]string {
	t.Helper()
	at := build.Default
	at.GOOS, at.GOARCH, _ = strings.Cut(system, "/")
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if fits, err := at.MatchFile(folder, filepath.Base(name)); err != nil || !fits ||
			strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: nothing{}, Error: func(error) {}} // what is imported is missing
	own, _ := check.Check(folder, fset, files, info)
	file := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	found := map[string]map[string]bool{}
	for name, o := range info.Uses {
		from, to := file(name.Pos()), file(o.Pos())
		if o.Pkg() != own || from == to {
			continue
		}
		if found[from] == nil {
			found[from] = map[string]bool{}
		}
		found[from][to] = true
	}
	uses := map[string][]string{}
	for from, to := range found {
		uses[from] = slices.Sorted(maps.Keys(to))
	}
	return uses
}

// circle returns files that use one another in a circle, the first again at the end; nil if there is none.
func circle(uses map[string][]string) []string {
	done := map[string]bool{}
	var path []string
	var visit func(string) []string
	visit = func(f string) []string {
		if k := slices.Index(path, f); k >= 0 {
			return append(slices.Clone(path[k:]), f)
		}
		if done[f] {
			return nil
		}
		done[f] = true
		path = append(path, f)
		for _, to := range uses[f] {
			if c := visit(to); c != nil {
				return c
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	for _, f := range slices.Sorted(maps.Keys(uses)) {
		if c := visit(f); c != nil {
			return c
		}
	}
	return nil
}
