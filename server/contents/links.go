package contents

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// maxLinks is how many symbolic links a path may lead over.
const maxLinks = 16

// resolve is the path without symbolic links that p, which is clean or ours, leads to; its last part, or a part after
// one that does not exist, need not exist. Two names of one file have the same resolved path.
func (s *Store) resolve(p string) (string, error) {
	done, rest := ".", p
	for links := 0; rest != ""; {
		part, after, _ := strings.Cut(rest, "/")
		at := path.Join(done, part)
		if outside(at) {
			return "", fail(http.StatusNotFound, "%s: no such file or folder (it leads outside the served folder)", p)
		}
		info, err := s.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !outside(path.Join(at, after)):
			return path.Join(at, after), nil
		case err != nil:
			return "", explain(p, err)
		case info.Mode()&fs.ModeSymlink == 0:
			done, rest = at, after
			continue
		}
		if links++; links > maxLinks {
			return "", fail(http.StatusNotFound, "%s: no such file or folder (too many links)", p)
		}
		to, err := s.root.Readlink(at)
		if err != nil {
			return "", explain(p, err)
		}
		if path.IsAbs(to) {
			return "", fail(http.StatusNotFound, "%s: no such file or folder (an absolute link is not followed)", p)
		}
		rest = strings.TrimSuffix(to+"/"+after, "/")
	}
	return done, nil
}

func outside(p string) bool { return p == ".." || strings.HasPrefix(p, "../") }

// same returns what all names of a file have in common.
func (s *Store) same(p string) string {
	if real, err := s.resolve(p); err == nil {
		return real
	}
	return p
}

// visible is the path without links of a file that is not hidden, neither by its name nor by where its name leads.
func (s *Store) visible(p string) (string, error) {
	real, err := s.resolve(p)
	if err != nil {
		return "", err
	}
	if real == "." {
		return real, nil
	}
	if _, err := clean(real); err != nil {
		return "", fail(http.StatusNotFound, "%q: no such file or folder (hidden ones are not served)", p)
	}
	return real, nil
}

// Files being written have names of this form.
const tempPrefix, tempSuffix = ".~", ".tmp"

var tempName = regexp.MustCompile(`^` + regexp.QuoteMeta(tempPrefix) + `[0-9a-f]{8}` +
	regexp.QuoteMeta(tempSuffix) + `$`)

// orphanAge is how old a file must be that nobody is writing any more: another server may serve the same folder.
const orphanAge = time.Minute

// removeOrphans removes partly written files of a killed program. Hidden folders are not searched, except those of
// checkpoints. It ends when the store is closed.
func (s *Store) removeOrphans() {
	_ = fs.WalkDir(s.root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrClosed):
			return err
		case err != nil:
			return fs.SkipDir
		case d.IsDir():
			if name := d.Name(); p != "." && strings.HasPrefix(name, ".") && name != checkpointsDir {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && tempName.MatchString(d.Name()):
			if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > orphanAge {
				_ = s.root.Remove(p)
			}
		}
		return nil
	})
}
