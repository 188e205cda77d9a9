package contents

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"nacre/server/nbformat"
)

// Save holds what to save. Hash and LastModified are those of the version that was edited. With either, a file that was
// changed since is not overwritten.
type Save struct {
	Type         string // "notebook", "file" or "directory"
	Format       string // format of a file: "text" or "base64"
	Content      json.RawMessage
	Hash         string
	LastModified time.Time
	// With Repair, a notebook that breaks its format is mended, and one of format 2 or 3 is converted to format 4.
	// Without Repair, a broken notebook is saved as it is, and one of format 2 or 3 is not saved.
	Repair bool
	// Merge may change the notebook before it is written. It may be nil.
	Merge func(*nbformat.Notebook)
}

// Save writes a file or makes a folder and returns its model without content. Either the whole file is replaced or
// nothing changes.
func (s *Store) Save(p string, save Save) (m *Model, created bool, err error) {
	p, err = clean(p)
	if err != nil {
		return nil, false, err
	}
	if p == "." {
		return nil, false, fail(http.StatusBadRequest, "the served folder itself cannot be saved")
	}
	if _, err := s.visible(p); err != nil {
		return nil, false, err
	}
	defer s.lock(p)()
	created = !s.exists(p)
	if save.Type == "directory" {
		if err := s.root.Mkdir(p, 0o777); err != nil && !(errors.Is(err, fs.ErrExist) && s.isDir(p)) {
			return nil, false, explain(p, err)
		}
		m, err = s.Get(p, GetOptions{})
		return m, created, err
	}
	var before []byte
	if !created {
		if before, err = s.checkUnchanged(p, save); err != nil {
			return nil, false, err
		}
	}
	said := &Model{}
	data, err := s.bytes(p, save, before, said)
	if err != nil {
		return nil, false, err
	}
	if created || !bytes.Equal(data, before) {
		if err := s.write(p, data); err != nil {
			return nil, false, explain(p, err)
		}
		s.forget(p)
	}
	info, err := s.stat(p)
	if err != nil {
		return nil, false, err
	}
	m = s.describe(p, info)
	m.Message, m.Problems, m.Repaired = said.Message, said.Problems, said.Repaired
	m.setHash(hashOf(data))
	return m, created, nil
}

// fits refuses what could be written and never be opened again.
func fits(p string, data []byte) error {
	if len(data) > MaxFile {
		return fail(http.StatusRequestEntityTooLarge,
			"%s was not saved: as a file it has %d MiB, and at most %d are opened here",
			p, len(data)>>20, MaxFile>>20)
	}
	return nil
}

func (s *Store) isDir(p string) bool {
	info, err := s.root.Stat(p)
	return err == nil && info.IsDir()
}

// bytes returns what the file will hold in the place of before. A notebook that breaks the format's rules is saved, so
// that nothing is lost, and the mistakes are put into said. Content that is not a notebook is an error.
func (s *Store) bytes(p string, save Save, before []byte, said *Model) ([]byte, error) {
	switch save.Type {
	case "notebook":
		return s.notebook(p, save, before, said)
	case "file":
		var text string
		if err := json.Unmarshal(save.Content, &text); err != nil {
			return nil, fail(http.StatusBadRequest, "%s was not saved: content: expected text", p)
		}
		if save.Format != "base64" {
			return []byte(text), nil
		}
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, fail(http.StatusBadRequest, "%s was not saved: content: %v", p, err)
		}
		return data, nil
	}
	return nil, fail(http.StatusBadRequest, "type %.40q: expected notebook, file or directory", save.Type)
}

// notebook returns the file of a notebook. Where nothing has changed, that is the file as it was, however it is
// written.
func (s *Store) notebook(p string, save Save, before []byte, said *Model) ([]byte, error) {
	nb, err := nbformat.ParseAgain(save.Content, s.idsOf(p))
	if err != nil {
		return nil, fail(http.StatusBadRequest, "%s was not saved: %v", p, err)
	}
	if save.Merge != nil {
		save.Merge(nb)
	}
	var file *nbformat.Notebook
	if before != nil {
		file, _ = s.parse(p, before) // what is no notebook is replaced as a whole
	}
	nb.Continue(file)
	if save.Repair {
		said.Repaired = nb.Repair()
	}
	data, err := nb.Marshal()
	if err != nil {
		return nil, err
	}
	if file != nil && !save.Repair {
		was, err := file.Marshal()
		if err == nil && bytes.Equal(was, data) {
			data = before
		} else if file.Major() < nbformat.Major {
			return nil, &Error{Status: http.StatusConflict, Reason: "convert", Message: fmt.Sprintf(
				"%s was not saved: it has format %d, and what is written here is format 4; agree to that, or save it "+
					"under another name", p, file.Major())}
		}
	}
	if said.Problems = nb.Problems(); said.Problems != nil {
		said.Message = "saved, but the notebook does not follow the format: " + said.Problems[0]
	}
	s.keepIDs(p, nb.IDs())
	return data, fits(p, data)
}

// checkUnchanged returns the file's bytes. It returns an error if another program or another window has written the
// file since. Changes by this program itself are no conflict.
func (s *Store) checkUnchanged(p string, save Save) ([]byte, error) {
	info, err := s.stat(p)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fail(http.StatusConflict, "%s is a folder", p)
	}
	if err := s.unprotected(p, info); err != nil {
		return nil, err
	}
	b, err := s.read(p)
	if err != nil {
		return nil, err
	}
	switch {
	case save.Hash != "":
		if now := hashOf(b); now != save.Hash && !s.replaced(p, save.Hash, now) {
			m := s.describe(p, info)
			m.setHash(now)
			return nil, conflict(m)
		}
	case !save.LastModified.IsZero():
		// Clients send back what they were given, in JSON's precision. After the clock was set back a later change
		// looks older.
		if d := info.ModTime().Sub(save.LastModified); d.Abs() > 500*time.Millisecond {
			return nil, conflict(s.describe(p, info))
		}
	}
	return b, nil
}

func (s *Store) unprotected(p string, info fs.FileInfo) error {
	if !s.mayWrite(p, info) {
		return fail(http.StatusForbidden,
			"%s was not saved: the file or its disk is write-protected; save it under another name", p)
	}
	return nil
}

func conflict(m *Model) error {
	return &Error{
		Status: http.StatusConflict, Reason: "conflict", Model: m,
		Message: fmt.Sprintf("%s was not saved: it was changed on disk at %s by someone else", m.Path,
			m.LastModified.Format("15:04:05")),
	}
}

// Update lets this program itself change a notebook. A user who has the notebook open gets no conflict. The function
// change reports whether there is anything to write.
func (s *Store) Update(p string, change func(*nbformat.Notebook) bool) error {
	p, err := clean(p)
	if err != nil {
		return err
	}
	defer s.lock(p)()
	info, err := s.stat(p)
	if err == nil {
		err = s.unprotected(p, info)
	}
	if err != nil {
		return err
	}
	before, err := s.read(p)
	if err != nil {
		return err
	}
	nb, err := s.parse(p, before)
	if err != nil {
		return fail(http.StatusBadRequest, "%s: %v", p, err)
	}
	if !change(nb) {
		return nil
	}
	if nb.Major() < nbformat.Major {
		return fail(http.StatusConflict, "%s has format %d, and is saved as format 4 only when you agree", p,
			nb.Major())
	}
	data, err := nb.Marshal()
	if err == nil {
		err = fits(p, data)
	}
	if err != nil {
		return err
	}
	if err := s.write(p, data); err != nil {
		return explain(p, err)
	}
	s.replace(p, hashOf(before), hashOf(data))
	return nil
}

// chain is a file's versions that this program has replaced one after the other, up to the present one.
type chain struct {
	replaced map[string]bool // hashes
	present  string
}

// replace notes that this program put one version in the place of another.
func (s *Store) replace(p, before, after string) {
	p = s.same(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.own[p]
	if c == nil || c.present != before {
		c = &chain{replaced: map[string]bool{}}
		s.own[p] = c
	}
	c.replaced[before], c.present = true, after
}

// replaced reports whether between the version of hash before and the present one there were only changes of this
// program.
func (s *Store) replaced(p, before, present string) bool {
	p = s.same(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.own[p]
	return c != nil && c.present == present && c.replaced[before]
}

func (s *Store) forget(p string) {
	p = s.same(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.own, p)
}

// write replaces a file in one step: a new file is written beside it and renamed. A symbolic link stays one.
func (s *Store) write(p string, data []byte) error {
	target, err := s.resolve(p)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	old, err := s.root.Stat(target)
	if err == nil {
		mode = old.Mode().Perm()
	}
	temp := join(path.Dir(target), tempPrefix+uuid.NewString()[:8]+tempSuffix)
	f, err := s.disk.create(s.root, temp, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && old != nil {
		err = s.root.Chmod(temp, mode)
	}
	if err == nil {
		err = s.root.Rename(temp, target)
	}
	if err != nil {
		_ = s.root.Remove(temp)
	}
	return err
}

// disk makes files; tests put a failing one in its place.
type disk interface {
	create(root *os.Root, name string, mode fs.FileMode) (file, error)
}

type file interface {
	io.WriteCloser
	Sync() error
}

type realDisk struct{}

func (realDisk) create(root *os.Root, name string, mode fs.FileMode) (file, error) {
	return root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}
