// Package kernel runs Go cells for a notebook: it compiles and executes them in one session, collects what they show,
// completes and inspects names, and can be interrupted. It knows no transport: package kernel/jupyter puts Jupyter's
// messages around a Session, and the same Session runs in a child process and in a browser worker. And it knows no
// package that cells import: it is handed a Library of them.
//
//	s, err := kernel.New(kernel.Options{Library: library.New()})
//	...
//	reply := s.Execute(ctx, kernel.Request{Code: "1 + 2"}, out)
//	fmt.Println(reply.Value.MIME["text/plain"])
package kernel

import (
	"context"

	"nacre/kernel/assist"
)

// Session is one running kernel: the packages, declarations and variables that its cells share, from New to Close. (A
// session of Jupyter's protocol is one of a client with it; package kernel/jupyter keeps those.) Execute calls come one
// at a time; every other method may be called at any time, from any goroutine.
type Session interface {
	// Info names the kernel and the language it speaks.
	Info() Info

	// Execute runs one cell and returns when its statements have ended. Goroutines it started may go on and keep
	// writing to out. It returns soon after Interrupt, with an error named "Interrupted". When ctx ends the cell is
	// interrupted too.
	Execute(ctx context.Context, r Request, out Output) Reply

	// Complete proposes completions at cursor, counted in Unicode code points from the start of code: Draft's, below no
	// other cells.
	Complete(ctx context.Context, code string, cursor int) Completion

	// Inspect describes the name at cursor: at detail 0 its signature and documentation, at detail 1 its source too
	// where that is known.
	Inspect(ctx context.Context, code string, cursor, detail int) Inspection

	// Draft looks at a cell as it stands below others. Above are those cells over it that did not run as they are now;
	// it is checked as if they had.
	Draft(above ...string) Draft

	// Problems checks all cells of a notebook as if those that did not run as they are now had run in order. It returns
	// the errors of each.
	Problems(cells []Source) [][]Problem

	// Search finds names of the library by words of their names and documentation, the likeliest first.
	Search(words string, most int) []Entry

	// IsComplete reports whether code can be run as it stands.
	IsComplete(code string) Completeness

	// Program returns cells as plain Go in which the errors they leave out end the program, and the declarations that
	// this takes. It runs nothing.
	Program(cells []string) (explicit []string, decls string)

	// Variables lists the session's variables by name.
	Variables() []Variable

	// Parts lists what a variable holds, or, along a path of indices into such lists, what a part of it does: fields,
	// elements, and what a pointer points to. It returns the first MostParts and how many there are. An error says why
	// it cannot now: a cell runs, or nothing is there.
	Parts(name string, path []int) ([]Variable, int, error)

	// Stale says which cells of a notebook, given in its order, are stale: edited since they ran, or having read what
	// has changed since. Cells are known by their identifiers.
	Stale(cells []Source) []Staleness

	// Move gives a control that a cell shows a value, as JSON, when no cell runs: it waits for those that do. What the
	// control shows then goes to the output of its cell. The error is ErrNoControl where the session does not have the
	// control.
	Move(id string, value []byte) error

	// Interrupt stops the running cell, if there is one.
	Interrupt()

	// Close ends the session.
	Close() error
}

// Info names a kernel.
type Info struct {
	Implementation, Version       string // e.g. "nacre", "0.1.0"
	Engine                        string // what runs the cells, with its version
	Note                          string // why that is not what would run them best, "" where it is
	Language, LanguageVersion     string // "go", "1.26": what cells may use
	MIMEType, FileExtension, Mode string // "text/x-go", ".go", CodeMirror's "go"
	Banner                        string
}

// Request is a cell to run.
type Request struct {
	Code            string
	CellID          string // of the notebook's cell, "" where unknown; errors and late output are attributed by it
	Silent          bool   // neither counted nor stored; its value is not shown
	StoreHistory    bool
	AllowStdin      bool
	UserExpressions map[string]string
	Controls        map[string][]byte // how the notebook has the controls that the cell showed, as JSON, by label
}

// Reply holds what became of a cell.
type Reply struct {
	Count       int                       // the execution count, from 1
	Value       *Data                     // of the cell's last expression, nil where it has none
	Error       *Error                    // nil when the cell ended well
	Expressions map[string]ExpressionData // one per user expression
	Payload     []map[string]any          // Jupyter's payloads: page, set_next_input
}

// ExpressionData is the value of one user expression, or its error.
type ExpressionData struct {
	Data  *Data
	Error *Error
}

// Error is a failed cell. Name is one of "CompileError", "Error" (one that the cell leaves out), "Panic",
// "Interrupted", "Exit", "InputRefused", "EngineError".
type Error struct {
	Name    string
	Message string
	// texts with ANSI colours, as Jupyter clients show them: the message, then one for each call, or one for each error
	Traceback []string
	Positions []Position
}

// Position is a place in the cell, both counted from 1, the column in bytes.
type Position struct{ Line, Column int }

// Data is one thing to show in several forms, most specific last. Values are strings, []byte (base64 on the wire) or
// what encoding/json makes of them for MIME types ending in "json".
type Data struct {
	MIME     map[string]any
	Metadata map[string]any
	ID       string // display id, "" for none: Update replaces what was shown under it
}

// Output receives what a cell shows while it runs, from any goroutine.
type Output interface {
	Stream(name, text string) // name is "stdout" or "stderr"
	Display(d Data)
	Update(d Data) // replaces everything shown under d.ID
	Clear(wait bool)
	// Input asks the user for a line. It fails where the client has no one to ask and when the cell is interrupted.
	Input(prompt string, password bool) (string, error)
}

// What assistance returns is package assist's.
type (
	Completion   = assist.Completion   // what may stand at the cursor
	Match        = assist.Match        // one of that
	Edit         = assist.Edit         // text to be inserted
	Signature    = assist.Signature    // the function that is being called
	Completeness = assist.Completeness // whether code can be run as it stands
	Entry        = assist.Entry        // a name of the library
)

// Draft is what can be said of a cell before it runs, for those who write it. Nothing of it runs code. Cursors count
// code points.
type Draft interface {
	// Complete proposes completions at cursor, the likeliest first.
	Complete(code string, cursor int) Completion

	// Inspect is Session's.
	Inspect(code string, cursor, detail int) Inspection

	// Signature describes the call among whose arguments the cursor is.
	Signature(code string, cursor int) Signature

	// Import makes the cell import what it needs to use a package, nil where it can already.
	Import(code, path string) *Edit
}

// Source is a code cell of a notebook. Ran says that it ran as it stands.
type Source struct {
	ID   string // of the notebook's cell, which Stale needs
	Code string
	Ran  bool
}

// Staleness says how a cell stands to the session. Its zero value is a cell that did not run in it.
type Staleness struct {
	Ran    bool
	Edited bool // since it ran
	// names that it read and that have changed since, or are to change as a cell above is stale or edited
	Because []string
	Own     bool     // only controls of its own have changed them
	After   []string // the cells above that are to change them
}

// Problem is an error of a cell that has not run: what Execute would say.
type Problem struct {
	Position
	Message string
	Import  *Edit // an import that would solve it, nil if there is none
}

// Inspection describes a name; Found is false if there is none.
type Inspection struct {
	Found bool
	Data  Data // text/plain and text/markdown
}

// Variable is one variable of the session.
type Variable struct {
	Name, Type, Value string // Value is shortened to a line
	Size              int    // elements of a slice, map, string or tensor; -1 where that means nothing
	Parts             int    // fields, elements and the like, which Parts lists
}
