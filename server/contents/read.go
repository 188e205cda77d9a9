package contents

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"nacre/server/nbformat"
)

// GetOptions says how to read a file.
type GetOptions struct {
	Content bool
	Hash    bool
	Type    string // "notebook", "file" or "directory"; "" means any type
	Format  string // "text" or "base64"; "" means text if the file is text
}

// Get describes a file or folder, with its content if asked for. The content of a notebook is a *nbformat.Notebook, of
// a folder a []*Model.
func (s *Store) Get(p string, o GetOptions) (*Model, error) {
	p, err := clean(p)
	if err != nil {
		return nil, err
	}
	info, err := s.stat(p)
	if err != nil {
		return nil, err
	}
	m := s.describe(p, info)
	if o.Type != "" && o.Type != m.Type && (o.Type == "directory" || m.Type == "directory" || o.Type == "notebook") {
		return nil, fail(http.StatusBadRequest, "%s is a %s, not a %s", p, m.Type, o.Type)
	}
	if o.Type == "file" {
		m.Type = "file"
	}
	if m.Type == "directory" {
		if o.Content {
			err = s.list(p, m)
		}
		return m, err
	}
	if o.Content || o.Hash {
		b, err := s.read(p)
		if err != nil {
			return nil, err
		}
		if o.Content {
			if err := s.fill(m, b, o.Format); err != nil {
				return nil, err
			}
		}
		m.setHash(hashOf(b))
	}
	return m, nil
}

func (m *Model) setHash(h string) {
	m.Hash, m.HashKind = &h, new("sha256")
}

// fill puts a file's content into its model.
func (s *Store) fill(m *Model, b []byte, format string) error {
	if m.Type == "notebook" {
		nb, err := s.parse(m.Path, b)
		if err != nil {
			return fail(http.StatusBadRequest, "%s cannot be opened as a notebook: %v", m.Path, err)
		}
		if m.Problems = nb.Problems(); m.Problems != nil {
			m.Message = "this notebook does not follow the format: " + m.Problems[0]
		}
		if nb.Major() < nbformat.Major {
			m.ConvertedFrom = nb.Major()
		}
		m.Content, m.Format = nb, new("json")
		return nil
	}
	isText := utf8.Valid(b) && !bytes.Contains(b, []byte{0})
	if format == "text" && !isText {
		return fail(http.StatusBadRequest, "%s is not UTF-8 text", m.Path)
	}
	if format == "base64" || !isText {
		m.Content, m.Format = base64.StdEncoding.EncodeToString(b), new("base64")
		return nil
	}
	if m.Mimetype == nil {
		m.Mimetype = new("text/plain")
	}
	m.Content, m.Format = string(b), new("text")
	return nil
}

// parse reads a notebook's file. As long as the store is open, cells for which the file has no identifier keep the one
// they get here.
func (s *Store) parse(p string, b []byte) (*nbformat.Notebook, error) {
	nb, err := nbformat.ParseAgain(b, s.idsOf(p))
	if err == nil {
		s.keepIDs(p, nb.IDs())
	}
	return nb, err
}

func (s *Store) idsOf(p string) nbformat.IDs {
	p = s.same(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[p]
}

func (s *Store) keepIDs(p string, ids nbformat.IDs) {
	p = s.same(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ids == nil {
		delete(s.ids, p)
	} else {
		s.ids[p] = ids
	}
}

// list puts the models of a folder's files into its model: folders first, then by name.
func (s *Store) list(p string, m *Model) error {
	d, err := s.root.Open(p)
	if err != nil {
		return explain(p, err)
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return explain(p, err)
	}
	children := []*Model{}
	for _, e := range entries {
		if _, err := clean(e.Name()); err != nil {
			continue
		}
		child := join(p, e.Name())
		info, err := s.stat(child)
		if err != nil {
			continue // gone in the meantime, or nothing that can be served
		}
		children = append(children, s.describe(child, info))
	}
	slices.SortFunc(children, func(a, b *Model) int {
		if (a.Type == "directory") != (b.Type == "directory") {
			if a.Type == "directory" {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	m.Content, m.Format = children, new("json")
	return nil
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// OpenFile opens a file for reading.
func (s *Store) OpenFile(p string) (*os.File, fs.FileInfo, error) {
	p, err := clean(p)
	if err != nil {
		return nil, nil, err
	}
	info, err := s.stat(p)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		return nil, nil, fail(http.StatusNotFound, "%s is a folder", p)
	}
	f, err := s.root.Open(p)
	if err != nil {
		return nil, nil, explain(p, err)
	}
	return f, info, nil
}

// read returns a file's bytes.
func (s *Store) read(p string) ([]byte, error) {
	f, err := s.root.Open(p)
	if err != nil {
		return nil, explain(p, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, explain(p, err)
	}
	if len(b) > MaxFile {
		return nil, fail(http.StatusRequestEntityTooLarge, "%s is larger than %d MiB, the most that is opened here",
			p, MaxFile>>20)
	}
	return b, nil
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// exists reports whether there is anything at p.
func (s *Store) exists(p string) bool {
	_, err := s.root.Lstat(p)
	return !errors.Is(err, fs.ErrNotExist)
}
