package display

import (
	"fmt"
	"reflect"
	"strings"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/rl/config"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/tsne"
)

// known renders values of this project's packages that have no forms of their own, and slices of structs as tables; nil for
// anything else.
func known(v any) (map[string]any, error) {
	switch v := v.(type) {
	case experiment.Series:
		return ofSeries(v).MIMEBundle()
	case experiment.Config:
		text, err := config.Encode(v)
		return Text(strings.TrimSpace(string(text))), err
	case protocol.Result:
		return ofResult(v).MIMEBundle()
	case *protocol.Result:
		if v != nil {
			return ofResult(*v).MIMEBundle()
		}
	case *tsne.Embeddings:
		if v != nil {
			return Text(aboutEmbeddings(v)), nil
		}
	case tsne.Matrix:
		return Text(aboutMatrix(v)), nil
	case []sim.Task:
		return ofTasks(v).MIMEBundle()
	}
	return ofStructs(v)
}

// tableRows is the length of the longest slice that is shown as a table by itself.
const tableRows = 10_000

// ofStructs shows a slice of structs as a table, and as what %v prints for print and other programs.
func ofStructs(v any) (map[string]any, error) {
	x := reflect.ValueOf(v)
	if x.Kind() != reflect.Slice || x.Len() == 0 || x.Len() > tableRows || x.Type().Elem().Kind() != reflect.Struct {
		return nil, nil
	}
	if _, own := v.(fmt.Stringer); own {
		return nil, nil
	}
	if _, own := x.Index(0).Interface().(fmt.Stringer); own {
		return nil, nil
	}
	f, err := frame.Of(v)
	if err != nil || len(f.Names()) == 0 {
		return nil, nil // no columns that a table has room for
	}
	b, err := f.MIMEBundle()
	if err != nil {
		return nil, nil
	}
	b["text/plain"] = fmt.Sprint(v)
	return b, nil
}

func ofSeries(s experiment.Series) *frame.Frame {
	f := frame.New()
	for j, name := range s.Columns {
		x := make([]float64, len(s.Rows))
		for i, row := range s.Rows {
			x[i] = row[j]
		}
		f = f.With(frame.Numbers(name, x))
	}
	return f
}

// ofResult is the return and success by trajectory, means over tasks with their intervals.
func ofResult(r protocol.Result) *frame.Frame {
	var phase []string
	columns := make([][]float64, 7)
	for t, v := range r.Summary.Return {
		s := r.Summary.Success[t]
		kind := "exploring"
		if t >= r.Protocol.Explore {
			kind = "adapted"
		}
		phase = append(phase, kind)
		for j, x := range []float64{float64(t), v.Mean, v.Lo, v.Hi, s.Mean, s.Lo, s.Hi} {
			columns[j] = append(columns[j], x)
		}
	}
	f := frame.New(frame.Numbers("trajectory", columns[0]), frame.Texts("phase", phase))
	for j, name := range []string{"return", "return_lo", "return_hi", "success", "success_lo", "success_hi"} {
		f = f.With(frame.Numbers(name, columns[j+1]))
	}
	return f
}

func ofTasks(tasks []sim.Task) *frame.Frame {
	id, params := make([]float64, len(tasks)), make([][]float64, len(tasks))
	for i, t := range tasks {
		id[i], params[i] = float64(t.ID), t.Params
	}
	of, err := frame.Of(params)
	if err != nil {
		of = frame.New()
	}
	f := frame.New(frame.Numbers("id", id))
	for _, name := range of.Names() {
		x, _ := of.Numbers(name)
		f = f.With(frame.Numbers("params["+name+"]", x))
	}
	return f
}

func aboutEmbeddings(e *tsne.Embeddings) string {
	labels := map[int]bool{}
	for _, l := range e.Label {
		labels[l] = true
	}
	text := fmt.Sprintf("%d embeddings of %d dimensions", e.Mean.Rows, e.Mean.Cols)
	if len(labels) > 0 {
		text += fmt.Sprintf(" of %d tasks", len(labels))
	}
	if e.Std.Rows > 0 {
		text += ", with standard deviations"
	}
	return text + "\n" + aboutMatrix(e.Mean)
}

func aboutMatrix(m tsne.Matrix) string {
	const most = 6
	var b strings.Builder
	fmt.Fprintf(&b, "%d×%d", m.Rows, m.Cols)
	for i := range min(m.Rows, most) {
		b.WriteString("\n")
		for j := range min(m.Cols, most) {
			fmt.Fprintf(&b, "%11.5g", m.Data[i*m.Cols+j])
		}
		if m.Cols > most {
			b.WriteString("  …")
		}
	}
	if m.Rows > most {
		b.WriteString("\n          …")
	}
	return b.String()
}
