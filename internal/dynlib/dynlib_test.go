package dynlib

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Of this test's own program, which has the form of a library, every shorter beginning is found out.
func TestWhole(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("libraries are loaded on Linux and macOS only")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := Whole(own); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lib.so")
	for _, n := range []int{0, 3, 64, 1000, len(text) / 2, len(text) * 9 / 10, len(text) - 4096} {
		if err := os.WriteFile(path, text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Whole(path); err == nil || !strings.Contains(err.Error(), "it is damaged") {
			t.Errorf("%d of %d bytes: %v", n, len(text), err)
		}
	}
	if err := os.WriteFile(path, make([]byte, len(text)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Whole(path); err == nil {
		t.Error("zeros are a library")
	}
	if err := Whole(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("nothing: %v", err)
	}
}

func Example() {
	fmt.Println(Whole("/no/such/library.so") != nil)
	// Output: true
}
