package parquet

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"nacre/internal/whole"
)

// Write returns the contents of a file with columns of one length, in their order: numbers, truth values and texts, no
// lists. A column of which every number is whole has integers of 64 bits, other numbers are float64. A missing number
// is null.
func Write(columns []Column) ([]byte, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("the table has no columns")
	}
	root, value := group{Group: parquet.Group{}}, make([]func(i int) parquet.Value, len(columns))
	for k, c := range columns {
		var node parquet.Node
		node, value[k] = c.stored()
		node = parquet.Compressed(node, &parquet.Snappy)
		if c.Text == nil {
			node = parquet.Optional(node)
		}
		root.Group[c.Name] = node
		root.fields = append(root.fields, field{node, c.Name})
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("table", root))
	for i := range max(len(columns[0].Num), len(columns[0].Text)) {
		row := make(parquet.Row, len(columns))
		for k, c := range columns {
			switch {
			case c.Text != nil:
				row[k] = value[k](i).Level(0, 0, k)
			case math.IsNaN(c.Num[i]):
				row[k] = parquet.NullValue().Level(0, 0, k)
			default:
				row[k] = value[k](i).Level(0, 1, k)
			}
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// stored returns the type with which a column is stored, and its values that are not missing.
func (c Column) stored() (parquet.Node, func(i int) parquet.Value) {
	switch {
	case c.Text != nil:
		return parquet.String(), func(i int) parquet.Value { return parquet.ValueOf(c.Text[i]) }
	case c.Bool:
		return parquet.Leaf(parquet.BooleanType), func(i int) parquet.Value { return parquet.ValueOf(c.Num[i] != 0) }
	case c.each(func(s string) error { _, err := strconv.ParseInt(s, 10, 64); return err }):
		return parquet.Int(64), func(i int) parquet.Value {
			v, _ := strconv.ParseInt(c.word(i), 10, 64)
			return parquet.ValueOf(v)
		}
	case c.each(func(s string) error { _, err := strconv.ParseUint(s, 10, 64); return err }):
		return parquet.Uint(64), func(i int) parquet.Value {
			v, _ := strconv.ParseUint(c.word(i), 10, 64)
			return parquet.ValueOf(v)
		}
	}
	return parquet.Leaf(parquet.DoubleType), func(i int) parquet.Value { return parquet.ValueOf(c.Num[i]) }
}

// each reports whether the column has numbers, and all of them are parsed, written as text.
func (c Column) each(parsed func(string) error) bool {
	some := false
	for i, v := range c.Num {
		if math.IsNaN(v) {
			continue
		}
		if some = true; parsed(c.word(i)) != nil {
			return false
		}
	}
	return some
}

// word is a number as text, with all digits of a whole one.
func (c Column) word(i int) string {
	if c.Rest == nil {
		return whole.Text(c.Num[i], 0)
	}
	return whole.Text(c.Num[i], c.Rest[i])
}

// group is a table's columns in their order; the library's own Group has them in the order of the alphabet.
type group struct {
	parquet.Group
	fields []parquet.Field
}

func (g group) Fields() []parquet.Field { return g.fields }

// field is a column of a group.
type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value is for rows that are values of Go; there are none here.
func (f field) Value(row reflect.Value) reflect.Value { return row.MapIndex(reflect.ValueOf(f.name)) }
