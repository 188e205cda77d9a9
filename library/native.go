//go:build !js

package library

import (
	"go/types"
	"maps"
	_ "time/tzdata" // cells can import it: time zones on machines that have none

	"github.com/traefik/yaegi/stdlib"

	"nacre/internal/bundle"
	"nacre/library/symbols"
)

// prepare reads all types: it takes a few milliseconds.
func prepare(m map[string]*types.Package) error {
	known := maps.Clone(m)
	pkgs, err := bundle.Read(symbols.Types, known)
	for _, p := range pkgs {
		m[p.Path()] = p
	}
	return err
}

// Load completes the types of a package.
func Load(*types.Package) error { return nil }

// others are the interpreter's own tables of the standard library.
var others = stdlib.Symbols

// Absent returns the reason why this kernel lacks a package that other kernels have, or "".
func Absent(string) string { return "" }
