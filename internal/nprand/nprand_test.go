package nprand

import (
	"fmt"
	"testing"
)

// Expected values are NumPy 2.4's: numpy.random.RandomState(seed).uniform(low, high, 3).
func TestUniformIsNumPys(t *testing.T) {
	for _, c := range []struct {
		seed      uint32
		low, high float64
		want      string
	}{
		{1337, 0, 3, "0.7860740250467451 0.47605191646339684 0.8343795584830792"},
		{0, -0.1, 0.7, "0.33905080314185976 0.4721514930979356 0.382210700857315"},
		{4294967295, 0, 1, "0.0976320289940138 0.9123828453026218 0.78903530185164"},
	} {
		r := New(c.seed)
		got := fmt.Sprint(r.Uniform(c.low, c.high), r.Uniform(c.low, c.high), r.Uniform(c.low, c.high))
		if got != c.want {
			t.Errorf("seed %d: %s, expected %s", c.seed, got, c.want)
		}
	}
}
