// Package symbols holds most of what `go generate ./library` writes: tables of the symbols of the packages that cells
// may import, the types of these packages, their documentation, and how often their names are used. This file and the
// two beside it that embed the data are all that is written by hand here; package library reads them. What a browser
// has of the standard library is in kernel/standard.
package symbols

import (
	_ "embed"
	"reflect"
)

// Tables are the symbols of each package, by its path, a slash and its name.
var Tables = map[string]map[string]reflect.Value{}

func add(key string, symbols map[string]reflect.Value) { Tables[key] = symbols }

// Deprecated has lines of path, name and what to use instead, separated by tabs.
//
//go:embed deprecated.txt
var Deprecated string

// Uses has lines of path, name and count, separated by tabs. The path "*" is that of fields and methods of any type.
//
//go:embed uses.txt
var Uses string
