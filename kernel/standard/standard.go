// Package standard holds the part of Go's standard library that cells can import without the interpreter's own tables.
// A browser's kernel takes tables and types from this package. `go generate ./library` writes all of it except this
// file and that of package common.
package standard

import (
	_ "embed"
	"maps"
	"reflect"

	"nacre/kernel/standard/common"
)

// Tables are the symbols of each package, by its path, a slash and its name.
var Tables = maps.Clone(common.Tables)

func add(key string, symbols map[string]reflect.Value) { Tables[key] = symbols }

//go:embed types_std.bin.gz
var std []byte

// Types are bundles of the packages' types, as package bundle reads them: those of package common, and "std" for the
// others.
var Types = map[string][]byte{"base": common.Types["base"], "common": common.Types["common"], "std": std}
