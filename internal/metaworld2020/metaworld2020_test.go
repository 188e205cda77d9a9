package metaworld2020

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The id is that of `echo test content | git hash-object --stdin`, from the book Pro Git.
func ExampleID() {
	fmt.Println(ID([]byte("test content\n")))
	// Output: d670460b4b4aece5915caf5c68d12f560a9fe3e4
}

func TestFiles(t *testing.T) {
	files := Files()
	models := 0
	for _, f := range files {
		if len(f.ID) != 40 || f.Size <= 0 || !filepath.IsLocal(f.Name) {
			t.Errorf("%+v", f)
		}
		if strings.HasSuffix(f.Name, ".xml") {
			models++
		}
	}
	if len(files) != 58 || models != 35 {
		t.Errorf("%d files, %d models; expected 58 and 35", len(files), models)
	}
}

// What is wrong with a file is said, with the id that it should have.
func TestCheck(t *testing.T) {
	f := File{Name: "a.xml", ID: ID([]byte("one\ntwo\n"))}
	for data, want := range map[string]string{
		"one\r\ntwo\r\n": "line endings", "": "empty", "version https://git-lfs.github.com/spec/v1\n": "Git LFS",
		"three\n": "changed",
	} {
		err := f.Check([]byte(data))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "expected "+f.ID) ||
			!strings.Contains(err.Error(), ID([]byte(data))) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if err := f.Check([]byte("one\ntwo\n")); err != nil {
		t.Error(err)
	}
	tag := File{Name: "b.xml", ID: f.ID}
	later = append(later, ID([]byte("later")))
	if err := tag.Check([]byte("later")); err == nil || !strings.Contains(err.Error(), "v2.0.0") {
		t.Errorf("a later commit: %v", err)
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	if err := Verify(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), Files()[0].ID) {
		t.Errorf("an empty folder: %v", err)
	}
	file := filepath.Join(dir, filepath.FromSlash(Files()[0].Name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("solid"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Verify(dir); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("another file: %v", err)
	}
}
