// Package common holds the twenty-one packages of Go's standard library that cells import most. The kernel's own tests
// run on them alone, so they need nothing above the kernel. `go generate ./library` writes all of it except this file.
package common

import (
	_ "embed"
	"go/types"
	"path"
	"reflect"
	"sync"

	"nacre/internal/bundle"
	"nacre/kernel"
)

// Tables are the symbols of each package. A key is the package's path, a slash and the package's name.
var Tables = map[string]map[string]reflect.Value{}

func add(key string, symbols map[string]reflect.Value) { Tables[key] = symbols }

//go:embed types_base.bin.gz
var base []byte

//go:embed types_common.bin.gz
var others []byte

// Types are bundles of the packages' types, as package bundle reads them. The bundle "base" is for packages that nearly
// every cell imports, "common" for the others.
var Types = map[string][]byte{"base": base, "common": others}

// Library returns the packages as a kernel.Library. They have no documentation, and values have no form besides their
// text.
func Library() kernel.Library {
	return kernel.Library{
		Types: packages, Load: func(*types.Package) error { return nil }, Symbols: symbols,
		Importable: func(path string) bool { known, _ := packages(); return known[path] != nil },
		Absent:     func(string) string { return "" },
		Doc:        func(string, string) string { return "" },
		Deprecated: func(string, string) string { return "" },
		Uses:       func(string, string) int { return 0 },
		Texts:      func(string, string, int) []string { return nil },
		Forms:      func(any) (map[string]any, error) { return nil, nil },
		Brief:      func(any) (string, int, bool) { return "", 0, false },
	}
}

var packages = sync.OnceValues(func() (map[string]*types.Package, error) {
	known, m := bundle.Known(), map[string]*types.Package{}
	for _, packed := range Types {
		list, err := bundle.Read(packed, known)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			m[p.Path()] = p
		}
	}
	return m, nil
})

var symbols = sync.OnceValue(func() map[string]map[string]reflect.Value {
	m := map[string]map[string]reflect.Value{}
	for key, table := range Tables {
		m[path.Dir(key)] = table
	}
	return m
})
