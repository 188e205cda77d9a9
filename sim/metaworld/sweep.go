package metaworld

import "math"

func sweepRows() []*row {
	return []*row{pushBack(), sweep(), sweepInto(), soccer()}
}

// signedCage is the caging of this group: gripping counts the pads being close to the object of the given radius, and
// only once caging is nearly complete.
type signedCage struct{ radius, slack, plane float64 }

func (c signedCage) of(e *env, o vec3) float64 {
	left, right := signedSides(e, o, c.radius, 0.05)
	caging := both(both(right, left), signedPlane(e, o, c.plane))
	gripping := 0.0
	if caging > 0.95 {
		left, right = signedSides(e, o, c.radius, c.radius+c.slack)
		gripping = both(right, left)
	}
	return (caging + gripping) / 2
}

// pushBack: pull a block towards the robot.
func pushBack() *row {
	grip := signedCage{radius: 0.007, slack: 0.003, plane: 0.01}
	return &row{
		name: "push-back", scene: "sawyer_push_back_v3",
		low: []float64{-0.1, 0.8, 0.02, -0.1, 0.6, 0.0199}, high: []float64{0.1, 0.85, 0.02, 0.1, 0.7, 0.0201},
		apart: 0.15,
		start: single(middle),
		first: geomPart("objGeom"),
		reset: func(e *env, v []float64) {
			z := e.geom("objGeom")[2]
			e.target, e.object0 = vec3{v[3], v[4], z}, vec3{v[0], v[1], z}
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.07),
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d, d0 := distance(o, e.target), distance(e.object0, e.target)
			placed := within(d, 0.05, d0)
			r := both(grip.of(e, o), placed)
			if g := e.opening(); distance(o, e.tcp()) < 0.01 && g > 0 && g < 0.55 && d0-d > 0.01 {
				r += 1 + 5*placed
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.07
		},
	}
}

// sweepV1 is touch with distances in the plane, and reward for nothing but having touched once the object has fallen.
// Success is a distance of at most limit, or having fallen.
func sweepV1(e *env, limit float64, down bool) (float64, bool) {
	o := e.object()
	reach, d := distance(o, e.tcp()), distanceXY(o, e.target)
	r := -reach
	if down {
		r, d = 0, 0
	}
	if e.touched(reach < 0.05) {
		r += math.Max(pull(e.span, d), 0)
	}
	return r, d <= limit
}

// fallen reports whether the object is 5 cm lower than it started.
func fallen(e *env) bool { return e.object()[2] < e.object0[2]-0.05 }

// inHole is fallen, where the table is.
func inHole(e *env) bool { return fallen(e) && e.object()[1] > 0.4 && e.object()[1] < 1 }

// sweep: sweep a cube off the table.
func sweep() *row {
	grip := signedCage{radius: 0.02, slack: 0.01, plane: 0.005}
	return &row{
		name: "sweep", scene: "sawyer_sweep_v3",
		low: []float64{-0.1, 0.6, 0.02}, high: []float64{0.1, 0.7, 0.02},
		start: middle,
		first: bodyPart("obj"),
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], 0.02}, vec3{0.5, v[1], 0.01}
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: func(e *env) (float64, bool) { return sweepV1(e, 0.05, fallen(e)) },
		v2: func(e *env) (float64, bool) {
			d := distance(e.object(), e.target)
			return sweepV2(e, grip, d, distance(e.object0, e.target)), d <= 0.05
		},
	}
}

// sweepV2 is the v2 reward of both sweeps with d to go, and d0 from the start.
func sweepV2(e *env, grip signedCage, d, d0 float64) float64 {
	if d < 0.05 {
		return 10
	}
	c := grip.of(e, e.object())
	return 2*c + 6*both(c, within(d, 0.05, d0))
}

// tableHole is where the table has its hole.
var tableHole = vec3{0, 0.84, 0.02}

// sweepInto: sweep a block into a hole in the table.
func sweepInto() *row {
	grip := signedCage{radius: 0.02, slack: 0.005, plane: 0.01}
	return &row{
		name: "sweep-into", scene: "sawyer_table_with_hole",
		// The last three numbers are drawn and not used: the hole stays where it is.
		low: []float64{-0.1, 0.6, 0.02, -0.001, 0.8399, 0.0199}, high: []float64{0.1, 0.7, 0.02, 0.001, 0.8401, 0.0201},
		apart: 0.15, from: tableHole[:2],
		start: middle,
		first: freeObject,
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], e.body("obj")[2]}, tableHole
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: func(e *env) (float64, bool) { return sweepV1(e, 0.05, inHole(e)) },
		v2: func(e *env) (float64, bool) {
			o := e.object()
			level := vec3{e.target[0], e.target[1], o[2]}
			d := distance(o, level)
			return sweepV2(e, grip, d, distance(e.object0, level)), d <= 0.05
		},
	}
}

// soccer: push a ball into a goal.
func soccer() *row {
	grip := signedCage{radius: 0.013, slack: 0.01, plane: 0.005}
	return &row{
		name: "soccer", scene: "sawyer_soccer",
		low: []float64{-0.1, 0.6, 0.03, -0.1, 0.8, 0}, high: []float64{0.1, 0.7, 0.03, 0.1, 0.9, 0}, apart: 0.15,
		start: middle,
		first: part{at: func(e *env) vec3 { return e.body("soccer_ball") }, turn: bodyMatTurn("soccer_ball")},
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], 0.03}, point(v[3:])
			e.placeBody("goal_whole", e.target)
			e.setObject(e.object0)
			e.span = distanceXY(e.object0, e.target)
			e.placeSite("goal", e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.07),
		v2: func(e *env) (float64, bool) {
			o := e.object()
			scale := vec3{3, 1, 1}
			d := o.sub(e.target).times(scale).norm()
			// The margin is how far the ball has come, not how far it has to go; at the start it is 0.
			placed := within(d, 0.07, o.sub(e.object0).times(scale).norm())
			if line := e.target[1] - 0.1; o[1] > line && math.Abs(o[0]-e.target[0]) > 0.1 {
				placed = clamp(placed-2*((o[1]-line)/(1-line)), 0, 1)
			}
			r := 3*grip.of(e, o) + 6.5*placed
			if d < 0.07 {
				r = 10
			}
			return r, distance(o, e.target) <= 0.07
		},
	}
}
