//go:build unix

package contents

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable asks the file system whether this user may replace a file: write it, and make a file beside it. A file
// without any right to write is write-protected for an administrator too.
func (s *Store) writable(p string, info fs.FileInfo) bool {
	if info.Mode().Perm()&0o222 == 0 || !s.access(p) {
		return false
	}
	real, err := s.resolve(p)
	return info.IsDir() || err == nil && s.access(path.Dir(real))
}

func (s *Store) access(p string) bool {
	name := filepath.Join(s.dir, filepath.FromSlash(p))
	return unix.Faccessat(unix.AT_FDCWD, name, unix.W_OK, unix.AT_EACCESS) == nil
}

func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
