// Package plainfiletest makes archives for tests.
package plainfiletest

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Archive writes a .zip file from pairs of a name and contents; a name that ends in / is a folder. It makes the folders
// in which the .zip file lies, and returns the file's name.
func Archive(t testing.TB, file string, pairs ...string) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Dir(file), 0o755))
	f, err := os.Create(file)
	must(err)
	z := zip.NewWriter(f)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil && !strings.HasSuffix(pairs[i], "/") {
			_, err = io.WriteString(w, pairs[i+1])
		}
		must(err)
	}
	must(errors.Join(z.Close(), f.Close()))
	return file
}
