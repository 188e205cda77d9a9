package metaworld

import "math"

func lockRows() []*row {
	return []*row{doorLock(), doorUnlock()}
}

// lock is a lock on a door that is placed anew.
func lock(name, site string) *row {
	return &row{
		name: name, scene: "sawyer_door_lock",
		low: []float64{-0.1, 0.8, 0.15}, high: []float64{0.1, 0.85, 0.15},
		start: single(middle), handLow: below(-0.15),
		first: part{at: sitePart(site).at, turn: bodyTurn("door_link")},
		v1:    touching((*env).tcp, inSpace, 0.02),
	}
}

// doorLock: turn the lock down. The scene takes five steps of the physics once the door is placed. Version v2 measures
// how near the left pad is in units of how far it is, so that this term is always a tenth of what it could be or full.
func doorLock() *row {
	w := lock("door-lock", "lockStartLock")
	w.reset = func(e *env, v []float64) {
		e.placeBody("door", point(v))
		e.advance(5)
		at := e.body("lock_link")
		e.target = at.add(vec3{0, -0.04, -0.1})
		e.span = distance(e.target, at)
	}
	w.v2 = func(e *env) (float64, bool) {
		o := e.object()
		pad := o.sub(point(e.leftPad)).times(vec3{0.25, 1, 0.5}).norm()
		d := math.Abs(e.target[2] - o[2])
		return 2*both(math.Max(e.opening(), 0), within(pad, 0.01, pad)) + 8*within(d, 0.005, 0.1), d <= 0.02
	}
	return w
}

// doorUnlock: push the lock to the right. Version v2 measures the start from where the lock is now.
func doorUnlock() *row {
	w := lock("door-unlock", "lockStartUnlock")
	w.reset = func(e *env, v []float64) {
		e.placeBody("door", point(v))
		e.setSlide(1.5708)
		at := e.body("lock_link")
		e.target = at.add(vec3{0.1, -0.04, 0})
		e.span = distance(e.target, at)
	}
	w.v2 = func(e *env) (float64, bool) {
		shoulder, scale := vec3{0, 0.055, 0.07}, vec3{0.25, 1, 0.5}
		o := e.object()
		away := e.handAt().add(shoulder).sub(o).times(scale).norm()
		margin := e.tcp0.add(shoulder).sub(e.body("lock_link")).times(scale).norm()
		d := math.Abs(e.target[0] - o[0])
		return 2*within(away, 0.02, margin) + 8*within(d, 0.005, 0.1), d <= 0.02
	}
	return w
}
