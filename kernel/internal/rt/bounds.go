package rt

import (
	"fmt"
	"regexp"
	"strings"
)

// index returns i, an index into n elements, or panics as the Go run time does.
func index(i, n int) int {
	switch {
	case i < 0:
		panic(outOf("index out of range [%d]", i))
	case i >= n:
		panic(outOf("index out of range [%d] with length %d", i, n))
	}
	return i
}

// indexUnsigned is index for an unsigned number.
func indexUnsigned(i uint64, n int) int {
	if i >= uint64(n) {
		panic(outOf("index out of range [%d] with length %d", i, n))
	}
	return int(i)
}

// capacity returns n, the capacity of a slice to be made, or panics if no memory can hold as many elements of the size.
func capacity(n, size int) int {
	if n < 0 || tooMany(n, size) {
		panic(runtimeError("makeslice: cap out of range"))
	}
	return n
}

// grown returns n, the number of new elements at the end of a slice, or panics if no memory can hold them.
func grown(n, size int) int {
	if tooMany(n, size) {
		panic(runtimeError("growslice: len out of range"))
	}
	return n
}

// tooMany reports whether no memory can hold n elements of a size.
func tooMany(n, size int) bool {
	const most = 1 << 48
	return size > 0 && n > most/size
}

// UnsignedLow and the others mark bounds of a slice expression that are unsigned numbers: as ints, large ones are
// negative.
const (
	UnsignedLow = 1 << iota
	UnsignedHigh
	UnsignedMax
)

// sliced are the bounds of a slice expression. Of a slice limit is the capacity, else the length.
type sliced struct {
	limit    int
	isSlice  bool
	unsigned int
}

// below reports whether a bound is negative, and beyond whether it is more than another.
func (s sliced) below(x, which int) bool { return x < 0 && s.unsigned&which == 0 }

func (s sliced) beyond(x, which, most int) bool { return x > most || x < 0 && s.unsigned&which != 0 }

// fail panics with the bounds in which they are.
func (s sliced) fail(format string, which int, x int, more ...any) {
	shown := any(x)
	if s.unsigned&which != 0 {
		shown = uint64(x)
	}
	panic(outOf("slice bounds out of range "+format, append([]any{shown}, more...)...))
}

func (s sliced) what() string {
	if s.isSlice {
		return "capacity"
	}
	return "length"
}

// bounds returns low of x[low:high], or panics as the Go run time does. Without high, which then is the length, open is
// true.
func bounds(low, high, limit int, isSlice, open bool, unsigned int) int {
	s := sliced{limit, isSlice, unsigned}
	switch {
	case !open && s.below(high, UnsignedHigh):
		s.fail("[:%d]", UnsignedHigh, high)
	case !open && s.beyond(high, UnsignedHigh, limit):
		s.fail("[:%d] with %s %d", UnsignedHigh, high, s.what(), limit)
	case s.below(low, UnsignedLow):
		s.fail("[%d:]", UnsignedLow, low)
	case s.beyond(low, UnsignedLow, high):
		s.fail("[%d:%d]", UnsignedLow, low, high)
	}
	return low
}

// bounds3 returns low of x[low:high:most], or panics as the Go run time does.
func bounds3(low, high, most, limit int, isSlice bool, unsigned int) int {
	s := sliced{limit, isSlice, unsigned}
	switch {
	case s.below(most, UnsignedMax):
		s.fail("[::%d]", UnsignedMax, most)
	case s.beyond(most, UnsignedMax, limit):
		s.fail("[::%d] with %s %d", UnsignedMax, most, s.what(), limit)
	case s.below(high, UnsignedHigh):
		s.fail("[:%d:]", UnsignedHigh, high)
	case s.beyond(high, UnsignedHigh, most):
		s.fail("[:%d:%d]", UnsignedHigh, high, most)
	case s.below(low, UnsignedLow):
		s.fail("[%d::]", UnsignedLow, low)
	case s.beyond(low, UnsignedLow, high):
		s.fail("[%d:%d:]", UnsignedLow, low, high)
	}
	return low
}

var shortSlice = regexp.MustCompile(
	`^reflect: cannot convert slice with length (\d+) to (?:array|pointer to array) with length (\d+)$`)

// plainPanic returns the error of the Go run time for a text with which the interpreter or package reflect panicked
// instead, or nil for any other text.
func plainPanic(text string) error {
	if m := shortSlice.FindStringSubmatch(text); m != nil {
		return outOf("cannot convert slice with length %s to array or pointer to array with length %s", m[1], m[2])
	}
	switch {
	case strings.HasPrefix(text, "hash of unhashable type: "):
		name := strings.TrimPrefix(text, "hash of unhashable type: ")
		if _, wrapper, ok := strings.Cut(name, "._"); ok { // the library's wrapper of a cell's value
			return Refusal{fmt.Sprintf("a value of a cell's type in a key of type %s is not supported by this "+
				"engine; make the key any", strings.ReplaceAll(wrapper, "_", "."))}
		}
		return plainError(text)
	case text == "reflect: slice index out of range", text == "reflect: array index out of range",
		text == "reflect: string index out of range":
		return indexOutOfRange
	case strings.HasPrefix(text, "reflect") && (strings.HasPrefix(text, "reflect.Value.Slice") ||
		strings.Contains(text, "slice index out of bounds")):
		return boundsOutOfRange
	case text == "reflect.Append: slice overflow", strings.Contains(text, "Grow: slice overflow"):
		return runtimeError("growslice: len out of range")
	case text == "reflect.MakeChan: negative buffer size":
		return plainError("makechan: size out of range")
	case strings.HasPrefix(text, "reflect.MakeSlice: "), strings.HasPrefix(text, "reflect: MakeSlice"):
		if strings.Contains(text, "cap") || strings.Contains(text, "len > cap") {
			return runtimeError("makeslice: cap out of range")
		}
		return runtimeError("makeslice: len out of range")
	case text == "runtime: allocation size out of range":
		return runtimeError("makeslice: len out of range")
	case strings.HasPrefix(text, "reflect: call of nil"), strings.Contains(text, "using zero Value"),
		strings.Contains(text, "call of nil function"),
		text == "reflect: Method on nil interface value":
		return nilPointer
	}
	return nil
}

// The interpreter's panics do not name the index and the length of the slice. Where code of a cell can recover the
// panic, lowered code checks the index itself.
var (
	indexOutOfRange  = outOf("index out of range")
	boundsOutOfRange = outOf("slice bounds out of range")
)
