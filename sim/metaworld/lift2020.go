package metaworld

func liftRows2020() []*row {
	return []*row{pickPlace2020()}
}

// pickPlace2020: lift an object to a point above the table.
func pickPlace2020() *row {
	w := reachPushPickPlace("pick-place")
	w.reset = func(e *env, v []float64) {
		e.object0, e.target = point(v), point(v[3:])
		e.height0 = e.geom("objGeom")[2]
		e.setObject(e.object0)
		e.span = carrySpan(e, 0.04)
	}
	w.v1 = func(e *env) (float64, bool) { return liftOnce(e, 0.04, 2), inSpace(e) <= 0.07 }
	return w
}

// liftOnce is lift with what the first lift has reached kept for the episode.
func liftOnce(e *env, height, weight float64) float64 {
	o := e.object()
	c := carrying(e, o, height, inSpace(e)).latch(e)
	return approach(e, 0.05, 0.05, weight) + c.pick(o, 0.1) + c.place(e, 0.1)
}
