// Package engine defines what an interpreter must offer to run the cells of a session.
package engine

import (
	"context"
	"errors"
	"go/types"
	"reflect"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/rt"
)

// Engine runs checked cells.
type Engine interface {
	// Name is the interpreter's name and version.
	Name() string

	// Compile prepares a cell, until ctx ends. Its error is a *Refused if the engine cannot run the cell faithfully,
	// and cells.Errors if a compiler finds errors in the cell.
	Compile(ctx context.Context, u *cells.Unit) (*Compiled, error)

	// Read returns a variable as an interface holds it.
	Read(v *cells.Var) (any, bool)

	// Stop sets or clears a flag; while it is set, running code calls Host.Check.
	Stop(on bool)

	// Final reports whether a panic whose value has a method Final skips the deferred functions of the goroutine.
	Final() bool

	// Close removes everything that the engine keeps outside of the process.
	Close() error

	// End ends the calling goroutine of a cell, as runtime.Goexit does: its deferred functions run.
	End()
}

// Modules is an engine whose cells may import packages that the library does not have.
type Modules interface {
	// Import loads a package that the library does not have and adds it to the known packages. The types of the new
	// package refer to those of the packages already known. The text of the error is written so that it can follow the
	// package's path.
	Import(ctx context.Context, path string, known map[string]*types.Package) (*types.Package, error)

	// Get fetches a module by name and version, so that cells can import from it, and says what it did.
	Get(ctx context.Context, module string) (said string, err error)
}

// ErrNoToolChain is wrapped by the error of an engine that compiles cells if there is no tool chain.
var ErrNoToolChain = errors.New("cells cannot be compiled here")

// Compiled is a compiled cell.
type Compiled struct {
	Run     func()                     // panics as the cell does; ends its goroutine if the cell is stopped
	Reached func() int                 // number of top-level statements started
	At      func() (line int, ok bool) // position of the statement that ran last

	// Frames returns the calls that a panic of the calling goroutine ended, innermost first; nil if an engine has none.
	Frames func() []Frame
}

// Frame is a call of a function of a cell, with its line; the function is "" for the cell's own statements.
type Frame struct {
	Func string
	Cell int // number of the cell, as in the checker's positions
	Line int
}

// Refused is the error of a cell that the engine does not run. Line is 0 if there is no place.
type Refused struct {
	Line, Column int
	Text         string
}

func (e *Refused) Error() string { return e.Text }

// Setup holds what an engine works with.
type Setup struct {
	Program  *cells.Scope
	Registry *rt.Registry                        // registry of the types that lowered code makes
	Symbols  map[string]map[string]reflect.Value // symbols that cells may import
	Native   map[string]map[string]reflect.Value // the same symbols in the library's own form
	// packages in Native whose functions only store or print arguments of type any
	Keeps []string
	Host  rt.Hooks
	Note  func(string) // tells users what they must know about the chosen engine
	Files func()       // called when cells may write to the standard files themselves
}

// Kind is an engine to choose. The zero value is the default.
type Kind struct {
	Open func(Setup) (Engine, error)
}
