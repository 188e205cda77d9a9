package metaworld

import "math"

func touchRows2020() []*row {
	return []*row{reach2020(), push2020(), coffeePush2020(), coffeePull2020(), buttonPress2020()}
}

// objGeom is the object of many scenes.
var objGeom = part{at: func(e *env) vec3 { return e.geom("objGeom") }}

// reachPushPickPlace is what the three families of one class have in common. Its resets draw a vector more than they use.
func reachPushPickPlace(name string) *row {
	return &row{
		name: name, scene: "sawyer_reach_push_pick_and_place",
		low: []float64{-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, high: []float64{0.1, 0.7, 0.02, 0.1, 0.9, 0.3},
		apart: 0.15, spare: 1,
		start: middle, first: objGeom,
	}
}

// reach2020: bring the fingers to a point above the table. It is measured from where they swing at the start.
func reach2020() *row {
	w := reachPushPickPlace("reach")
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
func push2020() *row {
	w := reachPushPickPlace("push")
	w.reset = func(e *env, v []float64) { e.setOnTable(v, e.geom("objGeom")[2]) }
	w.v1 = touching((*env).tcp, inPlane, 0.07)
	return w
}

// setOnTable puts the object at its start and the target at its place, both at the height at which the object lies.
func (e *env) setOnTable(v []float64, z float64) {
	e.object0, e.target = vec3{v[0], v[1], z}, vec3{v[3], v[4], z}
	e.setObject(e.object0)
	e.span = distanceXY(e.object0, e.target)
}

// coffee is a mug before a coffee machine, which stands behind the point from(v).
func coffee(name string, from func(e *env, v []float64) vec3) *row {
	return &row{
		name: name, scene: "sawyer_coffee", apart: 0.15, start: middle, first: objGeom,
		reset: func(e *env, v []float64) {
			z := e.body("obj")[2]
			e.target = vec3{v[3], v[4], z}
			machine := from(e, v).add(vec3{0, 0, 0.27})
			e.placeBody("coffee_machine", machine)
			e.placeBody("button", machine.add(vec3{0, -0.12, 0.05}))
			e.setOnTable(v, z)
		},
	}
}

// coffeePush2020: push a mug under the coffee machine.
func coffeePush2020() *row {
	w := coffee("coffee-push", func(e *env, v []float64) vec3 { return e.target.add(vec3{0, 0.1, 0}) })
	w.low, w.high = []float64{-0.1, 0.6, 0, -0.1, 0.8, -0.001}, []float64{0.1, 0.7, 0, 0.1, 0.9, 0}
	w.v1 = touching((*env).tcp, inPlane, 0.07)
	return w
}

// coffeePull2020: pull a mug away from the coffee machine. Coming near is measured to where the mug is in the plane, at the
// height that the fingers started at.
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

// buttonPress2020: press a button away from the robot.
func buttonPress2020() *row {
	return &row{
		name: "button-press", scene: "sawyer_button_press",
		low: []float64{-0.1, 0.8, 0.05}, high: []float64{0.1, 0.9, 0.05},
		start: single(middle), first: part{at: func(e *env) vec3 { return e.site("buttonStart") }},
		reset: func(e *env, v []float64) { e.setButton(v, vec3{0, -0.12, 0.07}, 1) },
		v1:    touching((*env).left, along(1), 0.02),
	}
}

// setButton places a box and its button, which is away from it by `from`, at rest, and aims at its hole along an axis.
func (e *env) setButton(v []float64, from vec3, axis int) {
	e.object0 = point(v)
	e.placeBody("box", e.object0)
	e.placeBody("button", e.object0.add(from))
	e.setSlide(0)
	e.target = e.site("hole")
	e.span = math.Abs(e.site("buttonStart")[axis] - e.target[axis])
}
