package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/numpy"
)

// pickle reads the part of Python's pickles (protocols 2 to 5) that NumPy's arrays of objects need: texts, numbers,
// truth values, None, lists, tuples, and NumPy's scalars and arrays. It runs no code: a class is only a name, and of
// the objects that a class would make only NumPy's are understood. Go's libraries for pickles are not maintained, or
// they lack what NumPy writes (BUILD).
type pickle struct {
	in    *bytes.Reader
	stack []any
	marks []int
	memo  map[int]any
}

// class is a name that a pickle calls for.
type class string

// made holds the arguments and the state from which a class would make an object.
type made struct {
	class class
	args  []any
	state any
}

// objects is a list, dictionary or set that a pickle fills step by step.
type objects struct {
	items []any
	named bool // whether it is a dictionary or a set
}

var errPickle = errors.New("its pickle is damaged, or holds what is not read here")

// unpickle returns the value that a pickle holds.
func unpickle(raw []byte) (any, error) {
	p := &pickle{in: bytes.NewReader(raw), memo: map[int]any{}}
	for {
		op, err := p.in.ReadByte()
		if err != nil {
			return nil, errPickle
		}
		if op == '.' {
			return p.pop()
		}
		if err := p.step(op); err != nil {
			return nil, err
		}
	}
}

func (p *pickle) push(v any) { p.stack = append(p.stack, v) }

func (p *pickle) pop() (any, error) {
	if len(p.stack) == 0 {
		return nil, errPickle
	}
	v := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return v, nil
}

// marked removes the values above the last mark from the stack and returns them.
func (p *pickle) marked() ([]any, error) {
	if len(p.marks) == 0 || p.marks[len(p.marks)-1] > len(p.stack) {
		return nil, errPickle
	}
	at := p.marks[len(p.marks)-1]
	p.marks = p.marks[:len(p.marks)-1]
	out := slices.Clone(p.stack[at:])
	p.stack = p.stack[:at]
	return out, nil
}

// number reads a whole number of width bytes, little-endian.
func (p *pickle) number(width int) (int, error) {
	var b [8]byte
	if n, _ := p.in.Read(b[:width]); n < width {
		return 0, errPickle
	}
	return int(binary.LittleEndian.Uint64(b[:])), nil
}

// bytes reads a length of width bytes, and then as many bytes.
func (p *pickle) bytes(width int) ([]byte, error) {
	n, err := p.number(width)
	if err != nil || n < 0 || n > p.in.Len() {
		return nil, errPickle
	}
	out := make([]byte, n)
	p.in.Read(out)
	return out, nil
}

func (p *pickle) line() (string, error) {
	var out []byte
	for {
		c, err := p.in.ReadByte()
		if err != nil {
			return "", errPickle
		}
		if c == '\n' {
			return string(out), nil
		}
		out = append(out, c)
	}
}

// step executes one instruction. It is named by its letter in Python's pickletools.
func (p *pickle) step(op byte) error {
	switch op {
	case 0x80: // PROTO
		_, err := p.number(1)
		return err
	case 0x95: // FRAME
		_, err := p.number(8)
		return err
	case '(':
		p.marks = append(p.marks, len(p.stack))
	case 'N':
		p.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		p.push(op == 0x88)
	case ']', ')', '}', 0x8f:
		p.push(&objects{named: op == '}' || op == 0x8f})
	case 'J', 'K', 'M', 'G', 'I', 'L', 'F', 0x8a, 0x8b:
		return p.numeral(op)
	case 'X', 0x8c, 0x8d, 'C', 'B', 0x8e, 'U', 'T', 0x96, 'V':
		return p.text(op)
	case 'c':
		module, err := p.line()
		name, err2 := p.line()
		p.push(class(module + "." + name))
		return errors.Join(err, err2)
	case 'q', 'r', 'h', 'j', 0x94, 'p', 'g':
		return p.remember(op)
	default:
		return p.build(op)
	}
	return nil
}

// numeral pushes a number.
func (p *pickle) numeral(op byte) error {
	switch op {
	case 'K', 'M', 'J':
		n, err := p.number(map[byte]int{'K': 1, 'M': 2, 'J': 4}[op])
		if op == 'J' {
			n = int(int32(n))
		}
		p.push(int64(n))
		return err
	case 'G':
		var b [8]byte
		if n, _ := p.in.Read(b[:]); n < 8 {
			return errPickle
		}
		p.push(math.Float64frombits(binary.BigEndian.Uint64(b[:])))
		return nil
	case 0x8a, 0x8b: // LONG1, LONG4: two's complement, little-endian
		b, err := p.bytes(map[byte]int{0x8a: 1, 0x8b: 4}[op])
		if err != nil {
			return err
		}
		slices.Reverse(b)
		v := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		p.push(whole64(v.String()))
		return nil
	}
	s, err := p.line()
	switch {
	case err != nil:
		return err
	case op == 'I' && (s == "00" || s == "01"):
		p.push(s == "01")
	case op == 'F':
		v, err := strconv.ParseFloat(s, 64)
		p.push(v)
		return err
	default:
		p.push(whole64(strings.TrimSuffix(s, "L")))
	}
	return nil
}

// rawBytes are a pickle's bytes, which are no text.
type rawBytes []byte

// text pushes a text or bytes.
func (p *pickle) text(op byte) error {
	if op == 'V' {
		s, err := p.line()
		p.push(s)
		return err
	}
	width := map[byte]int{'X': 4, 0x8c: 1, 0x8d: 8, 'C': 1, 'B': 4, 0x8e: 8, 'U': 1, 'T': 4, 0x96: 8}[op]
	b, err := p.bytes(width)
	if op == 'X' || op == 0x8c || op == 0x8d {
		p.push(string(b))
	} else {
		p.push(rawBytes(b))
	}
	return err
}

// remember stores the top of the stack under a number, or pushes the value stored under a number.
func (p *pickle) remember(op byte) error {
	key := len(p.memo)
	var err error
	switch op {
	case 'q', 'h':
		key, err = p.number(1)
	case 'r', 'j':
		key, err = p.number(4)
	case 'p', 'g':
		var s string
		if s, err = p.line(); err == nil {
			key, err = strconv.Atoi(s)
		}
	}
	if err != nil {
		return errPickle
	}
	if op == 'h' || op == 'j' || op == 'g' {
		v, ok := p.memo[key]
		if !ok {
			return errPickle
		}
		p.push(v)
		return nil
	}
	if len(p.stack) == 0 {
		return errPickle
	}
	p.memo[key] = p.stack[len(p.stack)-1]
	return nil
}

// build makes tuples, fills lists, and notes the arguments from which a class would make an object.
func (p *pickle) build(op byte) error {
	switch op {
	case 't', 'l', 'd', 0x90, 0x91:
		items, err := p.marked()
		p.push(&objects{items, op == 'd' || op == 0x90 || op == 0x91})
		return err
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		n := int(op - 0x84)
		if len(p.stack) < n {
			return errPickle
		}
		items := slices.Clone(p.stack[len(p.stack)-n:])
		p.stack = append(p.stack[:len(p.stack)-n], &objects{items: items})
		return nil
	case 'a', 'e', 's', 'u':
		return p.fill(op)
	case 0x93, 'R', 'b', 0x81: // STACK_GLOBAL, REDUCE, BUILD, NEWOBJ
		second, err := p.pop()
		first, err2 := p.pop()
		if err != nil || err2 != nil {
			return errPickle
		}
		switch op {
		case 0x93:
			p.push(class(fmt.Sprint(first, ".", second)))
		case 'b':
			m, ok := first.(*made)
			if !ok {
				return errPickle
			}
			m.state = second
			p.push(m)
		default:
			of, isClass := first.(class)
			args, isTuple := second.(*objects)
			if !isClass || !isTuple {
				return errPickle
			}
			p.push(&made{class: of, args: args.items})
		}
		return nil
	case '0':
		_, err := p.pop()
		return err
	}
	return errPickle
}

// fill appends to a list, or adds to a dictionary, which is never read.
func (p *pickle) fill(op byte) error {
	var items []any
	var err error
	switch op {
	case 'e', 'u':
		items, err = p.marked()
	case 's':
		if len(p.stack) < 3 {
			return errPickle
		}
		p.stack = p.stack[:len(p.stack)-2]
		return nil
	default:
		var v any
		v, err = p.pop()
		items = []any{v}
	}
	if err != nil || len(p.stack) == 0 {
		return errPickle
	}
	list, ok := p.stack[len(p.stack)-1].(*objects)
	if !ok {
		return errPickle
	}
	if op != 'u' {
		list.items = append(list.items, items...)
	}
	return nil
}

// plainValue converts a value of a pickle to a value of JSON: nil, bool, whole64, float64, string or []any.
func plainValue(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errPickle
	}
	switch v := v.(type) {
	case nil, bool, float64, string, whole64:
		return v, nil
	case int64:
		return whole64(strconv.FormatInt(v, 10)), nil
	case rawBytes:
		return fixedText(v, false, nil), nil
	case *objects:
		if v.named {
			return nil, errors.New("it holds dictionaries or sets")
		}
		out := make([]any, len(v.items))
		for i, e := range v.items {
			var err error
			if out[i], err = plainValue(e, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *made:
		return v.value(depth)
	}
	return nil, errPickle
}

// value returns the NumPy scalar or array that a class would have made.
func (m *made) value(depth int) (any, error) {
	switch name := string(m.class); {
	case strings.HasSuffix(name, "multiarray.scalar") && len(m.args) == 2:
		if o, ok := m.args[1].(*made); ok { // of an object
			return plainValue(o, depth+1)
		}
		raw, ok := m.args[1].(rawBytes)
		typ, known := typeOf(m.args[0])
		if !ok || !known {
			return nil, errPickle
		}
		list, err := elementsOf(typ, raw, 1)
		if err != nil || len(list) != 1 {
			return nil, errPickle
		}
		return list[0], nil
	case strings.HasSuffix(name, "multiarray._reconstruct"):
		_, list, err := m.array(depth)
		return list, err
	case strings.HasPrefix(name, "builtins.") || strings.HasPrefix(name, "numpy"):
		return nil, fmt.Errorf("it holds a Python object of class %s", name)
	}
	return nil, fmt.Errorf("it holds Python objects of class %s", m.class)
}

// array returns the shape of an array that a pickle builds, and its elements in a row.
func (m *made) array(depth int) (shape []int, list []any, err error) {
	state, ok := m.state.(*objects)
	if !ok || len(state.items) != 5 {
		return nil, nil, errPickle
	}
	dims, ok := state.items[1].(*objects)
	typ, known := typeOf(state.items[2])
	if !ok || !known {
		return nil, nil, errPickle
	}
	n := 1
	for _, d := range dims.items {
		s, ok := d.(int64)
		if !ok || s < 0 || s > 1<<31 || s > 0 && n > 1<<31/int(s) {
			return nil, nil, errPickle
		}
		shape, n = append(shape, int(s)), n*int(s)
	}
	switch data := state.items[4].(type) {
	case *objects: // of Python's objects: row by row, whatever the order in memory
		v, err := plainValue(data, depth+1)
		if err != nil {
			return nil, nil, err
		}
		list = v.([]any)
	case rawBytes:
		size, err := sizeOf(typ, nil)
		if err != nil || n > len(data) || len(data) != n*size {
			return nil, nil, errPickle
		}
		if fortran, _ := state.items[3].(bool); fortran && len(shape) > 1 {
			data = rowByRow(data, shape, size)
		}
		if list, err = elementsOf(typ, data, n); err != nil {
			return nil, nil, err
		}
	}
	if len(list) != n {
		return nil, nil, errPickle
	}
	return shape, list, nil
}

// typeOf returns the type of elements that a pickled dtype stands for.
func typeOf(v any) (string, bool) {
	m, ok := v.(*made)
	if !ok || !strings.HasSuffix(string(m.class), "dtype") || len(m.args) == 0 {
		return "", false
	}
	typ, ok := m.args[0].(string)
	if state, is := m.state.(*objects); is && len(state.items) > 1 {
		if sign, is := state.items[1].(string); is && sign == ">" {
			typ = ">" + typ
		}
	}
	return "<"[:btoi(ok && !strings.HasPrefix(typ, ">"))] + typ, ok && typ != ""
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// elementsOf returns n elements of a type as values.
func elementsOf(typ string, raw []byte, n int) ([]any, error) {
	size, err := sizeOf(typ, nil)
	if err != nil || n > len(raw) || len(raw) != n*size {
		return nil, errPickle
	}
	parts := decode(typ, cells{raw, size, n})
	if len(parts) != 1 {
		return nil, errPickle
	}
	v, out := parts[0].Values, make([]any, n)
	for i := range out {
		switch {
		case v.Text != nil:
			out[i] = v.Text[i]
		case v.Bool:
			out[i] = v.Num[i] == 1
		case typ[1] == 'i' || typ[1] == 'u':
			out[i] = whole64(v.Word(i))
		default:
			out[i] = v.Num[i]
		}
	}
	return out, nil
}

// addObjects adds an array of Python objects. Texts and numbers become one column, lists and arrays of numbers several.
func (f *File) addObjects(name string, h numpy.Header, raw []byte) error {
	shape, list, err := []int(nil), []any(nil), error(nil)
	v, err := unpickle(raw)
	if m, ok := v.(*made); ok && err == nil {
		shape, list, err = m.array(0)
	} else if err == nil {
		err = errPickle
	}
	if err == nil && !slices.Equal(shape, h.Shape) {
		err = errPickle
	}
	if err != nil {
		f.note("array %s holds Python objects: left out (%v); save it with .astype(str) or .astype(float)", name, err)
		return nil
	}
	if len(shape) == 1 && some[[]any](list) {
		return f.addRagged(name, list)
	}
	width := 1
	for _, s := range shape[min(1, len(shape)):] {
		width *= s
	}
	values := f.valuesOf("array", name, list, func(i int) int { return i / width })
	f.Arrays = append(f.Arrays, Array{Name: name, Shape: shape, Values: values})
	return nil
}

// addRagged adds lists as the rows of a matrix. The matrix is as wide as the longest list.
func (f *File) addRagged(name string, list []any) error {
	rows, inner, why := ragged(list)
	least, width := math.MaxInt, 0
	for _, r := range rows {
		least, width = min(least, len(r)), max(width, len(r))
	}
	switch {
	case why != "":
	case width == 0:
		why = "empty lists"
	case width*len(rows) > maxSparse && width > 100*(least+1):
		why = "its lists are of very different lengths"
	}
	if why != "" {
		f.note("array %s left out: %s", name, why)
		return nil
	}
	if least < width {
		f.note("array %s has rows of %d to %d values: shorter ones end with missing values", name, least, width)
	}
	all := make([]any, len(rows)*width)
	for i, r := range rows {
		copy(all[i*width:], r)
	}
	values := f.valuesOf("array", name, all, func(i int) int { return i / width })
	shape := []int{len(rows), width}
	for _, s := range inner {
		shape[1] /= s
	}
	f.Arrays = append(f.Arrays, Array{Name: name, Shape: append(shape, inner...), Values: values})
	return nil
}
