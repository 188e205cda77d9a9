package layouts

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nacre/internal/folders"
	"nacre/internal/plainfile"
)

// Entry is a folder with a layout.
type Entry struct {
	File  string `json:"file"`  // what Open opens, below the root
	Name  string `json:"name"`  // a run's algorithm, seed and family; else the folder's name
	Group string `json:"group"` // folder of the runs that belong together, below the root
}

// Listing holds the folders with a layout below a root.
type Listing struct {
	Entries []Entry  `json:"entries"`
	Total   int      `json:"total"`           // all, also those that are not listed
	Notes   []string `json:"notes,omitempty"` // what was not looked into
}

// maxListed is the largest number of layouts in a listing.
const maxListed = 500

// List finds the folders with a layout below a root, in archives too. Layouts of one folder stand together, by name. It
// lists up to 500.
func List(root string) (Listing, error) {
	l := Listing{Entries: []Entry{}}
	note := func(line string) { l.Notes = append(l.Notes, line) }
	err := folders.Walk(root, folders.Options{Stay: true, Note: note}, func(dir, below string) error {
		if fileIn(dir) == "" {
			return nil
		}
		if l.Total++; l.Total > maxListed {
			return nil
		}
		e := Entry{File: below, Name: cmp.Or(runName(dir), path.Base(filepath.ToSlash(dir))), Group: path.Dir(below)}
		e.Group = strings.TrimSuffix(e.Group, "/runs")
		l.Entries = append(l.Entries, e)
		return nil
	})
	slices.SortStableFunc(l.Entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	return l, err
}

// fileIn returns the file of a folder that may hold its layout, empty if there is none.
func fileIn(dir string) string {
	k := slices.IndexFunc(files, func(name string) bool {
		_, err := plainfile.Stat(filepath.Join(dir, name))
		return err == nil
	})
	if k < 0 {
		return ""
	}
	return filepath.Join(dir, files[k])
}
