package library

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"nacre/internal/bundle"
	"nacre/kernel/standard"
	"nacre/library/symbols"
)

var loading struct {
	sync.Mutex
	family map[string]string         // of each package that can be imported
	known  map[string]*types.Package // these and those that their types mention
	done   map[string]bool           // families
}

// prepare names the packages. Load reads their types.
func prepare(m map[string]*types.Package) error {
	loading.family, loading.done = map[string]string{}, map[string]bool{}
	for line := range strings.Lines(symbols.Families) {
		f := strings.Fields(line)
		loading.family[f[0]] = f[2]
		if m[f[0]] == nil {
			m[f[0]] = types.NewPackage(f[0], f[1])
		}
	}
	loading.known = maps.Clone(m)
	return nil
}

// Load completes the types of a package, and those of all packages that are stored in the same file.
func Load(p *types.Package) error {
	loading.Lock()
	defer loading.Unlock()
	f := loading.family[p.Path()]
	if f == "" || loading.done[f] {
		return nil
	}
	data, ok := standard.Types[f]
	if !ok {
		var err error
		if data, err = symbols.Types.ReadFile("types_js_" + f + ".bin.gz"); err != nil {
			return err
		}
	}
	if _, err := bundle.Read(data, loading.known); err != nil {
		return err
	}
	loading.done[f] = true
	return nil
}

// others are the tables of what the browser's kernel has of the standard library.
var others = standard.Tables

// Absent returns the reason why this kernel lacks a package that other kernels have, or "".
func Absent(path string) string {
	if slices.Contains(strings.Fields(symbols.Absent), path) {
		return "is not part of the kernel in the browser: open the notebook with nacre notebook to use it"
	}
	return ""
}
