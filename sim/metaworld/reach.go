package metaworld

import "math"

func reachRows() []*row {
	return []*row{
		reach("reach", "sawyer_reach_v3",
			[]float64{-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, []float64{0.1, 0.7, 0.02, 0.1, 0.9, 0.3}),
		reach("reach-wall", "sawyer_reach_wall_v3",
			[]float64{-0.05, 0.6, 0.015, -0.05, 0.85, 0.05}, []float64{0.05, 0.65, 0.015, 0.05, 0.9, 0.3}),
		faucetOpen(), faucetClose(), drawerOpen(), doorClose(),
	}
}

// reach: bring the fingers to a point above the table. An object lies there and plays no part.
func reach(name, file string, low, high []float64) *row {
	return &row{
		name: name, scene: file, low: low, high: high, apart: 0.15, start: middle, first: freeObject,
		reset: func(e *env, v []float64) {
			e.target, e.object0 = point(v[3:]), point(v)
			e.setObject(e.object0)
			e.placeSite("goal", e.target)
			e.span = distance(e.tcp0, e.target)
		},
		v1: func(e *env) (float64, bool) {
			d := distance(e.tcp(), e.target)
			return math.Max(pull(e.span, d), 0), d <= 0.05
		},
		v2: func(e *env) (float64, bool) {
			d := distance(e.tcp(), e.target)
			return 10 * within(d, 0.05, distance(e.hand0, e.target)), d <= 0.05
		},
	}
}

// faucetOpen: turn a faucet's handle to the right. Version v2 judges a point beside the observed one.
func faucetOpen() *row {
	w := faucet("handleStartOpen", "goal_open", 0.175, vec3{-0.04, 0, 0.03})
	w.name, w.low, w.high = "faucet-open", []float64{-0.05, 0.8, 0}, []float64{0.05, 0.85, 0}
	return w
}

// faucetClose: turn it to the left. Its class computes what follows from moving the faucet before the first
// observation.
func faucetClose() *row {
	w := faucet("handleStartClose", "goal_close", -0.175, vec3{})
	w.name, w.low, w.high = "faucet-close", []float64{-0.1, 0.8, 0}, []float64{0.1, 0.85, 0}
	set := w.reset
	w.reset = func(e *env, v []float64) {
		set(e, v)
		e.forward()
	}
	return w
}

// faucet is what both have in common: the handle's site, the goal's, how far the goal is to the right of the base, and
// where version v2's point is from the observed one.
func faucet(handle, goal string, right float64, judged vec3) *row {
	return &row{
		scene: "sawyer_faucet", start: front, handLow: below(-0.15),
		first: part{
			at:   func(e *env) vec3 { return e.site(handle).add(vec3{0, 0, -0.01}) },
			turn: bodyTurn("faucetBase"),
		},
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("faucetBase", e.object0)
			e.target = e.object0.add(vec3{right, 0, 0.125})
			e.placeSite(goal, e.target)
			e.span = distance(e.target, e.object0)
		},
		v1: touching((*env).tcp, inSpace, 0.07),
		v2: func(e *env) (float64, bool) {
			o := e.object().add(judged)
			d := distance(o, e.target)
			if d <= 0.07 {
				return 10, true
			}
			turned := within(d, 0.07, math.Abs(distance(e.object0, e.target)-0.07))
			near := gauss(distance(o, e.tcp()), 0, 0.01, math.Abs(distance(e.object0, e.tcp0)-0.01))
			return 2 * (2*near + 3*turned), false
		},
	}
}

// drawerOpen: pull a drawer open by its handle.
func drawerOpen() *row {
	return &row{
		name: "drawer-open", scene: "sawyer_drawer",
		low: []float64{-0.1, 0.9, 0}, high: []float64{0.1, 0.9, 0},
		start: single(middle), first: shifted("drawer_link", vec3{0, -0.16, 0}),
		reset: func(e *env, v []float64) {
			e.object0, e.span = point(v), 0.2
			e.placeBody("drawer", e.object0)
			e.target = e.object0.add(vec3{0, -0.16 - e.span, 0.09})
			e.placeSite("goal", e.target)
		},
		v1: touching((*env).tcp, along(1), 0.03),
		v2: func(e *env) (float64, bool) {
			d := inSpace(e)
			scale := vec3{3, 3, 1}
			closed := e.target.add(vec3{0, e.span, 0})
			margin := closed.sub(e.tcp0).times(scale).norm()
			near := within(e.object().sub(e.handAt()).times(scale).norm(), 0.01, margin)
			return 5 * (near + within(d, 0.02, e.span)), d <= 0.03
		},
	}
}

// doorClose: push an open door shut.
func doorClose() *row {
	return &row{
		name: "door-close", scene: "sawyer_door_pull",
		low: []float64{0, 0.85, 0.15}, high: []float64{0.1, 0.95, 0.15},
		start: single(vec3{-0.5, 0.6, 0.2}), first: geomPart("handle"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{0.2, -0.2, 0})
			e.placeBody("door", e.object0)
			e.placeSite("goal", e.target)
			e.setHinge("doorjoint", -1.5708)
			e.span = distanceXY(e.geom("handle"), e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.08),
		v2: func(e *env) (float64, bool) {
			d := inSpace(e)
			if d < 0.05 {
				return 10, true
			}
			closed := gauss(d, 0, 0.05, distance(e.object0, e.target))
			margin := distance(e.hand0, e.object()) + 0.1
			hand := gauss(distance(e.tcp(), e.target), 0, 0.25*0.05, margin)
			return 3*hand + 6*closed, d <= 0.08
		},
	}
}
