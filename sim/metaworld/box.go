package metaworld

// boxClose: put a lid on a box.
func boxClose() *row {
	const height = 0.12
	success := func(e *env) bool { return distance(e.object(), e.target) < 0.08 }
	return &row{
		name: "box-close", scene: "sawyer_box",
		low: []float64{-0.05, 0.5, 0.02, -0.1, 0.7, 0.133}, high: []float64{0.05, 0.55, 0.02, 0.1, 0.8, 0.133},
		apart: 0.25,
		start: single(middle),
		first: bodyPart("top_link"),
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], float64(float32(0.02))}, point(v[3:])
			e.placeBody("boxbody", vec3{v[3], v[4], e.body("boxbody")[2]})
			e.advance(substeps)
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.height0 = e.geom("BoxHandleGeom")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return lift(e, height, 2), success(e) },
		v2: func(e *env) (float64, bool) {
			r := 10.0
			if !success(e) {
				ready, lifted := boxCloseParts(e)
				r = 2*both(closing(e), ready) + 8*lifted
			}
			return r * upright(e, quat{0.707, 0, 0, 0.707}, 0.2), success(e)
		},
	}
}

// closing is how far the action closes the gripper, in [0, 1].
func closing(e *env) float64 { return (e.act[3] + 1) / 2 }

// boxCloseParts say how ready the hand is to lift the lid, from above a floor that falls towards it, and how near the
// lid is to the box.
func boxCloseParts(e *env) (ready, lifted float64) {
	hand, lid := e.handAt(), e.object().add(vec3{0, 0, 0.02})
	floor := floorAbove(distanceXY(hand, lid), 0.02, 0.04, 0.4)
	ready = both(aboveFloor(hand[2], floor, floor/2), within(distance(hand, lid), 0.02, 0.5))
	off := e.target.sub(lid).times(vec3{1, 1, 3}).norm()
	return ready, 0.2*bonus(lid[2] > 0.04) + 0.8*within(off, 0.05, 0.25)
}
