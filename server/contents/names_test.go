package contents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func link(t *testing.T, s *Store, to, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(s.Dir(), name)); err != nil {
		t.Fatal(err)
	}
}

// A file and a link to it, or a link to its folder, are one file: of two who save it at the same moment over the same
// version one is told.
func TestOneLockHoweverAFileIsNamed(t *testing.T) {
	s := open(t)
	s.put(t, "dir", Save{Type: "directory"})
	link(t, s, "dir", "also")
	link(t, s, "dir/n.ipynb", "alias.ipynb")
	for round := range 20 {
		before := s.put(t, "dir/n.ipynb", nb(strings.Replace(notebook, "x := 1", fmt.Sprint("round ", round), 1)))
		results := make(chan error, 3)
		begin := make(chan struct{})
		for i, name := range []string{"dir/n.ipynb", "alias.ipynb", "also/n.ipynb"} {
			save := nb(strings.Replace(notebook, "x := 1", fmt.Sprint("writer ", i), 1))
			save.Hash = *before.Hash
			go func() {
				<-begin
				_, _, err := s.Save(name, save)
				results <- err
			}()
		}
		close(begin)
		saved := 0
		for range 3 {
			switch err := <-results; {
			case err == nil:
				saved++
			case status(err) != 409:
				t.Fatal(err)
			}
		}
		if saved != 1 {
			t.Fatalf("round %d: %d of three saved over the same version", round, saved)
		}
	}
}

// What is hidden stays hidden behind links, to files, to folders and over several of them.
func TestHiddenThroughLinks(t *testing.T) {
	s := open(t)
	hidden := filepath.Join(s.Dir(), ".hidden")
	if err := os.Mkdir(hidden, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(hidden, "f.ipynb")
	if err := os.WriteFile(secret, []byte(notebook), 0o644); err != nil {
		t.Fatal(err)
	}
	s.put(t, "mine.ipynb", nb(notebook))
	link(t, s, ".hidden", "shown")
	link(t, s, ".hidden/f.ipynb", "file.ipynb")
	link(t, s, "shown/f.ipynb", "far.ipynb")
	link(t, s, ".hidden/new.ipynb", "new.ipynb")
	for _, p := range []string{"shown", "shown/f.ipynb", "file.ipynb", "far.ipynb", "new.ipynb", "shown/new.ipynb"} {
		if m, err := s.Get(p, GetOptions{Content: true}); status(err) != 404 {
			t.Errorf("get %s: %+v, %v", p, m, err)
		}
		if _, _, err := s.Save(p, nb(strings.Replace(notebook, "x := 1", "theirs", 1))); status(err) != 404 {
			t.Errorf("save %s: %v", p, err)
		}
		if f, _, err := s.OpenFile(p); status(err) != 404 {
			f.Close()
			t.Errorf("open %s: %v", p, err)
		}
		if _, err := s.Copy(p, ""); status(err) != 404 {
			t.Errorf("copy %s: %v", p, err)
		}
	}
	if _, err := s.Rename("mine.ipynb", "shown/mine.ipynb"); status(err) != 404 {
		t.Errorf("rename into: %v", err)
	}
	if _, err := s.Rename("shown/f.ipynb", "f.ipynb"); status(err) != 404 {
		t.Errorf("rename out of: %v", err)
	}
	if err := s.Delete("shown/f.ipynb"); status(err) != 404 {
		t.Errorf("delete: %v", err)
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != notebook {
		t.Errorf("%s %v", b, err)
	}
	if names, _ := os.ReadDir(hidden); len(names) != 1 {
		t.Errorf("something was written: %v", names)
	}
	root, err := s.Get("", GetOptions{Content: true})
	if err != nil || len(root.Content.([]*Model)) != 1 {
		t.Errorf("%v %v", root.Content, err)
	}
}

// A notebook must not grow by being saved: 18 kB nested 9,000 deep would be written as 81 MB.
func TestDeepNotebook(t *testing.T) {
	s := open(t)
	deep := strings.Replace(notebook, `"metadata":{},"cells"`, `"metadata":{"x":`+strings.Repeat("[", 9000)+
		strings.Repeat("]", 9000)+`},"cells"`, 1)
	if _, _, err := s.Save("deep.ipynb", nb(deep)); status(err) != 400 || !strings.Contains(err.Error(), "nested") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), "deep.ipynb"), []byte(deep), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("deep.ipynb", GetOptions{Content: true}); status(err) != 400 ||
		!strings.Contains(err.Error(), "nested") {
		t.Errorf("%v", err)
	}
	brackets := strings.Replace(notebook, "x := 1", strings.Repeat("[", 9000)+`\"[`, 1) // in a text they are no nesting
	s.put(t, "text.ipynb", nb(brackets))
}

// What a killed server left half written is removed when the next one starts; what another one may be writing is not.
func TestOrphanedFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub", checkpointsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for name, at := range map[string]time.Time{
		".~0123abcd.tmp": old, "sub/.~0123abcd.tmp": old, "sub/" + checkpointsDir + "/.~0123abcd.tmp": old,
		".~fedcba98.tmp": time.Now(), ".~mine.tmp": old, "~0123abcd.tmp": old, "sub/n.ipynb": old,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.tidy.Wait()
	s.Close()
	var left []string
	_ = filepath.Walk(dir, func(p string, info os.FileInfo, _ error) error {
		if !info.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			left = append(left, rel)
		}
		return nil
	})
	if got := strings.Join(left, " "); got != ".~fedcba98.tmp .~mine.tmp sub/n.ipynb ~0123abcd.tmp" {
		t.Errorf("left: %s", got)
	}
}
