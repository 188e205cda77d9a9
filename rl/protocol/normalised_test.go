package protocol

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tolerance)
	}
}

func TestSharesStayBetweenZeroAndOne(t *testing.T) {
	if i := share([]float64{1, 1, 0, 1}); i.Lo < 0 || i.Hi != 1 || i.Mean != .75 {
		t.Errorf("%v", i)
	}
}

func TestNormalised(t *testing.T) {
	f, err := Normalised(-6, -10, -5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "share", f, .8, 1e-15)
	for _, x := range [][3]float64{{1, 2, 2}, {1, 3, 2}, {math.NaN(), 0, 1}, {0, math.Inf(-1), 1}, {0, 0, math.NaN()}} {
		if f, err := Normalised(x[0], x[1], x[2]); err == nil {
			t.Errorf("%v: %v", x, f)
		}
	}
}
