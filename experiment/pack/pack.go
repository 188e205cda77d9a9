// Package pack writes the folder of a run, a study or a sweep, or a folder of these, as one .zip file. All commands and
// pages that look at runs read the file like the folder. Equal folders make equal bytes.
//
//	packed, err := pack.Folder("out/push", "push.zip")
//	study, err := study.Open("push.zip")
package pack

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/experiment/study"
	"nacre/internal/atomicfile"
	"nacre/internal/folders"
	"nacre/internal/plainfile"
	"nacre/rl"
)

// Packed holds what Folder wrote.
type Packed struct {
	File  string `json:"file"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"` // size of the archive in bytes
	// Left and LeftBytes are the number and size of the files that were not packed. These are checkpoints and event
	// files, which only further training needs, locks, and files of a study that its reports do not need.
	Left      int      `json:"left_out"`
	LeftBytes int64    `json:"left_out_bytes"`
	Notes     []string `json:"notes,omitempty"`
}

// Folder packs a folder. A study that was not packed before is written in the form in which results are shipped
// (study.Pack).
func Folder(from, to string) (Packed, error) {
	p := Packed{File: to}
	if !strings.EqualFold(filepath.Ext(to), ".zip") {
		return p, fmt.Errorf("pack: %s: expected a name that ends in .zip", to)
	}
	if err := plainfile.Writable(from); err != nil {
		return p, fmt.Errorf("pack: %s is an archive already", from)
	}
	if _, err := os.Stat(to); err == nil {
		return p, fmt.Errorf("pack: %s exists already: remove it, or choose another name", to)
	}
	all, err := p.list(from)
	if err != nil {
		return p, err
	}
	write, err := study.Packer(from)
	if err != nil {
		return p, err
	}
	if write == nil {
		return p, p.write(from, all)
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), ".pack-*")
	if err != nil {
		return p, fmt.Errorf("pack: %w", err)
	}
	defer os.RemoveAll(dir)
	if _, err := write(from, dir); err != nil {
		return p, err
	}
	chosen, err := p.list(dir)
	if err != nil {
		return p, err
	}
	var rest Packed
	for _, name := range all {
		if !slices.Contains(chosen, name) {
			rest.leave(filepath.Join(from, filepath.FromSlash(name)))
		}
	}
	p.Left, p.LeftBytes = p.Left+rest.Left, p.LeftBytes+rest.LeftBytes
	return p, p.write(dir, chosen)
}

// leave counts a file that stays behind.
func (p *Packed) leave(file string) {
	if info, err := os.Stat(file); err == nil {
		p.Left++
		p.LeftBytes += info.Size()
	}
}

// list are the files to pack, with slashes, in order. Links are followed, as by everything that looks for runs.
func (p *Packed) list(root string) (names []string, err error) {
	runs := 0
	err = folders.Walk(root, folders.Options{Note: func(line string) { p.Notes = append(p.Notes, line) }},
		func(dir, below string) error {
			if plainfile.Writable(dir) != nil {
				return nil // an archive within goes as a file
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			collected := actsByCollection(dir)
			for _, e := range entries {
				file := filepath.Join(dir, e.Name())
				if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
					continue
				}
				if !wanted(e.Name()) && !(collected && e.Name() == experiment.CheckpointFile) {
					p.leave(file)
					continue
				}
				if e.Name() == experiment.ConfigFile || e.Name() == study.ResultsFile {
					runs++
				}
				names = append(names, filepath.ToSlash(filepath.Join(filepath.FromSlash(below), e.Name())))
			}
			return nil
		})
	if err == nil && runs == 0 {
		err = fmt.Errorf("%s holds no run and no study: expected a folder with a %s or %s in it or below", root,
			experiment.ConfigFile, study.ResultsFile)
	}
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

// actsByCollection reports whether a folder belongs to a run whose agent needs its checkpoint.
func actsByCollection(dir string) bool {
	run, err := experiment.View(dir)
	if err != nil {
		return false
	}
	cfg := experiment.Default()
	if _, err := run.ReadConfig(&cfg); err != nil {
		return false
	}
	a, err := rl.Lookup(cfg.Algorithm)
	return err == nil && a.Remembers
}

// wanted reports whether a file is of use to who only looks.
func wanted(name string) bool {
	switch {
	case name == experiment.CheckpointFile, name == experiment.PreviousCheckpointFile, strings.HasPrefix(name, "."),
		strings.HasSuffix(name, ".tmp"), strings.HasPrefix(name, "events.out.tfevents"):
		return false
	}
	return true
}

// write writes the archive: all or nothing.
func (p *Packed) write(root string, names []string) error {
	err := atomicfile.Write(p.File, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, name := range names {
			if err := add(z, name, filepath.Join(root, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
		return z.Close()
	})
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	info, err := os.Stat(p.File)
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	p.Files, p.Bytes = len(names), info.Size()
	return nil
}

// The 1st of January 1980, the first day that a .zip file can name: when a file was written is not packed.
const firstDay = 1<<5 | 1

// add packs a file, deflated where that is smaller.
func add(z *zip.Writer, name, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	h := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(data),
		UncompressedSize64: uint64(len(data))}
	//lint:ignore SA1019 Modified would add a field to every file, and old and new archives of a folder would differ
	h.ModifiedDate = firstDay
	h.SetMode(0o644)
	var small bytes.Buffer
	f, err := flate.NewWriter(&small, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if small.Len() < len(data) {
		h.Method, data = zip.Deflate, small.Bytes()
	}
	h.CompressedSize64 = uint64(len(data))
	w, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
