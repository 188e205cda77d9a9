package frame

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/csvtable"
	"nacre/internal/nearest"
	"nacre/internal/plainfile"
	"nacre/tsne"
)

// maxBytes is the size of the largest file that Read takes.
const maxBytes = 1 << 30

// Read reads a file with a table: .csv and .tsv, .json and .jsonl with one object a row, and .npz, whose matrix "z" is the
// columns z0, z1, … The first line of a CSV file is the columns' names; if all of it are numbers it is a row, and the
// columns are called 0, 1, 2, … A column is numbers if every value in it is one or is missing (empty, NA, NaN).
func Read(path string) (*Frame, error) {
	data, err := plainfile.Read(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		there, _ := Files(filepath.Dir(path)) // if there is such a folder
		return nil, fmt.Errorf("frame: %s: %w%s", path, fs.ErrNotExist, nearest.Hint(filepath.Base(path), there))
	}
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	f := parse(data, strings.ToLower(filepath.Ext(path)))
	if f.err != nil {
		return f, fmt.Errorf("%s: %w", path, f.err)
	}
	return f, nil
}

// endings are those of the files that Read takes.
var endings = []string{".csv", ".tsv", ".json", ".jsonl", ".npz"}

// Files are the names of the files in a folder that Read may take, by their endings.
func Files(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() && slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func parse(data []byte, ending string) *Frame {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch ending {
	case ".csv":
		return parseCSV(data, ',')
	case ".tsv":
		return parseCSV(data, '\t')
	case ".json", ".jsonl":
		return parseJSON(data)
	case ".npz":
		return parseNPZ(data)
	}
	return failed("a file that ends in %q; expected .csv, .tsv, .json, .jsonl or .npz", ending)
}

func parseCSV(data []byte, comma rune) *Frame {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = comma
	records, err := r.ReadAll()
	if err != nil {
		return &Frame{err: fmt.Errorf("frame: %w", err)}
	}
	if len(records) == 0 {
		return failed("the file is empty; expected a line with the columns' names")
	}
	names, header := csvtable.Names(records[0])
	if header {
		records = records[1:]
	}
	var columns []Column
	for j, name := range names {
		text := make([]string, len(records))
		for i, record := range records {
			text[i] = record[j]
		}
		columns = append(columns, guess(name, text))
	}
	return New(columns...)
}

// guess makes a column of numbers where all its text is.
func guess(name string, text []string) Column {
	num := make([]float64, len(text))
	for i, s := range text {
		switch s = strings.TrimSpace(s); strings.ToLower(s) {
		case "", "na", "nan", "null", "none":
			s = "NaN"
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.ContainsAny(s, "xX_") {
			return Texts(name, text)
		}
		num[i] = v
	}
	return Numbers(name, num)
}

func parseJSON(data []byte) *Frame {
	var rows []map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			return &Frame{err: fmt.Errorf("frame: %w", err)}
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, e := range list {
			row, ok := e.(map[string]any)
			if !ok {
				return failed("row %d of the file is %T; expected an object", len(rows), e)
			}
			flat := map[string]any{}
			if !flatten(row, "", flat, maxDepth) {
				return failed("row %d of the file has objects within objects, more than %d deep", len(rows), maxDepth)
			}
			rows = append(rows, flat)
		}
	}
	return of(rows)
}

func parseNPZ(data []byte) *Frame {
	list, err := tsne.Columns(data)
	if err != nil {
		return &Frame{err: fmt.Errorf("frame: %w", err)}
	}
	var columns []Column
	for _, c := range list {
		if c.Texts != nil {
			columns = append(columns, Texts(c.Name, c.Texts))
		} else {
			columns = append(columns, Numbers(c.Name, c.Numbers))
		}
	}
	return New(columns...)
}

// maxDepth is how deep objects may lie in one another: their names grow with it.
const maxDepth = 100

// flatten names values of objects within objects "outer.inner"; lists are left out. It reports false if they lie too deep.
func flatten(row map[string]any, prefix string, into map[string]any, depth int) bool {
	for k, v := range row {
		switch v := v.(type) {
		case map[string]any:
			if depth == 0 || !flatten(v, prefix+k+".", into, depth-1) {
				return false
			}
		case []any:
		default:
			into[prefix+k] = v
		}
	}
	return true
}

// CSV is the frame as a CSV file: missing numbers are empty, the others have the fewest digits that read back to them.
func (f *Frame) CSV() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(f.Names())
	for i := range f.rows {
		record := make([]string, len(f.columns))
		for j, c := range f.columns {
			if record[j] = c.word(i); record[j] == "NaN" && c.IsNumber() {
				record[j] = ""
			}
		}
		w.Write(record)
	}
	w.Flush()
	return b.Bytes(), w.Error()
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
