// Package fetch puts MuJoCo and the scenes of Meta-World into the user's cache (package home). It lets pip, or uv,
// download the packages, without installing them, and takes the files that are not Python. A wheel in the cache's
// folder, or in a folder that the caller names, is used without a network. A package of the right version that the
// chosen Python has installed is used where it is.
//
//	parts, err := fetch.Parts(runtime.GOOS, runtime.GOARCH)
//	err = fetch.Get(ctx, parts, fetch.Options{Say: func(line string) { fmt.Fprintln(os.Stderr, line) }})
//
// Parts in the cache are always complete: a part is unpacked beside its place and then renamed. If two programs fetch,
// one waits. If one is killed, the next removes what it left.
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
	Dir     string            // folder to fetch into; if empty, home.Dir
	Wheels  []string          // folders with wheels to use instead of pip
	Install bool              // install pip with apt-get if it is missing; needs root
	Say     func(line string) // called with the current step, at least every ten seconds
	Command string            // the command to advise; if empty, nacre setup
	Asking  string            // the command to advise if pip must be installed; if empty, nacre setup --install
	pip     []string          // command of pip, for tests; if empty, one is looked for
}

// patience is the longest time without a line.
const patience = 5 * time.Second

// list is the file of a part that names its files and their sizes. It is written last.
const list = "FILES"

// Get fetches the missing parts. The error names in one sentence the part that could not be fetched, and says what to
// do.
func Get(ctx context.Context, parts []Part, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	o.Command, o.Asking = cmp.Or(o.Command, "nacre setup"), cmp.Or(o.Asking, "nacre setup --install")
	parts = o.missing(parts)
	if len(parts) == 0 {
		return nil
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
		if p.Complete(o.Dir) != nil { // another program may have fetched it meanwhile
			if err := o.get(ctx, p); err != nil {
				return err
			}
		}
		o.Say(p.String() + " is in " + filepath.Join(o.Dir, p.Folder))
	}
	return nil
}

// missing returns the parts to fetch. It says where the other parts are, and why an incomplete one is not used.
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

// installed returns the place of the part's package in the chosen Python, if the package is complete and has the right
// version. The error says what the Python has instead.
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

// unwritable says why nothing can be written into a folder.
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

// get fetches one part.
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
	return o.replace(filepath.Join(o.Dir, p.Folder), fresh, work)
}

// complete sets what the caller left out: a folder, and a function that says nothing.
func (o *Options) complete() (err error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Dir == "" {
		o.Dir, err = home.Dir()
	}
	return err
}

// replace moves a fresh folder to its place. A folder that is there, as another program leaves it half done, goes to
// the folder work.
func (o Options) replace(place, fresh, work string) error {
	if err := os.Rename(place, filepath.Join(work, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(place, err)
	}
	if err := os.Rename(fresh, place); err != nil {
		return unwritable(o.Dir, err)
	}
	return nil
}

// wheel returns the path of a wheel of p that is already here, or "".
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
