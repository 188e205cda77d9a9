package plainfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// File is an open file in a folder or in an archive.
type File interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// Limits of archives: number of files, and bytes of one file.
const (
	maxEntries = 200_000
	maxMember  = 1 << 30
)

// Split splits a path at the .zip file that it leads through: into the archive, and the path within it with slashes,
// "." for the archive itself. ok is false if the path leads through no archive.
func Split(name string) (archive, within string, ok bool) {
	if !strings.Contains(strings.ToLower(name), ".zip") {
		return "", "", false
	}
	name = filepath.Clean(name)
	for end := 0; end < len(name); {
		if next := strings.IndexByte(name[end:], filepath.Separator); next < 0 {
			end = len(name)
		} else if end += next; end == 0 {
			end++ // the root
			continue
		}
		if strings.EqualFold(filepath.Ext(name[:end]), ".zip") {
			if info, err := os.Stat(name[:end]); err == nil && info.Mode().IsRegular() {
				within = strings.TrimPrefix(name[end:], string(filepath.Separator))
				return name[:end], path.Clean(filepath.ToSlash(within)), true
			}
		}
		end++
	}
	return "", "", false
}

// Writable returns an error for a path that leads through an archive, because archives are never written.
func Writable(name string) error {
	archive, _, ok := Split(name)
	if !ok {
		return nil
	}
	folder := strings.TrimSuffix(archive, filepath.Ext(archive))
	return fmt.Errorf("%s is an archive, which is only read: unpack it with \"unzip %s -d %s\" and name %s, or "+
		"choose another place to write", archive, archive, folder, folder)
}

// Stat is os.Stat; an archive is a folder.
func Stat(name string) (os.FileInfo, error) { return stat(name, os.Stat) }

// Lstat is os.Lstat; an archive is a folder.
func Lstat(name string) (os.FileInfo, error) { return stat(name, os.Lstat) }

func stat(name string, elsewhere func(string) (os.FileInfo, error)) (os.FileInfo, error) {
	a, within, err := archived(name)
	if a == nil {
		if err == nil {
			return elsewhere(name)
		}
		return nil, err
	}
	info, err := fs.Stat(a.zip, a.place(within))
	if err != nil {
		return nil, named(name, err)
	}
	return member{info, a.info}, nil
}

// ReadDir is os.ReadDir; an archive is a folder.
func ReadDir(name string) ([]os.DirEntry, error) {
	a, within, err := archived(name)
	if a == nil {
		if err == nil {
			return os.ReadDir(name)
		}
		return nil, err
	}
	entries, err := fs.ReadDir(a.zip, a.place(within))
	return entries, named(name, err)
}

// Same reports whether two descriptions belong to the same file. For a file in an archive it must also be unchanged.
func Same(a, b os.FileInfo) bool {
	x, ok1 := a.(member)
	y, ok2 := b.(member)
	if ok1 && ok2 {
		return os.SameFile(x.archive, y.archive) && x.archive.ModTime().Equal(y.archive.ModTime()) &&
			x.Size() == y.Size()
	}
	return os.SameFile(a, b)
}

// named puts the whole path into an error of something in an archive.
func named(name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	}
	return err
}

// member describes a file of an archive. Its time is that of the archive: packed files have no own time.
type member struct {
	os.FileInfo
	archive os.FileInfo
}

func (m member) ModTime() time.Time { return m.archive.ModTime() }

// archive is an open .zip file. A path that is not found is also looked for below base, if all files are in that one
// folder.
type archive struct {
	zip  *zip.Reader
	info os.FileInfo
	base string
}

// archives are the open archives. If one is dropped, the system closes its file.
var archives = struct {
	sync.Mutex
	open map[string]*archive
}{open: map[string]*archive{}}

// maxOpen is the number of archives that are kept open.
const maxOpen = 32

// archived opens the archive that a path leads through. It returns nil without an error if there is none.
func archived(name string) (a *archive, within string, err error) {
	file, within, ok := Split(name)
	if !ok {
		return nil, "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, "", err
	}
	archives.Lock()
	defer archives.Unlock()
	if a = archives.open[file]; a != nil && os.SameFile(a.info, info) && a.info.ModTime().Equal(info.ModTime()) &&
		a.info.Size() == info.Size() {
		return a, within, nil
	}
	if a, err = openArchive(file, info); err != nil {
		return nil, "", err
	}
	if len(archives.open) >= maxOpen {
		clear(archives.open)
	}
	archives.open[file] = a
	return a, within, nil
}

func openArchive(file string, info os.FileInfo) (*archive, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err == nil || errors.Is(err, zip.ErrInsecurePath) {
		err = checkNames(file, z)
	} else {
		err = brokenArchive(file, f, err)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	a := &archive{zip: z, info: info, base: "."}
	for {
		folder := a.only()
		if folder == "" {
			return a, nil
		}
		a.base = path.Join(a.base, folder)
	}
}

// brokenArchive says what is wrong with a file that is no whole archive.
func brokenArchive(file string, f *os.File, err error) error {
	start := make([]byte, 4)
	if n, _ := f.ReadAt(start, 0); n == 4 && string(start) == "PK\x03\x04" {
		return fmt.Errorf("%s is cut off or damaged (%w): the list of its files, which a .zip file has at its end, "+
			"is missing; copy it once more", file, err)
	}
	return fmt.Errorf("%s is not a .zip file (%w): expected an archive as \"nacre pack\" or zip makes it", file, err)
}

// checkNames refuses an archive with too many files, or with names that no folder could have.
func checkNames(file string, z *zip.Reader) error {
	if len(z.File) > maxEntries {
		return fmt.Errorf("%s holds %d files; expected at most %d", file, len(z.File), maxEntries)
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		name := strings.TrimSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if seen[name] {
			return fmt.Errorf("%s holds %q twice: nothing of it is read; expected each name once", file, f.Name)
		}
		seen[name] = true
		if !fs.ValidPath(name) {
			return fmt.Errorf("%s holds %q, a name that leads out of the archive: nothing of it is read; expected "+
				"names within one folder", file, f.Name)
		}
	}
	return nil
}

// only is the name of the one folder that holds all files below base. It is empty if there is no such folder.
func (a *archive) only() string {
	entries, err := fs.ReadDir(a.zip, a.base)
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."), e.Name() == "__MACOSX":
		case !e.IsDir() || found != "":
			return ""
		default:
			found = e.Name()
		}
	}
	return found
}

// place returns the position of a path in the archive.
func (a *archive) place(within string) string {
	if within == "." {
		return a.base
	}
	if _, err := fs.Stat(a.zip, within); errors.Is(err, fs.ErrNotExist) {
		return path.Join(a.base, within)
	}
	return within
}

// open reads a file of the archive, of at most limit bytes, into memory.
func (a *archive) open(name, within string, limit int64) (*memory, error) {
	f, err := a.zip.Open(a.place(within))
	if err != nil {
		return nil, named(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, named(name, err)
	}
	if err := check(name, info); err != nil {
		return nil, err
	}
	if h, ok := info.Sys().(*zip.FileHeader); ok && h.Flags&1 != 0 {
		return nil, fmt.Errorf("%s is encrypted; expected an archive without a password", name)
	}
	if info.Size() > limit {
		return nil, tooLong(name, info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		return nil, fmt.Errorf("%s is damaged in its archive: %w", name, err)
	}
	return &memory{Reader: bytes.NewReader(data), data: data, info: member{info, a.info}}, nil
}

// memory is a file read into memory.
type memory struct {
	*bytes.Reader
	data []byte
	info os.FileInfo
}

func (m *memory) Close() error               { return nil }
func (m *memory) Stat() (os.FileInfo, error) { return m.info, nil }
