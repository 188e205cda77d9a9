package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Two archives of the same files are the same bytes, however old the files are, and hold them with mode and time.
func TestArchivesAreReproducible(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries := []entry{{"LICENSE", program, 0o644}, {"nacre", program, 0o755}}
	when := time.Unix(1_700_000_000, 0).UTC()
	for name, write := range map[string]func(string, string, []entry, time.Time) (string, error){"a.tar.gz": writeTar,
		"a.zip": writeZip} {
		var made [2][]byte
		for i := range made {
			if err := os.Chtimes(program, time.Time{}, time.Now().Add(time.Duration(i)*time.Hour)); err != nil {
				t.Fatal(err)
			}
			file, err := write(filepath.Join(dir, name), "nacre-1", entries, when)
			if err != nil {
				t.Fatal(err)
			}
			if made[i], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(made[0], made[1]) {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
	f, err := os.Open(filepath.Join(dir, "a.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(g)
	for _, e := range entries {
		h, err := r.Next()
		if err != nil || h.Name != "nacre-1/"+e.name || h.Mode != int64(e.mode) || !h.ModTime.Equal(when) ||
			h.Uid != 0 {
			t.Errorf("%+v, %v", h, err)
		}
	}
	z, err := zip.OpenReader(filepath.Join(dir, "a.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if m := z.File[1]; m.Name != "nacre-1/nacre" || m.Mode().Perm() != 0o755 || !m.Modified.Equal(when) {
		t.Errorf("%+v", m.FileHeader)
	}
	if _, err := writeTar(filepath.Join(dir, "b.tar.gz"), "b", []entry{{"x", filepath.Join(dir, "no"), 0o644}},
		when); err == nil {
		t.Error("a missing file was packed")
	}
	if _, err := os.Stat(filepath.Join(dir, "b.tar.gz")); err == nil {
		t.Error("half an archive was left")
	}
}
