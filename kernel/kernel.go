// Package kernel runs Go cells for a notebook. It compiles and executes them in one session, collects what they show,
// completes and inspects names, and can be interrupted. It knows no transport: package kernel/jupyter puts Jupyter's
// messages around a Session, and the same Session runs in a child process and in a browser worker. It knows no package
// that cells import: the caller gives it a Library of these packages.
//
//	s, err := kernel.New(kernel.Options{Library: library.New()})
//	...
//	reply := s.Execute(ctx, kernel.Request{Code: "1 + 2"}, out)
//	fmt.Println(reply.Value.MIME["text/plain"])
package kernel

import (
	"context"
	"fmt"

	"nacre/kernel/assist"
)

// Session is one running kernel, from New to Close. It holds the packages, declarations and variables that its cells
// share. (In Jupyter's protocol a session is a client's connection to the kernel; package kernel/jupyter keeps these.)
// Execute is called for one cell at a time. Every other method may be called at any time, from any goroutine.
type Session interface {
	// Info names the kernel and the language it speaks.
	Info() Info

	// Execute runs one cell and returns when its statements have ended. Goroutines of the cell may continue and write
	// to out. Execute returns soon after Interrupt, with an error named "Interrupted". The end of ctx interrupts the
	// cell too.
	Execute(ctx context.Context, r Request, out Output) Reply

	// Complete proposes completions at cursor, counted in Unicode code points from the start of code. It does what
	// Draft.Complete does for a cell without cells above it.
	Complete(ctx context.Context, code string, cursor int) Completion

	// Inspect describes the name at cursor. Detail 0 gives its signature and documentation; detail 1 adds its source if
	// it is known.
	Inspect(ctx context.Context, code string, cursor, detail int) Inspection

	// Draft returns a Draft for a cell. Its arguments are the cells before this cell that have not run in their present
	// form. This cell is checked as if those had run.
	Draft(above ...string) Draft

	// Problems checks all cells of a notebook and returns the errors of each. Cells that have not run in their present
	// form are treated as if they had run in order.
	Problems(cells []Source) [][]Problem

	// Definition finds where the name at cursor, in one of a notebook's code cells, is defined.
	Definition(cells []string, cell, cursor int) Definition

	// Rename returns the changes in all code cells of a notebook that rename the variable, function, type or other
	// thing under the cursor. The error says why it cannot be renamed, or not to this name. Without a new name the
	// changes keep the present one.
	Rename(cells []string, cell, cursor int, to string) (Renaming, error)

	// Search finds names of the library by words of their names and documentation, the likeliest first.
	Search(words string, most int) []Entry

	// IsComplete reports whether code can be run as it stands.
	IsComplete(code string) Completeness

	// Program returns cells as plain Go, in which an error that a cell does not handle ends the program. The result
	// decls are the declarations that this needs. Program runs nothing.
	Program(cells []string) (explicit []string, decls string)

	// Variables lists the session's variables by name.
	Variables() []Variable

	// Parts lists what a variable holds: fields, elements, and the value that a pointer points to. With a path of
	// indices into such lists, it lists what that part holds. It returns the first MostParts parts and the number of
	// all parts. It is an error if a cell runs or if there is no such variable or part.
	Parts(name string, path []int) ([]Variable, int, error)

	// Stale says which cells of a notebook, given in its order, are stale. A stale cell was edited since it ran, or a
	// value that it read has changed since. Cells are known by their identifiers.
	Stale(cells []Source) []Staleness

	// Move sets a control that a cell shows to a value, as JSON. It waits until no cell runs. The output that follows
	// goes to the control's cell. The error is ErrNoControl if the session does not have the control.
	Move(id string, value []byte) error

	// Interrupt stops the running cell, if there is one.
	Interrupt()

	// Close ends the session.
	Close() error
}

// Info names a kernel.
type Info struct {
	Implementation, Version       string // e.g. "nacre", "0.1.0"
	Engine                        string // name and version of the engine that runs the cells
	Note                          string // reason why this is not the best engine for the cells; "" if it is
	Language, LanguageVersion     string // language of the cells and its version: "go", "1.26"
	MIMEType, FileExtension, Mode string // "text/x-go", ".go", CodeMirror's "go"
	Banner                        string
}

// Request is a cell to run.
type Request struct {
	Code            string
	CellID          string // identifier of the notebook's cell, for errors and late output; "" if unknown
	Silent          bool   // whether the cell is not counted, not stored and its value not shown
	StoreHistory    bool
	AllowStdin      bool
	UserExpressions map[string]string
	Controls        map[string][]byte // states of the cell's controls in the notebook, as JSON, by label
}

// Reply holds the results of a cell.
type Reply struct {
	Count       int                       // execution count, from 1
	Value       *Data                     // value of the cell's last expression; nil if it has no value
	Error       *Error                    // error of the cell; nil if it succeeded
	Expressions map[string]ExpressionData // value or error of each user expression
	Payload     []map[string]any          // Jupyter's payloads: page, set_next_input
}

// ExpressionData is the value of one user expression, or its error.
type ExpressionData struct {
	Data  *Data
	Error *Error
}

// Error is the error of a failed cell. Name is one of "CompileError", "Error" (an error value that the cell did not
// handle), "Panic", "Interrupted", "Exit", "InputRefused", "EngineError".
type Error struct {
	Name    string
	Message string
	// texts with ANSI colours, as Jupyter clients show them: first the message, then one text for each call or for each
	// error
	Traceback []string
	Positions []Position
}

// Position is a place in the cell. Lines and columns are counted from 1, columns in bytes.
type Position struct{ Line, Column int }

// Data is one output in several forms, the most specific last. Values are strings or []byte (base64 on the wire). For
// MIME types ending in "json" they are any value that encoding/json can encode.
type Data struct {
	MIME     map[string]any
	Metadata map[string]any
	ID       string // display id or ""; Update replaces the output with the same id
}

// Output receives what a cell shows while it runs, from any goroutine.
type Output interface {
	Stream(name, text string) // name is "stdout" or "stderr"
	Display(d Data)
	Update(d Data) // replaces everything shown under d.ID
	Clear(wait bool)
	// Input asks the user for a line. It fails if the client has no user to ask or if the cell is interrupted.
	Input(prompt string, password bool) (string, error)
}

// Completion, Match and the other types of this group are aliases of types in package assist: what a Session or a Draft
// tells the person who writes a cell.
type (
	Completion   = assist.Completion   // proposals for the text at the cursor
	Match        = assist.Match        // one proposal
	Edit         = assist.Edit         // text to be inserted
	Signature    = assist.Signature    // the function that is being called
	Completeness = assist.Completeness // whether code can be run as it stands
	Entry        = assist.Entry        // a name of the library
	Definition   = assist.Definition   // where a name is defined
	Renaming     = assist.Renaming     // what a new name changes
	Change       = assist.Change       // a part of a cell that gets another text
)

// Draft gives information about a cell before it runs, for the person who writes it. It runs no code. Cursors count
// code points.
type Draft interface {
	// Complete proposes completions at cursor, the likeliest first.
	Complete(code string, cursor int) Completion

	// Inspect does the same as Session.Inspect.
	Inspect(code string, cursor, detail int) Inspection

	// Signature describes the call that has the cursor among its arguments.
	Signature(code string, cursor int) Signature

	// Import returns the edit that makes the cell import a package; nil if the cell can already use the package.
	Import(code, path string) *Edit
}

// Source is a code cell of a notebook. Ran reports whether it ran in its present form.
type Source struct {
	ID   string // identifier of the notebook's cell, which Stale needs
	Code string
	Ran  bool
}

// Staleness says whether a cell's results are up to date. Its zero value is for a cell that did not run in the session.
type Staleness struct {
	Ran    bool
	Edited bool // whether the cell was edited since it ran
	// names that it read and that have changed since, or that will change because a cell above is stale or edited
	Because []string
	Own     bool     // whether only the cell's own controls have changed them
	After   []string // cells above that will change them
}

// Problem is an error of a cell that has not run, as Execute would report it.
type Problem struct {
	Position
	Message string
	Import  *Edit // import that would solve the problem; nil if there is none
}

func (p Problem) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Message)
}

// Inspection describes a name; Found is false if there is none.
type Inspection struct {
	Found bool
	Data  Data // text/plain and text/markdown
}

// Variable is one variable of the session.
type Variable struct {
	Name, Type, Value string // Value is shortened to a line
	Size              int    // number of elements of a slice, map, string or tensor; -1 for other types
	Parts             int    // number of fields, elements and the like, which Parts lists
}
