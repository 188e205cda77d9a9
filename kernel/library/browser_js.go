package library

import (
	_ "embed"
	"reflect"
)

//go:embed types_js.bin.gz
var bundle []byte

//go:embed docs_js.json.gz
var documentation []byte

// standard is empty: the tables of what the browser's kernel has of the standard library are generated.
var standard map[string]map[string]reflect.Value
