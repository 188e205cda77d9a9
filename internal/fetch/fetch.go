// Package fetch puts MuJoCo and the scenes of Meta-World into the user's cache (package home): it lets pip, or uv,
// download the packages, without installing them, and takes what is not Python. A wheel that lies in the cache's
// folder, or in one that the caller names, is used without a network. A package of the right version that the chosen
// Python has installed is used where it is.
//
//	parts, err := fetch.Parts(runtime.GOOS, runtime.GOARCH)
//	err = fetch.Get(ctx, parts, fetch.Options{Say: func(line string) { fmt.Fprintln(os.Stderr, line) }})
//
// What is there is complete: a part is unpacked beside its place and put there by a rename, two programs wait for each
// other, and what one left that was killed is removed by the next.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nacre/internal/home"
	"nacre/internal/python"
)

// Options say how to fetch.
type Options struct {
	Dir     string            // where to; empty is home.Dir
	Wheels  []string          // folders with wheels to use instead of pip
	Install bool              // install pip with apt-get where it is missing; needs root
	Say     func(line string) // gets what is being done, at least every ten seconds
	Command string            // what the user ran, for advice; empty is nacre setup
	Asking  string            // likewise with Install; empty is nacre setup --install
	pip     []string          // the command, for tests; empty looks for one
}

// patience is the longest time without a line.
const patience = 5 * time.Second

// list is the file of a part that names its files and their sizes. It is written last.
const list = "FILES"

// Get fetches the parts that are not there. The error says in one sentence which is not and what to do.
func Get(ctx context.Context, parts []Part, o Options) error {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	o.Command, o.Asking = cmp.Or(o.Command, "nacre setup"), cmp.Or(o.Asking, "nacre setup --install")
	if o.Dir == "" {
		dir, err := home.Dir()
		if err != nil {
			return err
		}
		o.Dir = dir
	}
	parts = o.missing(parts)
	if len(parts) == 0 {
		return nil
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return unwritable(o.Dir, err)
	}
	release, err := o.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	left, _ := filepath.Glob(filepath.Join(o.Dir, ".new-*"))
	for _, dir := range left {
		os.RemoveAll(dir)
	}
	for _, p := range parts {
		if p.Complete(o.Dir) != nil { // another program may have got it meanwhile
			if err := o.get(ctx, p); err != nil {
				return err
			}
		}
		o.Say(p.String() + " is in " + filepath.Join(o.Dir, p.Folder))
	}
	return nil
}

// missing are the parts that are to be fetched. It says where the others are, and why one that is not whole is not
// used.
func (o Options) missing(parts []Part) (left []Part) {
	for _, p := range parts {
		err := p.Complete(o.Dir)
		if err == nil {
			o.Say(p.String() + " is in " + filepath.Join(o.Dir, p.Folder))
			continue
		}
		if !errors.Is(err, errAbsent) {
			o.Say(err.Error() + ": it is fetched anew")
		}
		if where, err := p.installed(); err != nil {
			o.Say(err.Error())
		} else if where != "" && o.wheel(p) == "" {
			o.Say(where)
			continue
		}
		left = append(left, p)
	}
	return left
}

// installed says where the chosen Python has the part's package, if it has it whole and in its version. The error is
// what it has instead.
func (p Part) installed() (where string, err error) {
	if p.python == "" {
		return "", nil
	}
	folder, err := home.InPython(p.python, p.Version)
	if folder == "" || err != nil {
		return "", err
	}
	chosen, err := python.Find()
	if err != nil {
		return "", err
	}
	files, err := chosen.Files(p.python)
	if err != nil {
		return "", fmt.Errorf("%s in %s is not used: %w", p, folder, err)
	}
	found := false
	for name, size := range files {
		to := p.take(name)
		if to == "" {
			continue
		}
		found = found || to == p.needs
		info, err := os.Stat(filepath.Join(filepath.Dir(folder), filepath.FromSlash(name)))
		if err != nil || size != "" && strconv.FormatInt(info.Size(), 10) != size {
			return "", fmt.Errorf("%s in %s is not used: it is not whole, %s is missing or has another size than %s "+
				"bytes", p, folder, name, size)
		}
	}
	if !found {
		return "", fmt.Errorf("%s in %s is not used: it has no %s", p, folder, p.needs)
	}
	return fmt.Sprintf("%s is in %s, of the Python %s: it is used there, nothing is fetched", p, folder, chosen), nil
}

// unwritable is why nothing can be put into a folder.
func unwritable(dir string, err error) error {
	cause := err
	if inner := errors.Unwrap(err); inner != nil {
		cause = inner
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%s has no room left (%w): free 100 MB there, or set %s to a folder elsewhere", dir, cause,
			home.Variable)
	}
	return fmt.Errorf("%s cannot be written (%w): make it writable, or set %s to another folder", dir, cause,
		home.Variable)
}

// errAbsent is Complete's error if there is nothing.
var errAbsent = errors.New("it is not there")

// Complete returns nil if every file of a part is in dir with its size, and otherwise what is wrong.
func (p Part) Complete(dir string) error {
	folder := filepath.Join(dir, p.Folder)
	text, err := os.ReadFile(filepath.Join(folder, list))
	if err != nil {
		if _, there := os.Lstat(folder); there == nil {
			return fmt.Errorf("%s in %s is not whole: it has no list of its files, %s", p, folder, list)
		}
		return fmt.Errorf("%s is not in %s: %w", p, dir, errAbsent)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		size, name, _ := strings.Cut(line, " ")
		want, _ := strconv.ParseInt(size, 10, 64)
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil || info.Size() != want {
			return fmt.Errorf("%s in %s is not whole: %s is missing or has another size than %s bytes", p, folder,
				name, size)
		}
	}
	return nil
}

// get puts one part into its place.
func (o Options) get(ctx context.Context, p Part) error {
	work, err := os.MkdirTemp(o.Dir, ".new-")
	if err != nil {
		return unwritable(o.Dir, err)
	}
	defer os.RemoveAll(work)
	from := o.wheel(p)
	if from == "" {
		if from, err = o.download(ctx, p, work); err != nil {
			return err
		}
	}
	fresh := filepath.Join(work, "part")
	if err := o.unpack(ctx, p, from, fresh); err != nil {
		return err
	}
	place := filepath.Join(o.Dir, p.Folder)
	// something half done, by another program than this
	if err := os.Rename(place, filepath.Join(work, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(place, err)
	}
	if err := os.Rename(fresh, place); err != nil {
		return unwritable(o.Dir, err)
	}
	return nil
}

// wheel is a wheel of p that lies ready, or "".
func (o Options) wheel(p Part) string {
	for _, dir := range append([]string{o.Dir}, o.Wheels...) {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			o.Say(fmt.Sprintf("no wheel is looked for in %s: %v", dir, err))
		}
		for _, e := range entries {
			if p.wheel(e.Name()) {
				return filepath.Join(dir, e.Name())
			}
		}
	}
	return ""
}
