package contents

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"nacre/server/nbformat"
)

// Create makes a new empty notebook, file or folder in folder dir under a new name. The argument ext is a file's
// extension with its dot.
func (s *Store) Create(dir, kind, ext string, empty *nbformat.Notebook) (*Model, error) {
	name, data := "untitled", []byte(nil)
	switch kind {
	case "notebook":
		b, err := empty.Marshal()
		if err != nil {
			return nil, err
		}
		name, ext, data = "Untitled", ".ipynb", b
	case "directory":
		name, ext = "Untitled Folder", ""
	case "file", "":
		if strings.ContainsAny(ext, "/\\\x00") {
			return nil, fail(http.StatusBadRequest, "ext %.40q: expected an extension such as .txt", ext)
		}
	default:
		return nil, fail(http.StatusBadRequest, "type %.40q: expected notebook, file or directory", kind)
	}
	p, unlock, err := s.free(dir, name, ext, 0)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if kind == "directory" {
		err = s.root.Mkdir(p, 0o777)
	} else {
		err = s.write(p, data)
	}
	if err != nil {
		return nil, explain(p, err)
	}
	return s.Get(p, GetOptions{})
}

// free finds a name in folder dir that is not taken and locks it. Names are numbered from first; 0 is not written.
func (s *Store) free(dir, name, ext string, first int) (p string, unlock func(), err error) {
	dir, err = clean(dir)
	if err != nil {
		return "", nil, err
	}
	if info, err := s.stat(dir); err != nil {
		return "", nil, err
	} else if !info.IsDir() {
		return "", nil, fail(http.StatusBadRequest, "%s is not a folder", dir)
	}
	for i := first; i < 10_000; i++ {
		number := ""
		if i > 0 {
			number = fmt.Sprint(i)
		}
		p := join(dir, name+number+ext)
		unlock := s.lock(p)
		if !s.exists(p) {
			return p, unlock, nil
		}
		unlock()
	}
	return "", nil, fail(http.StatusConflict, "%s: too many files named %s", dir, name)
}

// Copy copies a file into folder dir, as NAME-Copy1 and so on.
func (s *Store) Copy(from, dir string) (*Model, error) {
	from, err := clean(from)
	if err != nil {
		return nil, err
	}
	if info, err := s.stat(from); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, fail(http.StatusBadRequest, "%s is a folder; only files are copied", from)
	}
	data, err := s.read(from)
	if err != nil {
		return nil, err
	}
	ext := path.Ext(from)
	base := strings.TrimSuffix(path.Base(from), ext)
	p, unlock, err := s.free(dir, base+"-Copy", ext, 1)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.write(p, data); err != nil {
		return nil, explain(p, err)
	}
	return s.Get(p, GetOptions{})
}

// Rename moves a file or folder, with its checkpoint. It does not overwrite.
func (s *Store) Rename(from, to string) (*Model, error) {
	from, err := clean(from)
	if err != nil {
		return nil, err
	}
	to, err = clean(to)
	if err != nil {
		return nil, err
	}
	if from == "." || to == "." {
		return nil, fail(http.StatusBadRequest, "the served folder itself cannot be renamed")
	}
	for _, p := range []string{from, to} { // a link itself may lead anywhere
		if _, err := s.visible(path.Dir(p)); err != nil {
			return nil, err
		}
	}
	if from != to {
		defer s.lock(to)()
		if same := s.sameFile(from, to); s.exists(to) && !same {
			return nil, fail(http.StatusConflict, "%s was not renamed: %s exists already", from, to)
		}
		if err := s.root.Rename(from, to); err != nil {
			return nil, explain(from, err)
		}
		s.forget(from)
		ids := s.idsOf(from)
		s.keepIDs(from, nil)
		s.keepIDs(to, ids)
		if s.exists(checkpoint(from)) && s.root.MkdirAll(path.Dir(checkpoint(to)), 0o777) == nil {
			_ = s.root.Rename(checkpoint(from), checkpoint(to))
		}
	}
	return s.Get(to, GetOptions{Hash: true})
}

// sameFile reports whether two names are spellings of one file, on a file system that ignores case.
func (s *Store) sameFile(a, b string) bool {
	x, err := s.root.Lstat(a)
	if err != nil {
		return false
	}
	y, err := s.root.Lstat(b)
	return err == nil && strings.EqualFold(a, b) && os.SameFile(x, y)
}

// Delete removes a file with its checkpoint, or a folder that contains only checkpoints.
func (s *Store) Delete(p string) error {
	p, err := clean(p)
	if err != nil {
		return err
	}
	if p == "." {
		return fail(http.StatusBadRequest, "the served folder itself cannot be deleted")
	}
	if _, err := s.visible(path.Dir(p)); err != nil {
		return err
	}
	defer s.lock(p)()
	info, err := s.root.Lstat(p)
	if err != nil {
		return explain(p, err)
	}
	if info.IsDir() {
		_ = s.removeCheckpoints(p)
		if err := s.root.Remove(p); err != nil {
			if notEmpty(err) {
				return fail(http.StatusBadRequest, "%s was not deleted: the folder is not empty", p)
			}
			return explain(p, err)
		}
		return nil
	}
	if err := s.root.Remove(p); err != nil {
		return explain(p, err)
	}
	s.forget(p)
	s.keepIDs(p, nil)
	_ = s.root.Remove(checkpoint(p))
	return nil
}

// removeCheckpoints removes a folder's checkpoints if there is nothing else in it.
func (s *Store) removeCheckpoints(p string) error {
	d, err := s.root.Open(p)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(2)
	if err != nil || len(names) != 1 || names[0] != checkpointsDir {
		return err
	}
	return s.root.RemoveAll(join(p, checkpointsDir))
}

// Checkpoint is a kept earlier version of a file; there is at most one for each.
type Checkpoint struct {
	ID           string    `json:"id"`
	LastModified time.Time `json:"last_modified"`
}

const checkpointID = "checkpoint"

// checkpoint is where a file's checkpoint is kept: where Jupyter keeps it.
func checkpoint(p string) string {
	ext := path.Ext(p)
	return path.Join(path.Dir(p), checkpointsDir, strings.TrimSuffix(path.Base(p), ext)+"-checkpoint"+ext)
}

// file checks that p is a file that can have checkpoints.
func (s *Store) file(p string) (string, error) {
	p, err := clean(p)
	if err != nil {
		return "", err
	}
	info, err := s.stat(p)
	if err == nil && info.IsDir() {
		err = fail(http.StatusBadRequest, "%s is a folder; only files have checkpoints", p)
	}
	return p, err
}

// Checkpoints lists a file's checkpoints.
func (s *Store) Checkpoints(p string) ([]Checkpoint, error) {
	p, err := s.file(p)
	if err != nil {
		return nil, err
	}
	info, err := s.root.Stat(checkpoint(p))
	if errors.Is(err, fs.ErrNotExist) {
		return []Checkpoint{}, nil
	}
	if err != nil {
		return nil, explain(p, err)
	}
	return []Checkpoint{{checkpointID, info.ModTime().UTC()}}, nil
}

// MakeCheckpoint keeps the present version of the file.
func (s *Store) MakeCheckpoint(p string) (*Checkpoint, error) {
	p, err := s.file(p)
	if err != nil {
		return nil, err
	}
	defer s.lock(p)()
	data, err := s.read(p)
	if err != nil {
		return nil, err
	}
	kept := checkpoint(p)
	if err := s.root.MkdirAll(path.Dir(kept), 0o777); err != nil {
		return nil, explain(p, err)
	}
	if err := s.write(kept, data); err != nil {
		return nil, explain(p, err)
	}
	info, err := s.root.Stat(kept)
	if err != nil {
		return nil, explain(p, err)
	}
	return &Checkpoint{checkpointID, info.ModTime().UTC()}, nil
}

// Restore replaces the file by its checkpoint.
func (s *Store) Restore(p, id string) error {
	p, err := s.hasCheckpoint(p, id)
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
	data, err := s.read(checkpoint(p))
	if err != nil {
		return err
	}
	s.forget(p)
	return explain(p, s.write(p, data))
}

// DeleteCheckpoint removes a checkpoint.
func (s *Store) DeleteCheckpoint(p, id string) error {
	p, err := s.hasCheckpoint(p, id)
	if err != nil {
		return err
	}
	return explain(p, s.root.Remove(checkpoint(p)))
}

func (s *Store) hasCheckpoint(p, id string) (string, error) {
	p, err := s.file(p)
	if err == nil && (id != checkpointID || !s.exists(checkpoint(p))) {
		err = fail(http.StatusNotFound, "%s has no checkpoint %.40q", p, id)
	}
	return p, err
}
