// Package fetch puts MuJoCo and the scenes of Meta-World into the user's cache (package home): it lets pip download the
// wheels, without installing them, and unpacks what is not Python. A wheel that lies in the cache's folder, or in one that
// the caller names, is used without a network.
//
//	parts, err := fetch.Parts(runtime.GOOS, runtime.GOARCH)
//	err = fetch.Get(ctx, parts, fetch.Options{Say: func(line string) { fmt.Fprintln(os.Stderr, line) }})
//
// What is there is complete: a part is unpacked beside its place and renamed, two programs wait for each other, and what
// one left that was killed is removed by the next.
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
	"time"

	"nacre/internal/home"
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
	if allThere(parts, o) {
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
		if p.Complete(o.Dir) == nil {
			continue
		}
		if err := o.get(ctx, p); err != nil {
			return err
		}
		o.Say(p.String() + " is in " + filepath.Join(o.Dir, p.Folder))
	}
	return nil
}

func allThere(parts []Part, o Options) bool {
	for _, p := range parts {
		if p.Complete(o.Dir) != nil {
			return false
		}
		o.Say(p.String() + " is in " + filepath.Join(o.Dir, p.Folder))
	}
	return true
}

func unwritable(dir string, err error) error {
	return fmt.Errorf("%s cannot be written (%w): make it writable, or set %s to another folder", dir, errors.Unwrap(err), home.Variable)
}

// Complete returns nil if every file of a part is in dir with its size, and otherwise what is wrong.
func (p Part) Complete(dir string) error {
	folder := filepath.Join(dir, p.Folder)
	text, err := os.ReadFile(filepath.Join(folder, list))
	if err != nil {
		return fmt.Errorf("%s is not in %s", p, dir)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		size, name, _ := strings.Cut(line, " ")
		want, _ := strconv.ParseInt(size, 10, 64)
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil || info.Size() != want {
			return fmt.Errorf("%s in %s is not whole: %s is missing or has another size than %s bytes", p, folder, name, size)
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
	wheel := o.wheel(p)
	if wheel == "" {
		if wheel, err = o.download(ctx, p, work); err != nil {
			return err
		}
	}
	if err := o.check(wheel); err != nil {
		return err
	}
	o.Say(fmt.Sprintf("unpacking %s", filepath.Base(wheel)))
	fresh := filepath.Join(work, "part")
	if err := o.unpack(ctx, p, wheel, fresh); err != nil {
		return err
	}
	place := filepath.Join(o.Dir, p.Folder)
	if err := os.RemoveAll(place); err != nil { // of something half done, by another program than this
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
