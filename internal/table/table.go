// Package table reads files of numbers and texts, whoever wrote them: CSV in any dialect, JSON, NumPy's arrays,
// safetensors and Parquet, also packed by gzip. It is the one reader behind frames and t-SNE. A file holds arrays, each
// with a name. The columns of a table are arrays of one dimension. Whatever was assumed, converted or left out is a
// sentence in Notes.
//
//	f, err := table.Read("metrics.csv", raw, table.Options{})
//	for _, c := range f.Columns() {
//		fmt.Println(c.Name, c.Num, c.Text)
//	}
package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"nacre/internal/numpy"
	"nacre/internal/whole"
)

// File is the content of a file.
type File struct {
	Arrays []Array
	Notes  []string // what was assumed, converted or left out
	Lines  []int    // of text in lines, the line of each row as an editor counts; nil of other files
	Table  bool     // its arrays are a table's columns, all of one length
}

// Array is a named array.
type Array struct {
	Name  string
	Shape []int // the first is the number of rows; empty of a single value
	Values

	Odd int // of a column of text in which there are numbers too: the place of the first text, from 1; else 0

	field bool // whether it is a field of an array of structures
}

// Values holds the values of an array in row-major order: numbers or texts.
type Values struct {
	Num  []float64 // nil of texts; a missing one is NaN
	Rest []int16   // what Num lacks of whole numbers beyond 2⁵³ (internal/whole); nil where there are none
	Text []string  // nil of numbers; a missing one is empty
	Bool bool      // they are truth values: 1, 0 or missing
}

// IsNumber reports whether the values are numbers.
func (v Values) IsNumber() bool { return v.Num != nil }

// Len is the number of values.
func (v Values) Len() int { return max(len(v.Num), len(v.Text)) }

// Word is value i as text, exact; a missing one is empty.
func (v Values) Word(i int) string {
	switch {
	case !v.IsNumber():
		return v.Text[i]
	case math.IsNaN(v.Num[i]):
		return ""
	case v.Bool:
		return [2]string{"False", "True"}[int(v.Num[i])]
	case v.Rest != nil:
		return whole.Text(v.Num[i], v.Rest[i])
	}
	return whole.Text(v.Num[i], 0)
}

// Words are all values as text.
func (v Values) Words() []string {
	out := make([]string, v.Len())
	for i := range out {
		out[i] = v.Word(i)
	}
	return out
}

// set puts a whole number of 64 bits at i.
func (v *Values) set(i int, near float64, rest int16) {
	v.Num[i] = near
	if v.Rest == nil && math.Abs(near) >= whole.Exact {
		v.Rest = make([]int16, len(v.Num))
	}
	if v.Rest != nil {
		v.Rest[i] = rest
	}
}

// Pick is the values at some places; missing ones at negative places.
func (v Values) Pick(at []int) Values {
	out := Values{Bool: v.Bool}
	if !v.IsNumber() {
		out.Text = make([]string, len(at))
	} else if out.Num = make([]float64, len(at)); v.Rest != nil {
		out.Rest = make([]int16, len(at))
	}
	for k, i := range at {
		switch {
		case i < 0 && v.IsNumber():
			out.Num[k] = vacant
		case i < 0:
		case !v.IsNumber():
			out.Text[k] = v.Text[i]
		default:
			if out.Num[k] = v.Num[i]; v.Rest != nil {
				out.Rest[k] = v.Rest[i]
			}
		}
	}
	return out
}

// Options overrule what would be found out. The zero value finds out everything.
type Options struct {
	Separator rune   // of a CSV file: between fields
	Decimal   rune   // '.' or ','
	Encoding  string // such as "utf-8", "utf-16le", "latin1", "windows-1252"
	Header    Header // whether the first line of a CSV file are the columns' names
}

// Header reports whether a CSV file has a line of names.
type Header int

const (
	FindHeader    Header = iota // a first line of numbers alone is a row
	WithHeader                  // the first line is names, whatever it holds
	WithoutHeader               // the first line is a row
)

// Endings are those of the files that Read takes; each may be followed by .gz.
var Endings = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".npz", ".npy", ".safetensors", ".parquet"}

// textEndings are those of text in lines.
var textEndings = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson"}

// Ending is the ending of a file's name that says what it holds, in small letters, without .gz.
func Ending(name string) string {
	name = strings.ToLower(name)
	return filepath.Ext(strings.TrimSuffix(name, ".gz"))
}

// Known reports whether a file's name ends as one that Read takes.
func Known(name string) bool { return slices.Contains(Endings, Ending(name)) }

// Read reads the contents of a file; the name says by its ending what it is. An error is one sentence with the place in
// it; it does not name the file.
func Read(name string, raw []byte, o Options) (*File, error) {
	ending := Ending(name)
	if !Known(name) {
		return nil, fmt.Errorf("the name must end in %s or %s, or in these with .gz, not in %q",
			strings.Join(Endings[:len(Endings)-1], ", "), Endings[len(Endings)-1], filepath.Ext(name))
	}
	raw, cut, err := unzipped(raw, slices.Contains(textEndings, ending))
	if err != nil {
		return nil, err
	}
	if err := disguised(raw, ending); err != nil {
		return nil, err
	}
	f, err := readAs(ending, name, raw, o)
	if err == nil && cut {
		f.Notes = append([]string{"the end of the gzip archive is missing: what comes before it is read"}, f.Notes...)
	}
	return f, err
}

func readAs(ending, name string, raw []byte, o Options) (*File, error) {
	if o.Decimal != 0 && o.Decimal != '.' && o.Decimal != ',' {
		return nil, fmt.Errorf(`decimal mark %q; expected "." or ","`, o.Decimal)
	}
	switch ending {
	case ".csv", ".tsv":
		return readCSV(raw, ending, o)
	case ".json", ".jsonl", ".ndjson":
		return readJSON(raw, ending, o)
	case ".npz":
		return readNPZ(raw)
	case ".npy":
		return readNPY(raw, arrayName(name))
	case ".safetensors":
		return readTensors(raw)
	}
	return readParquet(raw)
}

// arrayName returns the name of the only array of a file: the file's name.
func arrayName(name string) string {
	base := filepath.Base(name)
	return strings.TrimSuffix(base[:len(base)-len(filepath.Ext(base))], ".npy")
}

// unzipped unpacks gzip, whatever the name of the file is. If the end of a packed text is missing, as in a log that is
// still being written, it returns the text so far, and cut is true.
func unzipped(raw []byte, text bool) (out []byte, cut bool, err error) {
	if !bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		return raw, false, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, false, fmt.Errorf("packed by gzip, and damaged: %w", err)
	}
	left := numpy.Unpacked(int64(len(raw)))
	out, err = numpy.ReadAll(r, &left)
	if text && len(out) > 0 && errors.Is(err, io.ErrUnexpectedEOF) {
		return out, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("packed by gzip, and damaged or cut off: %w", err)
	}
	return out, false, nil
}

func (f *File) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// Find returns the array of a name.
func (f *File) Find(name string) (Array, bool) {
	k := slices.IndexFunc(f.Arrays, func(a Array) bool { return a.Name == name })
	if k < 0 {
		return Array{}, false
	}
	return f.Arrays[k], true
}

// Names are the arrays' names.
func (f *File) Names() []string {
	names := make([]string, len(f.Arrays))
	for k, a := range f.Arrays {
		names[k] = a.Name
	}
	return names
}

// Row says which row i is: its line where the file has lines, else its number from 0 as NumPy counts.
func (f *File) Row(i int) string {
	if i < len(f.Lines) {
		return fmt.Sprintf("line %d", f.Lines[i])
	}
	return fmt.Sprintf("row %d (counted from 0)", i)
}

// few lists as many names as fit into a line.
func few(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// count returns a number of things in words.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
