package tsne

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"

	"nacre/internal/nearest"
)

// Embeddings are points with labels, as stored in an embeddings file.
type Embeddings struct {
	Mean  Matrix   // n×L, posterior means, or any data
	Std   Matrix   // n×L, posterior standard deviations; 0×0 when unknown
	Label []int    // n, or nil when there are none
	Names []string // Names[l] is the text of label l; nil when labels are numbers
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

// Load reads points from path, whose name ends in .npz or .csv. label names the array or column of labels; empty
// means "label" where there is one.
//
// An .npz file holds the points as n×L array "mean" or "z", or as its only matrix, standard deviations as "std",
// and labels as n whole numbers. A CSV file has a header. Columns mean0, mean1, … or z0, z1, … are the points and
// std0, … their standard deviations; without such columns every column but the label's belongs to the points.
// Labels in CSV may be any text.
func Load(path, label string) (*Embeddings, error) {
	var e *Embeddings
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		e, err = loadNPZ(path, label)
	case ".csv":
		e, err = loadCSV(path, label)
	default:
		err = badInput("the name must end in .npz or .csv, not %q", ext)
	}
	if err == nil {
		err = e.check()
	}
	if err != nil {
		return nil, inFile(path, err)
	}
	return e, nil
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

func loadNPZ(path, label string) (*Embeddings, error) {
	r, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var names []string
	arrays := map[string]array{}
	for _, key := range r.Keys() {
		name := strings.TrimSuffix(key, ".npy")
		names = append(names, name)
		if arrays[name], err = readArray(r, key); err != nil {
			return nil, err
		}
	}
	data := "mean"
	if _, ok := arrays["mean"]; !ok {
		data = "z"
	}
	if _, ok := arrays[data]; !ok {
		matrices := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return len(arrays[n].shape) != 2 })
		if len(matrices) != 1 {
			return nil, badInput("no array \"mean\" or \"z\", and not just one matrix, among %s", strings.Join(names, ", "))
		}
		data = matrices[0]
	}
	e := &Embeddings{}
	if e.Mean, err = arrays[data].matrix(data); err != nil {
		return nil, err
	}
	if s, ok := arrays["std"]; ok && data != "std" {
		if e.Std, err = s.matrix("std"); err != nil {
			return nil, err
		}
	}
	labels, ok := arrays[cmp.Or(label, "label")]
	if !ok {
		if label != "" {
			return nil, missing("array", label, names)
		}
		return e, nil
	}
	e.Label, err = labels.labels(cmp.Or(label, "label"))
	return e, err
}

// array is a NumPy array of any real type, row-major; ok is false for other types.
type array struct {
	shape []int
	data  []float64
	typ   string
	ok    bool
}

// readArray reads through a buffer of known length because the npy reader takes short reads, which a compressed
// stream gives, for full ones.
func readArray(r *npz.Reader, key string) (array, error) {
	f, err := r.Open(key)
	if err != nil {
		return array{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		return array{}, fmt.Errorf("array %s: %w", key, err)
	}
	buf := bytes.NewReader(raw)
	nr, err := npy.NewReader(buf)
	if err != nil {
		return array{}, fmt.Errorf("array %s: %w", key, err)
	}
	a := array{shape: nr.Header.Descr.Shape, typ: nr.Header.Descr.Type}
	n := 1
	for _, s := range a.shape {
		n *= s
	}
	size, err := strconv.Atoi(strings.TrimLeft(a.typ, "<>|=fiub"))
	if err != nil || !strings.ContainsAny(a.typ, "fiub") {
		return a, nil
	}
	if buf.Len() != n*size {
		return a, badInput("array %s: %d bytes for %v values of %d", key, buf.Len(), a.shape, size)
	}
	switch a.typ[len(a.typ)-2:] {
	case "f8":
		a.data, err = readAs[float64](nr, n)
	case "f4":
		a.data, err = readAs[float32](nr, n)
	case "i8":
		a.data, err = readAs[int64](nr, n)
	case "i4":
		a.data, err = readAs[int32](nr, n)
	case "i2":
		a.data, err = readAs[int16](nr, n)
	case "i1":
		a.data, err = readAs[int8](nr, n)
	case "u8":
		a.data, err = readAs[uint64](nr, n)
	case "u4":
		a.data, err = readAs[uint32](nr, n)
	case "u2":
		a.data, err = readAs[uint16](nr, n)
	case "u1":
		a.data, err = readAs[uint8](nr, n)
	default:
		return a, nil
	}
	a.ok = true
	if nr.Header.Descr.Fortran && len(a.shape) == 2 {
		rows, cols := a.shape[0], a.shape[1]
		t := make([]float64, n)
		for i := range t {
			t[i] = a.data[i%cols*rows+i/cols]
		}
		a.data = t
	}
	return a, err
}

func readAs[T float64 | float32 | int64 | int32 | int16 | int8 | uint64 | uint32 | uint16 | uint8](r *npy.Reader, n int) ([]float64, error) {
	out := make([]float64, n)
	if n == 0 {
		return out, nil
	}
	v := make([]T, n)
	if err := r.Read(&v); err != nil {
		return nil, err
	}
	for i, a := range v {
		out[i] = float64(a)
	}
	return out, nil
}

func (a array) matrix(name string) (Matrix, error) {
	if !a.ok || len(a.shape) != 2 {
		return Matrix{}, badInput("array %q is %s of shape %v; points are a matrix of real numbers", name, a.typ, a.shape)
	}
	return Matrix{Rows: a.shape[0], Cols: a.shape[1], Data: a.data}, nil
}

func (a array) labels(name string) ([]int, error) {
	if !a.ok || len(a.data) != a.shape[0] {
		return nil, badInput("array %q is %s of shape %v; labels are one whole number per point", name, a.typ, a.shape)
	}
	out := make([]int, len(a.data))
	for i, v := range a.data {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return nil, badInput("array %q: value %d is %v; labels are whole numbers", name, i, v)
		}
		out[i] = int(v)
	}
	return out, nil
}

func loadCSV(path, label string) (*Embeddings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.TrimLeadingSpace = true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, badInput("no data: a header and at least one row are needed")
	}
	head, rows := rows[0], rows[1:]
	at := slices.Index(head, cmp.Or(label, "label"))
	if at < 0 && label != "" {
		return nil, missing("column", label, head)
	}
	data, std := numbered(head, "mean"), numbered(head, "std")
	if data == nil {
		data = numbered(head, "z")
	}
	if data == nil {
		std = nil
		for c := range head {
			if c != at {
				data = append(data, c)
			}
		}
	}
	e := &Embeddings{}
	if e.Mean, err = columns(head, rows, data); err != nil {
		return nil, err
	}
	if std != nil {
		if e.Std, err = columns(head, rows, std); err != nil {
			return nil, err
		}
	}
	if at >= 0 {
		text := make([]string, len(rows))
		for i, row := range rows {
			text[i] = row[at]
		}
		e.Label, e.Names = parseLabels(text)
	}
	return e, nil
}

// numbered returns the columns prefix0, prefix1, … in that order, nil when there is no prefix0.
func numbered(head []string, prefix string) []int {
	var out []int
	for {
		c := slices.Index(head, prefix+strconv.Itoa(len(out)))
		if c < 0 {
			return out
		}
		out = append(out, c)
	}
}

func columns(head []string, rows [][]string, cols []int) (Matrix, error) {
	m := NewMatrix(len(rows), len(cols))
	for i, row := range rows {
		for k, c := range cols {
			v, err := strconv.ParseFloat(strings.TrimSpace(row[c]), 64)
			if err != nil {
				return m, badInput("row %d, column %q: %q is not a number", i, head[c], row[c])
			}
			m.Row(i)[k] = v
		}
	}
	return m, nil
}

// parseLabels keeps whole numbers as they are and numbers other texts in sorted order.
func parseLabels(text []string) (label []int, names []string) {
	label = make([]int, len(text))
	for i, s := range text {
		v, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			names = slices.Compact(slices.Sorted(slices.Values(text)))
			break
		}
		label[i] = v
	}
	if names != nil {
		for i, s := range text {
			label[i], _ = slices.BinarySearch(names, s)
		}
	}
	return label, names
}

// Save writes e to path, whose name ends in .npz (arrays mean, std, label; names of labels are not kept) or .csv
// (columns mean0 …, std0 …, label). Load reads back the same values, with text labels numbered in sorted order. The
// file appears whole or not at all.
func (e *Embeddings) Save(path string) error {
	if err := e.check(); err != nil {
		return inFile(path, err)
	}
	var buf bytes.Buffer
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		err = e.writeNPZ(&buf)
	case ".csv":
		err = e.writeCSV(&buf)
	default:
		return badInput("%s: the name must end in .npz or .csv, not %q", path, ext)
	}
	if err != nil {
		return inFile(path, err)
	}
	part := path + ".part"
	if err = os.WriteFile(part, buf.Bytes(), 0o644); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part)
		return fmt.Errorf("tsne: %w", err)
	}
	return nil
}

func (e *Embeddings) writeNPZ(w io.Writer) error {
	z := npz.NewWriter(w)
	if err := z.Write("mean.npy", mat.NewDense(e.Mean.Rows, e.Mean.Cols, e.Mean.Data)); err != nil {
		return err
	}
	if e.Std.Rows > 0 {
		if err := z.Write("std.npy", mat.NewDense(e.Std.Rows, e.Std.Cols, e.Std.Data)); err != nil {
			return err
		}
	}
	if e.Label != nil {
		label := make([]int64, len(e.Label))
		for i, l := range e.Label {
			label[i] = int64(l)
		}
		if err := z.Write("label.npy", label); err != nil {
			return err
		}
	}
	return z.Close()
}

func (e *Embeddings) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var head []string
	for _, m := range []struct {
		prefix string
		cols   int
	}{{"mean", e.Mean.Cols}, {"std", e.Std.Cols}} {
		for c := range m.cols {
			head = append(head, m.prefix+strconv.Itoa(c))
		}
	}
	if e.Label != nil {
		head = append(head, "label")
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range e.Mean.Rows {
		row := make([]string, 0, len(head))
		for _, v := range e.Mean.Row(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if e.Std.Rows > 0 {
			for _, v := range e.Std.Row(i) {
				row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		if e.Label != nil {
			row = append(row, e.Name(e.Label[i]))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
