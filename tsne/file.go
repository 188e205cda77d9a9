package tsne

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npz"

	"nacre/internal/atomicfile"
	"nacre/internal/csvtable"
	"nacre/internal/nearest"
	"nacre/internal/numpy"
)

// Embeddings are points with labels, as stored in an embeddings file.
type Embeddings struct {
	Mean  Matrix   // n×L, posterior means, or any data
	Std   Matrix   // n×L, posterior standard deviations; 0×0 when unknown
	Label []int    // n, or nil when there are none
	Names []string // Names[l] is the text of label l; nil when labels are numbers

	Columns []string // names of the columns of Mean; nil where they are numbered or have none
}

// Name is the text of label l.
func (e *Embeddings) Name(l int) string {
	if l >= 0 && l < len(e.Names) {
		return e.Names[l]
	}
	return strconv.Itoa(l)
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
		return badInput("std: row %d, column %d is %v; a standard deviation is not negative", i/e.Std.Cols, i%e.Std.Cols, e.Std.Data[i])
	}
	return nil
}

// Load reads points from path, whose name ends in .npz, .npy, .safetensors or .csv. label names the array, tensor or
// column of labels; empty means "label" where there is one.
//
// An .npz or .safetensors file holds the points as n×L array "mean" or "z", or as its only matrix, standard deviations
// as "std", and labels as n whole numbers or, in .npz, texts. Names of labels that are whole numbers are the .npz array
// "label_names": label l is called its element l. An .npy file is the points alone; label is then the path
// of a second .npy file. A CSV file has a header. Columns mean0, mean1, … or z0, z1, … are the points and std0, … their
// standard deviations; without such columns every column of numbers but the label's belongs to the points. Labels in CSV may
// be any text; without a column "label" they are the one column called class, target, task, species, digit or category, or
// the only column of text.
func Load(path, label string) (*Embeddings, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, inFile(path, err)
	}
	if !isNPY(path) || !isNPY(label) {
		return Read(path, raw, label)
	}
	e, err := Read(path, raw, "")
	if err != nil {
		return nil, err
	}
	if raw, err = os.ReadFile(label); err != nil {
		return nil, inFile(label, err)
	}
	if err = e.readLabels(label, raw); err == nil {
		err = e.check()
	}
	if err != nil {
		return nil, broken(label, err)
	}
	return e, nil
}

func isNPY(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npy") }

// Read is Load of the contents of a file; the name says what it is.
func Read(name string, raw []byte, label string) (*Embeddings, error) {
	var e *Embeddings
	var err error
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".npz":
		e, err = readNPZ(raw, label)
	case ".npy":
		e, err = readNPY(name, raw, label)
	case ".safetensors":
		e, err = readSafetensors(raw, label)
	case ".csv":
		e, err = readCSV(raw, label)
	default:
		err = badInput("the name must end in .npz, .npy, .safetensors or .csv, not %q", ext)
	}
	if err == nil {
		err = e.check()
	}
	if err != nil {
		return nil, broken(name, err)
	}
	return e, nil
}

// broken says what is wrong with the contents of a file.
func broken(name string, err error) error {
	var bad *InputError
	if errors.As(err, &bad) {
		return inFile(name, err)
	}
	return badInput("%s is damaged or not a %s file: %v", name, filepath.Ext(name), err)
}

// Labels lists what may serve as labels in the contents of a file, for Read: the columns of a CSV file, the arrays of an
// .npz file that have one dimension. It is nil for other files and for broken ones, of which Read says what is wrong.
func Labels(name string, raw []byte) []string {
	var out []string
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		first, _ := newCSV(raw).Read()
		out, _ = csvtable.Names(first)
	case ".npz":
		r, err := npz.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return nil
		}
		for _, key := range r.Keys() {
			f, err := r.Open(key)
			if err != nil {
				continue
			}
			beginning, _ := io.ReadAll(io.LimitReader(f, numpy.MaxHeader))
			f.Close()
			if shape, err := numpy.Shape(beginning); err == nil && len(shape) == 1 {
				out = append(out, strings.TrimSuffix(key, ".npy"))
			}
		}
	}
	return out
}

func inFile(path string, err error) error {
	var bad *InputError
	if errors.As(err, &bad) {
		return badInput("%s: %s", path, bad.Problem)
	}
	return fmt.Errorf("tsne: %w", err)
}

// missing names what was not found, what there is, and the nearest match.
func missing(kind, want string, have []string) error {
	return badInput("no %s %q%s", kind, want, nearest.Hint(want, have))
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
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(buf.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("tsne: %w", err)
	}
	return nil
}
