// Package engine says what an interpreter has to offer to run the cells of a session.
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
	// Name is the interpreter and its version.
	Name() string

	// Compile prepares a cell, until ctx ends. Its error is a *Refused where the engine cannot run the cell faithfully,
	// and cells.Errors where a compiler finds them in the cell.
	Compile(ctx context.Context, u *cells.Unit) (*Compiled, error)

	// Read returns a variable as an interface holds it.
	Read(v *cells.Var) (any, bool)

	// Stop raises or lowers the flag at which running code calls Host.Check.
	Stop(on bool)

	// Final reports whether a panic with a value that has a method Final passes by what the goroutine deferred.
	Final() bool

	// Close removes what the engine keeps outside of the process.
	Close() error

	// End ends the calling goroutine, of a cell, as runtime.Goexit does: what it deferred runs.
	End()
}

// Modules is an engine whose cells may import packages that the library does not have.
type Modules interface {
	// Import returns such a package, whose types refer to those of the packages known, and adds to them. The error goes
	// on where its path ends.
	Import(ctx context.Context, path string, known map[string]*types.Package) (*types.Package, error)

	// Get makes a module one that can be imported from, by its name and version, and says what it did.
	Get(ctx context.Context, module string) (said string, err error)
}

// ErrNoToolChain is in the error of an engine that compiles cells and has nothing to compile them with.
var ErrNoToolChain = errors.New("cells cannot be compiled here")

// Compiled is a compiled cell.
type Compiled struct {
	Run     func()                     // panics as the cell does; ends its goroutine where the cell is stopped
	Reached func() int                 // top-level statements started
	At      func() (line int, ok bool) // of the statement that ran last

	// Frames are the calls that a panic of the calling goroutine ended, innermost first; nil where an engine has none.
	Frames func() []Frame
}

// Frame is a call of a function of a cell, "" for the cell's own statements, and the line it was at.
type Frame struct {
	Func string
	Cell int // as the positions of the checker number cells
	Line int
}

// Refused is a cell the engine does not run. Line is 0 where there is no place.
type Refused struct {
	Line, Column int
	Text         string
}

func (e *Refused) Error() string { return e.Text }

// Setup holds what an engine gets to work with.
type Setup struct {
	Program  *cells.Scope
	Registry *rt.Registry                        // of the types that lowered code makes
	Symbols  map[string]map[string]reflect.Value // what cells may import
	Native   map[string]map[string]reflect.Value // the same, as the library has it
	// packages there whose functions only keep or show what they get as any
	Keeps []string
	Host  rt.Hooks
	Note  func(string) // tells what users are to know of the engine that was chosen
	Files func()       // to be called once cells may write to the standard files themselves
}

// Kind is an engine to choose. The zero value stands for the default.
type Kind struct {
	Open func(Setup) (Engine, error)
}
