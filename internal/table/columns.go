package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Name string
	Of   string // array of which the column is a part
	Values
	Odd int // see Array
}

// Columns returns the arrays as columns of one length, the number of rows of most arrays. An array of more dimensions
// becomes several columns, "name0", "name1" or "name0_0". Arrays that have no place in such a table are named in Notes,
// each once.
func (f *File) Columns() []Column {
	if f.Table {
		out := make([]Column, len(f.Arrays))
		for k, a := range f.Arrays {
			out[k] = Column{a.Name, a.Name, a.Values, a.Odd}
		}
		return out
	}
	rows := f.rows()
	var out []Column
	var left []string
	for _, a := range f.Arrays {
		k := a.leading(rows)
		switch {
		case a.Name == namesOf && len(a.Shape) == 1 && a.Len() != rows && f.named(&out, a.Values):
		case len(a.Shape) == 0:
			left = append(left, fmt.Sprintf("%s (the single value %s)", a.Name, a.Word(0)))
		case k == 0, slices.Contains(a.Shape[k:], 0):
			left = append(left, fmt.Sprintf("%s (%s)", a.Name, shapeText(a.Shape)))
		default:
			if k > 1 {
				f.note("%s of shape %s is read as %d rows", a.Name, shapeText(a.Shape), rows)
			}
			out = append(out, a.columns(rows, a.Shape[k:])...)
		}
	}
	names, renamed := distinct("column", false, namesOfColumns(out))
	for k := range out {
		out[k].Name = names[k]
	}
	f.Notes = append(f.Notes, renamed...)
	if left != nil {
		f.note("left out, as the table has %s: %s", count(rows, "row"), few(left))
	}
	return out
}

// Nothing returns an error if no array of a file of arrays can be a column.
func (f *File) Nothing() error {
	if f.Table || slices.ContainsFunc(f.Arrays, func(a Array) bool { return len(a.Shape) > 0 }) {
		return nil
	}
	why := "it holds no array"
	if len(f.Arrays) > 0 {
		why = fmt.Sprintf("%s is a single value, %s", f.Arrays[0].Name, f.Arrays[0].Word(0))
	} else if len(f.Notes) > 0 {
		why = few(f.Notes)
	}
	return fmt.Errorf("%s; expected an array of at least one dimension", why)
}

// namesOf names an array of texts. If an array "label" of whole numbers stands beside it, its element l is the name of
// label l.
const namesOf = "label_names"

// named adds the column label_name if the labels are places in names, and otherwise notes which is not. It returns
// false if there are no labels of whole numbers.
func (f *File) named(out *[]Column, names Values) bool {
	label, ok := f.Find("label")
	if !ok || !label.IsNumber() {
		return false
	}
	at := make([]int, label.Len())
	for i, v := range label.Num {
		if v != math.Trunc(v) || math.Abs(v) >= math.MaxInt64 {
			return false
		}
		if at[i] = int(v); v < 0 || v >= float64(names.Len()) {
			f.note("%s", Misfit(names.Len(), f.Row(i), int64(v)))
			return true
		}
	}
	*out = append(*out, Column{Name: "label_name", Of: namesOf, Values: names.Pick(at)})
	return true
}

// Misfit says that an array label_names of a number of names has none for the label of a row.
func Misfit(names int, row string, label int64) string {
	return fmt.Sprintf("%s left out: it has %s, the first for label 0, but %s has label %d; labels are shown by their "+
		"numbers", namesOf, count(names, "name"), row, label)
}

// rows returns the number of rows that most arrays have.
func (f *File) rows() int {
	have := map[int]int{}
	for _, a := range f.Arrays {
		if len(a.Shape) > 0 {
			have[a.Shape[0]]++
		}
	}
	return mode(have)
}

// mode returns the number that was counted most often. If two were equally often, it returns the larger.
func mode(counts map[int]int) (most int) {
	for n, k := range counts {
		if k > counts[most] || k == counts[most] && n > most {
			most = n
		}
	}
	return most
}

// leading returns how many of the first dimensions together make the rows, or 0 if none do.
func (a Array) leading(rows int) int {
	n := 1
	for k, s := range a.Shape {
		if n *= s; n == rows {
			return k + 1
		}
	}
	return 0
}

// columns cuts rows of the given shape into columns.
func (a Array) columns(rows int, shape []int) []Column {
	width := 1
	for _, s := range shape {
		width *= s
	}
	if len(shape) == 0 {
		return []Column{{a.Name, a.Name, a.Values, 0}}
	}
	out := make([]Column, width)
	at := make([]int, rows)
	for j := range out {
		for i := range at {
			at[i] = i*width + j
		}
		out[j] = Column{Name: a.Name + place(j, shape), Of: a.Name, Values: a.Pick(at)}
	}
	return out
}

// place returns the place of element j in a shape as text: "3", or "0_3" with two dimensions.
func place(j int, shape []int) string {
	var parts []string
	for k := len(shape) - 1; k >= 0; k-- {
		parts = append(parts, fmt.Sprint(j%shape[k]))
		j /= shape[k]
	}
	slices.Reverse(parts)
	return strings.Join(parts, "_")
}

func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "a value"
	}
	parts := make([]string, len(shape))
	for k, s := range shape {
		parts[k] = fmt.Sprint(s)
	}
	if len(parts) == 1 {
		return count(shape[0], "value")
	}
	return strings.Join(parts, "×")
}

// tellApart gives the arrays different names and notes which names it has changed; what says what they are.
func (f *File) tellApart(what string) {
	indexed := what == "column" && len(f.Arrays) > 0 && indexes(f.Arrays[0].Values)
	names, renamed := distinct(what, indexed, f.Names())
	for k, n := range names {
		f.Arrays[k].Name = n
	}
	f.Notes = append(f.Notes, renamed...)
}

// distinct replaces empty names, and names that are used twice, by new ones, and says which. An empty first name
// becomes "index" if indexed is true.
func distinct(what string, indexed bool, names []string) (out, notes []string) {
	out, taken := slices.Clone(names), map[string]bool{}
	for _, n := range names {
		taken[n] = true
	}
	seen, next := map[string]bool{}, map[string]int{}
	for j, n := range out {
		if n == "" {
			n = fmt.Sprintf("%s %d", what, j+1)
			if j == 0 && indexed {
				n = "index"
			}
			for taken[n] {
				n += "_2"
			}
			notes = append(notes, fmt.Sprintf("%s %d has no name: it is called %q", what, j+1, n))
		} else if seen[n] {
			k := max(2, next[n])
			for taken[fmt.Sprintf("%s_%d", n, k)] {
				k++
			}
			old := n
			next[old] = k + 1
			n = fmt.Sprintf("%s_%d", n, k)
			notes = append(notes, fmt.Sprintf("a second %s %q is called %q", what, old, n))
		}
		out[j], seen[n], taken[n] = n, true, true
	}
	if len(notes) > 3 {
		notes = append(notes[:3:3], fmt.Sprintf("and %d more", len(notes)-3))
	}
	return out, notes
}
