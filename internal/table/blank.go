package table

import (
	"math"
	"strings"
)

// vacant is a quiet NaN with bits that no computation makes, as R's NA is.
var vacant = math.Float64frombits(0x7ff8_0000_0000_07a2)

// Blank is the number of a cell that has none: one that is empty, null or NA, or that its row lacks. It is a NaN. A
// cell in which a program wrote NaN is another NaN, and IsBlank is false for it.
func Blank() float64 { return vacant }

// IsBlank reports whether a number is Blank. Copies of a number keep this, results of arithmetic do not.
func IsBlank(x float64) bool { return math.Float64bits(x) == math.Float64bits(vacant) }

// absent is the number of a word for a missing number: NaN for a word that says so, otherwise Blank.
func absent(word string) float64 {
	word = strings.ToLower(word)
	if strings.Contains(word, "nan") || strings.Contains(word, "#ind") {
		return math.NaN()
	}
	return vacant
}

// notNumber is the value of the word NaN in JSON.
type notNumber struct{}
