package metaworld

import "math"

func touchRows2020() []*row {
	return []*row{
		reach2020("reach", plain), reach2020("reach-wall", walled), push2020("push", plain),
		push2020("push-wall", walled),
		pushBack2020(), soccer2020(), sweep2020(), sweepInto2020(), coffeePush2020(), coffeePull2020(),
		handInsert2020(),
		plate2020("plate-slide", "sawyer_plate_slide", []float64{0, 0.6, 0.015, -0.1, 0.85, 0.02},
			[]float64{0, 0.6, 0.015, 0.1, 0.9, 0.02}, 0, 0),
		plate2020("plate-slide-side", "sawyer_plate_slide_sideway", []float64{0, 0.6, 0.015, -0.3, 0.6, 0.02},
			[]float64{0, 0.6, 0.015, -0.25, 0.7, 0.02}, 0, 0),
		plate2020("plate-slide-back", "sawyer_plate_slide", []float64{0, 0.85, 0.02, -0.1, 0.6, 0.015},
			[]float64{0, 0.85, 0.02, 0.1, 0.6, 0.015}, 0, 0.2),
		plate2020("plate-slide-back-side", "sawyer_plate_slide_sideway", []float64{-0.25, 0.6, 0.02, -0.1, 0.6, 0.015},
			[]float64{-0.25, 0.6, 0.02, 0.1, 0.6, 0.015}, -0.2, 0),
	}
}

// objGeom is the object of many scenes.
var objGeom = part{at: func(e *env) vec3 { return e.geom("objGeom") }}

// plain and walled are what reaching, pushing and lifting in front of a wall and without one do not have in common. The
// resets of the class without a wall draw a vector more than they use.
func plain() *row {
	return &row{
		scene: "sawyer_reach_push_pick_and_place",
		low:   []float64{-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, high: []float64{0.1, 0.7, 0.02, 0.1, 0.9, 0.3},
		apart: 0.15, spare: 1, start: middle, first: objGeom,
	}
}

func walled() *row {
	return &row{
		scene: "sawyer_reach_push_pick_and_place_wall",
		low:   []float64{-0.05, 0.6, 0.015, -0.05, 0.85, 0.05}, high: []float64{0.05, 0.65, 0.015, 0.05, 0.9, 0.3},
		apart: 0.15, start: middle, first: objGeom,
	}
}

// reach2020: bring the fingers to a point above the table. It is measured from where they swing at the start.
func reach2020(name string, made func() *row) *row {
	w := made()
	w.name = name
	w.reset = func(e *env, v []float64) {
		e.object0, e.target = point(v), point(v[3:])
		e.setObject(e.object0)
		e.span = distance(e.tcp0, e.target)
	}
	w.v1 = func(e *env) (float64, bool) {
		d := distance(e.tcp(), e.target)
		return math.Max(pull(e.span, d), 0), d <= 0.05
	}
	return w
}

// push2020: push a cylinder over the table to a point.
func push2020(name string, made func() *row) *row {
	w := made()
	w.name = name
	w.reset = func(e *env, v []float64) { e.setOnTable(v, e.geom("objGeom")[2]) }
	w.v1 = touching((*env).tcp, inPlane, 0.07)
	return w
}

// setOnTable puts the object at its start and the target at its place, both at height z.
func (e *env) setOnTable(v []float64, z float64) {
	e.object0, e.target = vec3{v[0], v[1], z}, vec3{v[3], v[4], z}
	e.setObject(e.object0)
	e.span = distanceXY(e.object0, e.target)
}

// pushBack2020: pull a block towards the robot.
func pushBack2020() *row {
	return &row{
		name: "push-back", scene: "sawyer_push_back",
		low: []float64{-0.1, 0.8, 0.02, -0.1, 0.6, 0.0199}, high: []float64{0.1, 0.85, 0.02, 0.1, 0.7, 0.0201},
		apart: 0.15,
		start: single(middle), first: objGeom,
		reset: func(e *env, v []float64) { e.setOnTable(v, e.geom("objGeom")[2]) },
		v1:    dragV1,
	}
}

// soccer2020: push a ball into a goal.
func soccer2020() *row {
	return &row{
		name: "soccer", scene: "sawyer_soccer",
		low: []float64{-0.1, 0.6, 0.03, -0.1, 0.8, 0.03}, high: []float64{0.1, 0.7, 0.03, 0.1, 0.9, 0.03}, apart: 0.15,
		start: middle, first: objGeom,
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], e.geom("objGeom")[2]}, point(v[3:])
			e.placeBody("goal_whole", e.target)
			e.setObject(e.object0)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.07),
	}
}

// sweep2020: sweep a cube off the table.
func sweep2020() *row {
	return &row{
		name: "sweep", scene: "sawyer_sweep",
		low: []float64{-0.1, 0.6, 0.02}, high: []float64{0.1, 0.7, 0.02},
		start: middle, first: objGeom,
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], 0.02}, vec3{1, v[1], -0.3}
			e.setObject(e.object0)
			e.span = distanceXY(e.geom("objGeom"), e.target)
		},
		v1: func(e *env) (float64, bool) { return sweepV1(e, 0.05, fallen(e)) },
	}
}

// sweepInto2020: sweep a block into a hole in the table. What is drawn for the hole is not used.
func sweepInto2020() *row {
	return &row{
		name: "sweep-into", scene: "sawyer_table_with_hole",
		low: []float64{-0.1, 0.6, 0.02, -0.001, 0.8399, 0.0199}, high: []float64{0.1, 0.7, 0.02, 0.001, 0.8401, 0.0201},
		apart: 0.15, from: tableHole[:2],
		start: middle, first: objGeom,
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], e.geom("objGeom")[2]}, tableHole
			e.setObject(e.object0)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: func(e *env) (float64, bool) { return sweepV1(e, 0.08, inHole(e)) },
	}
}

// coffee is a mug before a coffee machine, which stands behind the point from(v).
func coffee(name string, from func(e *env, v []float64) vec3) *row {
	return &row{
		name: name, scene: "sawyer_coffee", apart: 0.15, start: middle, first: objGeom,
		reset: func(e *env, v []float64) {
			z := e.body("obj")[2]
			e.target = vec3{v[3], v[4], z}
			e.placeCoffeeMachine(from(e, v).add(vec3{0, 0, 0.27}))
			e.setOnTable(v, z)
		},
	}
}

// placeCoffeeMachine places the machine and its button.
func (e *env) placeCoffeeMachine(at vec3) {
	e.placeBody("coffee_machine", at)
	e.placeBody("button", at.add(vec3{0, -0.12, 0.05}))
}

// coffeePush2020: push a mug under the coffee machine.
func coffeePush2020() *row {
	w := coffee("coffee-push", func(e *env, v []float64) vec3 { return e.target.add(vec3{0, 0.1, 0}) })
	w.low, w.high = []float64{-0.1, 0.6, 0, -0.1, 0.8, -0.001}, []float64{0.1, 0.7, 0, 0.1, 0.9, 0}
	w.v1 = touching((*env).tcp, inPlane, 0.07)
	return w
}

// coffeePull2020: pull a mug away from the coffee machine. Coming near is measured to where the mug is in the plane, at
// the height that the fingers started at.
func coffeePull2020() *row {
	w := coffee("coffee-pull", func(e *env, v []float64) vec3 { return point(v).add(vec3{0, 0.15, 0}) })
	w.low, w.high = []float64{-0.05, 0.75, 0, -0.1, 0.6, -0.001}, []float64{0.05, 0.8, 0, 0.1, 0.7, 0}
	w.v1 = func(e *env) (float64, bool) {
		o, finger := e.object(), e.tcp()
		reach, d := distance(o, finger), inPlane(e)
		r := -distance(vec3{o[0], o[1], e.tcp0[2]}, finger)
		if r > -0.05 {
			r = -reach + 0.1
			if reach < 0.05 {
				r += math.Max(e.act[3], 0) / 50
			}
		}
		if reach < 0.05 {
			r += math.Max(pull(e.span, d), 0)
		}
		return r, d <= 0.07
	}
	return w
}

// handInsert2020: bring the hand into a hole in the table.
func handInsert2020() *row {
	return &row{
		name: "hand-insert", scene: "sawyer_table_with_hole",
		low: []float64{-0.1, 0.6, 0.02, -0.04, 0.8, -0.0801}, high: []float64{0.1, 0.7, 0.02, 0.04, 0.88, -0.0799},
		apart: 0.15,
		start: single(middle), handLow: below(-0.15), first: objGeom,
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], e.geom("objGeom")[2]}, point(v[3:])
			e.setObject(e.object0)
			e.span = math.Abs(e.hand0[2] - e.target[2])
		},
		v1: func(e *env) (float64, bool) {
			r, plane := insertV1(e)
			return r, plane <= 0.05
		},
	}
}

// plate2020: slide a puck on two slides, which begin at x and y, to a point: into a cabinet, or out of one.
func plate2020(name, file string, low, high []float64, x, y float64) *row {
	into := x == 0 && y == 0
	limit := 0.07
	if into {
		limit = 0.08
	}
	return &row{
		name: name, scene: file, low: low, high: high, start: single(middle), first: objGeom,
		reset: func(e *env, v []float64) {
			e.object0, e.target = point(v), point(v[3:])
			if into {
				e.placeBody("cabinet", e.target)
				e.span = distanceXY(e.object0, e.target)
			} else {
				e.placeBody("cabinet", e.object0)
			}
			e.qpos[9], e.qpos[10] = x, y // without stopping it
			e.forward()
			if !into {
				e.span = distanceXY(e.geom("objGeom"), e.target)
			}
		},
		v1: touching((*env).tcp, inPlane, limit),
	}
}
