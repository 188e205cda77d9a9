package folders_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/internal/folders"
)

func Example() {
	dir, _ := os.MkdirTemp("", "folders")
	defer os.RemoveAll(dir)
	os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700)
	err := folders.Walk(dir, folders.Options{}, func(_, below string) error {
		fmt.Println(below)
		return nil
	})
	fmt.Println(err)
	// Output:
	// .
	// a
	// a/b
	// <nil>
}

// tree makes folders, and links written as NAME -> TARGET; a name that ends in ! is a file.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	for _, e := range append([]string{"."}, entries...) {
		name, to, link := strings.Cut(e, " -> ")
		at := filepath.Join(root, filepath.FromSlash(strings.TrimSuffix(name, "!")))
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		switch {
		case link:
			err = errors.Join(err, os.Symlink(strings.ReplaceAll(to, "ROOT", root), at))
		case strings.HasSuffix(name, "!"):
			err = errors.Join(err, os.WriteFile(at, nil, 0o644))
		default:
			err = errors.Join(err, os.MkdirAll(at, 0o755))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// walk lists what Walk visits, and its notes without the root's path.
func walk(t *testing.T, root string, stay bool) (visited, notes []string) {
	t.Helper()
	err := folders.Walk(root, folders.Options{Stay: stay, Note: func(line string) {
		notes = append(notes, strings.ReplaceAll(line, root, "ROOT"))
	}}, func(dir, below string) error {
		if want := filepath.Join(root, filepath.FromSlash(below)); dir != want {
			t.Errorf("%s is opened as %s", below, dir)
		}
		visited = append(visited, below)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return visited, notes
}

func TestLinks(t *testing.T) {
	for name, c := range map[string]struct {
		entries         []string
		visited, stayed string
		note            string // one of the notes; empty for none
	}{
		"a link to a folder outside": {[]string{"../far/a", "x -> ../far"}, ". x x/a", ".", ""},
		"an absolute link":           {[]string{"../far/a", "x -> ROOT/../far"}, ". x x/a", ".", ""},
		"a link to a link": {[]string{"../far/a", "../near -> far", "x -> ../near"},
			". x x/a", ".", ""},
		"two links to one folder": {[]string{"../far/a", "x -> ../far", "y -> ../far"}, ". x x/a", ".",
			"ROOT/y is ROOT/x once more: counted once"},
		"a second name of a folder": {[]string{"b", "a -> b"}, ". b", ". b",
			"ROOT/a is ROOT/b once more: counted once"},
		"a link to the root": {[]string{"a/up -> .."}, ". a", ". a",
			"ROOT/a/up leads back to ROOT, which it lies in: left out"},
		"a link to itself by its parent": {[]string{"a/b/self -> ../b"}, ". a a/b", ". a a/b",
			"ROOT/a/b/self leads back to ROOT/a/b, which it lies in: left out"},
		"a link to what holds the root": {[]string{"../far", "up -> .."}, ". up up/far", ".",
			"ROOT/up/root leads back to ROOT, which it lies in: left out"},
		"two folders that link to another": {[]string{"../far/b/c -> ../../far", "x -> ../far"}, ". x x/b", ".",
			"ROOT/x/b/c leads back to ROOT/x, which it lies in: left out"},
		"a link in a circle": {[]string{"a -> b", "b -> a"}, ".", ".",
			"ROOT/a is a link that leads in a circle: left out"},
		"a link that leads nowhere": {[]string{"a -> /gone/away"}, ".", ".",
			"ROOT/a is a link that leads nowhere, to /gone/away"},
		"a link to a file":                {[]string{"../far!", "a -> ../far"}, ".", ".", ""},
		"a hidden link":                   {[]string{"../far", ".a -> ../far"}, ".", ".", ""},
		"a link to a hidden folder":       {[]string{".store/a", "x -> .store"}, ". x x/a", ".", ""},
		"hidden folders and those of npm": {[]string{".git/a", "node_modules/a", "b"}, ". b", ". b", ""},
		"folders that lie deep": {[]string{"1/2/3/4/5/6/7/8/9"},
			". 1 1/2 1/2/3 1/2/3/4 1/2/3/4/5 1/2/3/4/5/6 1/2/3/4/5/6/7 1/2/3/4/5/6/7/8", "",
			"ROOT/1/2/3/4/5/6/7/8/9 and what else lies more than 8 folders below ROOT was not looked through"},
		"a chain of links that never ends": {[]string{"../far/next -> ../far2", "../far2/next -> ../far",
			"x -> ../far"}, ". x x/next", ".", "ROOT/x/next/next leads back to ROOT/x, which it lies in: left out"},
		"links across two folders, no cycle": {[]string{"a/to-b -> ../b", "b/to-a -> ../a"}, ". a b", ". a b",
			"ROOT/a/to-b is ROOT/b once more: counted once"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, c.entries...)
			visited, notes := walk(t, root, false)
			if got := strings.Join(visited, " "); got != c.visited {
				t.Errorf("visited %s, want %s", got, c.visited)
			}
			if c.note == "" && len(notes) > 0 || c.note != "" && !slices.ContainsFunc(notes, func(n string) bool {
				return strings.HasPrefix(n, c.note)
			}) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			if c.stayed == "" {
				return
			}
			if visited, _ = walk(t, root, true); strings.Join(visited, " ") != c.stayed {
				t.Errorf("without links: visited %v, want %s", visited, c.stayed)
			}
		})
	}
}

// The root may be a link, also where links below it are not followed.
func TestLinkedRoot(t *testing.T) {
	root := tree(t, "../link -> root", "a", "../far", "x -> ../far")
	link := filepath.Join(filepath.Dir(root), "link")
	for _, name := range []string{link, link + "/", filepath.Join(link, "a", ".."), root} {
		if visited, _ := walk(t, strings.TrimSuffix(name, "/"), false); strings.Join(visited, " ") != ". a x" {
			t.Errorf("%s: %v", name, visited)
		}
	}
	visited, notes := walk(t, link, true)
	if strings.Join(visited, " ") != ". a" || len(notes) != 1 ||
		!strings.Contains(notes[0], "x is a link to a folder: not followed here") {
		t.Errorf("%v, %q", visited, notes)
	}
}

func TestNoFolder(t *testing.T) {
	root := tree(t, "file!", "gone -> nowhere", "circle -> circle")
	for name, want := range map[string]string{"file": "is a file; expected a folder",
		"gone": "is a link that leads nowhere, to nowhere", "circle": "leads in a circle", "none": "no such file"} {
		err := folders.Walk(filepath.Join(root, name), folders.Options{}, func(string, string) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder; run this as another user")
	}
	root := tree(t, "a", "shut", "z")
	if err := os.Chmod(filepath.Join(root, "shut"), 0); err != nil {
		t.Fatal(err)
	}
	visited, notes := walk(t, root, false)
	if strings.Join(visited, " ") != ". a shut z" || len(notes) != 1 || !strings.Contains(notes[0], "shut") {
		t.Errorf("%v, %q", visited, notes)
	}
}

// What a visitor returns ends the walk, or leaves out what is within.
func TestVisitor(t *testing.T) {
	root := tree(t, "a/b", "c", "d")
	var visited []string
	stop := errors.New("stop")
	err := folders.Walk(root, folders.Options{}, func(_, below string) error {
		visited = append(visited, below)
		return map[string]error{"a": fs.SkipDir, "c": stop}[below]
	})
	if err != stop || strings.Join(visited, " ") != ". a c" {
		t.Errorf("%v, %v", visited, err)
	}
}
