package metaworld

import "math"

func buttonRows() []*row {
	return []*row{buttonPress(), buttonPressWall(), buttonPressTopdown(), buttonPressTopdownWall(), coffeeButton()}
}

// button is a push button on a box that is placed anew: its axis (1 or 2), where the observed point is from the
// button's body, and whether its class puts the button at rest.
func button(axis int, face vec3, rest bool) *row {
	return &row{
		start: single(front), first: shifted("button", face),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("box", e.object0)
			if rest {
				e.setSlide(0)
			} else {
				e.forward()
			}
			e.target = e.site("hole")
			e.margin = math.Abs(e.target[axis] - e.site("buttonStart")[axis])
			e.span = e.margin
		},
	}
}

// pressed is how near the fingers are to the button, how far it is pressed, and the distance left along its axis.
func pressed(e *env, axis int, radius float64) (near, in, d float64) {
	o := e.object()
	d = math.Abs(e.target[axis] - o[axis])
	near = within(distance(o, e.tcp()), radius, distance(o, e.tcp0))
	return near, within(d, 0.005, e.margin), d
}

// buttonPress: press a button away from the robot.
func buttonPress() *row {
	w := button(1, vec3{0, -0.193, 0}, true)
	w.name, w.scene = "button-press", "sawyer_button_press"
	w.low, w.high = []float64{-0.1, 0.85, 0.115}, []float64{0.1, 0.9, 0.115}
	w.v1 = touching((*env).left, along(1), 0.02)
	w.v2 = pressHorizontally
	return w
}

// pressHorizontally wants the fingers at the button with the gripper open, and it pressed within 2 cm.
func pressHorizontally(e *env) (float64, bool) {
	near, in, d := pressed(e, 1, 0.05)
	r := 2 * both(math.Max(e.opening(), 0), near)
	if distance(e.object(), e.tcp()) <= 0.05 {
		r += 8 * in
	}
	return r, d <= 0.02
}

// buttonPressWall: the same past a wall. Version v1 measures from the difference in height of button and hole, which is
// nearly zero, instead of the way to press; the Python class does.
func buttonPressWall() *row {
	w := button(1, vec3{0, -0.193, 0}, true)
	w.name, w.scene = "button-press-wall", "sawyer_button_press_wall"
	w.low, w.high = []float64{-0.05, 0.85, 0.1149}, []float64{0.05, 0.9, 0.1151}
	set := w.reset
	w.reset = func(e *env, v []float64) {
		set(e, v)
		e.span = math.Abs(e.site("buttonStart")[2] - e.target[2])
	}
	w.v1 = touching((*env).left, along(1), 0.03)
	w.v2 = func(e *env) (float64, bool) {
		near, in, d := pressed(e, 1, 0.01)
		if distance(e.object(), e.tcp()) > 0.07 {
			return 2 * both((1-e.opening())/2, near), d <= 0.03
		}
		return 2 + 2*(1+e.opening()) + 4*(in*in), d <= 0.03
	}
	return w
}

// buttonPressTopdown: press a button from above.
func buttonPressTopdown() *row {
	w := topdown(func(e *env) float64 { return 1 - e.opening() })
	w.name, w.scene = "button-press-topdown", "sawyer_button_press_topdown"
	return w
}

// buttonPressTopdownWall: the same past a wall, and with an open gripper instead of a closed one.
func buttonPressTopdownWall() *row {
	w := topdown(func(e *env) float64 { return math.Max(e.opening(), 0) })
	w.name, w.scene = "button-press-topdown-wall", "sawyer_button_press_topdown_wall"
	return w
}

func topdown(gripper func(e *env) float64) *row {
	w := button(2, vec3{0, 0, 0.193}, false)
	w.low, w.high = []float64{-0.1, 0.8, 0.115}, []float64{0.1, 0.9, 0.115}
	w.v1 = touching((*env).tcp, along(2), 0.024)
	w.v2 = func(e *env) (float64, bool) {
		near, in, d := pressed(e, 2, 0.01)
		r := 5 * both(gripper(e), near)
		if distance(e.object(), e.tcp()) <= 0.03 {
			r += 5 * in
		}
		return r, d <= 0.024
	}
	return w
}

// coffeeButton: press the button of a coffee machine. In its scene the mug's free joint is the first.
func coffeeButton() *row {
	return &row{
		name: "coffee-button", scene: "sawyer_coffee",
		low: []float64{-0.1, 0.8, -0.001}, high: []float64{0.1, 0.9, 0.001},
		start: front,
		first: part{
			at:   func(e *env) vec3 { return e.site("buttonStart") },
			turn: func(*env) quat { return quat{1, 0, 0, 0} },
		},
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("coffee_machine", e.object0)
			e.setMug(e.object0.add(vec3{0, -0.22, 0}))
			e.margin = 0.03
			e.target = e.object0.add(vec3{0, -0.22, 0.3}).add(vec3{0, e.margin, 0})
			e.span = math.Abs(e.site("buttonStart")[1] - e.target[1])
		},
		v1: touching((*env).left, along(1), 0.02),
		v2: pressHorizontally,
	}
}

// setMug puts the mug of the coffee scene at `at` and computes what follows. Of the velocities it stops those of the
// arm's joints and fingers from the fourth on, where other scenes have the object; the mug's own come first.
func (e *env) setMug(at vec3) {
	copy(e.qpos[0:3], at[:])
	clear(e.qvel[9:15])
	e.forward()
}
