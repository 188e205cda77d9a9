package metaworld

import "math"

func carryRows() []*row {
	return []*row{pickPlaceWall(), shelfPlace(), basketball(), pickOutOfHole(), binPicking(), handInsert()}
}

// holding reports whether the fingers are within radius of the object and not fully closed.
func holding(e *env, radius float64) bool {
	return distance(e.object(), e.tcp()) < radius && e.opening() > 0
}

// raised reports whether the object is higher above its start than by.
func raised(e *env, by float64) bool { return e.object()[2]-by > e.object0[2] }

// pickPlaceWall: lift an object over a wall to a point behind it.
func pickPlaceWall() *row {
	grip := cage{radius: 0.015, reach: 0.05, plane: 0.005}
	return &row{
		name: "pick-place-wall", scene: "sawyer_pick_place_wall_v3",
		low: []float64{-0.05, 0.6, 0.015, -0.05, 0.85, 0.05}, high: []float64{0.05, 0.65, 0.015, 0.05, 0.9, 0.3},
		apart: 0.15,
		start: middle,
		first: geomPart("objGeom"),
		reset: func(e *env, v []float64) {
			e.target, e.object0 = point(v[3:]), point(v)
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.height0 = e.geom("objGeom")[2]
			e.span = carrySpan(e, 0.04)
		},
		v1: func(e *env) (float64, bool) {
			return lift(e, 0.04, 2), inSpace(e) <= 0.07
		},
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := inSpace(e)
			over, placed := overWall(e, vec3{e.target[0], 0.77, 0.25}, vec3{1, 1, 3})
			r := both(grip.plain(e, o), over)
			if holding(e, 0.02) && raised(e, 0.015) {
				if o[1] > 0.75 {
					r += 5 + 3*placed
				} else {
					r += 1 + 4*over
				}
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.07
		},
	}
}

// overWall says how near the object is to a point at the wall, by distances of scaled coordinates, and to the target.
func overWall(e *env, at, scale vec3) (over, placed float64) {
	to := func(o vec3) float64 { return o.sub(at).times(scale).norm() }
	over = within(to(e.object()), 0.05, to(e.object0))
	return over, within(distance(e.object(), e.target), 0.05, distance(e.object0, e.target))
}

// shelfPlace: lift a block onto a shelf.
func shelfPlace() *row {
	grip := cage{radius: 0.02, reach: 0.05, plane: 0.01}
	return &row{
		name: "shelf-place", scene: "sawyer_shelf_placing",
		low: []float64{-0.1, 0.5, 0.019, -0.1, 0.8, 0.299}, high: []float64{0.1, 0.6, 0.021, 0.1, 0.9, 0.301},
		apart: 0.1,
		start: single(middle),
		first: freeObject,
		reset: func(e *env, v []float64) {
			e.object0 = vec3{v[0], v[1], e.body("obj")[2]}
			shelf := point(v[3:]).sub(vec3{0, 0, 0.3})
			e.placeBody("shelf", shelf)
			e.forward() // where the contact solver starts depends on it
			e.target = e.siteOffset("goal").add(shelf)
			e.setObject(e.object0)
			e.height0 = e.geom("objGeom")[2]
			e.span = carrySpan(e, 0.04)
		},
		v1: func(e *env) (float64, bool) {
			return lift(e, 0.04, 2), inSpace(e) <= 0.07
		},
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := inSpace(e)
			placed := within(d, 0.05, distance(e.object0, e.target))
			r := both(grip.plain(e, o), placed)
			if holding(e, 0.025) && raised(e, 0.01) {
				r += 1 + 5*besideShelf(e, placed)
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.07
		},
	}
}

// besideShelf takes from placed what the object is too low in front of the shelf, and all of it below the shelf.
func besideShelf(e *env, placed float64) float64 {
	const top, depth = 0.24, 0.15
	o := e.object()
	if o[2] <= 0 || o[2] >= top || o[0] <= e.target[0]-0.15 || o[0] >= e.target[0]+0.15 {
		return placed
	}
	front := e.target[1] - depth
	switch {
	case o[1] > e.target[1]:
		return 0
	case o[1] > front && o[1] < e.target[1]:
		return clamp(placed-both((o[1]-front)/depth, (top-o[2])/top), 0, 1)
	}
	return placed
}

// basketball: lift a ball into a hoop.
func basketball() *row {
	grip := cage{radius: 0.025, reach: 0.06, plane: 0.005}
	return &row{
		name: "basketball", scene: "sawyer_basketball",
		low: []float64{-0.1, 0.6, 0.0299, -0.1, 0.85, 0}, high: []float64{0.1, 0.7, 0.0301, 0.1, 0.9 + 1e-7, 0},
		apart: 0.15,
		start: single(middle),
		first: bodyPart("bsktball"),
		reset: func(e *env, v []float64) {
			e.object0 = vec3{v[0], v[1], float64(float32(0.03))}
			e.placeBody("basket_goal", point(v[3:]))
			e.setObject(e.object0)
			e.target = e.site("goal")
			e.height0 = e.geom("objGeom")[2]
			e.span = carrySpan(e, 0.3)
		},
		v1: func(e *env) (float64, bool) {
			return lift(e, 0.3, 2), inSpace(e) <= 0.08
		},
		v2: func(e *env) (float64, bool) {
			o := e.object()
			above := vec3{e.target[0], e.target[1], 0.3}
			to := func(o vec3) float64 { return o.sub(above).times(vec3{1, 1, 2}).norm() }
			placed := within(to(o), 0.08, to(e.object0))
			var r float64
			if holding(e, 0.035) && raised(e, 0.01) {
				r = both(1, placed) + 1 + 5*placed
			} else {
				r = both(grip.dense(e, o), placed)
			}
			if to(o) < 0.08 {
				r = 10
			}
			return r, to(o) <= 0.08
		},
	}
}

// floorAbove is a height that the hand should stay above: 0 within near of a point in the plane, and a logarithm of the
// distance beyond.
func floorAbove(radius, near, slope, height float64) float64 {
	if radius <= near {
		return 0
	}
	return slope*math.Log(radius-near) + height
}

// aboveFloor is 1 above the floor and falls with the depth below it.
func aboveFloor(z, floor, margin float64) float64 {
	if z >= floor {
		return 1
	}
	return within(floor-z, 0.01, margin)
}

// pickOutOfHole: lift a block out of a hole to a point.
func pickOutOfHole() *row {
	const height = 0.11
	grip := cage{radius: 0.015, reach: 0.02, plane: 0.03, effort: 0.1}
	success := func(e *env) bool { return inSpace(e) <= 0.07 }
	return &row{
		name: "pick-out-of-hole", scene: "sawyer_pick_out_of_hole",
		low: []float64{0, 0.75, 0.02, -0.1, 0.5, 0.15}, high: []float64{0, 0.75, 0.02, 0.1, 0.6, 0.3}, apart: 0.15,
		start: middle, handLow: below(-0.05),
		first: bodyPart("obj"),
		reset: func(e *env, v []float64) {
			e.object0, e.target = point(v), point(v[3:])
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.height0 = e.geom("objGeom")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return outOfHoleV1(e, height), success(e) },
		v2: func(e *env) (float64, bool) {
			o, tcp := e.object(), e.tcp()
			d := inSpace(e)
			placed := within(d, 0.02, distance(e.object0, e.target))
			r := both(grip.dense(e, o), placed)
			if distance(o, tcp) < 0.04 && raised(e, 0.02) && e.opening() >= 0.33 {
				floor := floorAbove(distanceXY(tcp, e.object0), 0.03, 0.015, 0.15)
				r += 1 + 5*both(placed, aboveFloor(tcp[2], floor, 0.02))
			}
			if d < 0.05 {
				r = 10
			}
			return r, success(e)
		},
	}
}

// outOfHoleV1 is lift with the object's height counted from 2 cm below where it started.
func outOfHoleV1(e *env, height float64) float64 {
	c := carrying(e, e.object(), height, inSpace(e), anywhere)
	pick := 0.0
	switch {
	case c.held:
		pick = 100 * (c.high - e.height0 + 0.02)
	case c.reach < 0.1 && c.risen:
		pick = 100 * (math.Min(c.high, e.object()[2]) - e.height0 + 0.02)
	}
	return approach(e, 0.05, 0.05, 2) + pick + c.place(e, 0.1)
}

// handInsert: bring a block into a hole in the table with the hand.
func handInsert() *row {
	grip := cage{radius: 0.015, reach: 0.05, plane: 0.005}
	start := single(middle)
	return &row{
		name: "hand-insert", scene: "sawyer_table_with_hole",
		low: []float64{-0.1, 0.6, 0.05, -0.04, 0.8, -0.0201}, high: []float64{0.1, 0.7, 0.05, 0.04, 0.88, -0.0199},
		apart: 0.15,
		start: start, handLow: below(-0.15),
		first: bodyPart("obj"),
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], 0.05}, point(v[3:])
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.span = math.Abs(start[2] - e.target[2])
		},
		// Version 1 takes the distance at the start for success, which is never small.
		v1: func(e *env) (float64, bool) {
			r, _ := insertV1(e)
			return r, distance(e.object0, e.target) <= 0.05
		},
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := inSpace(e)
			placed := within(d, 0.05, distance(e.object0, e.target))
			r := both(grip.dense(e, o), placed)
			if holding(e, 0.02) {
				r += 1 + 7*placed
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.05
		},
	}
}

// insertV1 rewards the fingers for coming over the target, and then down to it; plane is how far they are from over it.
func insertV1(e *env) (reward, plane float64) {
	finger := e.tcp()
	plane = distanceXY(finger, e.target)
	if plane < 0.05 {
		return -plane + math.Max(pull(e.span, math.Abs(finger[2]-e.target[2])), 0), plane
	}
	return -plane, plane
}
