// Package frame holds data in columns, to select, group, join, summarise and show: metrics of a run, results of many
// runs, a CSV file, a slice of structs. A column is numbers (a missing one is NaN) or text (a missing one is empty).
// Whole numbers of 64 bits stay exact when rows are grouped, joined, sorted, shown or written; Numbers gives the
// nearest float64.
//
//	f, err := frame.Read("runs/tcl/metrics.csv")
//	f.Where(func(r frame.Row) bool { return r.Number("iteration") > 10 }).
//		Group("arm", "env_steps").Mean("return").Sort("arm", "env_steps")
//
// Frames do not change: every operation returns a new one, which may share columns with the old. If an operation fails,
// for example because a column does not exist, the error is stored in the resulting frame (Err). So operations can be
// chained. Showing or reading that frame gives the error.
//
// It is written here because the libraries for data frames in Go are either no longer maintained (gota, dataframe-go,
// qframe) or, like Apache's Arrow, hold columns but neither group nor join them.
package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"nacre/internal/nearest"
	"nacre/internal/table"
	"nacre/internal/whole"
)

// Frame is a table of named columns of one length. The zero value is an empty one.
type Frame struct {
	columns []Column
	rows    int
	notes   []string // what was assumed or left out when it was read
	lines   []int    // of rows read from text, see Line; nil of others
	err     error
}

// Column is a named column: made by Numbers or Texts.
type Column struct {
	Name string
	num  []float64 // nil for a column of text
	text []string  // nil for a column of numbers
	rest []int16   // what num lacks of whole numbers beyond 2⁵³ (internal/whole); nil if there are none
	err  error     // error of a column that could not be made
}

// Numbers is a column of numbers. The slice is not copied.
func Numbers(name string, x []float64) Column {
	if x == nil {
		x = []float64{}
	}
	return Column{Name: name, num: x}
}

// Texts is a column of text. The slice is not copied.
func Texts(name string, x []string) Column {
	if x == nil {
		x = []string{}
	}
	return Column{Name: name, text: x}
}

// IsNumber reports whether the column holds numbers.
func (c Column) IsNumber() bool { return c.num != nil }

func (c Column) len() int { return max(len(c.num), len(c.text)) }

// word returns the exact value of row i as text; whole numbers have all their digits.
func (c Column) word(i int) string {
	switch {
	case !c.IsNumber():
		return c.text[i]
	case c.rest != nil:
		return whole.Text(c.num[i], c.rest[i])
	case c.num[i] == math.Trunc(c.num[i]) && math.Abs(c.num[i]) < whole.Exact:
		return strconv.FormatFloat(c.num[i], 'f', -1, 64)
	}
	return strconv.FormatFloat(c.num[i], 'g', -1, 64)
}

// pick returns a column of the rows in at, in that order.
func (c Column) pick(at []int) Column {
	if c.IsNumber() {
		out := Numbers(c.Name, gather(c.num, at, table.Blank()))
		if c.rest != nil {
			out.rest = gather(c.rest, at, 0)
		}
		return out
	}
	return Texts(c.Name, gather(c.text, at, ""))
}

// gather takes the values at the indices in at; a negative index is a missing value.
func gather[T any](x []T, at []int, missing T) []T {
	out := make([]T, len(at))
	for k, i := range at {
		if out[k] = missing; i >= 0 {
			out[k] = x[i]
		}
	}
	return out
}

// New makes a frame of columns. It has an error if columns have different lengths, or if names are empty or used twice.
func New(columns ...Column) *Frame {
	f := &Frame{columns: columns}
	seen := map[string]bool{}
	for k, c := range columns {
		switch {
		case c.err != nil:
			return &Frame{err: c.err}
		case c.Name == "":
			return failed("column %d has no name", k)
		case seen[c.Name]:
			return failed("two columns are called %q", c.Name)
		case k > 0 && c.len() != f.rows:
			return failed("column %q has %d rows, %q before it %d", c.Name, c.len(), columns[0].Name, f.rows)
		}
		seen[c.Name] = true
		f.rows = c.len()
	}
	return f
}

// Failed returns a frame that holds an error. Functions that make frames use it when they fail.
func Failed(err error) *Frame { return &Frame{err: err} }

func failed(format string, args ...any) *Frame {
	return &Frame{err: fmt.Errorf("frame: "+format, args...)}
}

// Err returns the error of the operations that led to f, nil if there is none.
func (f *Frame) Err() error { return f.err }

// Note adds a sentence that is shown with the frame.
func (f *Frame) Note(text string) *Frame {
	out := *f
	out.notes = append(slices.Clone(f.notes), text)
	return &out
}

// Notes returns what was assumed, converted or left out when the frame was read, a sentence each. Frames made from this
// frame keep the notes and show them below their rows.
func (f *Frame) Notes() []string { return slices.Clone(f.notes) }

// Line is the line, as an editor counts, from which row i of a file of text was read. It is 0 if that is not known, as
// after an operation that makes new rows or columns.
func (f *Frame) Line(i int) int {
	if i < len(f.lines) {
		return f.lines[i]
	}
	return 0
}

// noted returns f with the notes of others too, each once.
func (f *Frame) noted(others ...*Frame) *Frame {
	for _, g := range others {
		for _, n := range g.notes {
			if !slices.Contains(f.notes, n) {
				f.notes = append(slices.Clip(f.notes), n)
			}
		}
	}
	return f
}

// Len is the number of rows; 0 for a frame with an error.
func (f *Frame) Len() int { return f.rows }

// Names are the columns' names in their order.
func (f *Frame) Names() []string {
	names := make([]string, len(f.columns))
	for k, c := range f.columns {
		names[k] = c.Name
	}
	return names
}

// Has reports whether there is a column of that name.
func (f *Frame) Has(name string) bool { return slices.Contains(f.Names(), name) }

// column finds a column; the error of an unknown name gives the nearest one.
func (f *Frame) column(name string) (Column, error) {
	if f.err != nil {
		return Column{}, f.err
	}
	for _, c := range f.columns {
		if c.Name == name {
			return c, nil
		}
	}
	return Column{}, fmt.Errorf("frame: there is no column %q%s", name, nearest.Hint(name, f.Names()))
}

// numbers finds a column of numbers.
func (f *Frame) numbers(name string) (Column, error) {
	c, err := f.column(name)
	if err == nil && !c.IsNumber() {
		err = fmt.Errorf("frame: column %q holds text (%q); expected numbers", name, first(c.text))
	}
	return c, err
}

func first(text []string) string {
	if len(text) == 0 {
		return ""
	}
	return text[0]
}

// Numbers are the values of a column of numbers. The slice is the frame's own: do not change it.
func (f *Frame) Numbers(name string) ([]float64, error) {
	c, err := f.numbers(name)
	return c.num, err
}

// Texts returns the values of a column as text. Numbers have the fewest digits that read back to them.
func (f *Frame) Texts(name string) ([]string, error) {
	c, err := f.column(name)
	if err != nil || !c.IsNumber() {
		return c.text, err
	}
	return words(c), nil
}

func words(c Column) []string {
	out := make([]string, c.len())
	for i := range out {
		out[i] = c.word(i)
	}
	return out
}

// Column is a column of the frame, to put into another with With. If the column does not exist, the frame that With
// returns has an error.
func (f *Frame) Column(name string) Column {
	c, err := f.column(name)
	if err != nil {
		return Column{Name: name, err: err}
	}
	return c
}

// Unique returns the different values of a column, as text, in the order in which they appear.
func (f *Frame) Unique(name string) ([]string, error) {
	all, err := f.Texts(name)
	seen := map[string]bool{}
	var out []string
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out, err
}

// Row is one row of a frame.
type Row struct {
	f *Frame
	i int
	// missed gets the first error, because functions of rows cannot return one.
	missed *error
}

// Index is the row's number, from 0.
func (r Row) Index() int { return r.i }

// Number is the value of a column of numbers. For another column it is NaN, and the operation that called it gets an
// error.
func (r Row) Number(name string) float64 {
	c, err := r.f.numbers(name)
	if err != nil {
		r.miss(err)
		return math.NaN()
	}
	return c.num[r.i]
}

// Text is the value of a column, as text. If the column does not exist it is empty, and the operation that called it
// gets an error.
func (r Row) Text(name string) string {
	c, err := r.f.column(name)
	if err != nil {
		r.miss(err)
		return ""
	}
	return c.word(r.i)
}

func (r Row) miss(err error) {
	if *r.missed == nil {
		*r.missed = err
	}
}

// each calls do for every row, until a call asks for a column that does not exist.
func (f *Frame) each(do func(Row)) error {
	var missed error
	for i := 0; i < f.rows && missed == nil; i++ {
		do(Row{f, i, &missed})
	}
	return missed
}
