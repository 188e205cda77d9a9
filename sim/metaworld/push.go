package metaworld

func pushRows() []*row {
	return []*row{pushRow(), pushWall()}
}

// pushRow: push a cylinder over the table to a point.
func pushRow() *row {
	grip := cage{radius: 0.015, reach: 0.05, plane: 0.005}
	return &row{
		name: "push", scene: "sawyer_push_v3",
		low: []float64{-0.1, 0.6, 0.02, -0.1, 0.8, 0.01}, high: []float64{0.1, 0.7, 0.02, 0.1, 0.9, 0.02}, apart: 0.15,
		start: middle,
		first: freeObject,
		reset: func(e *env, v []float64) {
			// Both points are put at the height at which the object lies.
			z := e.body("obj")[2]
			e.target, e.object0 = vec3{v[3], v[4], z}, vec3{v[0], v[1], z}
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.05),
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := distance(o, e.target)
			placed := within(d, 0.05, distance(e.object0, e.target))
			r := 2 * grip.dense(e, o)
			if distance(o, e.tcp()) < 0.02 && e.opening() > 0 {
				r += 1 + r + 5*placed
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.05
		},
	}
}

// pushWall: push a cylinder around a wall to a point behind it.
func pushWall() *row {
	grip := cage{radius: 0.015, reach: 0.05, plane: 0.005}
	return &row{
		name: "push-wall", scene: "sawyer_push_wall_v3",
		low: []float64{-0.05, 0.6, 0.015, -0.05, 0.85, 0.01}, high: []float64{0.05, 0.65, 0.015, 0.05, 0.9, 0.02},
		apart: 0.15,
		start: middle, first: geomPart("objGeom"),
		reset: func(e *env, v []float64) {
			z := e.geom("objGeom")[2]
			e.target, e.object0 = vec3{v[3], v[4], z}, vec3{v[0], v[1], z}
			e.placeSite("goal", e.target)
			e.setObject(e.object0)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.07),
		v2: func(e *env) (float64, bool) {
			o, d := e.object(), inSpace(e)
			// The way around the wall is to its left, at the height at which the cylinder is.
			around, placed := overWall(e, vec3{-0.05, 0.77, o[2]}, vec3{3, 1, 1})
			r := 2 * grip.dense(e, o)
			if holding(e, 0.02) {
				if o[1] > 0.75 {
					r += 5 + 3*placed
				} else {
					r += 1 + 4*around
				}
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.07
		},
	}
}
