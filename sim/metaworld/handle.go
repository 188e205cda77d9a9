package metaworld

import "math"

func handleRows() []*row {
	return []*row{
		windowOpen(), windowClose(),
		handlePress("handle-press", "sawyer_handle_press", []float64{-0.1, 0.8, -0.001}, []float64{0.1, 0.9, 0.001}),
		handlePress("handle-press-side", "sawyer_handle_press_sideways", []float64{-0.35, 0.65, -0.001},
			[]float64{-0.25, 0.75, 0.001}),
		drawerClose(), dialTurn(), leverPull(),
	}
}

// fromStart is a tolerance for a distance whose margin is how much it was above radius at the start.
func fromStart(tolerance func(x, low, high, margin float64) float64, x, radius, start float64) float64 {
	return tolerance(x, 0, radius, math.Abs(start-radius))
}

// window is a window that slides along x on a handle, seen at a site.
func window(name, site string) *row {
	off := along(0)
	return &row{
		name: name, scene: "sawyer_window_horizontal", start: single(front), first: sitePart(site),
		v1: func(e *env) (float64, bool) {
			d, reach := off(e), distance(e.object(), e.tcp())
			if reach < 0.05 {
				// Unlike in all other families this term may be negative.
				return -reach + pull(0.2, d), d <= 0.05
			}
			return -reach, d <= 0.05
		},
	}
}

// windowOpen: slide it to the right.
func windowOpen() *row {
	w := window("window-open", "handleOpenStart")
	w.low, w.high = []float64{-0.1, 0.7, 0.16}, []float64{0.1, 0.9, 0.16}
	w.reset = func(e *env, v []float64) {
		e.object0 = point(v)
		e.target = e.object0.add(vec3{0.2, 0, 0})
		e.placeBody("window", e.object0)
		e.mark = e.site("handleOpenStart")
		e.margin = math.Abs(e.object0[0] - e.target[0])
		e.qpos[e.id(joints, "window_slide")] = 0
		e.placeSite("goal", e.target)
	}
	w.v2 = slide(tail)
	return w
}

// windowClose: slide it to the left. The slide is set without computing what follows: the first observation is older.
func windowClose() *row {
	w := window("window-close", "handleCloseStart")
	w.low, w.high = []float64{0, 0.75, 0.2}, []float64{0, 0.9, 0.2}
	w.reset = func(e *env, v []float64) {
		e.object0 = point(v)
		e.target = e.object0
		e.placeBody("window", e.object0)
		e.mark = e.site("handleCloseStart").add(vec3{0.2, 0, 0})
		e.margin = math.Abs(e.mark[0] - e.target[0])
		e.qpos[e.id(joints, "window_slide")] = 0.2
		e.placeSite("goal", e.target)
	}
	w.v2 = slide(gauss)
	return w
}

// slide is the v2 reward of the windows; mark is the handle at the start, margin its distance.
func slide(near func(x, low, high, margin float64) float64) func(e *env) (float64, bool) {
	off := along(0)
	return func(e *env) (float64, bool) {
		d := off(e)
		reach := fromStart(near, distance(e.object(), e.tcp()), 0.02, distance(e.mark, e.tcp0))
		return 10 * both(reach, fromStart(tail, d, 0.05, e.margin)), d <= 0.05
	}
}

// handlePress: press a handle down.
func handlePress(name, file string, low, high []float64) *row {
	return &row{
		name: name, scene: file, low: low, high: high, start: middle, first: sitePart("handleStart"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("box", e.object0)
			e.setSlide(-0.001)
			e.target = e.site("goalPress")
			e.mark = e.site("handleStart")
			e.span = math.Abs(e.mark[2] - e.target[2])
		},
		v1: touching((*env).left, along(2), 0.02),
		v2: func(e *env) (float64, bool) {
			d := along(2)(e)
			if d <= 0.02 {
				return 10, true
			}
			reach := fromStart(tail, distance(e.object(), e.tcp()), 0.02, distance(e.mark, e.tcp0))
			return 10 * both(reach, fromStart(tail, d, 0.02, e.span)), false
		},
	}
}

// drawerClose: push an open drawer shut. The drawer is opened without stopping it.
func drawerClose() *row {
	handle := vec3{0, -0.16, 0.05}
	const limit = 0.05 + 0.015
	return &row{
		name: "drawer-close", scene: "sawyer_drawer",
		low: []float64{-0.1, 0.9, 0}, high: []float64{0.1, 0.9, 0},
		start: single(middle),
		first: part{at: shifted("drawer_link", handle).at, turn: noTurn},
		reset: func(e *env, v []float64) {
			e.placeBody("drawer", point(v))
			e.target = point(v).add(vec3{0, -0.16, 0.09})
			e.span = 0.15
			e.qpos[9] = -e.span
			e.forward()
			e.object0 = e.body("drawer_link").add(handle)
			e.placeSite("goal", e.target)
		},
		v1: touching((*env).tcp, along(1), limit),
		v2: func(e *env) (float64, bool) {
			d := inSpace(e)
			if d <= limit {
				return 10, true
			}
			reach := fromStart(gauss, distance(e.object(), e.tcp()), 0.005, distance(e.object0, e.tcp0))
			reach = both(reach, clamp(e.act[3], 0, 1))
			return 10 * both(reach, fromStart(tail, d, 0.05, distance(e.object0, e.target))), false
		},
	}
}

// dialTurn: turn a dial by a point on its rim, which is pushed from above and beside it.
func dialTurn() *row {
	rim := func(e *env) vec3 {
		angle := e.joint("knob_Joint_1")
		return e.body("dial").add(vec3{math.Sin(angle) * 0.05, -math.Cos(angle) * 0.05, 0})
	}
	pushed := vec3{0.05, 0.02, 0.09}
	return &row{
		name: "dial-turn", scene: "sawyer_dial",
		low: []float64{-0.1, 0.7, 0}, high: []float64{0.1, 0.8, 0},
		start: single(middle), first: part{at: rim, turn: bodyTurn("dial")},
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{0, 0.03, 0.03})
			e.placeBody("dial", e.object0)
			e.mark = rim(e).add(pushed)
			e.placeSite("goal", e.target)
			e.span = math.Abs(e.target[1] - e.object0[1])
		},
		v1: func(e *env) (float64, bool) { return dialV1(e, 0.07) },
		v2: func(e *env) (float64, bool) {
			d := inSpace(e)
			reach := fromStart(gauss, distance(e.object().add(pushed), e.tcp()), 0.005, distance(e.mark, e.tcp0))
			reach = both(reach, clamp(e.act[3], 0, 1))
			return 10 * both(reach, fromStart(tail, d, 0.07, distance(e.mark, e.target))), d <= 0.07
		},
	}
}

// dialV1 is touch along y with exponentials that are ten times narrower than elsewhere.
func dialV1(e *env, limit float64) (float64, bool) {
	d, reach := along(1)(e), distance(e.object(), e.tcp())
	r := -reach
	if reach < 0.05 {
		r += math.Max(1000*(e.span-d)+1000*(math.Exp(-(d*d)/0.001)+math.Exp(-(d*d)/0.0001)), 0)
	}
	return r, d <= limit
}

// leverPull: lift a lever by 90 degrees. Version v1 calls it success when the distance in metres is below π/24, which
// is the tolerance of the angle.
func leverPull() *row {
	const limit = math.Pi / 24
	return &row{
		name: "lever-pull", scene: "sawyer_lever_pull",
		low: []float64{-0.1, 0.7, 0}, high: []float64{0.1, 0.8, 0},
		start: single(front), handLow: below(-0.15),
		first: part{at: sitePart("leverStart").at, turn: geomTurn("objGeom")},
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("lever", e.object0)
			e.mark = e.object0.add(vec3{0.12, -0.2, 0.25})
			e.target = e.object0.add(vec3{0.12, 0, 0.25 + 0.2})
			e.placeSite("goal", e.target)
			e.span = distance(e.target, e.object0)
		},
		v1: touching((*env).tcp, inSpace, limit),
		v2: func(e *env) (float64, bool) {
			shoulder, scale := vec3{0, 0.055, 0.07}, vec3{4, 1, 4}
			away := e.handAt().add(shoulder).sub(e.object()).times(scale).norm()
			margin := e.tcp0.add(shoulder).sub(e.mark).times(scale).norm()
			lifted := within(inSpace(e), 0.04, distance(e.mark, e.target))
			angle := math.Abs(-e.joint("LeverAxis") - math.Pi/2)
			return 10 * both(within(away, 0.02, margin), lifted), angle <= limit
		},
	}
}
