package metaworld

import "math"

// tail is the long-tailed tolerance: 1 while x is in [low, high], else 1/(1 + 9d²) with d the distance to the interval
// in units of margin, so 0.1 one margin away; with a margin of 0 it is 0 outside.
func tail(x, low, high, margin float64) float64 {
	d, inside := beyond(x, low, high, margin)
	switch {
	case inside:
		return 1
	case margin == 0:
		return 0
	}
	s := d * tailScale
	return 1 / (s*s + 1)
}

// gauss is the Gaussian tolerance: 1 while x is in [low, high], else 0.1^(d²).
func gauss(x, low, high, margin float64) float64 {
	d, inside := beyond(x, low, high, margin)
	switch {
	case inside:
		return 1
	case margin == 0:
		return 0
	}
	s := d * gaussScale
	return math.Exp(-0.5 * (s * s))
}

// Both tolerances are 0.1 at one margin from the interval.
var (
	tailScale  = math.Sqrt(1/0.1 - 1)
	gaussScale = math.Sqrt(-2 * math.Log(0.1))
)

func beyond(x, low, high, margin float64) (d float64, inside bool) {
	switch {
	case x < low:
		return (low - x) / margin, false
	case x > high:
		return (x - high) / margin, false
	}
	return 0, true
}

// within is tail for a distance that should be at most radius.
func within(x, radius, margin float64) float64 { return tail(x, 0, radius, margin) }

// both is the Hamacher product of two numbers in [0, 1]: a soft "and".
func both(a, b float64) float64 {
	denominator := a + b - a*b
	if denominator > 0 {
		return a * b / denominator
	}
	return 0
}

// clamp limits x to [low, high].
func clamp(x, low, high float64) float64 { return math.Min(math.Max(x, low), high) }

// bonus is 1 if a condition holds, else 0.
func bonus(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
