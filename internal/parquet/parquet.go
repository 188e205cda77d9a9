// Package parquet reads Parquet files into columns and writes columns into them, by the library parquet-go. It contains
// nothing about tables or runs.
//
//	columns, err := parquet.Read(raw)
//	for _, c := range columns {
//		fmt.Println(c.Name, c.Num, c.Text)
//	}
//	raw, err = parquet.Write(columns)
//
// A field of a structure is called "outer.inner"; a list is the values of all rows one after another.
package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"nacre/internal/numpy"
	"nacre/internal/whole"
)

// Column holds the values of a column: numbers or texts.
type Column struct {
	Name string
	Num  []float64 // numbers; nil for a column of texts; a missing number is NaN
	Rest []int16   // for whole numbers beyond 2⁵³, each number minus its value in Num (internal/whole)
	Text []string  // texts; nil for a column of numbers; a missing text is empty
	Bool bool      // whether the numbers are truth values: 1, 0 or missing

	Lengths []int  // number of values in each row's list; nil if a row is one value
	Inner   []int  // the shape of the lists within a row's list
	Left    string // the reason if the values cannot form a column
	Note    string // a sentence about values that were converted

	binary bool // some text is none
}

// A file may hold this many values, and this many for each of its bytes, because a value that is repeated takes almost
// no bytes.
const (
	mayHold   = 16 << 20
	holdRatio = 1000
)

// Read reads the contents of a file.
func Read(raw []byte) (out []Column, err error) {
	defer func() {
		if p := recover(); p != nil { // the library believes some claims of a damaged file
			out, err = nil, fmt.Errorf("it is damaged: %v", p)
		}
	}()
	if !bytes.HasPrefix(raw, []byte(mark)) {
		return nil, fmt.Errorf("it does not begin as a Parquet file does")
	}
	if !bytes.HasSuffix(raw, []byte(mark)) {
		return nil, fmt.Errorf("it is cut off: a Parquet file ends with %q", mark)
	}
	f, err := open(raw)
	if err != nil {
		return nil, err
	}
	most := mayHold + holdRatio*len(raw)
	if unpacked, err := withoutLZ4(raw, f, most); err != nil {
		return nil, err
	} else if unpacked != nil {
		if f, err = open(unpacked); err != nil {
			return nil, err
		}
	}
	leaves := leavesOf(f.Root(), nil, 0)
	if n := f.NumRows(); n < 0 || n > int64(most/max(1, len(leaves))) {
		return nil, fmt.Errorf("%d rows of %d columns in %d bytes", n, len(leaves), len(raw))
	}
	schema, _ := f.Lookup(arrowKey)
	units := spans(schema)
	for k, l := range leaves {
		c, err := read(f, l, most)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if len(units) == len(leaves) && units[k] != "" && c.Num != nil {
			c.Note = "spans of time, in " + units[k]
		}
		out = append(out, c)
	}
	return out, nil
}

func open(raw []byte) (*parquet.File, error) {
	return parquet.OpenFile(bytes.NewReader(raw), int64(len(raw)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
}

// wrappers are the names that writers give to what lies between a list and its elements.
var wrappers = []string{"list", "element", "item", "bag", "array", "array_element"}

// leaf is a column that holds values. Several may have one path.
type leaf struct {
	*parquet.Column
	lists []int // for each list on its path from the outermost, the definition level from which on it has an element
}

// leavesOf returns the leaves below a column in the order of the file.
func leavesOf(c *parquet.Column, lists []int, level int) (out []leaf) {
	if c.Leaf() {
		return []leaf{{c, lists}}
	}
	for _, child := range c.Columns() {
		below, within := level, lists
		if child.Optional() || child.Repeated() {
			below++
		}
		if child.Repeated() {
			within = append(slices.Clone(lists), below)
		}
		out = append(out, leavesOf(child, within, below)...)
	}
	return out
}

// read reads a leaf through all groups of rows.
func read(f *parquet.File, leaf leaf, most int) (Column, error) {
	names, levels := slices.Clone(leaf.Path()), leaf.lists
	if levels != nil {
		names = append(names[:1], slices.DeleteFunc(names[1:], func(s string) bool {
			return slices.Contains(wrappers, s)
		})...)
	}
	c := Column{Name: strings.Join(names, ".")}
	put := c.putter(leaf.Type().Kind(), logicalType(f, leaf.Index()))
	inner := newInner(levels)
	values := make([]parquet.Value, 1024)
	n := 0
	for _, group := range f.RowGroups() {
		pages := group.ColumnChunks()[leaf.Index()].Pages()
		err := eachValue(pages, values, func(v parquet.Value) error {
			if n++; n > most {
				return fmt.Errorf("more than %d values", most)
			}
			if levels != nil {
				if v.RepetitionLevel() == 0 {
					c.Lengths = append(c.Lengths, 0)
				}
				if v.DefinitionLevel() < levels[0] { // an empty list, or none
					return nil
				}
				inner.see(v.RepetitionLevel(), v.DefinitionLevel())
				c.Lengths[len(c.Lengths)-1]++
			}
			put(v)
			return nil
		})
		pages.Close()
		if err != nil {
			return c, err
		}
	}
	if c.Inner = inner.shape(); inner.uneven {
		c.Left = "lists within lists, of different lengths"
	}
	if c.binary {
		c.Note = "bytes that are no text, as hexadecimal digits"
		for i, s := range c.Text {
			c.Text[i] = fmt.Sprintf("%x", s)
		}
	}
	return c, nil
}

// inner watches the lengths of lists within lists, which must be one for each depth.
type inner struct {
	levels   []int // of listLevels
	now, one []int // for each depth from the second: the length of the list that goes on, and of those before
	uneven   bool
}

func newInner(levels []int) *inner {
	n := max(0, len(levels)-1)
	return &inner{levels: levels, now: make([]int, n), one: make([]int, n)}
}

// see takes the repetition and definition levels of a value that has an element of the outermost list.
func (in *inner) see(repetition, definition int) {
	if definition < in.levels[len(in.levels)-1] {
		in.uneven = true
		return
	}
	for k := range in.now {
		switch depth := k + 2; {
		case repetition < depth:
			in.end(k)
			in.now[k] = 1
		case repetition == depth:
			in.now[k]++
		}
	}
}

func (in *inner) end(k int) {
	if n := in.now[k]; n > 0 {
		in.uneven = in.uneven || in.one[k] > 0 && in.one[k] != n
		in.one[k] = n
	}
}

// shape is the shape of the lists within lists.
func (in *inner) shape() []int {
	for k := range in.now {
		in.end(k)
	}
	return in.one
}

func eachValue(pages parquet.Pages, values []parquet.Value, do func(parquet.Value) error) error {
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r := page.Values()
		for err == nil {
			var n int
			n, err = r.ReadValues(values)
			for _, v := range values[:n] {
				if err := do(v); err != nil {
					return err
				}
			}
		}
		parquet.Release(page)
		if err != io.EOF {
			return err
		}
	}
}

// logicalType returns what the file says of leaf k beyond how it is stored, which the library's own types leave out in
// part.
func logicalType(f *parquet.File, k int) any {
	for _, e := range f.Metadata().Schema {
		if !e.Type.Valid {
			continue
		}
		if k--; k < 0 {
			return e.LogicalType.Value
		}
	}
	return nil
}

// putter appends values of a type to the column.
func (c *Column) putter(kind parquet.Kind, logical any) func(parquet.Value) {
	text := func(of func(parquet.Value) string) func(parquet.Value) {
		c.Text = []string{}
		return func(v parquet.Value) {
			s := ""
			if !v.IsNull() {
				s = of(v)
			}
			c.Text = append(c.Text, s)
		}
	}
	number := func(of func(parquet.Value) (float64, int16)) func(parquet.Value) {
		c.Num = []float64{}
		return func(v parquet.Value) {
			near, rest := math.NaN(), int16(0)
			if !v.IsNull() {
				near, rest = of(v)
			}
			c.Num, c.Rest = append(c.Num, near), append(c.Rest, rest)
		}
	}
	if of := momentOf(logical); of != nil {
		return text(of)
	}
	if d, ok := logical.(*format.DecimalType); ok {
		return number(func(v parquet.Value) (float64, int16) {
			near, rest, exact := decimal(v, int(d.Scale))
			if !exact {
				c.Note = "decimals of more digits than are kept, about 16"
			}
			return near, rest
		})
	}
	unsigned := false
	if i, ok := logical.(*format.IntType); ok {
		unsigned = !i.IsSigned
	}
	switch kind {
	case parquet.Boolean:
		c.Bool = true
		return number(func(v parquet.Value) (float64, int16) {
			if v.Boolean() {
				return 1, 0
			}
			return 0, 0
		})
	case parquet.Int32, parquet.Int64:
		return number(func(v parquet.Value) (float64, int16) { return integer(v, unsigned) })
	case parquet.Int96:
		return text(func(v parquet.Value) string {
			w := v.Int96()
			days := int64(w[2]) - 2440588 // of 1 January 1970, counted as Julian days
			return moment(time.Unix(days*86400, int64(w[0])|int64(w[1])<<32))
		})
	case parquet.Float:
		return number(func(v parquet.Value) (float64, int16) { return float64(v.Float()), 0 })
	case parquet.Double:
		return number(func(v parquet.Value) (float64, int16) { return v.Double(), 0 })
	}
	switch logical.(type) {
	case *format.Float16Type:
		return number(func(v parquet.Value) (float64, int16) {
			return numpy.Half(binary.LittleEndian.Uint16(v.ByteArray())), 0
		})
	case *format.UUIDType:
		return text(func(v parquet.Value) string {
			b := v.ByteArray()
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		})
	}
	return text(func(v parquet.Value) string {
		c.binary = c.binary || !utf8.Valid(v.ByteArray())
		return string(v.ByteArray())
	})
}

func integer(v parquet.Value, unsigned bool) (float64, int16) {
	switch {
	case v.Kind() == parquet.Int32 && unsigned:
		return float64(uint32(v.Int32())), 0
	case v.Kind() == parquet.Int32:
		return float64(v.Int32()), 0
	case unsigned:
		return whole.Uint(uint64(v.Int64()))
	}
	return whole.Int(v.Int64())
}

// momentOf writes dates and times as text.
func momentOf(logical any) func(parquet.Value) string {
	switch t := logical.(type) {
	case *format.DateType:
		return func(v parquet.Value) string { return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly) }
	case *format.TimestampType:
		return func(v parquet.Value) string {
			zone := ""
			if t.IsAdjustedToUTC {
				zone = "Z"
			}
			switch t.Unit.Value.(type) {
			case *format.MilliSeconds:
				return moment(time.UnixMilli(v.Int64())) + zone
			case *format.MicroSeconds:
				return moment(time.UnixMicro(v.Int64())) + zone
			}
			return moment(time.Unix(0, v.Int64())) + zone
		}
	case *format.TimeType:
		return func(v parquet.Value) string {
			unit := time.Nanosecond
			n := v.Int64()
			switch t.Unit.Value.(type) {
			case *format.MilliSeconds:
				unit, n = time.Millisecond, int64(v.Int32())
			case *format.MicroSeconds:
				unit = time.Microsecond
			}
			return time.Unix(0, n*int64(unit)).UTC().Format("15:04:05.999999999")
		}
	}
	return nil
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999999") }

// decimal is a whole number of any width, big-endian where it is bytes, with so many digits behind the point. It is
// exact where no other decimal of so many digits is the same number.
func decimal(v parquet.Value, scale int) (near float64, rest int16, exact bool) {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	if scale == 0 && n.IsInt64() {
		near, rest = whole.Int(n.Int64())
		return near, rest, true
	}
	if scale == 0 && n.IsUint64() {
		near, rest = whole.Uint(n.Uint64())
		return near, rest, true
	}
	r := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, 0))), nil))
	near, _ = r.Float64()
	return near, 0, n.BitLen() <= 53
}
