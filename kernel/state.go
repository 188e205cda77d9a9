package kernel

import (
	"context"
	"go/token"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"nacre/kernel/assist"
	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/rt"
)

// session is the Session of this package.
type session struct {
	fset    *token.FileSet
	prog    *cells.Scope
	reg     *rt.Registry
	engine  engine.Engine
	note    string // about the engine
	library Library
	streams *standardStreams

	exec     sync.Mutex // held while a cell runs
	number   int        // cells checked, for positions
	count    int
	sources  map[int]source // sources of the cells, by their number in positions
	latest   atomic.Pointer[run]
	running  atomic.Pointer[run]
	zombies  atomic.Int64 // stopped cells whose code has not ended
	vars     atomic.Pointer[[]Variable]
	info     sync.Mutex      // guards prog, its types and the fields below against completion while a cell is checked
	changes  int             // number of changes of prog
	told     map[string]bool // deprecated names of which cells had a note
	files    atomic.Bool     // compiled cells may write to the standard files, which printing must not overtake
	history  history
	notebook []Source // the notebook's cells as Stale and Problems were told last
	closed   chan struct{}
	once     sync.Once

	assistant *assist.Assistant

	controlling sync.Mutex
	controls    map[string]*control // controls by id
}

// source is the text of a cell that ran, and its execution count.
type source struct {
	count int
	code  string
}

// run is one execution of a cell. The goroutines that it starts inherit its profiler label. By this label their later
// output is attributed to the run.
type run struct {
	session *session
	cell    string // the notebook's id of the cell
	count   int
	number  int // number of the cell in error positions
	out     Output
	kept    map[string][]byte // how the notebook has the controls of the cell, by label
	ctx     context.Context
	cancel  context.CancelCauseFunc
	label   unsafe.Pointer
	done    chan<- *Error

	stopped atomic.Bool  // whether its code must end at the next stop check
	late    atomic.Bool  // whether its statements have ended
	cleared atomic.Bool  // whether it draws over what it has shown, in its own place
	live    atomic.Int64 // goroutines it started that have not ended
	shown   *[]any       // values of the last expression

	// tester guards functions of the tests that the run is for; nil if there are none
	tester interface{ guard(t testing.TB, f func()) }

	mu   sync.Mutex
	fail *Error // error of a goroutine, or of too deep recursion
}

// control is shown by a cell and moved by the user.
type control struct {
	run *run
	set func(value []byte) error
	now func() (shown any, changed bool)
}
