package contents

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/server/nbformat"
)

const notebook = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"x := 1","outputs":[],"execution_count":null}]}`

func open(t *testing.T) *Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "served")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func status(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

func (s *Store) put(t *testing.T, p string, save Save) *Model {
	t.Helper()
	m, _, err := s.Save(p, save)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func nb(text string) Save { return Save{Type: "notebook", Content: json.RawMessage(text)} }

func plain(text string) Save {
	b, _ := json.Marshal(text)
	return Save{Type: "file", Format: "text", Content: b}
}

func TestFiles(t *testing.T) {
	s := open(t)
	s.put(t, "a.ipynb", nb(notebook))
	s.put(t, "sub", Save{Type: "directory"})
	s.put(t, "sub/t.txt", plain("hé"))
	s.put(t, "b.bin", Save{Type: "file", Format: "base64", Content: json.RawMessage(`"AAH/"`)})
	root, err := s.Get("", GetOptions{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range root.Content.([]*Model) {
		names = append(names, m.Type+" "+m.Path)
	}
	if strings.Join(names, ", ") != "directory sub, notebook a.ipynb, file b.bin" {
		t.Error(names)
	}
	text, err := s.Get("/sub/t.txt", GetOptions{Content: true})
	if err != nil || text.Content != "hé" || *text.Format != "text" || *text.Mimetype != "text/plain" ||
		*text.Size != 3 {
		t.Errorf("%+v %v", text, err)
	}
	if bin, err := s.Get("b.bin", GetOptions{Content: true}); err != nil || bin.Content != "AAH/" ||
		*bin.Format != "base64" {
		t.Errorf("%+v %v", bin, err)
	}
	// From coreutils' sha256sum.
	if *text.Hash != "7dfbe0eab96510b11c9a2671d83019cd52953211294db5f917ffa0b7cc84f534" {
		t.Error(*text.Hash)
	}
	if _, err := s.Get("b.bin", GetOptions{Content: true, Format: "text"}); status(err) != http.StatusBadRequest {
		t.Error(err)
	}
	for _, kind := range []string{"notebook", "notebook", "directory", "file"} {
		if _, err := s.Create("sub", kind, ".go", nbformat.New("nacre", "Go", "go")); err != nil {
			t.Error(err)
		}
	}
	copied, err := s.Copy("sub/t.txt", "")
	if err != nil || copied.Path != "t-Copy1.txt" {
		t.Errorf("%+v %v", copied, err)
	}
	for _, p := range []string{"sub/Untitled.ipynb", "sub/Untitled1.ipynb", "sub/Untitled Folder", "sub/untitled.go"} {
		if _, err := s.Get(p, GetOptions{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Rename("t-Copy1.txt", "sub/t.txt"); status(err) != http.StatusConflict {
		t.Errorf("renaming over a file: %v", err)
	}
	if m, err := s.Rename("t-Copy1.txt", "sub/u.txt"); err != nil || m.Path != "sub/u.txt" {
		t.Error(m, err)
	}
	if err := s.Delete("sub"); status(err) != http.StatusBadRequest {
		t.Errorf("deleting a folder with files: %v", err)
	}
	if err := s.Delete("sub/u.txt"); err != nil {
		t.Error(err)
	}
	if _, err := s.Get("sub/u.txt", GetOptions{}); status(err) != http.StatusNotFound {
		t.Error(err)
	}
}

// Nothing outside the folder, and nothing hidden in it, can be read, written, listed, renamed, copied or deleted.
func TestNoWayOut(t *testing.T) {
	s := open(t)
	outside := filepath.Dir(s.Dir())
	secret := filepath.Join(outside, "secret.ipynb")
	if err := os.WriteFile(secret, []byte(notebook), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(outside, "served-sibling"), filepath.Join(s.Dir(), ".hidden"),
		filepath.Join(s.Dir(), "ok")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f.ipynb"), []byte(notebook), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link.ipynb": secret, "rel.ipynb": "../secret.ipynb", "dir": outside,
		"up": "..", "loop": "loop", "ok/chain": "../up"} {
		if err := os.Symlink(to, filepath.Join(s.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(s.Dir(), "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.put(t, "mine.ipynb", nb(notebook))
	for _, p := range []string{
		"../secret.ipynb", "..", "ok/../../secret.ipynb", "/../secret.ipynb", "./../secret.ipynb", "..\\secret.ipynb",
		"../served-sibling/f.ipynb",
		secret, "/" + secret, "link.ipynb", "rel.ipynb", "dir/secret.ipynb", "dir", "up/secret.ipynb",
		"up/served/mine.ipynb", "ok/chain/secret.ipynb", "loop",
		".hidden/f.ipynb", ".hidden", "ok/.x", "mine.ipynb\x00.txt", "ok//f.ipynb", "ok/./f.ipynb", "pipe",
		strings.Repeat("a/", 3000),
		"%2e%2e/secret.ipynb", "..%2fsecret.ipynb",
	} {
		if m, err := s.Get(p, GetOptions{Content: true}); status(err) != 404 && status(err) != 400 {
			t.Errorf("get %q: %+v, %v", p, m, err)
		}
		if p != "%2e%2e/secret.ipynb" && p != "..%2fsecret.ipynb" { // as names these are harmless
			if _, _, err := s.Save(p, nb(notebook)); err == nil {
				t.Errorf("save %q", p)
			}
			if _, err := s.Rename("mine.ipynb", p); err == nil {
				t.Errorf("rename to %q", p)
			}
		}
		if _, err := s.Rename(p, "stolen.ipynb"); err == nil && !strings.Contains(p, "link") &&
			!isLink(s, "stolen.ipynb") {
			t.Errorf("rename %q", p)
		}
		if _, err := s.Copy(p, ""); err == nil {
			t.Errorf("copy %q", p)
		}
		if f, _, err := s.OpenFile(p); err == nil {
			f.Close()
			t.Errorf("open %q", p)
		}
		if _, err := s.MakeCheckpoint(p); err == nil {
			t.Errorf("checkpoint of %q", p)
		}
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != notebook {
		t.Errorf("the file outside: %s, %v", b, err)
	}
	list, err := s.Get("", GetOptions{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Content.([]*Model) {
		switch m.Name {
		case "ok", "mine.ipynb":
		default:
			t.Errorf("%s is listed", m.Name)
		}
	}
}

func isLink(s *Store, p string) bool {
	info, err := s.root.Lstat(p)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func TestLinksInsideStayLinks(t *testing.T) {
	s := open(t)
	s.put(t, "real.ipynb", nb(notebook))
	if err := os.Symlink("real.ipynb", filepath.Join(s.Dir(), "alias.ipynb")); err != nil {
		t.Fatal(err)
	}
	s.put(t, "alias.ipynb", nb(strings.Replace(notebook, "x := 1", "x := 2", 1)))
	if !isLink(s, "alias.ipynb") {
		t.Error("the link became a file")
	}
	if b, _ := os.ReadFile(filepath.Join(s.Dir(), "real.ipynb")); !strings.Contains(string(b), "x := 2") {
		t.Errorf("%s", b)
	}
}

func TestConflicts(t *testing.T) {
	s := open(t)
	first := s.put(t, "a.ipynb", nb(notebook))
	save := nb(notebook)
	save.Hash = *first.Hash
	file := filepath.Join(s.Dir(), "a.ipynb")
	if err := os.WriteFile(file, []byte(strings.Replace(notebook, "x := 1", "theirs", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Save("a.ipynb", save)
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusConflict || e.Reason != "conflict" || e.Model == nil ||
		*e.Model.Hash == *first.Hash {
		t.Fatalf("%v", err)
	}
	if b, _ := os.ReadFile(file); !strings.Contains(string(b), "theirs") {
		t.Error("their change is gone")
	}
	save.Hash = *e.Model.Hash // the user has decided to overwrite
	mine := s.put(t, "a.ipynb", save)

	byTime := nb(notebook)
	byTime.LastModified = mine.LastModified
	s.put(t, "a.ipynb", byTime)
	for _, clock := range []time.Duration{time.Hour, -time.Hour} { // set forward, or back, before somebody else saved
		at := time.Now().Add(clock)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Save("a.ipynb", byTime); status(err) != http.StatusConflict {
			t.Errorf("by time, changed %v from now: %v", clock, err)
		}
	}
}

// What the server itself writes into a notebook is no conflict for who edits it; what others write between is.
func TestOwnChangesAreNoConflict(t *testing.T) {
	s := open(t)
	opened := s.put(t, "a.ipynb", nb(notebook))
	count := 0
	update := func() {
		t.Helper()
		if err := s.Update("a.ipynb", func(n *nbformat.Notebook) bool {
			count++
			n.Cells()[0].SetOutputs(nil, count)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	update()
	update()
	save := nb(notebook)
	save.Hash = *opened.Hash
	saved := s.put(t, "a.ipynb", save)
	update()
	if err := os.WriteFile(filepath.Join(s.Dir(), "a.ipynb"), []byte(notebook), 0o644); err != nil {
		t.Fatal(err)
	}
	update()
	save.Hash = *saved.Hash
	if _, _, err := s.Save("a.ipynb", save); status(err) != http.StatusConflict {
		t.Errorf("someone wrote between two of our changes: %v", err)
	}
}

// failingDisk fails in the middle of writing.
type failingDisk struct{ err error }

type failingFile struct {
	file
	err error
}

func (d failingDisk) create(root *os.Root, name string, mode fs.FileMode) (file, error) {
	f, err := realDisk{}.create(root, name, mode)
	return failingFile{f, d.err}, err
}

func (f failingFile) Write(b []byte) (int, error) {
	n, _ := f.file.Write(b[:len(b)/2])
	return n, &fs.PathError{Op: "write", Path: "x", Err: f.err}
}

func TestFullDisk(t *testing.T) {
	s := open(t)
	s.put(t, "a.ipynb", nb(notebook))
	before, _ := os.ReadFile(filepath.Join(s.Dir(), "a.ipynb"))
	for err, want := range map[error]int{syscall.ENOSPC: 507, syscall.EDQUOT: 507, syscall.EROFS: 403,
		syscall.EACCES: 403, syscall.EIO: 500} {
		s.disk = failingDisk{err}
		_, _, got := s.Save("a.ipynb", nb(strings.Replace(notebook, "x := 1", "new", 1)))
		if status(got) != want || !strings.Contains(got.Error(), "a.ipynb") {
			t.Errorf("%v: %v", err, got)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(s.Dir(), "a.ipynb")); string(after) != string(before) {
		t.Error("the file has changed")
	}
	if list, _ := os.ReadDir(s.Dir()); len(list) != 1 {
		t.Errorf("something was left: %v", list)
	}
}

func TestWriteProtected(t *testing.T) {
	s := open(t)
	s.put(t, "a.ipynb", nb(notebook))
	if err := os.Chmod(filepath.Join(s.Dir(), "a.ipynb"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Save("a.ipynb", nb(notebook)); status(err) != http.StatusForbidden ||
		!strings.Contains(err.Error(), "write-protected") {
		t.Error(err)
	}
	if m, err := s.Get("a.ipynb", GetOptions{}); err != nil || m.Writable {
		t.Errorf("%+v %v", m, err)
	}
}

func TestBadNotebooks(t *testing.T) {
	s := open(t)
	for text, want := range map[string]string{
		`{"nbformat":5,"cells":[]}`: "newer than format 4.5", "{\n\"cells\": 5 5}": "line 2",
		`{}`: "no nbformat number",
	} {
		if err := os.WriteFile(filepath.Join(s.Dir(), "bad.ipynb"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := s.Get("bad.ipynb", GetOptions{Content: true})
		if status(err) != http.StatusBadRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		// It can still be looked at as a file.
		if m, err := s.Get("bad.ipynb", GetOptions{Content: true, Type: "file"}); err != nil || m.Content != text {
			t.Errorf("%+v %v", m, err)
		}
		if _, _, err := s.Save("new.ipynb", nb(text)); status(err) != http.StatusBadRequest {
			t.Errorf("%s was saved: %v", text, err)
		}
	}
	// A notebook that only breaks a rule is saved, so that its text is not lost.
	odd := strings.Replace(notebook, `"outputs":[]`, `"outputs":[],"odd":1`, 1)
	if m := s.put(t, "odd.ipynb", nb(odd)); !strings.Contains(m.Message, `unexpected field "odd"`) {
		t.Errorf("%+v", m)
	}
	if m, err := s.Get("odd.ipynb", GetOptions{Content: true}); err != nil || !strings.Contains(m.Message, "odd") {
		t.Errorf("%+v %v", m, err)
	}
}

func TestCheckpoints(t *testing.T) {
	s := open(t)
	s.put(t, "a.ipynb", nb(notebook))
	if list, err := s.Checkpoints("a.ipynb"); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	c, err := s.MakeCheckpoint("a.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, "a.ipynb", nb(strings.Replace(notebook, "x := 1", "later", 1)))
	if m, err := s.Rename("a.ipynb", "b.ipynb"); err != nil {
		t.Fatal(m, err)
	}
	if list, err := s.Checkpoints("b.ipynb"); err != nil || len(list) != 1 || list[0].ID != c.ID {
		t.Error(list, err)
	}
	if err := s.Restore("b.ipynb", "nonsense"); status(err) != http.StatusNotFound {
		t.Error(err)
	}
	if err := s.Restore("b.ipynb", c.ID); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(s.Dir(), "b.ipynb")); !strings.Contains(string(b), "x := 1") {
		t.Errorf("%s", b)
	}
	if err := s.DeleteCheckpoint("b.ipynb", c.ID); err != nil {
		t.Error(err)
	}
	if err := s.Delete("b.ipynb"); err != nil {
		t.Error(err)
	}
}

// What is protected cannot be written by any name it has, neither by a client nor by the server itself; it can be read
// and copied, and the copy is as writable as any.
func TestProtected(t *testing.T) {
	s := open(t)
	s.put(t, "a.ipynb", nb(notebook))
	s.put(t, "b.ipynb", nb(notebook))
	if _, err := s.MakeCheckpoint("a.ipynb"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.ipynb", filepath.Join(s.Dir(), "link.ipynb")); err != nil {
		t.Fatal(err)
	}
	s.Protect(func(path string) bool { return path == "a.ipynb" })
	changed := strings.Replace(notebook, "x := 1", "x := 2", 1)
	for _, name := range []string{"a.ipynb", "link.ipynb"} {
		if m, err := s.Get(name, GetOptions{}); err != nil || m.Writable {
			t.Errorf("%s is writable: %v", name, err)
		}
		if _, _, err := s.Save(name, nb(changed)); status(err) != http.StatusForbidden {
			t.Errorf("%s was saved: %v", name, err)
		}
		if err := s.Update(name, func(*nbformat.Notebook) bool { return true }); status(err) != http.StatusForbidden {
			t.Errorf("%s was updated: %v", name, err)
		}
	}
	if err := s.Restore("a.ipynb", checkpointID); status(err) != http.StatusForbidden {
		t.Errorf("it was restored: %v", err)
	}
	m, err := s.Copy("a.ipynb", "")
	if err != nil || m.Path != "a-Copy1.ipynb" || !m.Writable {
		t.Fatalf("copied to %+v: %v", m, err)
	}
	s.put(t, m.Path, nb(changed))
	s.put(t, "b.ipynb", nb(changed))
}
