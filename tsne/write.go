package tsne

import (
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"

	"nacre/internal/safetensors"
	tables "nacre/internal/table"
)

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
			if err := z.Write("label_names.npy", e.Names); err != nil {
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

func (e *Embeddings) writeCSV(w io.Writer) error {
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
	text := tables.AppendCSV(nil, head...)
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
		text = tables.AppendCSV(text, row...)
	}
	_, err := w.Write(text)
	return err
}
