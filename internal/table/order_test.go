package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// element is one kind of elements: how NumPy describes it, the bytes of element k, and what columns it becomes.
type element struct {
	descr string
	bytes func(k int) []byte
	texts map[string]func(k int) string // by what follows the array's name
}

func digitsOf(k int) string { return fmt.Sprint(k) }

// wide is a text in UTF-32 of two letters.
func wide(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8), 0, 0)
	}
	return append(out, make([]byte, 8-len(out))...)
}

func elements() []element {
	one := func(descr string, of func(k int) any, text func(k int) string) element {
		return element{descr, func(k int) []byte { return packed(of(k)) }, map[string]func(int) string{"": text}}
	}
	letter := func(k int) string { return string(rune('a' + k)) }
	return []element{
		one("'|i1'", func(k int) any { return int8(k) }, digitsOf),
		one("'<u2'", func(k int) any { return uint16(k) }, digitsOf),
		one("'<i8'", func(k int) any { return int64(1<<53 + k) }, func(k int) string { return digitsOf(1<<53 + k) }),
		one("'<u8'", func(k int) any { return math.MaxUint64 - uint64(k) },
			func(k int) string { return fmt.Sprint(math.MaxUint64 - uint64(k)) }),
		one("'<f4'", func(k int) any { return float32(k) / 4 },
			func(k int) string { return fmt.Sprint(float64(k) / 4) }),
		one("'|b1'", func(k int) any { return k%3 == 0 },
			func(k int) string { return map[bool]string{true: "True", false: "False"}[k%3 == 0] }),
		one("'|S2'", func(k int) any { return [2]byte{'a' + byte(k)} }, letter),
		one("'<M8[Y]'", func(k int) any { return int64(k) }, func(k int) string { return digitsOf(1970 + k) }),
		{"'>f8'", func(k int) []byte {
			return binary.BigEndian.AppendUint64(nil, math.Float64bits(float64(k)))
		}, map[string]func(int) string{"": digitsOf}},
		{"'<U2'", func(k int) []byte { return wide(letter(k)) }, map[string]func(int) string{"": letter}},
		{"'<c16'", func(k int) []byte { return packed(float64(k), float64(-k)) },
			map[string]func(int) string{".re": digitsOf, ".im": func(k int) string { return digitsOf(-k) }}},
		{"[('a', '<i2'), ('v', '<i4', (2, 3)), ('', '|V3'), ('p', [('x', '<f8'), ('s', '|S1', (2,))])]",
			func(k int) []byte {
				v := make([]int32, 6)
				for j := range v {
					v[j] = int32(100*k + j)
				}
				return packed(int16(k), v, [3]byte{}, float64(k), [2]byte{'a' + byte(k), 'A' + byte(k)})
			}, map[string]func(int) string{
				".a": digitsOf, ".v": func(k int) string { return digitsOf(100*(k/6) + k%6) }, ".p.x": digitsOf,
				".p.s": func(k int) string { return string(rune("aA"[k%2]) + rune(k/2)) }}},
	}
}

// pickled is an array of Python's objects as NumPy pickles it: row by row, with a mark of the order in memory.
func pickled(shape []int, fortran bool, items string) []byte {
	dims := "("
	for _, s := range shape {
		dims += "K" + string(rune(s))
	}
	mark := map[bool]string{true: "\x88", false: "\x89"}[fortran]
	return []byte("\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01" +
		dims + "tcnumpy\ndtype\nX\x02\x00\x00\x00O8\x89\x88\x87R(K\x03X\x01\x00\x00\x00|NNN" +
		"J\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb" + mark + "](" + items + "etb.")
}

// inOrder are the numbers of a shape's elements row by row, in the order in which they lie in memory.
func inOrder(shape []int, fortran bool) []int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	out := make([]int, n)
	for k := range out {
		rest, place, stride := k, 0, n
		at := make([]int, len(shape))
		for d := range shape { // the place of the element that is k-th in memory
			if fortran {
				at[d], rest = rest%shape[d], rest/shape[d]
			} else {
				stride /= shape[d]
				at[d], rest = rest/stride, rest%stride
			}
		}
		for d := range shape {
			place = place*shape[d] + at[d]
		}
		out[k] = place
	}
	return out
}

// Every kind of element comes back in its place, in both orders and every rank, fields within fields too.
func TestOrders(t *testing.T) {
	for _, shape := range [][]int{{5}, {3, 4}, {4, 1}, {1, 4}, {2, 3, 2}, {2, 1, 2, 3}} {
		sides := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]") + ","
		for _, fortran := range []bool{false, true} {
			order := map[bool]string{true: "True", false: "False"}[fortran]
			for _, e := range elements() {
				var data []byte
				for _, k := range inOrder(shape, fortran) {
					data = append(data, e.bytes(k)...)
				}
				f, err := Read("x.npy", npy(e.descr, order, "("+sides+")", data), Options{})
				if err != nil {
					t.Fatal(e.descr, shape, err)
				}
				if len(f.Arrays) != len(e.texts) {
					t.Errorf("%s becomes %v", e.descr, f.Names())
				}
				for suffix, text := range e.texts {
					name := strings.TrimPrefix("x"+suffix, "x.")
					if strings.HasPrefix(e.descr, "'") {
						name = "x" + suffix
					}
					a, ok := f.Find(name)
					want := make([]string, a.Len())
					for k := range want {
						want[k] = text(k)
					}
					if got := a.Words(); !ok || len(got) == 0 || !slices.Equal(got, want) {
						t.Errorf("%s of shape %v, column by column %s: %s is %v, want %v", e.descr, shape, order,
							name, got, want)
					}
				}
			}
			var items, want strings.Builder
			for k := range inOrder(shape, false) {
				items.WriteString("K" + string(rune(k)))
				fmt.Fprint(&want, k, " ")
			}
			raw := npy("'|O'", order, "("+sides+")", pickled(shape, fortran, items.String()))
			f, err := Read("o.npy", raw, Options{})
			if err != nil || len(f.Arrays) != 1 || strings.Join(f.Arrays[0].Words(), " ")+" " != want.String() {
				t.Errorf("objects of shape %v, column by column %s: %v, %v", shape, order, f, err)
			}
		}
	}
}
