//go:build unix

package plainfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nacre/internal/plainfile"
)

func Example() {
	dir, _ := os.MkdirTemp("", "plainfile")
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o600)
	text, err := plainfile.Read(filepath.Join(dir, "a"), 4)
	fmt.Println(string(text), err)
	// Output: text <nil>
}

// Whatever stands in place of a file is one sentence, also where opening or reading it would never end.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700), os.Symlink(at("loop"), at("loop")),
		os.Symlink("/dev/zero", at("device")), os.WriteFile(at("long"), make([]byte, 5), 0o600),
		os.Symlink(at("pipe"), at("link")),
	); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe": "a named pipe; expected a file", "link": "a named pipe", "folder": "a folder", "loop": "symbolic links",
		"device": "a device", "long": "5 bytes; expected at most 4", "nothing": "no such file",
	} {
		_, err := plainfile.Read(at(name), 4)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at(name)) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := plainfile.OpenFile(at("pipe"), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		t.Error("a pipe was opened for writing")
	}
	if f, err := plainfile.OpenFile(at("new"), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}
