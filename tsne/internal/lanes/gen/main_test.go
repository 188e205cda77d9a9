package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files checked in are those the generator writes.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate in tsne/internal/lanes", name)
		}
	}
}
