package library

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"
)

//go:embed types_js.bin.gz
var bundle []byte

//go:embed docs_js.json.gz
var documentation []byte

// standard is empty: the tables of what the browser's kernel has of the standard library are generated.
var standard map[string]map[string]reflect.Value

//go:embed absent_js.txt
var absent string

// Absent says why a package that other kernels have is not in this one; "" where there is nothing to say.
func Absent(path string) string {
	if slices.Contains(strings.Fields(absent), path) {
		return "is not part of the kernel in the browser: open the notebook with nacre notebook to use it"
	}
	return ""
}
