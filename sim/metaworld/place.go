package metaworld

func placeRows() []*row {
	return []*row{pickPlace()}
}

// pickPlace: lift an object to a point above the table.
func pickPlace() *row {
	return &row{
		name: "pick-place", scene: "sawyer_pick_place_v3",
		low: []float64{-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, high: []float64{0.1, 0.7, 0.02, 0.1, 0.9, 0.3}, apart: 0.15,
		start: middle,
		first: freeObject,
		reset: func(e *env, v []float64) {
			e.target, e.object0 = point(v[3:]), point(v)
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.height0 = e.geom("objGeom")[2]
			e.span = carrySpan(e, 0.04)
		},
		v1: func(e *env) (float64, bool) {
			return lift(e, 0.04, 2), distance(e.object(), e.target) <= 0.07
		},
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := distance(o, e.target)
			placed := within(d, 0.05, distance(e.object0, e.target))
			r := both(pickPlaceCage(e, o), placed)
			if distance(o, e.tcp()) < 0.02 && e.opening() > 0 && o[2]-0.01 > e.object0[2] {
				r += 1 + 5*placed
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.07
		},
	}
}

// pickPlaceCage is a signed caging with gripping, the mean of both.
func pickPlaceCage(e *env, o vec3) float64 {
	left, right := signedSides(e, o, 0.015, 0.05)
	caging := both(both(left, right), signedPlane(e, o, 0.005))
	grip := 0.0
	if caging > 0.97 {
		grip = clamp(e.act[3], 0, 1)
	}
	return (both(caging, grip) + caging) / 2
}
