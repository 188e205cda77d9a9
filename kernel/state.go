package kernel

import (
	"context"
	"go/token"
	"sync"
	"sync/atomic"
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

	exec    sync.Mutex // held while a cell runs
	number  int        // cells checked, for positions
	count   int
	sources map[int]source // of the cells, by the number they have in positions
	latest  atomic.Pointer[run]
	running atomic.Pointer[run]
	zombies atomic.Int64 // stopped cells whose code has not ended
	vars    atomic.Pointer[[]Variable]
	info    sync.Mutex      // guards prog and its types, and what follows, against completion while a cell is checked
	changes int             // of prog
	told    map[string]bool // deprecated names that cells were told of
	files   atomic.Bool     // compiled cells may write to the standard files, which printing must not overtake
	history history
	closed  chan struct{}
	once    sync.Once

	assistant *assist.Assistant

	controlling sync.Mutex
	controls    map[string]*control // by id
}

// source is the text of a cell that ran, and its execution count.
type source struct {
	count int
	code  string
}

// run is one execution of a cell. The goroutines it starts inherit its profiler label, by which whatever they do later
// is attributed to it.
type run struct {
	session *session
	cell    string // the notebook's id of the cell
	count   int
	number  int // of the cell in error positions
	out     Output
	kept    map[string][]byte // how the notebook has the controls of the cell, by label
	ctx     context.Context
	cancel  context.CancelCauseFunc
	label   unsafe.Pointer
	done    chan<- *Error

	stopped atomic.Bool  // its code is to end at the next stop check
	late    atomic.Bool  // its statements have ended
	live    atomic.Int64 // goroutines it started that have not ended
	shown   *[]any       // values of the last expression

	mu   sync.Mutex
	fail *Error // of a goroutine, or of recursion too deep
}
