package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"time"
)

// writeTar packs entries into a folder of a gzipped tar archive. Owner and group are 0, and every file has the same
// time.
func writeTar(file, folder string, entries []entry, when time.Time) (string, error) {
	return file, create(file, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, e := range entries {
			info, err := os.Stat(e.path)
			if err != nil {
				return err
			}
			h := &tar.Header{Name: folder + "/" + e.name, Mode: int64(e.mode), Size: info.Size(), ModTime: when,
				Format: tar.FormatPAX}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if err := copyFile(t, e.path); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

// writeZip does the same as a zip archive.
func writeZip(file, folder string, entries []entry, when time.Time) (string, error) {
	return file, create(file, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range entries {
			h := &zip.FileHeader{Name: folder + "/" + e.name, Method: zip.Deflate, Modified: when}
			h.SetMode(e.mode)
			member, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if err := copyFile(member, e.path); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// create writes a file, and leaves none if that fails.
func create(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		os.Remove(file)
		return err
	}
	return nil
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
