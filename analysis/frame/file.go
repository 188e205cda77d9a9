package frame

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nacre/internal/nearest"
	"nacre/internal/plainfile"
	"nacre/internal/table"
)

// maxBytes is the size of the largest file that Read takes.
const maxBytes = 1 << 30

// ReadOption replaces what Read would detect about a file.
type ReadOption func(*table.Options)

// Separator sets the separator of the fields of a CSV file: ',', ';', '\t', '|', or ' ' for any blanks.
func Separator(r rune) ReadOption { return func(o *table.Options) { o.Separator = r } }

// Decimal sets the decimal mark of a CSV file, '.' or ','. The other one then separates thousands.
func Decimal(r rune) ReadOption { return func(o *table.Options) { o.Decimal = r } }

// Encoding sets the encoding of a file's text: "utf-8", "utf-16le", "latin1", "windows-1251", …
func Encoding(name string) ReadOption { return func(o *table.Options) { o.Encoding = name } }

// Header sets whether the first line of a CSV file holds the columns' names.
func Header(is bool) ReadOption {
	return func(o *table.Options) {
		if o.Header = table.WithoutHeader; is {
			o.Header = table.WithHeader
		}
	}
}

// Read reads a file with a table, also packed by gzip (.gz):
//
//   - .csv and .tsv in any dialect. Read detects separators, decimal comma, encodings, comment lines (#), missing
//     fields and an incomplete last line. The first line is the columns' names. If it has only numbers, it is a row,
//     and the columns are called 0, 1, 2, … A column holds numbers if every value in it is a number or is missing
//     (empty, NA, NaN, N/A, …);
//   - .json, .jsonl and .ndjson: one object for each row, an object of lists, and the files that pandas and polars
//     write. A field of an inner object is called "outer.inner";
//   - .npz, .npy and .safetensors: an array of more than one dimension becomes several columns, such as z0, z1, … for
//     a matrix "z";
//   - .parquet, but not in a browser's tab.
//
// True and False are 1 and 0. Notes says what was assumed, converted or left out; options change it.
func Read(path string, options ...ReadOption) (*Frame, error) {
	data, err := plainfile.Read(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		there, _ := Files(filepath.Dir(path)) // fails if there is no such folder
		return nil, fmt.Errorf("frame: %s: %w%s", path, fs.ErrNotExist, nearest.Hint(filepath.Base(path), there))
	}
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	f := parse(path, data, options...)
	if f.err != nil {
		return f, fmt.Errorf("%s: %w", path, f.err)
	}
	return f, nil
}

// Files are the names of the files in a folder that Read may accept, by their endings.
func Files(dir string) (names []string, err error) {
	entries, err := plainfile.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() && table.Known(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func parse(name string, data []byte, options ...ReadOption) *Frame {
	var o table.Options
	for _, set := range options {
		set(&o)
	}
	file, err := table.Read(name, data, o)
	if err == nil {
		err = file.Nothing()
	}
	if err != nil {
		return &Frame{err: fmt.Errorf("frame: %w", err)}
	}
	var columns []Column
	for _, c := range file.Columns() {
		columns = append(columns, Column{Name: c.Name, num: c.Num, text: c.Text, rest: c.Rest})
	}
	f := New(columns...)
	f.notes, f.lines = file.Notes, file.Lines
	return f
}

// CSV is the frame as a CSV file. Missing numbers are empty. Whole numbers are written with all their digits. Other
// numbers are written with the fewest digits from which the same number is read.
func (f *Frame) CSV() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	text := table.AppendCSV(nil, f.Names()...)
	for i := range f.rows {
		record := make([]string, len(f.columns))
		for j, c := range f.columns {
			if record[j] = c.word(i); record[j] == "NaN" && c.IsNumber() {
				record[j] = ""
			}
		}
		text = table.AppendCSV(text, record...)
	}
	return text, nil
}

// Parquet is the frame as a Parquet file, in which a missing number is null. A column of which every number is whole
// has integers of 64 bits, other numbers are float64. A tab cannot write one.
func (f *Frame) Parquet() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	columns := make([]table.Array, len(f.columns))
	for k, c := range f.columns {
		columns[k] = table.Array{Name: c.Name, Values: table.Values{Num: c.num, Rest: c.rest, Text: c.text}}
	}
	data, err := table.Parquet(columns)
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	return data, nil
}

// WriteCSV writes the frame to a file.
func (f *Frame) WriteCSV(path string) error {
	data, err := f.CSV()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("frame: %w", err)
	}
	return nil
}
