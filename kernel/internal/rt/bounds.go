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

// bounds returns low of x[low:high], or panics as the Go run time does. limit is the capacity of a slice, or the length
// of anything else. open is true if the expression has no high, which then is the length.
func bounds(low, high, limit int, isSlice, open bool) int {
	what := "length"
	if isSlice {
		what = "capacity"
	}
	fail := func(format string, args ...any) {
		panic(outOf("slice bounds out of range "+format, args...))
	}
	switch {
	case !open && high < 0:
		fail("[:%d]", high)
	case !open && high > limit:
		fail("[:%d] with %s %d", high, what, limit)
	case low < 0:
		fail("[%d:]", low)
	case low > high:
		fail("[%d:%d]", low, high)
	}
	return low
}

// bounds3 returns low of x[low:high:most], or panics as the Go run time does.
func bounds3(low, high, most, limit int, isSlice bool) int {
	what := "length"
	if isSlice {
		what = "capacity"
	}
	fail := func(format string, args ...any) {
		panic(outOf("slice bounds out of range "+format, args...))
	}
	switch {
	case most < 0:
		fail("[::%d]", most)
	case most > limit:
		fail("[::%d] with %s %d", most, what, limit)
	case high < 0:
		fail("[:%d:]", high)
	case high > most:
		fail("[:%d:%d]", high, most)
	case low < 0:
		fail("[%d::]", low)
	case low > high:
		fail("[%d:%d:]", low, high)
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
