package compile

import (
	"bufio"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/internal/atomicfile"
)

// Prepare compiles the packages that cells may import, which takes minutes the first time. It writes their places into
// the file list, so that a Builder finds them at once. The file is valid for this build of the program only.
func Prepare(ctx context.Context, source, list string, packages []string) error {
	b, err := NewBuilder("cells/0", source, "")
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.need(ctx, slices.Concat(base, packages)); err != nil {
		return err
	}
	var lines []string
	for path, file := range b.packages {
		lines = append(lines, path+"="+file)
	}
	slices.Sort(lines)
	if err := os.MkdirAll(filepath.Dir(list), 0o755); err != nil {
		return err
	}
	program, err := identity()
	if err != nil {
		return err
	}
	return atomicfile.Write(list, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n%s\n%s\n", program, b.tools, strings.Join(lines, "\n"))
		return err
	})
}

// identity distinguishes this program from other programs at the same path. It returns the build ID, which does not
// change when the go command touches an up-to-date program, or the file's time if there is no build ID.
func identity() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	if f, err := elf.Open(program); err == nil {
		defer f.Close()
		if note := f.Section(".note.go.buildid"); note != nil {
			if id, err := note.Data(); err == nil {
				return fmt.Sprintf("%x", sha256.Sum256(id)), nil
			}
		}
	}
	info, err := os.Stat(program)
	if err != nil {
		return "", err
	}
	return info.ModTime().UTC().Format(time.RFC3339Nano), nil
}

// ErrUnprepared says that the list of Prepare is missing or out of date.
var ErrUnprepared = errors.New("the packages that cells import are not compiled yet")

// prepared reads the list of archives.
func (b *Builder) prepared(list string) error {
	f, err := os.Open(list)
	if err != nil {
		return ErrUnprepared
	}
	defer f.Close()
	program, err := identity()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	if !lines.Scan() || lines.Text() != program {
		return ErrUnprepared // the program has changed since
	}
	for lines.Scan() {
		path, file, ok := strings.Cut(lines.Text(), "=")
		if !ok {
			b.tools = path
			continue
		}
		if _, err := os.Stat(file); err != nil { // the go command deletes files that were not used for days
			return ErrUnprepared
		}
		b.packages[path] = file
	}
	if _, err := os.Stat(filepath.Join(b.tools, "compile")); err != nil {
		return fmt.Errorf("%w, or the Go tool chain has gone", ErrUnprepared)
	}
	return lines.Err()
}

// Prepared says why cells cannot be compiled yet. If only Prepare has to be called, the error wraps ErrUnprepared.
func Prepared(source, list string) error {
	if err := Possible(source); err != nil {
		return err
	}
	return (&Builder{packages: map[string]string{}}).prepared(list)
}
