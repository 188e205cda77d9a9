package tsne

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	tables "nacre/internal/table"
)

// maxFile is the size of the largest file of points, in bytes.
const maxFile = 8 << 30

// Embeddings are points with labels, as stored in an embeddings file.
type Embeddings struct {
	Mean  Matrix   // n×L matrix of posterior means, or of any data
	Std   Matrix   // n×L matrix of posterior standard deviations; 0×0 if unknown
	Label []int    // n labels, or nil if there are none
	Names []string // Names[l] is the text of label l; nil when labels are numbers

	Columns []string // names of the columns of Mean; nil if the columns are numbered or have no names
	Read    []string // sentences that say what was assumed, chosen, converted or left out at reading
}

// Name is the text of label l.
func (e *Embeddings) Name(l int) string {
	switch {
	case l < 0 || l >= len(e.Names):
		return strconv.Itoa(l)
	case e.Names[l] == "":
		return "(blank)"
	}
	return e.Names[l]
}

func (e *Embeddings) check() error {
	if err := checkData(e.Mean); err != nil {
		return err
	}
	n := e.Mean.Rows
	if e.Label != nil && len(e.Label) != n {
		return badInput("%d labels for %d points", len(e.Label), n)
	}
	if e.Std.Rows == 0 {
		return nil
	}
	if e.Std.Rows != n || e.Std.Cols != e.Mean.Cols {
		return badInput("std is %d×%d, mean is %d×%d; they must agree", e.Std.Rows, e.Std.Cols, n, e.Mean.Cols)
	}
	if err := checkData(e.Std); err != nil {
		return badInput("std: %s", err.(*InputError).Problem)
	}
	if i := slices.IndexFunc(e.Std.Data, func(v float64) bool { return v < 0 }); i >= 0 {
		return badInput("std: row %d, column %d is %v; a standard deviation is not negative", i/e.Std.Cols,
			i%e.Std.Cols, e.Std.Data[i])
	}
	return nil
}

// Choice says which parts of a file are read, and how. With the zero value the reader finds this out by itself.
type Choice struct {
	// Label names the array, tensor or column of labels; empty means "label" or another usual name. If the points are
	// in an .npy file, Label may be the path of a second .npy file.
	Label string
	// Columns are the coordinates, by names or by patterns such as "latent*"; nil leaves the choice to the reader.
	Columns []string

	Separator rune   // separator of the fields of a CSV file
	Decimal   rune   // decimal mark of a CSV file, '.' or ','
	Encoding  string // encoding of a CSV file's text, such as "latin1"
}

// Load reads points from a file of any kind that frame.Read takes. The argument label is Choice.Label.
//
// A file of arrays (.npz, .npy, .safetensors) has the points as an n×L array. This array is called "mean", "z" or
// another usual name, or it is the only matrix. Standard deviations are the array "std"; the n labels may be of any
// kind. If labels are whole numbers, the array "label_names" may hold their names: element l is the name of label l.
//
// In a table the points are the columns mean0, mean1, … or z0, z1, …, and their standard deviations are std0, …. A
// table without such columns gives all its numeric columns, except the label and columns that count rows, time or
// seeds. The labels are the column "label", the only column called class, target, task, species, digit or category, or
// the only column of text. Embeddings.Read says what was found.
func Load(path, label string) (*Embeddings, error) { return LoadAs(path, Choice{Label: label}) }

// LoadAs is Load with a Choice.
func LoadAs(path string, c Choice) (*Embeddings, error) {
	raw, err := plainfile.Read(path, maxFile)
	if err != nil {
		return nil, inFile(path, err)
	}
	if tables.Ending(path) != ".npy" || tables.Ending(c.Label) != ".npy" {
		return ReadAs(path, raw, c)
	}
	labels := c.Label
	c.Label = ""
	e, err := ReadAs(path, raw, c)
	if err != nil {
		return nil, err
	}
	if raw, err = plainfile.Read(labels, maxFile); err != nil {
		return nil, inFile(labels, err)
	}
	f, err := tables.Read(labels, raw, tables.Options{})
	if err == nil && (len(f.Arrays) != 1 || len(f.Arrays[0].Shape) != 1) {
		err = errors.New("it is not one label for each point")
	}
	if err == nil {
		e.setLabels(f.Arrays[0].Values, filepath.Base(labels))
		err = e.check()
	}
	if err != nil {
		return nil, inFile(labels, asInput(err))
	}
	return e, nil
}

// Read is Load for the contents of a file. The name gives the kind of the file.
func Read(name string, raw []byte, label string) (*Embeddings, error) {
	return ReadAs(name, raw, Choice{Label: label})
}

// ReadAs is LoadAs for the contents of a file. The name gives the kind of the file.
func ReadAs(name string, raw []byte, c Choice) (*Embeddings, error) {
	f, err := tables.Read(name, raw, tables.Options{Separator: c.Separator, Decimal: c.Decimal, Encoding: c.Encoding})
	if err != nil {
		return nil, inFile(name, asInput(err))
	}
	if err := f.Nothing(); err != nil {
		return nil, inFile(name, asInput(err))
	}
	e := &Embeddings{}
	if c.Columns != nil || f.Table || !hasMatrix(f) {
		err = e.fromColumns(f, c)
	} else {
		err = e.fromArrays(f, c.Label)
	}
	if err == nil {
		err = e.check()
	} else if left := slices.DeleteFunc(slices.Clone(f.Notes), func(note string) bool {
		return f.Table || !strings.Contains(note, "left out")
	}); len(left) > 0 {
		err = badInput("%s; %s", asInput(err).(*InputError).Problem, strings.Join(left, "; "))
	}
	if err != nil {
		return nil, inFile(name, asInput(err))
	}
	e.Read = append(slices.Clone(f.Notes), e.Read...)
	return e, nil
}

// asInput is an error of a reader as one of the input.
func asInput(err error) error {
	if _, ok := errors.AsType[*InputError](err); ok {
		return err
	}
	return badInput("%v", err)
}

// Labels lists the possible labels in the contents of a file, for Read: the columns of a table, or the arrays of one
// dimension. It is nil for broken files; Read returns an error that says what is wrong with them.
func Labels(name string, raw []byte) []string {
	f, err := tables.Read(name, raw, tables.Options{})
	if err != nil || tables.Ending(name) == ".npy" {
		return nil
	}
	var out []string
	for _, a := range f.Arrays {
		if len(a.Shape) == 1 {
			out = append(out, a.Name)
		}
	}
	return out
}

func inFile(path string, err error) error {
	if bad, ok := errors.AsType[*InputError](err); ok {
		return badInput("%s: %s", path, bad.Problem)
	}
	return fmt.Errorf("tsne: %w", err)
}

// Save writes e to path, whose name ends in .npz (arrays mean, std, label, label_names), .safetensors (the same without
// label_names) or .csv (columns mean0 …, std0 …, label). In .npz an array is float32 if that keeps all its values. Load
// reads back the same values, with text labels numbered in sorted order. The file appears whole or not at all.
func (e *Embeddings) Save(path string) error {
	if err := e.check(); err != nil {
		return inFile(path, err)
	}
	var buf bytes.Buffer
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		err = e.writeNPZ(&buf)
	case ".safetensors":
		err = e.writeSafetensors(&buf)
	case ".csv":
		err = e.writeCSV(&buf)
	default:
		return badInput("%s: the name must end in .npz, .safetensors or .csv, not %q", path, ext)
	}
	if err != nil {
		return inFile(path, err)
	}
	if err := atomicfile.WriteBytes(path, buf.Bytes()); err != nil {
		return fmt.Errorf("tsne: %w", err)
	}
	return nil
}
