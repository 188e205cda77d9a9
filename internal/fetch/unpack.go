package fetch

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// check compares a wheel with its known sum.
func (o Options) check(wheel string) error {
	want, known := sums[filepath.Base(wheel)]
	if !known {
		return nil
	}
	f, err := os.Open(wheel)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		return fmt.Errorf("%s is damaged or not the published one (SHA-256 %s, expected %s): remove it and run `%s` "+
			"again", wheel, got, want, o.Command)
	}
	return nil
}

// unpack makes the folder of a part from its wheel, whose files are checked by the sums in it, or from a folder in
// which uv has unpacked it.
func (o Options) unpack(ctx context.Context, p Part, from, folder string) error {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		return o.copy(ctx, p, os.DirFS(from), "what uv fetched", folder)
	}
	if err := o.check(from); err != nil {
		return err
	}
	o.Say(fmt.Sprintf("unpacking %s", filepath.Base(from)))
	z, err := zip.OpenReader(from)
	if err != nil {
		return fmt.Errorf("%s cannot be unpacked (%w): remove it and run `%s` again", from, err, o.Command)
	}
	defer z.Close()
	return o.copy(ctx, p, z, from, folder)
}

// copy takes the files of a part out of a package.
func (o Options) copy(ctx context.Context, p Part, from fs.FS, name, folder string) error {
	var files strings.Builder
	found := false
	err := fs.WalkDir(from, ".", func(member string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s cannot be unpacked (%s: %w): remove it and run `%s` again", name, member,
				err, o.Command)
		}
		to := p.take(member)
		if to == "" || d.IsDir() || !filepath.IsLocal(to) {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		size, err := extract(from, member, filepath.Join(folder, filepath.FromSlash(to)))
		if full, ok := errors.AsType[*writeError](err); ok {
			return unwritable(o.Dir, full.error)
		}
		if err != nil {
			return fmt.Errorf("%s cannot be unpacked (%s: %w): remove it and run `%s` again", name, member,
				err, o.Command)
		}
		fmt.Fprintf(&files, "%d %s\n", size, to)
		found = found || to == p.needs
		return nil
	})
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s does not hold what was expected: there is no %s in it", name, p.needs)
	}
	if err := os.WriteFile(filepath.Join(folder, list), []byte(files.String()), 0o644); err != nil {
		return unwritable(o.Dir, err)
	}
	return nil
}

// writeError is an error of the cache, not of the source.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// file tells errors of writing from those of reading.
type file struct{ to *os.File }

func (f file) Write(b []byte) (int, error) {
	n, err := f.to.Write(b)
	if err != nil {
		err = &writeError{err}
	}
	return n, err
}

func extract(from fs.FS, member, path string) (size int64, err error) {
	source, err := from.Open(member)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, &writeError{err}
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, &writeError{err}
	}
	if size, err = io.Copy(file{to}, source); err != nil {
		to.Close()
		return 0, err
	}
	if err := to.Close(); err != nil {
		return 0, &writeError{err}
	}
	return size, nil
}
