//go:build !js

package library

import (
	_ "embed"

	"github.com/traefik/yaegi/stdlib"
)

//go:embed types.bin.gz
var bundle []byte

//go:embed docs.json.gz
var documentation []byte

// standard are the interpreter's own tables of the standard library.
var standard = stdlib.Symbols

// Absent says why a package that other kernels have is not in this one; "" where there is nothing to say.
func Absent(string) string { return "" }
