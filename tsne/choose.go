package tsne

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/nearest"
	tables "nacre/internal/table"
)

// pointNames are the names of a matrix of points, of several.
var pointNames = []string{"mean", "z", "X", "x", "embeddings", "embedding", "emb", "latents", "latent", "features",
	"data", "points", "arr_0"}

// hasMatrix reports whether a file of arrays has one of numbers with more than one dimension.
func hasMatrix(f *tables.File) bool {
	return slices.ContainsFunc(f.Arrays, func(a tables.Array) bool {
		return len(a.Shape) != 1 || a.Name == "mean" || a.Name == "z"
	})
}

// fromArrays finds points, standard deviations and labels among named arrays.
func (e *Embeddings) fromArrays(f *tables.File, label string) error {
	points, err := pointsOf(f)
	if err != nil {
		return err
	}
	used := []string{points.Name}
	labels, found := labelsOf(f, points, label)
	if label != "" && !found {
		return badInput("no array %q%s", label, nearest.Hint(label, f.Names()))
	}
	rows := points.Shape[0]
	if len(points.Shape) > 2 {
		rows = 1
		for _, s := range points.Shape[:len(points.Shape)-1] {
			rows *= s
		}
		e.Read = append(e.Read, fmt.Sprintf("array %s of shape %v is read as %d points of %d columns", points.Name,
			points.Shape, rows, points.Shape[len(points.Shape)-1]))
	}
	if e.Mean, err = matrix(points, rows); err != nil {
		return err
	}
	rounded := roundedIn(f, points, e.Mean.Cols)
	if s, ok := f.Find("std"); ok && points.Name != "std" {
		if e.Std, err = matrix(s, rows); err != nil {
			return err
		}
		used, rounded = append(used, s.Name), append(rounded, roundedIn(f, s, e.Std.Cols)...)
	}
	if rounded != nil {
		e.Read = append(e.Read, tables.RoundedNote+strings.Join(rounded, ", "))
	}
	if points.Name != "mean" && points.Name != "z" {
		for j := range e.Mean.Cols {
			e.Columns = append(e.Columns, points.Name+strconv.Itoa(j))
		}
		e.Read = append(e.Read, fmt.Sprintf("points: array %s", points.Name))
	}
	if !found {
		e.hint(f, rows)
		e.leftOut(f, used)
		return nil
	}
	used = append(used, labels.Name)
	if labels.Name != "label" && label == "" {
		e.Read = append(e.Read, fmt.Sprintf("labels: array %s", labels.Name))
	}
	if err := e.labelRows(labels, rows); err != nil {
		return err
	}
	if names, ok := f.Find(namesOf); ok && label == "" {
		e.nameLabels(names, f)
		used = append(used, namesOf)
	}
	e.leftOut(f, used)
	return nil
}

// roundedIn is tables.Rounded of an array with rows of so many columns.
func roundedIn(f *tables.File, a tables.Array, cols int) []string {
	return tables.Rounded(a.Name, a.Values, func(i int) string {
		return fmt.Sprintf("%s, column %d", f.Row(i/cols), i%cols)
	})
}

// leftOut says which arrays are not used.
func (e *Embeddings) leftOut(f *tables.File, used []string) {
	left := slices.DeleteFunc(f.Names(), func(name string) bool { return slices.Contains(used, name) })
	if len(left) > 0 {
		e.Read = append(e.Read, fmt.Sprintf("left out: %s", listed(left)))
	}
}

// pointsOf is the array of the points.
func pointsOf(f *tables.File) (tables.Array, error) {
	var matrices []tables.Array
	for _, a := range f.Arrays {
		if (a.Name == "mean" || a.Name == "z") && (len(a.Shape) < 2 || !a.IsNumber()) {
			return a, badInput("array %q is of shape %v; points are a matrix of float or whole numbers",
				a.Name, a.Shape)
		}
		if len(a.Shape) > 1 && a.IsNumber() {
			matrices = append(matrices, a)
		}
	}
	for _, name := range pointNames {
		if k := slices.IndexFunc(matrices, func(a tables.Array) bool { return a.Name == name }); k >= 0 {
			return matrices[k], nil
		}
	}
	if len(matrices) == 1 {
		return matrices[0], nil
	}
	return tables.Array{}, badInput("no array \"mean\" or \"z\", and not just one matrix, among %s; name the columns "+
		"to lay out", listed(f.Names()))
}

// listed lists names, not more than a line holds.
func listed(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// matrix is an array of numbers as rows of its last dimension.
func matrix(a tables.Array, rows int) (Matrix, error) {
	if !a.IsNumber() || len(a.Shape) < 2 {
		return Matrix{}, badInput("array %q is of shape %v; expected a matrix of numbers", a.Name, a.Shape)
	}
	cols := a.Shape[len(a.Shape)-1]
	if rows*cols != len(a.Num) {
		return Matrix{}, badInput("array %q is of shape %v; expected %d rows", a.Name, a.Shape, rows)
	}
	return Matrix{Rows: rows, Cols: cols, Data: a.Num}, nil
}

// labelsOf is the array of labels: the one named, "label", one of another usual name, or "arr_1" beside "arr_0".
func labelsOf(f *tables.File, points tables.Array, label string) (tables.Array, bool) {
	for _, name := range append([]string{cmp.Or(label, "label")}, tables.LabelNames...) {
		if a, ok := f.Find(name); ok && a.Name != points.Name {
			return a, true
		}
		if label != "" {
			return tables.Array{}, false
		}
	}
	for _, name := range []string{"y", "arr_1"} {
		if a, ok := f.Find(name); ok && len(a.Shape) == 1 && a.Shape[0] == points.Shape[0] && tables.IsClass(a.Values) {
			return a, true
		}
	}
	return tables.Array{}, false
}

// hint names what might be labels of points that have none.
func (e *Embeddings) hint(f *tables.File, rows int) {
	for _, a := range f.Arrays {
		if len(a.Shape) == 1 && a.Shape[0] == rows {
			e.Read = append(e.Read, fmt.Sprintf("without labels; array %s has a value for each point: --label %s",
				a.Name, a.Name))
		}
	}
}

// labelRows sets labels with one value for each point. One value may also stand for a number of points in a row, the
// same number for all.
func (e *Embeddings) labelRows(a tables.Array, rows int) error {
	n := a.Len()
	// the points come from an array of more dimensions
	if n > 0 && n < rows && rows%n == 0 && len(e.Read) > 0 && len(a.Shape) == 1 {
		at := make([]int, rows)
		for i := range at {
			at[i] = i / (rows / n)
		}
		e.Read = append(e.Read, fmt.Sprintf("each of the %d labels is that of %d points", n, rows/n))
		a.Values = a.Pick(at)
	} else if n != rows {
		return badInput("%d labels for %d points", n, rows)
	}
	e.setLabels(a.Values, a.Name)
	return nil
}

// fromColumns finds points, standard deviations and labels among columns.
func (e *Embeddings) fromColumns(f *tables.File, c Choice) error {
	columns := f.Columns()
	if len(columns) == 0 || columns[0].Len() == 0 {
		return badInput("no data: a header and at least one row are needed")
	}
	chosen, err := tables.Choose(columns, tables.Choice{Label: c.Label, Columns: c.Columns}, f.Row)
	if err != nil {
		return err
	}
	e.Mean, e.Std = sideBySide(chosen.Points), sideBySide(chosen.Std)
	if !chosen.Own {
		for _, p := range chosen.Points {
			e.Columns = append(e.Columns, p.Name)
		}
	}
	e.Read = append(e.Read, chosen.Notes...)
	if chosen.Label != nil {
		e.setLabels(chosen.Label.Values, chosen.Label.Name)
	}
	return nil
}

// sideBySide are columns side by side.
func sideBySide(columns []tables.Column) Matrix {
	if columns == nil {
		return Matrix{}
	}
	m := NewMatrix(len(columns[0].Num), len(columns))
	for j, c := range columns {
		for i, v := range c.Num {
			m.Data[i*m.Cols+j] = v
		}
	}
	return m
}

// namesOf is the array whose element l is the name of label l.
const namesOf = "label_names"

// nameLabels takes the names of whole-number labels, if there is one for each label that occurs.
func (e *Embeddings) nameLabels(names tables.Array, f *tables.File) {
	i := slices.IndexFunc(e.Label, func(l int) bool { return l < 0 || l >= names.Len() })
	switch {
	case e.Names != nil:
		e.Read = append(e.Read, namesOf+" left out: the labels have names of their own")
	case i >= 0:
		e.Read = append(e.Read, tables.Misfit(names.Len(), f.Row(i), int64(e.Label[i])))
	default:
		e.Names = names.Words()
		e.tellApart()
	}
}

// tellApart gives labels different names, because files and pictures name a label by its text only.
func (e *Embeddings) tellApart() {
	used := map[int]bool{}
	for _, l := range e.Label {
		used[l] = true
	}
	taken := map[string]bool{}
	for _, name := range e.Names {
		taken[name] = true
	}
	seen := map[string]bool{}
	for l := range e.Names {
		name := e.Name(l)
		if old := name; used[l] && (seen[name] || e.Names[l] == "" && taken[name]) {
			for k := 2; taken[name] || seen[name]; k++ {
				name = fmt.Sprintf("%s %d", old, k)
			}
			e.Names[l] = name
			e.Read = append(e.Read, fmt.Sprintf("another label is called %q too: label %d is called %q", old, l, name))
		}
		seen[name] = seen[name] || used[l]
	}
}

// setLabels takes values of any kind as labels. Whole numbers stay as they are; other values are labels by their text.
// Numbers are in numeric order, texts in alphabetic order. A blank is a label too.
func (e *Embeddings) setLabels(v tables.Values, name string) {
	if numbers := wholeLabels(v); numbers != nil {
		e.Label = numbers
		return
	}
	words := v.Words()
	at := make([]int, len(words))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		if v.IsNumber() && !math.IsNaN(v.Num[a]) && !math.IsNaN(v.Num[b]) {
			rest := 0
			if v.Rest != nil {
				rest = cmp.Compare(v.Rest[a], v.Rest[b])
			}
			return cmp.Or(cmp.Compare(v.Num[a], v.Num[b]), rest)
		}
		return cmp.Compare(words[a], words[b])
	})
	e.Label, e.Names = make([]int, len(words)), []string{}
	for _, i := range at {
		if n := len(e.Names); n == 0 || e.Names[n-1] != words[i] {
			e.Names = append(e.Names, words[i])
		}
		e.Label[i] = len(e.Names) - 1
	}
	blank := 0
	for _, w := range words {
		if w == "" {
			blank++
		}
	}
	if blank > 0 && len(words) > 0 {
		e.tellApart()
		e.Read = append(e.Read, fmt.Sprintf("%s of %d without a value in %q: they are a label of their own, %s",
			count(blank, "point"), len(words), name, e.Name(0)))
	}
	if len(e.Names) == len(words) && len(words) > 4 {
		e.Read = append(e.Read, fmt.Sprintf("every point has a value of its own in %q: is it a label?", name))
	}
}

// wholeLabels returns the labels if all are whole numbers, else nil.
func wholeLabels(v tables.Values) []int {
	if v.Bool {
		return nil
	}
	out := make([]int, v.Len())
	for i := range out {
		n, err := strconv.Atoi(v.Word(i))
		if err != nil || !v.IsNumber() && strconv.Itoa(n) != v.Word(i) { // the text 01 is not 1
			return nil
		}
		out[i] = n
	}
	return out
}
