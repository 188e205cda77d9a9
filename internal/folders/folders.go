// Package folders looks through a folder and the folders below it. All code that looks for runs uses it. It follows
// links, looks into .zip files as into folders, visits each folder once, and says what it left out.
//
//	options := folders.Options{Note: func(line string) { fmt.Println(line) }}
//	err := folders.Walk("runs", options, func(dir, below string) error {
//		fmt.Println(below)
//		return nil
//	})
package folders

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"nacre/internal/plainfile"
)

// Options are the options of Walk.
type Options struct {
	// Stay says that links below the root are not followed. Set it if the folder is served or published.
	Stay bool
	// Note is called with one line about everything that was left out and might have held something.
	Note func(line string)
}

// Depth is the number of levels below the root to which Walk goes.
const Depth = 8

// Walk calls visit for the root and every folder below it. The argument dir is the path with which the folder can be
// opened. The argument below is the folder's path from the root, with slashes, and "." for the root. A link at the root
// is followed. Links below the root are followed after all folders were visited, so that a folder with several names
// gets its own name, not that of a link. Folders in one folder are visited in the order of their names. If visit
// returns fs.SkipDir, the folders in this folder are left out; any other error ends the walk. Hidden folders and
// node_modules are left out.
func Walk(root string, o Options, visit func(dir, below string) error) error {
	real, err := resolve(root)
	if err != nil {
		return explained(root, err)
	}
	if info, err := plainfile.Stat(root); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; expected a folder or a .zip file", root)
		}
		return err
	}
	w := &walk{root: root, options: o, visit: visit, seen: map[string]string{}}
	if w.options.Note == nil {
		w.options.Note = func(string) {}
	}
	if err := w.folder(real, "."); err != nil {
		return err
	}
	for len(w.links) > 0 {
		below := w.links[0]
		w.links = w.links[1:]
		if err := w.link(below); err != nil {
			return err
		}
	}
	if w.deep != "" {
		w.options.Note(fmt.Sprintf("%s and what else lies more than %d folders below %s was not looked through", w.deep,
			Depth, root))
	}
	return nil
}

// Real returns a path of a folder that is the same for all links that lead to it.
func Real(dir string) string {
	if real, err := resolve(dir); err == nil {
		return real
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Clean(dir)
}

// resolve returns the absolute path without links of an existing file or folder. An archive has no links inside.
func resolve(dir string) (string, error) {
	archive, within, zipped := plainfile.Split(dir)
	if zipped {
		dir = archive
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if real, err = filepath.Abs(real); zipped {
		real = filepath.Join(real, filepath.FromSlash(within))
	}
	return real, err
}

// walk is the state of a running Walk.
type walk struct {
	root    string
	options Options
	visit   func(dir, below string) error
	seen    map[string]string // by real path of a folder: the path from the root by which it was visited
	links   []string          // links to follow, as paths from the root
	deep    string            // the first folder that lies too deep
}

func (w *walk) path(below string) string { return filepath.Join(w.root, filepath.FromSlash(below)) }

// folder visits a folder, whose path without links is real, and the folders below it.
func (w *walk) folder(real, below string) error {
	if known, ok := w.seen[real]; ok {
		w.again(below, known)
		return nil
	}
	w.seen[real] = below
	if err := w.visit(w.path(below), below); err != nil {
		if errors.Is(err, fs.SkipDir) {
			return nil
		}
		return err
	}
	entries, err := plainfile.ReadDir(w.path(below))
	if err != nil {
		if below == "." {
			return err
		}
		if !errors.Is(err, fs.ErrNotExist) { // the folder is gone again
			w.options.Note(explained(w.path(below), err).Error() + ": left out")
		}
		return nil
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		zipped := e.Type().IsRegular() && strings.EqualFold(path.Ext(name), ".zip")
		switch link := e.Type()&fs.ModeSymlink != 0; {
		case !e.IsDir() && !link && !zipped, strings.HasPrefix(e.Name(), "."), e.Name() == "node_modules",
			e.Name() == "__MACOSX":
		case zipped && inArchive(real):
			w.options.Note(fmt.Sprintf("%s is an archive in an archive: left out", w.path(name)))
		case strings.Count(name, "/") >= Depth:
			if w.deep == "" && (e.IsDir() || w.leads(name)) {
				w.deep = w.path(name)
			}
		case link:
			w.links = append(w.links, name)
		default:
			if err := w.folder(filepath.Join(real, e.Name()), name); err != nil {
				return err
			}
		}
	}
	return nil
}

// inArchive reports whether a folder is an archive or lies in one.
func inArchive(dir string) bool {
	_, _, ok := plainfile.Split(dir)
	return ok
}

// leads reports whether a link leads to a folder.
func (w *walk) leads(below string) bool {
	info, err := plainfile.Stat(w.path(below))
	return err == nil && info.IsDir()
}

// link follows a link to a folder.
func (w *walk) link(below string) error {
	real, err := resolve(w.path(below))
	if err != nil {
		if !w.options.Stay {
			w.options.Note(explained(w.path(below), err).Error() + ": left out")
		}
		return nil
	}
	if !w.leads(below) {
		return nil
	}
	if _, known := w.seen[real]; w.options.Stay && !known {
		w.options.Note(fmt.Sprintf("%s is a link to a folder: not followed here", w.path(below)))
		return nil
	}
	return w.folder(real, below)
}

// again says that a folder was visited before by another path.
func (w *walk) again(below, known string) {
	switch {
	case w.options.Stay:
	case known == "." || strings.HasPrefix(below, known+"/"):
		w.options.Note(fmt.Sprintf("%s leads back to %s, which it lies in: left out", w.path(below), w.path(known)))
	default:
		w.options.Note(fmt.Sprintf("%s is %s once more: counted once", w.path(below), w.path(known)))
	}
}

// explained says what is wrong with a path that leads nowhere.
func explained(path string, err error) error {
	to, linkErr := os.Readlink(path)
	switch {
	case linkErr == nil && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is a link that leads nowhere, to %s: %w", path, to, fs.ErrNotExist)
	case errors.Is(err, syscall.ELOOP) || linkErr == nil && strings.Contains(err.Error(), "too many links"):
		return fmt.Errorf("%s is a link that leads in a circle", path)
	}
	return err
}
