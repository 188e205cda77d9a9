package tsne

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"

	"nacre/internal/numpy"
	"nacre/internal/safetensors"
)

// readNPZ reads an archive of NumPy arrays.
func readNPZ(raw []byte, label string) (*Embeddings, error) {
	arrays, err := unpack(raw)
	if err != nil {
		return nil, err
	}
	return fromArrays(arrays, label)
}

// Column is a column of a table: numbers or texts.
type Column struct {
	Name    string
	Numbers []float64 // nil where it has texts
	Texts   []string
}

// Columns are the arrays of numbers and of texts in an .npz archive that have as many rows as its largest, in the order of
// their names: of a vector one column, of a matrix "z" the columns z0, z1, …
func Columns(raw []byte) ([]Column, error) {
	arrays, err := unpack(raw)
	if err != nil {
		return nil, err
	}
	rows := 0
	for _, a := range arrays {
		if len(a.shape) == 1 || len(a.shape) == 2 {
			rows = max(rows, a.shape[0])
		}
	}
	var out []Column
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		a := arrays[name]
		switch {
		case len(a.shape) == 0 || a.shape[0] != rows:
		case len(a.shape) == 1 && (a.ok || a.text != nil):
			out = append(out, Column{name, a.data, a.text})
		case len(a.shape) == 2 && a.ok:
			for j := range a.shape[1] {
				x := make([]float64, rows)
				for i := range x {
					x[i] = a.data[i*a.shape[1]+j]
				}
				out = append(out, Column{Name: name + strconv.Itoa(j), Numbers: x})
			}
		}
	}
	if out == nil {
		return nil, badInput("no vectors or matrices of numbers among %s", strings.Join(slices.Sorted(maps.Keys(arrays)), ", "))
	}
	return out, nil
}

// unpack reads the arrays of an archive.
func unpack(raw []byte) (map[string]array, error) {
	r, err := npz.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, err
	}
	arrays := map[string]array{}
	left := numpy.Unpacked(int64(len(raw)))
	for _, key := range r.Keys() {
		f, err := r.Open(key)
		if err != nil {
			return nil, err
		}
		unpacked, err := numpy.ReadAll(f, &left)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", key, err)
		}
		arrays[strings.TrimSuffix(key, ".npy")], err = readArray(key, unpacked)
		if err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

// readNPY reads one NumPy array: points without labels.
func readNPY(name string, raw []byte, label string) (*Embeddings, error) {
	if label != "" {
		return nil, badInput("an .npy file is one array, the points; labels %q may be a second .npy file, or use .npz, .safetensors or .csv", label)
	}
	a, err := readArray(filepath.Base(name), raw)
	if err != nil {
		return nil, err
	}
	return fromArrays(map[string]array{"z": a}, "")
}

// readLabels reads the labels of e from the contents of an .npy file of their own.
func (e *Embeddings) readLabels(name string, raw []byte) error {
	a, err := readArray(filepath.Base(name), raw)
	if err != nil {
		return err
	}
	e.Label, e.Names, err = a.labels(filepath.Base(name))
	return err
}

func readSafetensors(raw []byte, label string) (*Embeddings, error) {
	f, err := safetensors.Read(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, err
	}
	arrays := map[string]array{}
	for _, t := range f.Tensors {
		a := array{shape: t.Shape, typ: t.DType, ok: true, data: t.Data64}
		for _, v := range t.Data32 {
			a.data = append(a.data, float64(v))
		}
		for _, v := range t.Ints {
			a.data = append(a.data, float64(v))
		}
		arrays[t.Name] = a
	}
	return fromArrays(arrays, label)
}

// fromArrays finds points, standard deviations and labels among named arrays.
func fromArrays(arrays map[string]array, label string) (*Embeddings, error) {
	names := slices.Sorted(maps.Keys(arrays))
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
	var err error
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
	if e.Label, e.Names, err = labels.labels(cmp.Or(label, "label")); err == nil && e.Names == nil && label == "" {
		e.Names = named(e.Label, arrays[labelNamesArray].text)
	}
	return e, err
}

// labelNamesArray is the array of texts beside labels that are whole numbers: label l is called its element l.
const labelNamesArray = "label_names"

// named are the names of labels, if there is one for each.
func named(label []int, names []string) []string {
	if slices.ContainsFunc(label, func(l int) bool { return l < 0 || l >= len(names) }) {
		return nil
	}
	return names
}

// array is a NumPy array of any real type, row-major, or of texts; ok is false for other types.
type array struct {
	shape []int
	data  []float64
	text  []string
	typ   string
	ok    bool
}

// readArray reads an array's file.
func readArray(key string, raw []byte) (array, error) {
	nr, data, n, err := numpy.Open(raw)
	if err != nil {
		return array{}, badInput("array %s: %v", key, err)
	}
	a := array{shape: nr.Header.Descr.Shape, typ: nr.Header.Descr.Type}
	if strings.ContainsAny(a.typ, "US") && len(a.shape) == 1 {
		a.text, err = texts(a.typ, data, n)
		return a, err
	}
	size, err := strconv.Atoi(strings.TrimLeft(a.typ, "<>|=fiub"))
	if err != nil || !strings.ContainsAny(a.typ, "fiub") {
		return a, nil
	}
	if size < 1 || size > 8 || len(data) != n*size {
		return a, badInput("array %s: %d bytes for %v values of %d", key, len(data), a.shape, size)
	}
	switch a.typ[len(a.typ)-2:] {
	case "f8":
		a.data, err = readAs[float64](nr, n)
	case "f4":
		a.data, err = readAs[float32](nr, n)
	case "f2":
		a.data = halves(data, strings.HasPrefix(a.typ, ">"))
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

// texts decodes n texts of fixed length, UTF-32 ("U") or bytes ("S"), which end where only zeros follow.
func texts(typ string, raw []byte, n int) ([]string, error) {
	kind := strings.TrimLeft(typ, "<>|=")
	width, err := strconv.Atoi(kind[1:])
	if err != nil {
		return nil, badInput("texts of type %q cannot be read", typ)
	}
	if width < 0 || width > len(raw) {
		return nil, badInput("%d bytes for %d texts of type %q", len(raw), n, typ)
	}
	if kind[0] == 'U' {
		width *= 4
	}
	if len(raw) != n*width {
		return nil, badInput("%d bytes for %d texts of %d", len(raw), n, width)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if typ[0] == '>' {
		order = binary.BigEndian
	}
	out := make([]string, n)
	for i := range out {
		v := raw[i*width : (i+1)*width]
		if kind[0] == 'S' {
			out[i] = string(bytes.TrimRight(v, "\x00"))
			continue
		}
		var s strings.Builder
		for ; len(v) > 0; v = v[4:] {
			s.WriteRune(rune(order.Uint32(v)))
		}
		out[i] = strings.TrimRight(s.String(), "\x00")
	}
	return out, nil
}

// halves decodes IEEE 754 numbers of 16 bits.
func halves(raw []byte, big bool) []float64 {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	out := make([]float64, len(raw)/2)
	for i := range out {
		h := order.Uint16(raw[2*i:])
		exponent, fraction := int(h>>10&31), float64(h&1023)
		v := math.Ldexp(1+fraction/1024, exponent-15)
		switch {
		case exponent == 0:
			v = math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			v = math.Inf(1)
		case exponent == 31:
			v = math.NaN()
		}
		if h>>15 == 1 {
			v = -v
		}
		out[i] = v
	}
	return out
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
		return Matrix{}, badInput("array %q is %s of shape %v; points are a matrix of float or whole numbers", name, a.typ, a.shape)
	}
	return Matrix{Rows: a.shape[0], Cols: a.shape[1], Data: a.data}, nil
}

func (a array) labels(name string) ([]int, []string, error) {
	if a.text != nil {
		label, names := parseLabels(a.text)
		return label, names, nil
	}
	if !a.ok || len(a.shape) == 0 || len(a.data) != a.shape[0] {
		return nil, nil, badInput("array %q is %s of shape %v; labels are one whole number or text per point", name, a.typ, a.shape)
	}
	out := make([]int, len(a.data))
	for i, v := range a.data {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return nil, nil, badInput("array %q: value %d is %v; labels are whole numbers", name, i, v)
		}
		out[i] = int(v)
	}
	return out, nil, nil
}

func (e *Embeddings) writeNPZ(w io.Writer) error {
	z := npz.NewWriter(w)
	if err := z.Write("mean.npy", narrow(e.Mean)); err != nil {
		return err
	}
	if e.Std.Rows > 0 {
		if err := z.Write("std.npy", narrow(e.Std)); err != nil {
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
		if strings.Join(e.Names, "") != "" { // NumPy has no texts without room for a letter
			if err := z.Write(labelNamesArray+".npy", e.Names); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// narrow is m for npyio: float32 where that keeps every value, as it does of a network's output, and float64 otherwise.
func narrow(m Matrix) any {
	for _, v := range m.Data {
		if float64(float32(v)) != v {
			return mat.NewDense(m.Rows, m.Cols, m.Data)
		}
	}
	// npyio takes the shape of a matrix other than mat.Dense from its type.
	rows := reflect.MakeSlice(reflect.SliceOf(reflect.ArrayOf(m.Cols, reflect.TypeFor[float32]())), m.Rows, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Data[i*m.Cols : (i+1)*m.Cols] {
			rows.Index(i).Index(j).SetFloat(v)
		}
	}
	return rows.Interface()
}

func (e *Embeddings) writeSafetensors(w io.Writer) error {
	shape := []int{e.Mean.Rows, e.Mean.Cols}
	tensors := []safetensors.Tensor{safetensors.F64("mean", shape, e.Mean.Data)}
	if e.Std.Rows > 0 {
		tensors = append(tensors, safetensors.F64("std", shape, e.Std.Data))
	}
	if e.Label != nil {
		label := make([]int64, len(e.Label))
		for i, l := range e.Label {
			label[i] = int64(l)
		}
		tensors = append(tensors, safetensors.I64("label", []int{len(label)}, label))
	}
	return safetensors.Write(w, tensors, nil)
}
