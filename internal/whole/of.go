package whole

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Of returns the whole number, of at most 20 digits, that a text such as 1000, 1_000, 1e3 or 1000.0 stands for. ok is
// false if it does not stand for one. Settings, flags and parameters of notebooks are read by it.
func Of(text string) (n *big.Int, ok bool) {
	plain := strings.ReplaceAll(text, "_", "")
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.Abs(f) >= 1e20 || f != 0 && math.Abs(f) < 1 || strings.ContainsAny(plain, "xXpP") {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(plain)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// Beyond reports whether a text stands for a number that is too large for Of.
func Beyond(text string) bool {
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return math.Abs(f) >= 1e20 && (err == nil || math.IsInf(f, 0)) && !strings.ContainsAny(text, "xXpPiI")
}
