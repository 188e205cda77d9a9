package kernel

import "nacre/kernel/internal/cells"

// engine runs checked cells.
type engine interface {
	// name is the interpreter and its version.
	name() string

	// compile prepares a cell. Its error is a *refused where the engine cannot run the cell faithfully.
	compile(u *cells.Unit) (*program, error)

	// read returns a variable as an interface holds it.
	read(v *cells.Var) (any, bool)
}

// program is a compiled cell.
type program struct {
	run     func()
	reached func() int                 // top-level statements started
	at      func() (line int, ok bool) // of the statement that ran last
}

// refused is a cell the engine does not run.
type refused struct {
	pos  Position
	text string
}

func (e *refused) Error() string { return e.text }
