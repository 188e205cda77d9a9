package kernel

import (
	"fmt"
	"go/types"
	"reflect"
)

// Library holds what the cells of a session may import, and the little that the kernel has to know of the values there.
// Package nacre/library makes the notebooks'; New takes one with every function set. Sessions share it, so what its
// functions return is only read.
type Library struct {
	// Types returns the packages by path, from which cells are checked.
	Types func() (map[string]*types.Package, error)

	// Load completes a package of Types. It is called before the first look into one, and may do nothing.
	Load func(*types.Package) error

	// Symbols returns the value of every function (as is), variable (addressable) and type (a nil pointer to it) by
	// package path and name. An interface I has a wrapper type _I besides: a struct with the value it stands for in the
	// field IValue and the method M in the field WM.
	Symbols func() map[string]map[string]reflect.Value

	// Importable reports whether a path of Types is a package that cells may import, rather than one whose types others
	// mention.
	Importable func(path string) bool

	// Absent says why a package that other kernels have is not in this one, to follow its path in a sentence; "" where
	// there is nothing to say.
	Absent func(path string) string

	// Doc returns the documentation of a name of a package ("Sum", "Dense.Mul", the field "Config.Latent", or "" for
	// the package itself), "" where there is none.
	Doc func(path, name string) string

	// Deprecated returns what to use instead of a name of a package, named as for Doc, "" where it is not deprecated. A
	// cell that uses one is told so.
	Deprecated func(path, name string) string

	// Uses returns how often a name of a package, named as for Doc, is met in other code: what is met often is proposed
	// first.
	Uses func(path, name string) int

	// Texts returns what a text among the arguments of a package's function can be, such as the names of a registry;
	// nil where it can be anything. Arguments count from 0.
	Texts func(path, name string, argument int) []string

	// Wrappers are wrapper types, made like those of Symbols, that have methods beyond an interface's own, for which
	// native code asks the values of that interface. The first that a cell's type has all methods of is used.
	Wrappers []reflect.Type

	// Keeps are the packages whose functions only keep or show what they are given as any. They get a cell's value with
	// its type and methods; those of other packages, outside the standard library, get it bare.
	Keeps []string

	// Forms returns the forms of a value that has some of its own, by MIME type, with text/plain among them, and nil of
	// any other value. A value with the method MIMEBundle() (map[string]any, error) has those it returns.
	Forms func(v any) (map[string]any, error)

	// Brief returns a line about a value such as a tensor, too large to be printed in a line, and the number of its
	// elements; ok is false for others.
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
