// Package assist helps to write cells: it completes and describes names, checks cells that have not run, and finds
// names in the library. It never runs code; it reads a session through an Access.
//
//	a := assist.New(assist.Access{Program: program, ...})
//	a.Draft("x := 1").Complete("x + fmt.Pri", 11)
package assist

import (
	"iter"
	"sync"

	"nacre/kernel/internal/cells"
)

// Access holds what assistance needs from a session and from its library. The library's functions are those of
// kernel.Library.
type Access struct {
	Program *cells.Scope
	Guard   sync.Locker      // guards Program, its types and Ran against a cell that is being checked
	Changes func() int       // number of changes of Program so far
	Ran     iter.Seq[string] // the cells that ran

	Plain   func(code string) (string, error) // returns a cell without the helper in front of it, such as %time
	Read    func(*cells.Var) (any, bool)      // the value of a variable; called within Quietly
	Value   func(name string) string          // the same value as a short text, at the end of the last cell
	Quietly func(look func())                 // calls look while nothing runs that could change what look reads

	Importable func(path string) bool
	Doc        func(path, name string) string
	Uses       func(path, name string) int
	Texts      func(path, name string, argument int) []string
}

// Assistant helps with the cells of one session. Its methods may be called from any goroutine.
type Assistant struct {
	Access
	drafted  *drafted
	resolved *resolved
	words    *words
	index    []Entry // entries of the library, once it was searched
}

// New makes the assistant of a session.
func New(h Access) *Assistant { return &Assistant{Access: h} }

// Completion proposes Matches for the code points from Start to End.
type Completion struct {
	Matches    []Match
	Start, End int
}

// Match is one completion. Kind is "function", "method", "variable", "constant", "type", "field", "key", "package" or
// "keyword"; Signature may be empty.
type Match struct {
	Text, Kind, Signature string
	Insert                string // text to insert if it is not Text, such as "Latent: " for a field
	Import                *Edit  // import that the cell also needs, nil if it needs none
}

// Edit is text to be inserted at a code point of a cell.
type Edit struct {
	At   int
	Text string
}

// Signature is a function that is being called. Its zero value says that there is none.
type Signature struct {
	Label      string   // declaration without func
	Parameters [][2]int // places of the parameters in Label, in code points from and to
	Active     int      // index of the parameter at the cursor, -1 if the function takes fewer
	Doc        string
}

// Card describes a name.
type Card struct{ Text, Markdown string }

// Source is a code cell of a notebook. Ran says that the cell ran in its present form.
type Source struct {
	Code string
	Ran  bool
}

// Problem is an error of a cell that has not run: what running the cell would report. Line and Column count from 1, the
// column in bytes.
type Problem struct {
	Line, Column int
	Message      string
	Import       *Edit // an import that would solve it, nil if there is none
}

// Completeness has the Status "complete", "incomplete" (with the Indent of the next line), "invalid" or "unknown".
type Completeness struct{ Status, Indent string }

// Entry is a name of the library.
type Entry struct {
	Path      string // path of its package
	Package   string // the name that cells use for it
	Name      string // "Sum", "Dense.Mul", "" for the package itself
	Kind      string // as in Match
	Signature string
	Doc       string // first sentence of the documentation
	Snippet   string // code that uses it, with ${name} for the parts to fill in
}

// words counts the names in the cells of a session.
type words struct {
	counts  map[string]int
	above   []string
	changes int
}

// drafted is the program after some cells that have not run, kept until either changes.
type drafted struct {
	draft   *cells.Draft
	above   []string
	changes int // number of changes of the session's program when it was made
}

// resolved is a notebook whose names are known, kept until it or the packages change.
type resolved struct {
	*cells.Resolved
	sources  []string
	packages int
}
