// Package standard has tables and types for a part of Go's standard library. With them cells can import this part
// although the interpreter's own tables are missing, as in a browser's kernel. `go generate ./library` writes all of it
// except this file and that of package common.
package standard

import (
	_ "embed"
	"maps"
	"reflect"

	"nacre/kernel/standard/common"
)

// Tables are the symbols of each package. A key is the package's path, a slash and the package's name.
var Tables = maps.Clone(common.Tables)

func add(key string, symbols map[string]reflect.Value) { Tables[key] = symbols }

//go:embed types_std.bin.gz
var std []byte

// Types are bundles of the packages' types, as package bundle reads them: those of package common, and "std" for the
// others.
var Types = map[string][]byte{"base": common.Types["base"], "common": common.Types["common"], "std": std}
