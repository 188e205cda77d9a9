// Package library holds the packages that cells of a notebook may import. It has the packages' types, which check
// cells; their symbols, which run cells; and their documentation. All three are generated and embedded
// (library/symbols), so a kernel needs neither the Go tool chain nor any source:
//
//	s, err := kernel.New(kernel.Options{Library: library.New()})
//
// Package kernel defines the type Library but contains no library. The programs that run cells give it this library.
package library

//go:generate go run ./gen

import (
	"encoding/json"
	"go/types"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"nacre/internal/bundle"
	"nacre/library/symbols"
)

// Symbols returns the value of every function (as is), variable (addressable) and type (a nil pointer to it) by package
// path and name. An interface, say Reader, also has a wrapper type _Reader. This is a struct with the wrapped value in
// the field IValue and, for each method such as Read, a function in the field WRead.
var Symbols = sync.OnceValue(func() map[string]map[string]reflect.Value {
	all := map[string]map[string]reflect.Value{}
	for _, tables := range []map[string]map[string]reflect.Value{others, symbols.Tables} {
		for key, table := range tables {
			p := path.Dir(key)
			if all[p] == nil {
				all[p] = map[string]reflect.Value{}
			}
			for name, v := range table {
				all[p][name] = v
			}
		}
	}
	return all
})

// Types returns the importable packages by path. Checkers share them. Call Load before you use a package.
var Types = sync.OnceValues(func() (map[string]*types.Package, error) {
	m := bundle.Known()
	return m, prepare(m)
})

// Importable reports whether cells may import the package of this path. Other packages are here only because importable
// packages use their types.
func Importable(path string) bool { return docs()[path] != nil || len(Symbols()[path]) > 0 }

// Uses returns how often examples and notebooks use a name of a package. The name is "Sum", a field or method of any
// type such as "Dense.Mul", or "" for the package itself.
func Uses(path, name string) int {
	if _, member, ok := strings.Cut(name, "."); ok {
		return counts()["*\t"+member]
	}
	return counts()[path+"\t"+name]
}

var counts = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for line := range strings.Lines(symbols.Uses) {
		k := strings.LastIndexByte(line, '\t')
		n, err := strconv.Atoi(strings.TrimSpace(line[k+1:]))
		if err != nil {
			panic(err)
		}
		m[line[:k]] = n
	}
	return m
})

// Doc returns the documentation of a name of a package: "Sum", "Dense.Mul", the field "Config.Latent", or "" for the
// package itself.
func Doc(path, name string) string { return docs()[path][name] }

// Deprecated returns what to use instead of a deprecated name of a package, written as for Doc. It returns "" for other
// names, and for all names of packages outside this project.
func Deprecated(path, name string) string { return deprecated()[path+"\t"+name] }

var deprecated = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(symbols.Deprecated) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		m[parts[0]+"\t"+parts[1]] = parts[2]
	}
	return m
})

var docs = sync.OnceValue(func() map[string]map[string]string {
	data, err := bundle.Unpack(symbols.Documentation)
	if err != nil {
		panic(err)
	}
	var m map[string]map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		panic(err)
	}
	return m
})
