package whole

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// A whole number is the same in every form in which people write it.
func TestOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := big.NewInt(r.Int64N(1_000_000) - 500_000)
		zeros := r.IntN(12)
		text := n.String()
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil))
		for _, form := range []string{text + strings.Repeat("0", zeros), fmt.Sprintf("%se%d", text, zeros),
			fmt.Sprintf("%s.0E+%d", text, zeros), n.String() + ".000", n.String() + "_0e-1"} {
			if got, ok := Of(form); !ok || got.Cmp(n) != 0 {
				t.Errorf("%s is read as %v, want %v", form, got, n)
			}
		}
	}
	for _, text := range []string{"", "many", "1.5", "1e-3", "nan", "inf", "0x10", "1e20", "1e99", "1e400", "1p3",
		"1,000"} {
		if n, ok := Of(text); ok {
			t.Errorf("%q is read as %v", text, n)
		}
		if large := strings.HasPrefix(text, "1e") && text != "1e-3"; Beyond(text) != large {
			t.Errorf("%q beyond: %v", text, !large)
		}
	}
}
