package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/library/api"
)

func Example() {
	stored := api.Parse([]byte("nacre/tcl 11\nnacre/tsne 22\n"))
	now := map[string]string{"nacre/tcl": "11", "nacre/tsne": "33", "nacre/pearl": "44"}
	fmt.Println(api.Stale(stored, now))
	// Output: [nacre/pearl nacre/tsne]
}

// TestLibraryIsFresh fails when a package that cells import exports something else than what was generated from it.
func TestLibraryIsFresh(t *testing.T) {
	text, err := os.ReadFile("../symbols/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	now, err := api.Digests("../..")
	if err != nil {
		t.Fatal(err)
	}
	if stale := api.Stale(api.Parse(text), now); len(stale) > 0 {
		t.Errorf("cells see an old form of %s: run go generate ./library", strings.Join(stale, ", "))
	}
}

// TestDigests changes a package and looks whether its digest does.
func TestDigests(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module nacre\n\ngo 1.26\n\nrequire gonum.org/v1/gonum v0.17.0\n")
	write("server/s.go", "package server\n\nfunc F() {}\n")
	base := "package p\n\n// F does.\nfunc F(x int) int { return x }\n\ntype T struct{ A int; b int }\n\nconst K = 1\n"
	write("p/p.go", base)
	digests := func() map[string]string {
		t.Helper()
		m, err := api.Digests(root)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := digests()
	if first["nacre/server"] != "" || first["nacre/p"] == "" || first["gonum.org/v1/gonum"] != "v0.17.0" ||
		first["go"] != "1.26" {
		t.Fatalf("got %v", first)
	}
	for what, same := range map[string]bool{
		"func F(x int) int { return x + 1 }":        true, // a body
		"func F(x int) int64 { return 1 }":          false,
		"func F(x, y int) int { return x }":         false,
		"func F(x int) int { return x }\nvar V int": false,
		"func F(x int) int { return x }\nvar v int": true,
	} {
		write("p/p.go", strings.Replace(base, "func F(x int) int { return x }", what, 1))
		if got := len(api.Stale(first, digests())) == 0; got != same {
			t.Errorf("%s: same is %v", what, got)
		}
	}
	write("p/p.go", base)
	write("q/q.go", "package q\n")
	if got := api.Stale(first, digests()); !slices.Equal(got, []string{"nacre/q"}) {
		t.Errorf("a new package: %v", got)
	}
	if err := os.RemoveAll(filepath.Join(root, "p")); err != nil {
		t.Fatal(err)
	}
	if got := api.Stale(first, digests()); !slices.Equal(got, []string{"nacre/p", "nacre/q"}) {
		t.Errorf("a package that is gone: %v", got)
	}
	if back := api.Parse(api.Format(first)); len(api.Stale(first, back)) > 0 {
		t.Errorf("%v read back as %v", first, back)
	}
}
