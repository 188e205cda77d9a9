package metaworld

import "math"

func mugRows() []*row {
	return []*row{coffeePush(), coffeePull()}
}

// mugPart is the mug; its free joint comes first in qpos.
func mugPart() part {
	return part{at: func(e *env) vec3 { return e.body("obj") }, turn: geomTurn("mug")}
}

// mugV2 is the v2 reward of both families.
func mugV2(e *env) (float64, bool) {
	grip := cage{radius: 0.02, reach: 0.05, plane: 0.05, effort: 0.7}
	o := e.object()
	to := func(o vec3) float64 { return o.sub(e.target).times(vec3{2, 2, 1}).norm() }
	placed := within(to(o), 0.05, to(e.object0))
	r := both(grip.medium(e, o, 0.04), placed)
	if holding(e, 0.04) {
		r += 1 + 5*placed
	}
	if to(o) < 0.05 {
		r = 10
	}
	return r, inSpace(e) <= 0.07
}

// coffeePush: push a mug under the coffee machine.
func coffeePush() *row {
	return &row{
		name: "coffee-push", scene: "sawyer_coffee",
		low: []float64{-0.1, 0.55, -0.001, -0.05, 0.7, -0.001}, high: []float64{0.1, 0.65, 0.001, 0.05, 0.75, 0.001},
		apart: 0.15,
		start: front,
		first: mugPart(),
		reset: func(e *env, v []float64) {
			e.object0, e.target = point(v), point(v[3:])
			e.setMug(e.object0)
			e.placeBody("coffee_machine", e.target.add(vec3{0, 0.22, 0}))
			e.placeSite("mug_goal", e.target)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: func(e *env) (float64, bool) {
			return touch(e, e.tcp(), inPlane(e)), inSpace(e) <= 0.07
		},
		v2: mugV2,
	}
}

// coffeePull: pull a mug away from the coffee machine.
func coffeePull() *row {
	return &row{
		name: "coffee-pull", scene: "sawyer_coffee",
		low: []float64{-0.05, 0.7, -0.001, -0.1, 0.55, -0.001}, high: []float64{0.05, 0.75, 0.001, 0.1, 0.65, 0.001},
		apart: 0.15,
		start: front,
		first: mugPart(),
		reset: func(e *env, v []float64) {
			e.object0, e.target = point(v), point(v[3:])
			e.setMug(e.object0)
			e.placeBody("coffee_machine", e.object0.add(vec3{0, 0.22, 0}))
			e.placeSite("mug_goal", e.target)
			e.span = distanceXY(e.object0, e.target)
		},
		v1: func(e *env) (float64, bool) {
			o := e.object()
			reach := distance(o, e.tcp())
			// The Python class measures from the origin here where it means the fingers, with the height they started
			// at. As that is above 5 cm, what it rewards within 5 cm never comes.
			r := -vec3{o[0], o[1], e.tcp0[2]}.norm()
			if reach < 0.05 {
				r += math.Max(pull(e.span, inPlane(e)), 0)
			}
			return r, inSpace(e) <= 0.07
		},
		v2: mugV2,
	}
}
