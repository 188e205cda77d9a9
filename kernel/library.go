package kernel

import (
	"fmt"
	"go/types"
	"reflect"
)

// Library holds the packages that the cells of a session may import, and what the kernel must know of their values.
// Package nacre/library makes the Library of notebooks. New needs a Library with every function set. Sessions share a
// Library, so the results of its functions must not be changed.
type Library struct {
	// Types returns the packages by path. Cells are checked with them.
	Types func() (map[string]*types.Package, error)

	// Load completes a package of Types. It is called before the package is first used, and may do nothing.
	Load func(*types.Package) error

	// Symbols returns the value of every function (as is), variable (addressable) and type (a nil pointer to it) by
	// package path and name. An interface, say Reader, also has a wrapper type _Reader: a struct with the wrapped value
	// in the field IValue and, for each method such as Read, a function in the field WRead.
	Symbols func() map[string]map[string]reflect.Value

	// Importable reports whether cells may import the package of a path of Types. Other packages are in Types only
	// because importable packages use their types.
	Importable func(path string) bool

	// Absent returns the reason why this kernel lacks a package that other kernels have, or "". The text follows the
	// package's path in a sentence.
	Absent func(path string) string

	// Doc returns the documentation of a name of a package, or "". The name is "Sum", "Dense.Mul", the field
	// "Config.Latent", or "" for the package itself.
	Doc func(path, name string) string

	// Deprecated returns what to use instead of a deprecated name of a package, or "". Names are written as for Doc. A
	// cell that uses a deprecated name gets a note.
	Deprecated func(path, name string) string

	// Uses returns how often other code uses a name of a package, written as for Doc. Names that are used often are
	// proposed first.
	Uses func(path, name string) int

	// Texts returns the possible values of a string argument of a package's function, such as the names of a registry.
	// It returns nil if any string is possible. Arguments count from 0.
	Texts func(path, name string, argument int) []string

	// Wrappers are wrapper types like those of Symbols, but with more methods than their interface has. Some native
	// code checks whether a value has such additional methods. The kernel uses the first wrapper for which the cell's
	// type has all methods.
	Wrappers []reflect.Type

	// Keeps are the packages whose functions only keep or show arguments of type any. These functions get a cell's
	// value with its type and methods. Functions of other packages outside the standard library get the value without
	// them.
	Keeps []string

	// Forms returns the forms of a value by MIME type, with text/plain among them, if the value has its own forms. It
	// returns nil for any other value. The forms of a value with the method MIMEBundle() (map[string]any, error) are
	// those that the method returns.
	Forms func(v any) (map[string]any, error)

	// Cell is the path of a package with functions for lines that are no Go: Run(command string) error for !ls,
	// Lines(command string) ([]string, error) for files := !ls, and Capture() for %%capture. If it is empty, cells have
	// no such lines.
	Cell string

	// Brief returns a line about a value that is too large to be printed in a line, such as a tensor, and the number of
	// its elements. For other values ok is false.
	Brief func(v any) (line string, elements int, ok bool)
}

// complete returns an error that names a function of l that is not set.
func (l *Library) complete() error {
	v := reflect.ValueOf(l).Elem()
	for f, x := range v.Fields() {
		if f.Type.Kind() == reflect.Func && x.IsNil() {
			return fmt.Errorf("kernel: Options.Library has no function %s: expected a complete library, such as "+
				"library.New() of nacre/library", f.Name)
		}
	}
	return nil
}
