// Package numpy reads the headers of NumPy's array files, and archives of such files, and trusts neither. It compares
// the size in a header with the bytes that are there, and the unpacked size of an archive with its packed size, before
// it allocates memory of that size. The caller decodes the elements.
//
//	left := numpy.Unpacked(size) // of the whole archive
//	raw, err := numpy.ReadAll(file, &left)
//	h, data, err := numpy.Parse(raw)
//	fmt.Println(h.Type, h.Shape, len(data))
//
// The header is read here because npyio refuses arrays of structures. npyio still writes our arrays and reads them
// (Open).
package numpy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npy"
)

// Header holds the description of an array in its file.
type Header struct {
	Type    string  // type of the elements, such as "<f8"; empty if they are structures
	Fields  []Field // fields of the structures
	Fortran bool    // whether the first index runs fastest
	Shape   []int
}

// Field is a field of a structure.
type Field struct {
	Name   string
	Type   string  // type of the field; empty if the field is a structure
	Fields []Field // fields of the inner structure
	Shape  []int   // shape of the field if it is an array; nil if it is a single value
}

// magic begins an array's file.
const magic = "\x93NUMPY"

// Open returns npyio's reader of an array's n elements and the bytes after the header, unless Parse returns an error.
func Open(raw []byte) (r *npy.Reader, data []byte, n int, err error) {
	h, data, err := Parse(raw)
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() {
		if p := recover(); p != nil { // npyio cuts the header at signs that it supposes to be there
			r, data, n, err = nil, nil, 0, errDamaged
		}
	}()
	r, err = npy.NewReader(bytes.NewReader(raw))
	return r, data, h.Elements(), err
}

// Parse reads the header of an array's file and returns the header and the bytes after it. The product of the shape is
// at most the number of these bytes.
func Parse(raw []byte) (Header, []byte, error) {
	at, size := 10, 0
	switch {
	case len(raw) < 12 || !bytes.HasPrefix(raw, []byte(magic)):
		return Header{}, nil, errors.New("it does not begin as a NumPy array does")
	case raw[6] == 1:
		size = int(binary.LittleEndian.Uint16(raw[8:]))
	case raw[6] <= 3:
		at, size = 12, int(binary.LittleEndian.Uint32(raw[8:]))
	default:
		return Header{}, nil, fmt.Errorf("it is of version %d of NumPy's format; expected 1 to 3", raw[6])
	}
	if size > len(raw)-at {
		return Header{}, nil, fmt.Errorf("a header of %d bytes in %d", size, len(raw))
	}
	h, err := parse(string(raw[at : at+size]))
	if err != nil {
		return h, nil, err
	}
	data := raw[at+size:]
	_, err = elements(h.Shape, len(data))
	return h, data, err
}

// Elements is the number of elements of an array, the product of its shape.
func (h Header) Elements() int {
	n := 1
	for _, s := range h.Shape {
		n *= s
	}
	return n
}

// parse reads the Python dictionary of a header.
func parse(text string) (h Header, err error) {
	p := &literal{text: text}
	v, err := p.value(0)
	if err == nil && strings.TrimSpace(p.text) != "" {
		err = errDamaged
	}
	d, ok := v.(map[string]any)
	if err != nil || !ok {
		return h, errDamaged
	}
	switch descr := d["descr"].(type) {
	case string:
		h.Type = descr
	case []any:
		if h.Fields, err = fields(descr); err != nil {
			return h, err
		}
	default:
		return h, errDamaged
	}
	shape, known := d["shape"].([]any)
	order, told := d["fortran_order"].(bool)
	if h.Fortran = order; !known || !told {
		return h, errDamaged
	}
	h.Shape, err = sizes(shape)
	return h, err
}

func sizes(list []any) ([]int, error) {
	out := make([]int, len(list))
	for k, v := range list {
		n, ok := v.(int)
		if !ok {
			return nil, errDamaged
		}
		out[k] = n
	}
	return out, nil
}

// fields reads the list of a structure's fields: (name, type) or (name, type, shape), the name perhaps with a title.
func fields(list []any) ([]Field, error) {
	var out []Field
	for _, v := range list {
		f, ok := v.([]any)
		if !ok || len(f) < 2 {
			return nil, errDamaged
		}
		var field Field
		if title, ok := f[0].([]any); ok && len(title) == 2 {
			f[0] = title[1]
		}
		field.Name, _ = f[0].(string)
		var err error
		switch of := f[1].(type) {
		case string:
			field.Type = of
		case []any:
			field.Fields, err = fields(of)
		default:
			err = errDamaged
		}
		if err == nil && len(f) == 3 {
			shape, ok := f[2].([]any)
			if !ok {
				shape = f[2:]
			}
			field.Shape, err = sizes(shape)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, field)
	}
	return out, nil
}

// An archive may unpack to this number of bytes and to this multiple of its size. Both are far more than numbers need
// and far less than a bomb.
const (
	mayUnpack   = 64 << 20
	unpackRatio = 100
)

// Unpacked is the largest number of bytes to which an archive of the given size may unpack.
func Unpacked(size int64) int64 { return mayUnpack + unpackRatio*size }

// ReadAll reads r to its end and subtracts the number of bytes read from left. It fails if left is not enough.
func ReadAll(r io.Reader, left *int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, *left+1))
	if err == nil && int64(len(b)) > *left {
		err = fmt.Errorf("the archive unpacks to more than %d MiB and %d times its size", mayUnpack>>20, unpackRatio)
	}
	*left -= int64(len(b))
	return b, err
}

// elements is the number of elements of a shape, which a header may claim at will. There is at most one for each of the
// size bytes that are there, since none takes less.
func elements(shape []int, size int) (int, error) {
	n, most := 1, size
	if slices.Contains(shape, 0) {
		most = math.MaxInt32 // the sides before it cost nothing
	}
	for _, s := range shape {
		switch {
		case s < 0:
			return 0, fmt.Errorf("its shape is %v; no side of an array is negative", shape)
		case s == 0:
			return 0, nil
		case n > most/s:
			return 0, fmt.Errorf("its shape is %v; there are %d bytes for it", shape, size)
		}
		n *= s
	}
	return n, nil
}

// Half decodes an IEEE 754 number of 16 bits.
func Half(h uint16) float64 {
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
	return v
}
