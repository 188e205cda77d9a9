// Package library is what the cells of a notebook may import: the packages' types, from which cells are checked, their
// symbols, with which cells run, and their documentation. All three are generated and embedded (library/symbols), so a
// kernel needs neither the Go tool chain nor any source:
//
//	s, err := kernel.New(kernel.Options{Library: library.New()})
//
// Package kernel says what a library is and knows none; the programs that run cells give it this one.
package library

//go:generate go run ./gen

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"path"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"nacre/library/symbols"
)

// Symbols returns the value of every function (as is), variable (addressable) and type (a nil pointer to it) by
// package path and name. An interface I has a wrapper type _I besides: a struct with the value it stands for in the
// field IValue and the method M in the field WM.
var Symbols = sync.OnceValue(func() map[string]map[string]reflect.Value {
	all := map[string]map[string]reflect.Value{}
	for _, tables := range []map[string]map[string]reflect.Value{standard, symbols.Tables} {
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
	// What was read before stays: these are of the system the tables are used on, not of the one they were made on.
	own := types.NewPackage("runtime", "runtime")
	for name, value := range map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH} {
		own.Scope().Insert(types.NewConst(token.NoPos, own, name, types.Typ[types.UntypedString], constant.MakeString(value)))
	}
	m := map[string]*types.Package{"runtime": own}
	return m, prepare(m)
})

// read adds the packages of a bundle to those read.
func read(bundle []byte, known map[string]*types.Package) ([]*types.Package, error) {
	data, err := unpack(bundle)
	if err != nil {
		return nil, err
	}
	pkgs, err := gcexportdata.ReadBundle(bytes.NewReader(data), token.NewFileSet(), known)
	if err != nil {
		return nil, fmt.Errorf("the embedded package types: %w", err)
	}
	return pkgs, nil
}

// Importable says whether a path is a package that cells may import, rather than one whose types others mention.
func Importable(path string) bool { return docs()[path] != nil || len(Symbols()[path]) > 0 }

// Uses returns how often a name of a package is met in examples and notebooks: "Sum", a field or method of any type such
// as "Dense.Mul", or "" for the package itself.
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

var docs = sync.OnceValue(func() map[string]map[string]string {
	data, err := unpack(symbols.Documentation)
	if err != nil {
		panic(err)
	}
	var m map[string]map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		panic(err)
	}
	return m
})

func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
