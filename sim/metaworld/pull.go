package metaworld

import "math"

func pullRows() []*row {
	return []*row{handlePull(), handlePullSide()}
}

// handlePull: pull a handle up.
func handlePull() *row {
	grip := cage{radius: 0.022, reach: 0.05, plane: 0.01}
	return &row{
		name: "handle-pull", scene: "sawyer_handle_press",
		low: []float64{-0.1, 0.8, -0.001}, high: []float64{0.1, 0.9, 0.001},
		start: middle,
		first: sitePart("handleRight"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("box", e.object0)
			e.setSlide(-0.1)
			e.target = e.site("goalPull")
			// A height in the handle's frame is taken for one in the world's.
			e.span = math.Abs(e.siteOffset("handleStart")[2] - e.target[2])
		},
		v1: touching((*env).left, along(2), 0.05),
		v2: func(e *env) (float64, bool) {
			o, d := e.object(), along(2)(e)
			placed := within(d, 0.05, math.Abs(e.target[2]-e.object0[2]))
			r := both(grip.dense(e, o), placed)
			// The Python class compares y with z here, so that this holds all along.
			if holding(e, 0.035) && o[1]-0.01 > e.object0[2] {
				r += 1 + 5*placed
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.05
		},
	}
}

// handlePullSide: pull a handle on the side up.
func handlePullSide() *row {
	grip := cage{radius: 0.032, reach: 0.06, plane: 0.01}
	return &row{
		name: "handle-pull-side", scene: "sawyer_handle_press_sideways",
		low: []float64{-0.35, 0.65, 0}, high: []float64{-0.25, 0.75, 0},
		start: middle,
		first: sitePart("handleCenter"),
		reset: func(e *env, v []float64) {
			e.placeBody("box", point(v))
			e.setSlide(-0.1)
			e.target, e.object0 = e.site("goalPull"), e.site("handleCenter")
			e.span = math.Abs(e.site("handleStart")[2] - e.target[2])
		},
		v1: touching((*env).left, along(2), 0.08),
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := inSpace(e)
			placed := within(d, 0.05, distance(e.object0, e.target))
			r := both(grip.dense(e, o), placed)
			if holding(e, 0.035) && raised(e, 0.01) {
				r += 1 + 5*placed
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.08
		},
	}
}
