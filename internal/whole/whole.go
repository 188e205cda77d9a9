// Package whole keeps whole numbers of 64 bits exactly, although a float64 holds them only up to 2⁵³. A number is kept
// as the nearest float64 and the small rest that this float64 lacks.
//
//	near, rest := whole.Int(9007199254740993) // 9007199254740992, 1
//	whole.Text(near, rest)                    // "9007199254740993"
package whole

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Exact is the bound below which every whole number is a float64.
const Exact = 1 << 53

// Int returns the float64 nearest to v, and v minus this float64.
func Int(v int64) (near float64, rest int16) {
	near = float64(v)
	if near > -Exact && near < Exact || v < 0 {
		return near, int16(v - int64(near))
	}
	return near, int16(int64(uint64(v) - uint64(near)))
}

// Uint returns the float64 nearest to v, and v minus this float64.
func Uint(v uint64) (near float64, rest int16) {
	near = float64(v)
	if near == 1<<64 {
		return near, int16(int64(v)) // v is that less a little, and wraps round
	}
	return near, int16(int64(v - uint64(near)))
}

// Parse reads decimal digits, perhaps after a sign, as a whole number of 64 bits; ok is false for anything else.
func Parse(s string) (near float64, rest int16, ok bool) {
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		near, rest = Int(v)
		return near, rest, true
	}
	if v, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64); err == nil {
		near, rest = Uint(v)
		return near, rest, true
	}
	return 0, 0, false
}

// Text writes a number. A whole number is written with all its digits, another number with the fewest digits from which
// it can be read back.
func Text(near float64, rest int16) string {
	switch a := math.Abs(near); {
	case near != math.Trunc(near) || math.IsInf(near, 0):
		return strconv.FormatFloat(near, 'g', -1, 64)
	case a < Exact:
		return strconv.FormatFloat(near, 'f', -1, 64)
	}
	v, _ := big.NewFloat(near).Int(nil)
	return v.Add(v, big.NewInt(int64(rest))).String()
}
