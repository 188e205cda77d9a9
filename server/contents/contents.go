// Package contents is a folder of notebooks and files as a notebook server shows it. It reads files, saves them so that
// no partly written file is left, detects conflicts and keeps checkpoints. Nothing outside the folder can be reached by
// ".." or by symbolic links. Hidden files are not shown, even through a link with another name.
//
//	store, err := contents.Open("notebooks")
//	m, err := store.Get("quickstart.ipynb", contents.GetOptions{Content: true})
//	saved, err := store.Save("quickstart.ipynb", contents.Save{Type: "notebook", Content: raw, Hash: m.Hash})
package contents

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"nacre/server/nbformat"
)

// MaxFile is the size, in bytes, of the largest file that is read or saved.
const MaxFile = 256 << 20

// checkpointsDir holds the checkpoints of its folder's files.
const checkpointsDir = ".ipynb_checkpoints"

// Store is an opened folder.
type Store struct {
	root  *os.Root
	dir   string
	fixed func(path string) bool
	now   func() time.Time
	disk  disk
	locks sync.Map // path without links → *sync.Mutex
	tidy  sync.WaitGroup
	cards sync.Map // path → card

	mu  sync.Mutex
	own map[string]*chain       // by path without links
	ids map[string]nbformat.IDs // that cells were given, by path without links
}

// Error is a failure with the HTTP status that describes it best.
type Error struct {
	Status  int
	Message string
	Reason  string // reason such as "conflict", or ""
	Model   *Model // model of the present file, for a conflict
}

func (e *Error) Error() string { return e.Message }

func fail(status int, format string, args ...any) *Error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// Open opens a folder. Partly written files of an earlier program are removed in the background.
func Open(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, dir: root.Name(), now: time.Now, disk: realDisk{}, own: map[string]*chain{},
		ids: map[string]nbformat.IDs{}}
	s.tidy.Go(s.removeOrphans)
	return s, nil
}

// Protect write-protects the files for which the function fixed returns true, even if the file system allows writing.
// The function fixed gets a path without links. Protect must be called before the store is used.
func (s *Store) Protect(fixed func(path string) bool) { s.fixed = fixed }

// mayWrite reports whether a file may be replaced.
func (s *Store) mayWrite(p string, info fs.FileInfo) bool {
	return (s.fixed == nil || info.IsDir() || !s.fixed(s.same(p))) && s.writable(p, info)
}

// Close releases the folder.
func (s *Store) Close() error {
	err := s.root.Close()
	s.tidy.Wait()
	return err
}

// Dir is the folder's path.
func (s *Store) Dir() string { return s.dir }

// Model describes a file or folder as Jupyter's REST interface does.
type Model struct {
	Name         string    `json:"name"`
	Path         string    `json:"path"`
	Type         string    `json:"type"` // "notebook", "file" or "directory"
	Created      time.Time `json:"created"`
	LastModified time.Time `json:"last_modified"`
	Writable     bool      `json:"writable"`
	Mimetype     *string   `json:"mimetype"`
	Size         *int64    `json:"size"`
	Format       *string   `json:"format"` // "json", "text" or "base64"; null without content
	Content      any       `json:"content"`
	Hash         *string   `json:"hash"` // SHA-256 of the file's bytes
	HashKind     *string   `json:"hash_algorithm"`
	Message      string    `json:"message,omitempty"` // mistake in a notebook that can still be opened
	// Problems are all mistakes in a notebook. Repaired lists what a save has changed to mend them.
	Problems []string `json:"problems,omitempty"`
	Repaired []string `json:"repaired,omitempty"`
	// ConvertedFrom is the format of a notebook's file if it is older than 4. The content is converted to format 4.
	ConvertedFrom int `json:"converted_from,omitempty"`
}

// clean checks a path of a request and makes it relative to the folder. Hidden files do not exist.
func clean(p string) (string, error) {
	p = strings.Trim(p, "/")
	if p == "" {
		return ".", nil
	}
	if strings.ContainsAny(p, "\x00\\") {
		return "", fail(http.StatusBadRequest, "%q: a path has neither backslashes nor zero bytes", p)
	}
	if len(p) > 4096 {
		return "", fail(http.StatusBadRequest, "the path is longer than 4096 bytes")
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return "", fail(http.StatusNotFound, "%q: no such file or folder", p)
		case strings.HasPrefix(part, "."):
			return "", fail(http.StatusNotFound, "%q: no such file or folder (hidden ones are not served)", p)
		}
	}
	return p, nil
}

// explain turns a failure of the file system into one a reader of the notebook understands.
func explain(p string, err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP),
		errors.Is(err, syscall.ENAMETOOLONG):
		return fail(http.StatusNotFound, "%s: no such file or folder", p)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fail(http.StatusInsufficientStorage, "%s was not saved: the disk is full; the file on disk is as it was",
			p)
	case errors.Is(err, syscall.EROFS):
		return fail(http.StatusForbidden, "%s was not saved: the disk is read-only", p)
	case errors.Is(err, fs.ErrPermission):
		return fail(http.StatusForbidden,
			"%s: permission denied; it can be saved under another name in a folder you may write to", p)
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY):
		return fail(http.StatusConflict, "%s exists already", p)
	case strings.Contains(err.Error(), "path escapes"), strings.Contains(err.Error(), "too many levels"):
		return fail(http.StatusNotFound, "%s: no such file or folder (it leads outside the served folder)", p)
	}
	return fail(http.StatusInternalServerError, "%s: %v", p, unwrapPath(err))
}

// unwrapPath leaves out the path that the system's errors repeat.
func unwrapPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// lock serialises the writers of one file, under all its names.
func (s *Store) lock(p string) (unlock func()) {
	m, _ := s.locks.LoadOrStore(s.same(p), &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock
}

// describe makes the model of a file without its content.
func (s *Store) describe(p string, info fs.FileInfo) *Model {
	m := &Model{
		Name: path.Base(p), Path: p, Created: info.ModTime().UTC().Truncate(time.Microsecond),
		LastModified: info.ModTime().UTC().Truncate(time.Microsecond),
		Writable:     s.mayWrite(p, info),
	}
	if p == "." {
		m.Name, m.Path = "", ""
	}
	m.Type = kindOf(p, info)
	if m.Type == "directory" {
		return m
	}
	m.Size = new(info.Size())
	if m.Type == "file" {
		m.Mimetype = mimeOf(p)
	}
	return m
}

func kindOf(p string, info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return "directory"
	case strings.HasSuffix(p, ".ipynb"):
		return "notebook"
	}
	return "file"
}

func mimeOf(p string) *string {
	kind, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(p)), ";")
	if kind == "" {
		return nil
	}
	return &kind
}

// stat looks at a file or folder. Devices, pipes and sockets are not served: opening one may block for ever. Hidden
// files are not served either, under any name.
func (s *Store) stat(p string) (fs.FileInfo, error) {
	if _, err := s.visible(p); err != nil {
		return nil, err
	}
	info, err := s.root.Stat(p)
	if err != nil {
		return nil, explain(p, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fail(http.StatusNotFound, "%s is neither a file nor a folder", p)
	}
	return info, nil
}
