package metaworld

import "slices"

// rows2020 is the table of families of 2020, grouped as rows is. What their classes do before they draw their vector and
// after it stands in reset, in their order. Rewards have the shapes that rows calls v1.
func rows2020() []*row {
	all := slices.Concat(touchRows2020(), liftRows2020())
	for _, w := range all {
		w.era = year2020
		for j := range w.low { // gym's boxes keep 32-bit floats
			w.low[j], w.high[j] = float64(float32(w.low[j])), float64(float32(w.high[j]))
		}
	}
	return all
}
