package metaworld

import "slices"

// rows2020 is the table of families of 2020, grouped as rows is. What their classes do before they draw their vector
// and after it stands in reset, in their order. Rewards have the shapes that rows calls v1.
func rows2020() []*row {
	all := slices.Concat(touchRows2020(), fixtureRows2020(), liftRows2020(), toolRows2020())
	for _, w := range all {
		w.era = year2020
		for j := range w.low { // gym's boxes keep 32-bit floats
			w.low[j], w.high[j] = float64(float32(w.low[j])), float64(float32(w.high[j]))
		}
	}
	return all
}

// older returns the row as it was in the older interface, commit 861ae8d, where that differs. What classes there name
// completed once stays so to the end of the episode.
func (w *row) older() *row {
	o := *w
	switch w.name {
	case "door-unlock", "peg-unplug-side", "soccer", "sweep", "sweep-into", // touching
		"pick-place-wall", "stick-push", "stick-pull": // lifting
		o.keeps = true
	case "disassemble":
		o.first = seenAt("RoundNut-8")
	case "door-open":
		o.start = single(w.start)
	case "drawer-open": // what is paid for is not the point that is observed
		between := func(e *env) vec3 {
			a, b := e.site("handleStart"), e.geom("drawer_wall2")
			return vec3{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}
		}
		o.v1 = func(e *env) (float64, bool) {
			seen := e.now
			defer func() { e.now = seen }()
			at := between(e)
			copy(e.now[4:], at[:])
			return w.v1(e)
		}
	}
	return &o
}
