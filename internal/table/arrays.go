package table

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"nacre/internal/numpy"
	"nacre/internal/whole"
)

// readNPZ reads an archive of NumPy arrays.
func readNPZ(raw []byte) (*File, error) {
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fmt.Errorf("it is no archive of NumPy's, or its end is cut off: %w", err)
	}
	f := &File{}
	if i := slices.IndexFunc(r.File, func(e *zip.File) bool { return e.Name == "indptr.npy" }); i >= 0 {
		return nil, errors.New("it is a sparse matrix of SciPy's: save it with np.savez(FILE, x=matrix.toarray())")
	}
	left := numpy.Unpacked(int64(len(raw)))
	known := map[string]bool{}
	for _, entry := range r.File {
		name, isArray := strings.CutSuffix(entry.Name, ".npy")
		if known[entry.Name] {
			return nil, fmt.Errorf("%s is in the archive twice; expected each name once: save the arrays again, each "+
				"under a name of its own", entry.Name)
		}
		known[entry.Name] = true
		if !isArray {
			f.note("%s in the archive is no array: left out", entry.Name)
			continue
		}
		e, err := entry.Open()
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
		unpacked, err := numpy.ReadAll(e, &left)
		e.Close()
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
		if err := f.addNPY(name, unpacked); err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
	}
	f.bareFields("arr_0") // NumPy's name for an array without one
	f.tellApart("array")
	return f, nil
}

// readNPY reads one NumPy array.
func readNPY(raw []byte, name string) (*File, error) {
	f := &File{}
	err := f.addNPY(name, raw)
	f.bareFields(name)
	f.tellApart("array")
	return f, err
}

// bareFields names fields of structures as they are if the file holds only the fields of one array, whose name says
// nothing.
func (f *File) bareFields(of string) {
	if slices.ContainsFunc(f.Arrays, func(a Array) bool { return !a.field || !strings.HasPrefix(a.Name, of+".") }) {
		return
	}
	for k, a := range f.Arrays {
		f.Arrays[k].Name = strings.TrimPrefix(a.Name, of+".")
	}
}

// addNPY adds the array of a file. An array of structures becomes one array for each field, an array of complex numbers
// becomes two.
func (f *File) addNPY(name string, raw []byte) error {
	h, data, err := numpy.Parse(raw)
	if err != nil {
		return err
	}
	if h.Type == "|O" || h.Type == "O" {
		return f.addObjects(name, h, data)
	}
	size, err := sizeOf(h.Type, h.Fields)
	if err != nil {
		f.note("array %s left out: %v", name, err)
		return nil
	}
	n := h.Elements()
	if size < 0 || size > 0 && n > len(data)/size || len(data) != n*size {
		return fmt.Errorf("%d bytes where %s of %d bytes should be: the file is cut off or damaged",
			len(data), shapeText(h.Shape), size)
	}
	if h.Fortran && len(h.Shape) > 1 {
		data = rowByRow(data, h.Shape, size)
	}
	if h.Fields != nil && len(h.Shape) > 1 { // structures side by side in one column, or one row, are rows
		h.Shape = slices.DeleteFunc(h.Shape, func(s int) bool { return s == 1 })
	}
	first := len(f.Arrays)
	f.addBytes(name, h.Type, h.Fields, h.Shape, cells{data, size, n})
	if h.Fields != nil {
		for k := range f.Arrays[first:] {
			f.Arrays[first+k].field = true
		}
	}
	return nil
}

// cells holds n elements, each size bytes after the one before.
type cells struct {
	data    []byte
	size, n int
}

func (c cells) at(i int) []byte { return c.data[i*c.size:] }

// addBytes decodes elements of one type, or of the fields of structures.
func (f *File) addBytes(name, typ string, fields []numpy.Field, shape []int, c cells) {
	if fields == nil {
		switch kind, width := split(typ); {
		case kind == 'V' && width == 2:
			f.note("array %s left out: 2 raw bytes an element, perhaps bfloat16; save it with .astype(np.float32)",
				name)
			return
		case kind == 'V':
			f.note("array %s left out: %d raw bytes an element; save it with .astype(float) or .astype(str)",
				name, width)
			return
		case kind == 'm':
			_, unit := unitOf(typ)
			f.note("array %s: spans of time, in %s", name, cmp.Or(spans[unit], "units that the file does not name"))
		}
		for _, part := range decode(typ, c) {
			f.Arrays = append(f.Arrays, Array{Name: name + part.Name, Shape: shape, Values: part.Values})
		}
		return
	}
	at := 0
	for _, field := range fields {
		size, _ := sizeOf(field.Type, field.Fields)
		within := 1
		for _, s := range field.Shape {
			within *= s
		}
		if field.Name == "" { // padding
			at += size * within
			continue
		}
		own := make([]byte, 0, c.n*size*within)
		for i := range c.n {
			own = append(own, c.at(i)[at:at+size*within]...)
		}
		of := name + "." + field.Name
		f.addBytes(of, field.Type, field.Fields, slices.Concat(shape, field.Shape), cells{own, size, c.n * within})
		at += size * within
	}
}

// rowByRow returns the elements of an array that lies column by column in the order of its rows.
func rowByRow(data []byte, shape []int, size int) []byte {
	out := make([]byte, 0, len(data))
	for _, at := range columnMajor(shape) {
		out = append(out, data[at*size:(at+1)*size]...)
	}
	return out
}

// columnMajor returns, for the elements row by row, their places in an array that lies column by column.
func columnMajor(shape []int) []int {
	n := 1
	stride := make([]int, len(shape))
	for k, s := range shape {
		stride[k] = n
		n *= s
	}
	out, index := make([]int, n), make([]int, len(shape))
	for i := range out {
		for k, v := range index {
			out[i] += v * stride[k]
		}
		for k := len(shape) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return out
}

// sizeOf returns the number of bytes of an element.
func sizeOf(typ string, fields []numpy.Field) (int, error) {
	total := 0
	for _, f := range fields {
		size, err := sizeOf(f.Type, f.Fields)
		if err != nil {
			return 0, err
		}
		for _, s := range f.Shape {
			size *= s
		}
		if total += size; size < 0 || total < 0 {
			return 0, fmt.Errorf("structures of that size cannot be")
		}
	}
	if fields != nil {
		return total, nil
	}
	kind, width := split(typ)
	switch {
	case kind == 'U' && width >= 0 && width < 1<<28:
		return 4 * width, nil
	case (kind == 'S' || kind == 'V') && width >= 0,
		strings.IndexByte("iu", kind) >= 0 && (width == 1 || width == 2 || width == 4 || width == 8),
		kind == 'f' && (width == 2 || width == 4 || width == 8), kind == 'c' && (width == 8 || width == 16),
		kind == 'b' && width == 1,
		(kind == 'M' || kind == 'm') && width == 8:
		return width, nil
	}
	return 0, fmt.Errorf("elements of type %q cannot be read; save it with .astype(float) or .astype(str)", typ)
}

// split returns the parts of a type such as "<f8" or "<M8[ns]".
func split(typ string) (kind byte, width int) {
	bare, _, _ := strings.Cut(strings.TrimLeft(typ, "<>|="), "[")
	if bare == "" {
		return 0, -1
	}
	width, err := strconv.Atoi(bare[1:])
	if err != nil {
		return 0, -1
	}
	return bare[0], width
}

// decode decodes elements of one type. Complex numbers become two arrays.
func decode(typ string, c cells) []Array {
	kind, width := split(typ)
	o := order(typ[0])
	v := Values{}
	switch kind {
	case 'U', 'S':
		v.Text = make([]string, c.n)
		for i := range v.Text {
			v.Text[i] = fixedText(c.at(i)[:c.size], kind == 'U', o)
		}
	case 'M':
		v.Text = make([]string, c.n)
		for i := range v.Text {
			v.Text[i] = moment(int64(o.Uint64(c.at(i))), typ)
		}
	case 'V':
		return nil
	case 'c':
		half := typ[:1] + "f" + strconv.Itoa(width/2)
		re, im := Values{Num: make([]float64, c.n)}, Values{Num: make([]float64, c.n)}
		for i := range c.n {
			re.Num[i], im.Num[i] = floating(half, c.at(i), o), floating(half, c.at(i)[width/2:], o)
		}
		return []Array{{Name: ".re", Values: re}, {Name: ".im", Values: im}}
	default:
		v.Num, v.Bool = make([]float64, c.n), kind == 'b'
		for i := range v.Num {
			switch b := c.at(i); {
			case kind == 'f':
				v.Num[i] = floating(typ, b, o)
			case kind == 'b':
				if b[0] != 0 {
					v.Num[i] = 1
				}
			case kind == 'm':
				many, _ := unitOf(typ)
				if n := int64(o.Uint64(b)); n == math.MinInt64 { // NaT
					v.Num[i] = math.NaN()
				} else if total := n * many; total/many != n {
					v.Num[i] = float64(n) * float64(many)
				} else {
					near, rest := whole.Int(total)
					v.set(i, near, rest)
				}
			default:
				near, rest := integer(kind, width, b, o)
				v.set(i, near, rest)
			}
		}
	}
	return []Array{{Values: v}}
}

// integer decodes a whole number of any width.
func integer(kind byte, width int, b []byte, o binary.ByteOrder) (near float64, rest int16) {
	var v uint64
	switch width {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(o.Uint16(b))
	case 4:
		v = uint64(o.Uint32(b))
	default:
		v = o.Uint64(b)
	}
	if kind == 'u' {
		return whole.Uint(v)
	}
	unused := 64 - 8*width
	return whole.Int(int64(v<<unused) >> unused)
}

// floating decodes a floating-point number of 2, 4 or 8 bytes.
func floating(typ string, b []byte, o binary.ByteOrder) float64 {
	switch _, width := split(typ); width {
	case 2:
		return numpy.Half(o.Uint16(b))
	case 4:
		return float64(math.Float32frombits(o.Uint32(b)))
	}
	return math.Float64frombits(o.Uint64(b))
}

// fixedText decodes a text of fixed length, in UTF-32 or bytes. The text ends where only zeros follow.
func fixedText(b []byte, wide bool, o binary.ByteOrder) string {
	if !wide {
		b = bytes.TrimRight(b, "\x00")
		if !utf8.Valid(b) {
			b, _ = charmap.Windows1252.NewDecoder().Bytes(b)
		}
		return string(b)
	}
	var s strings.Builder
	for ; len(b) > 0; b = b[4:] {
		s.WriteRune(rune(o.Uint32(b)))
	}
	return strings.TrimRight(s.String(), "\x00")
}

// spans maps NumPy's units of time to their names.
var spans = map[string]string{
	"Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds",
	"ms": "milliseconds",
	"us": "microseconds", "ns": "nanoseconds", "ps": "picoseconds", "fs": "femtoseconds", "as": "attoseconds",
}

// parts holds how many of a unit make a second.
var parts = map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12, "fs": 1e15, "as": 1e18}

// unitOf returns the unit of a type and its multiple: 25 and "s" for "<M8[25s]".
func unitOf(typ string) (many int64, unit string) {
	_, unit, _ = strings.Cut(strings.TrimSuffix(typ, "]"), "[")
	digits := len(unit) - len(strings.TrimLeft(unit, "0123456789"))
	many, err := strconv.ParseInt(unit[:digits], 10, 64)
	if err != nil || many < 1 {
		many = 1
	}
	return many, unit[digits:]
}

// moment returns a time of NumPy's datetime64 as text, "" for NaT.
func moment(v int64, typ string) string {
	if v == math.MinInt64 {
		return ""
	}
	many, unit := unitOf(typ)
	if total := v * many; total/many == v {
		v = total
	}
	t := time.Unix(0, 0).UTC()
	switch unit {
	case "Y":
		return strconv.FormatInt(1970+v, 10)
	case "M":
		return t.AddDate(0, int(v), 0).Format("2006-01")
	case "W":
		return t.AddDate(0, 0, 7*int(v)).Format(time.DateOnly)
	case "D":
		return t.AddDate(0, 0, int(v)).Format(time.DateOnly)
	case "h":
		return atSecond(v*3600, 0, 1)
	case "m":
		return atSecond(v*60, 0, 1)
	}
	if per := parts[unit]; per > 0 {
		part := v % per
		if part < 0 {
			part += per
		}
		return atSecond((v-part)/per, part, per)
	}
	return strconv.FormatInt(v, 10)
}

// atSecond returns the time that is seconds + part/per seconds after the beginning of 1970.
func atSecond(seconds, part, per int64) string {
	text := time.Unix(seconds, 0).UTC().Format("2006-01-02T15:04:05")
	if part == 0 {
		return text
	}
	digits := len(strconv.FormatInt(per, 10)) - 1
	return text + "." + strings.TrimRight(fmt.Sprintf("%0*d", digits, part), "0")
}
