package compile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A list is for one program: not for another at its place, and still for one that was only touched, as go build does
// with what is up to date.
func TestPreparedList(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "compile")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	program, err := identity()
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(folder, "list")
	read := func(program string) error {
		if err := os.WriteFile(list, []byte(program+"\n"+folder+"\nfmt="+file+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return (&Builder{packages: map[string]string{}}).prepared(list)
	}
	if err := read(program); err != nil {
		t.Error(err)
	}
	for _, other := range []string{"", program + "0", folder} {
		if err := read(other); !errors.Is(err, ErrUnprepared) {
			t.Errorf("a list of the program %q: %v", other, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	err = os.Chtimes(self, later, later)
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("another user owns this test program and alone may touch it; run the test as that user")
	}
	if err != nil {
		t.Fatal("the times of the program cannot be set: ", err)
	}
	if err := read(program); err != nil {
		t.Errorf("a program that was touched: %v", err)
	}
	if again, err := identity(); again != program || err != nil {
		t.Errorf("the program is %s, was %s: %v", again, program, err)
	}
}
