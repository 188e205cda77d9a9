package metaworld

import "math"

func reachRows() []*row {
	return []*row{reachRow(), doorOpen(), drawerOpen()}
}

// reachRow: bring the fingers to a point above the table; an object lies there and plays no part.
func reachRow() *row {
	return &row{
		name: "reach", scene: "sawyer_reach_v3",
		low: []float64{-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, high: []float64{0.1, 0.7, 0.02, 0.1, 0.9, 0.3}, apart: 0.15,
		start: middle,
		first: part{at: bodyPart("obj").at, turn: geomTurn("objGeom")},
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
			return 10 * within(d, 0.05, distance(e.batch.row.start, e.target)), d <= 0.05
		},
	}
}

// drawerOpen: pull a drawer open by its handle.
func drawerOpen() *row {
	return &row{
		name: "drawer-open", scene: "sawyer_drawer",
		low: []float64{-0.1, 0.9, 0}, high: []float64{0.1, 0.9, 0},
		start: single(middle),
		first: part{
			at:   func(e *env) vec3 { return e.body("drawer_link").add(vec3{0, -0.16, 0}) },
			turn: bodyTurn("drawer_link"),
		},
		reset: func(e *env, v []float64) {
			e.object0, e.span = point(v), 0.2
			e.placeBody("drawer", e.object0)
			e.target = e.object0.add(vec3{0, -0.16 - e.span, 0.09})
			e.placeSite("goal", e.target)
		},
		v1: func(e *env) (float64, bool) {
			d := math.Abs(e.object()[1] - e.target[1])
			return touch(e, e.tcp(), d), d <= 0.03
		},
		v2: func(e *env) (float64, bool) {
			d := distance(e.object(), e.target)
			scale := vec3{3, 3, 1}
			closed := e.target.add(vec3{0, e.span, 0})
			margin := closed.sub(e.tcp0).times(scale).norm()
			near := within(e.object().sub(e.handAt()).times(scale).norm(), 0.01, margin)
			return 5 * (near + within(d, 0.02, e.span)), d <= 0.03
		},
	}
}
