// Package library holds what the cells of a notebook may import: the packages' types, from which cells are checked,
// their symbols, with which cells run, and their documentation. All three are generated and embedded (library/symbols),
// so a kernel needs neither the Go tool chain nor any source:
//
//	s, err := kernel.New(kernel.Options{Library: library.New()})
//
// Package kernel says what a library is and knows none; the programs that run cells give it this one.
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

// Symbols returns the value of every function (as is), variable (addressable) and type (a nil pointer to it) by
// package path and name. An interface I has a wrapper type _I besides: a struct with the value it stands for in the
// field IValue and the method M in the field WM.
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

// Types are the importable packages by path. Checkers share them. Call Load before looking into one.
var Types = sync.OnceValues(func() (map[string]*types.Package, error) {
	m := bundle.Known()
	return m, prepare(m)
})

// Importable reports whether a path is a package that cells may import, rather than one whose types others mention.
func Importable(path string) bool { return docs()[path] != nil || len(Symbols()[path]) > 0 }

// Uses returns how often a name of a package is met in examples and notebooks: "Sum", a field or method of any type
// such as "Dense.Mul", or "" for the package itself.
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

// Deprecated returns what to use instead of a name of a package, named as for Doc; "" where it is not deprecated, and
// of packages that are not ours.
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
