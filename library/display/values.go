package display

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nacre/analysis/frame"
	"nacre/core"
	"nacre/experiment"
	"nacre/rl/config"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/sim/recording"
	"nacre/tsne"
)

// known renders values of this project's packages that have no forms of their own, matrices, and slices of structs and
// of rows of numbers as tables; nil for anything else.
func known(v any) (map[string]any, error) {
	if x := reflect.ValueOf(v); x.Kind() == reflect.Pointer && x.IsNil() {
		return nil, nil
	}
	switch v := v.(type) {
	case experiment.Series:
		return ofSeries(v).MIMEBundle()
	case experiment.Config:
		return ofConfig(v)
	case protocol.Result:
		return ofResult(v).MIMEBundle()
	case *protocol.Result:
		return ofResult(*v).MIMEBundle()
	case *tsne.Embeddings:
		return tabled(v, v.Mean.Rows, v.Mean.Cols+v.Std.Cols, aboutEmbeddings(v))
	case tsne.Matrix:
		return tabled(v, v.Rows, v.Cols, aboutMatrix(v))
	case mat.Matrix:
		rows, columns := v.Dims()
		excerpt := 0
		if rows > 20 || columns > 20 {
			excerpt = 5
		}
		return tabled(v, rows, columns,
			fmt.Sprintf("%d×%d\n%.6g", rows, columns, mat.Formatted(v, mat.Squeeze(), mat.Excerpt(excerpt))))
	case *core.Program:
		return withText(ofProgram(v), v.String())
	case []sim.Task:
		return ofTasks(v).MIMEBundle()
	case recording.Recording:
		return Rollout{Episodes: []recording.Recording{v}}.MIMEBundle()
	case []recording.Recording:
		return Rollout{Episodes: v}.MIMEBundle()
	}
	if b, err := ofSlice(v); b != nil || err != nil {
		return b, err
	}
	return ofFields(v)
}

// A value up to these sizes is shown as a table. tableText is the length of its text that is kept with the table.
const (
	tableRows    = 10_000
	tableColumns = 200
	tableCells   = 50_000
	tableText    = 1000
)

// tabled is a matrix or embeddings as a table, where that is not too large, beside text.
func tabled(v any, rows, columns int, text string) (map[string]any, error) {
	if rows == 0 || columns == 0 || rows > tableRows || columns > tableColumns || rows*columns > tableCells {
		return Text(text), nil
	}
	f, err := frame.Of(v)
	if err != nil {
		return nil, err
	}
	if f.Names()[0] == "0" { // the table is of a matrix
		numbered := frame.New(frame.Numbers("row", counted(rows)))
		for _, name := range f.Names() {
			x, err := f.Numbers(name)
			if err != nil {
				return nil, err
			}
			numbered = numbered.With(frame.Numbers(name, x))
		}
		f = numbered
	}
	b, err := f.MIMEBundle()
	if err == nil {
		b["text/plain"] = text
	}
	return b, err
}

func counted(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// withText is a table beside the text that a value has, or beside the table's own where that is long.
func withText(f *frame.Frame, text string) (map[string]any, error) {
	b, err := f.MIMEBundle()
	if err == nil && len(text) <= tableText {
		b["text/plain"] = strings.TrimSpace(text)
	}
	return b, err
}

// ofSlice shows a slice of structs, or of rows of numbers, as a table.
func ofSlice(v any) (map[string]any, error) {
	x := reflect.ValueOf(v)
	if x.Kind() != reflect.Slice || x.Len() == 0 || x.Len() > tableRows || hasText(v) {
		return nil, nil
	}
	switch e := x.Type().Elem(); e.Kind() {
	case reflect.Struct:
		if hasText(x.Index(0).Interface()) {
			return nil, nil
		}
		f, err := frame.Of(v)
		if err != nil || len(f.Names()) == 0 {
			return nil, nil // no columns that a table has room for
		}
		return withText(f, fmt.Sprint(v))
	case reflect.Slice, reflect.Array:
		columns := 0
		for i := range x.Len() {
			columns = max(columns, x.Index(i).Len())
		}
		if number(e.Elem()) && columns*x.Len() <= tableCells {
			return tabled(v, x.Len(), columns, shortText(v))
		}
	}
	return nil, nil
}

func number(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 }

func hasText(v any) bool {
	switch v.(type) {
	case fmt.Stringer, fmt.Formatter, error:
		return true
	}
	return false
}

// shortText is a value as %v prints it, cut where it is long.
func shortText(v any) string {
	text := fmt.Sprint(v)
	if len(text) > tableText {
		text = strings.ToValidUTF8(text[:tableText], "") + "…"
	}
	return text
}

// ofConfig is the settings of a run, and as text the file that has them.
func ofConfig(c experiment.Config) (map[string]any, error) {
	text, err := config.Encode(c)
	if err != nil {
		return nil, err
	}
	settings, err := c.Settings()
	if err != nil {
		return nil, err
	}
	keys := slices.Sorted(maps.Keys(settings))
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = strings.Trim(string(settings[k]), `"`)
	}
	b, err := frame.New(frame.Texts("setting", keys), frame.Texts("value", values)).MIMEBundle()
	if err == nil {
		b["text/plain"] = strings.TrimSpace(string(text))
	}
	return b, err
}

// ofProgram is the instructions of a program, in the order in which they run.
func ofProgram(p *core.Program) *frame.Frame {
	var numbers [4][]float64 // level, rows, columns, MFLOP
	var parts, results, operations []string
	for l, level := range p.Levels {
		for k, instructions := range [][]core.Instr{level.Whole, level.Tiled} {
			for _, in := range instructions {
				out := p.Values[in.Out]
				for j, x := range []float64{float64(l), float64(out.Rows), float64(out.Cols),
					float64(p.Cost(in)) / 1e6} {
					numbers[j] = append(numbers[j], x)
				}
				arguments := make([]string, len(in.In))
				for i, v := range in.In {
					if arguments[i] = fmt.Sprint("%", v); p.Values[v].Kind != core.Temp && p.Values[v].Name != "" {
						arguments[i] = p.Values[v].Name
					}
				}
				parts = append(parts, []string{"whole", "tiled"}[k])
				results = append(results, fmt.Sprint("%", in.Out))
				operations = append(operations, fmt.Sprintf("%v(%s)", in.Op, strings.Join(arguments, ", ")))
			}
		}
	}
	return frame.New(frame.Numbers("level", numbers[0]), frame.Texts("part", parts), frame.Texts("result", results),
		frame.Texts("operation", operations),
		frame.Numbers("rows", numbers[1]), frame.Numbers("columns", numbers[2]), frame.Numbers("MFLOP", numbers[3]))
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
