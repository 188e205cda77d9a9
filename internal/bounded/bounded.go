// Package bounded checks in tests how much time and memory an input takes. A parser must not take much of either for a
// few bytes, whatever these bytes are. Fuzz targets begin with
//
//	f.Fuzz(func(t *testing.T, b []byte) {
//		defer bounded.Input(t, len(b))()
//		…
//
// and a test tries inputs of a megabyte, which fuzzing seldom reaches:
//
//	bounded.Large(t, func(b []byte) { _, _ = Parse(b) }, []byte(`{"a": 1}`))
package bounded

import (
	"bytes"
	"fmt"
	"runtime/metrics"
	"testing"
	"time"
)

// These are the limits for one input. Memory counts everything that was allocated, even if it was freed. For
// comparison: on an idle machine an input of a megabyte takes a few thousandths of Time, and a parser whose time
// grows with the square of the input many times Time.
const (
	Time    = 60 * time.Second
	Memory  = 64 << 20 // bytes
	PerByte = 1500     // bytes of memory more for every byte of the input
)

// Input notes the time and the memory of this process, and returns a function. This function fails the test if an input
// of size bytes has since taken more than the limits. Tests that run at the same time count too.
func Input(tb testing.TB, size int) func() {
	began, before := time.Now(), allocated()
	return func() {
		tb.Helper()
		if took := time.Since(began); took > Time {
			tb.Errorf("an input of %d bytes took %v, expected at most %v", size, took, Time)
		}
		if used, may := allocated()-before, uint64(Memory+PerByte*size); used > may {
			tb.Errorf("an input of %d bytes took %d bytes of memory, expected at most %d", size, used, may)
		}
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// fragments took parsers of text too long when there were many of them.
var fragments = []string{"[", `{"a":`, `"`, "é", `\\`, ",", "0", "\n", "a\n", "a,", "a = 1\n", `{"a":1},`,
	"\x00", "\xff"}

// Large gives a parser inputs of a megabyte. It makes them from each sample: by repeating the sample, and by repeating
// a fragment in the middle or at the end of the sample.
func Large(tb testing.TB, parse func([]byte), samples ...[]byte) {
	tb.Helper()
	const size = 1 << 20
	try := func(what string, input []byte) {
		tb.Helper()
		done := Input(tb, len(input))
		parse(input)
		done()
		if tb.Failed() {
			tb.Fatalf("it was %s", what)
		}
	}
	for _, s := range samples {
		if len(s) > 0 {
			try(fmt.Sprintf("%.40q again and again", s), bytes.Repeat(s, 1+size/len(s)))
		}
		for _, f := range fragments {
			many := bytes.Repeat([]byte(f), size/len(f))
			half := len(s) / 2
			try(fmt.Sprintf("%.40q with many %q within", s, f), bytes.Join([][]byte{s[:half], many, s[half:]}, nil))
			try(fmt.Sprintf("%.40q and many %q", s, f), append(bytes.Clone(s), many...))
		}
	}
}
