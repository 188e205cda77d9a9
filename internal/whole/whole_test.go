package whole

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Every whole number of 64 bits comes back in its own digits, and their order is that of the pairs.
func TestExact(t *testing.T) {
	ints := []int64{0, 1, -1, Exact - 1, Exact, Exact + 1, -Exact - 1, math.MaxInt64, math.MaxInt64 - 511,
		math.MinInt64, math.MinInt64 + 1}
	uints := []uint64{0, Exact + 1, math.MaxInt64 + 1, math.MaxUint64, math.MaxUint64 - 1023, math.MaxUint64 - 1024,
		math.MaxUint64 - 1025}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		ints, uints = append(ints, int64(r.Uint64()>>r.IntN(64))), append(uints, r.Uint64()>>r.IntN(64))
	}
	for _, v := range ints {
		near, rest := Int(v)
		if got := Text(near, rest); got != strconv.FormatInt(v, 10) {
			t.Errorf("%d became %s", v, got)
		}
		if n, s, ok := Parse(strconv.FormatInt(v, 10)); !ok || n != near || s != rest {
			t.Errorf("%d is read as %v %d", v, n, s)
		}
	}
	for _, v := range uints {
		near, rest := Uint(v)
		if got := Text(near, rest); got != strconv.FormatUint(v, 10) {
			t.Errorf("%d became %s", v, got)
		}
		if n, s, ok := Parse("+" + strconv.FormatUint(v, 10)); !ok || n != near || s != rest {
			t.Errorf("%d is read as %v %d", v, n, s)
		}
	}
	for near, want := range map[float64]string{0.1: "0.1", 1e22: "10000000000000000000000", math.Inf(-1): "-Inf",
		1234567: "1234567"} {
		if got := Text(near, 0); got != want {
			t.Errorf("%v is shown as %s", near, got)
		}
	}
}
