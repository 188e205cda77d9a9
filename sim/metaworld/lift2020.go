package metaworld

import "math"

func liftRows2020() []*row {
	return []*row{
		pickPlace2020("pick-place", plain, true), pickPlace2020("pick-place-wall", walled, false),
		shelfPlace2020(), basketball2020(), boxClose2020(), binPicking2020(), pickOutOfHole2020(), pegInsertSide2020(),
	}
}

// pickPlace2020: lift an object to a point above the table.
func pickPlace2020(name string, made func() *row, keeps bool) *row {
	w := made()
	w.name, w.keeps = name, keeps
	w.reset = func(e *env, v []float64) {
		e.target = point(v[3:])
		e.setToLift(point(v), "objGeom", 0.04)
	}
	w.v1 = func(e *env) (float64, bool) { return lift(e, 0.04, 2), inSpace(e) <= 0.07 }
	return w
}

// setToLift puts the object at its start. Its height is the former height of a geom.
func (e *env) setToLift(at vec3, geom string, height float64) {
	e.height0, e.object0 = e.geom(geom)[2], at
	e.setObject(at)
	e.span = carrySpan(e, height)
}

// shelfPlace2020: lift a block onto a shelf.
func shelfPlace2020() *row {
	return &row{
		name: "shelf-place", scene: "sawyer_shelf_placing",
		low: []float64{-0.1, 0.5, 0.02, -0.1, 0.75, 0.001}, high: []float64{0.1, 0.6, 0.02, 0.1, 0.85, 0.001},
		apart: 0.1,
		start: single(middle), first: objGeom,
		reset: func(e *env, v []float64) {
			shelf := point(v[3:])
			e.placeBody("shelf", shelf)
			e.target = e.siteOffset("goal").add(shelf)
			e.setToLift(vec3{v[0], v[1], e.geom("objGeom")[2]}, "objGeom", 0.04)
		},
		v1: func(e *env) (float64, bool) { return lift(e, 0.04, 2), inSpace(e) <= 0.08 },
	}
}

// basketball2020: lift a ball into a hoop.
func basketball2020() *row {
	return &row{
		name: "basketball", scene: "sawyer_basketball",
		low: []float64{-0.1, 0.6, 0.03, -0.1, 0.85, 0.15}, high: []float64{0.1, 0.7, 0.03, 0.1, 0.9 + 1e-7, 0.15},
		apart: 0.15,
		start: single(middle), first: objGeom, keeps: true,
		reset: func(e *env, v []float64) {
			hoop := point(v[3:])
			e.placeBody("basket_goal", hoop)
			e.target = hoop.add(vec3{0, -0.05, 0.1})
			e.setToLift(vec3{v[0], v[1], float64(float32(0.03))}, "objGeom", 0.3)
		},
		v1: func(e *env) (float64, bool) { return lift(e, 0.3, 2), inSpace(e) <= 0.08 },
	}
}

// boxClose2020: put a lid on a box, by its handle.
func boxClose2020() *row {
	return &row{
		name: "box-close", scene: "sawyer_box",
		low: []float64{-0.05, 0.55, 0.02, -0.1, 0.85, 0.1329}, high: []float64{0.05, 0.6, 0.02, 0.1, 0.95, 0.1331},
		apart: 0.25,
		start: single(middle), first: seenGeom("handle"), keeps: true,
		reset: func(e *env, v []float64) {
			e.target = point(v[3:])
			e.placeBody("box", vec3{v[3], v[4], e.body("box")[2]})
			e.setToLift(vec3{v[0], v[1], float64(float32(0.02))}, "handle", 0.12)
		},
		v1: func(e *env) (float64, bool) { return lift(e, 0.12, 2), inSpace(e) <= 0.08 },
	}
}

// binPicking2020: move a block from one bin into another. The class names the bounds of x and y together, so that the
// block may start outside of the first bin, and beside the table.
func binPicking2020() *row {
	const height = 0.1
	return &row{
		name: "bin-picking", scene: "sawyer_bin_picking",
		low: []float64{-0.22, -0.02}, high: []float64{0.6, 0.8},
		start: middle, handLow: below(0.07), first: objGeom, keeps: true,
		reset: func(e *env, v []float64) {
			e.height0 = e.geom("objGeom")[2]
			e.object0 = vec3{v[0], v[1], e.height0}
			e.forward() // where the contact solver starts depends on it
			e.setObject(e.object0)
			e.target = e.body("bin_goal")
			e.span = distanceXY(e.object0, e.target) + e.height0 + height
		},
		v1: func(e *env) (float64, bool) { return binOnceV1(e, height) },
	}
}

// binOnceV1 is binV1 with having lain in the other bin kept for the episode.
func binOnceV1(e *env, height float64) (float64, bool) {
	o := e.object()
	d := distanceXY(o, e.target)
	c := carrying(e, o, height, d, anywhere)
	above := math.Abs(o[0]-e.target[0]) < 0.05 && math.Abs(o[1]-e.target[1]) < 0.05
	e.placed = e.placed || above && o[2] < e.height0+0.05
	place, open := math.Max(pull(e.span, d), 0), -200*e.act[3]
	if e.placed {
		return 100*c.high + (open + place), d <= 0.08
	}
	r := approach(e, 0.06, 0.05, 1) + c.pick(o, 0.1)
	switch held := c.held && c.reach < 0.1; {
	case held && above:
		r += open + place
	case held:
		r += place
	}
	return r, d <= 0.08
}

// pickOutOfHole2020: lift a block out of a hole to a point.
func pickOutOfHole2020() *row {
	const height = 0.11
	return &row{
		name: "pick-out-of-hole", scene: "sawyer_pick_out_of_hole",
		low: []float64{0, 0.84, -0.03, -0.1, 0.6, 0.15}, high: []float64{0, 0.84, -0.03, 0.1, 0.7, 0.3}, apart: 0.15,
		start: middle, handLow: below(-0.05), first: objGeom,
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], -0.03}, point(v[3:])
			e.setObject(e.object0)
			e.height0 = e.geom("objGeom")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return outOfHoleV1(e, height), inSpace(e) <= 0.08 },
	}
}

// pegInsertSide2020: put a peg into a hole from the side. The class overwrites the box's range with the hand's.
func pegInsertSide2020() *row {
	const height = 0.11
	return &row{
		name: "peg-insert-side", scene: "sawyer_peg_insertion_side",
		low: []float64{-0.1, 0.5, 0.02, -0.5, 0.4, 0.05}, high: []float64{0.1, 0.7, 0.02, 0.5, 1, 0.5}, apart: 0.1,
		start: middle, first: part{at: func(e *env) vec3 { return e.body("peg") }},
		reset: func(e *env, v []float64) {
			e.height0 = e.body("peg")[2]
			box := point(v[3:])
			e.placeBody("box", box)
			e.target = e.siteOffset("hole").add(box)
			e.setObject(vec3{v[0], v[1], 0.02})
			e.object0 = e.body("peg")
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return pegInsertV1(e, height) },
	}
}
