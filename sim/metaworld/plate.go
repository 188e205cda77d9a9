package metaworld

func plateRows() []*row {
	return []*row{plateSlide(), plateSlideSide(), plateSlideBack(), plateSlideBackSide()}
}

// plate is a plate on two slides; the task vector is where it starts, which is fixed, and where it should go.
func plate(name, file string) *row {
	return &row{
		name: name, scene: file, start: single(middle), first: geomPart("puck"),
		v1: touching((*env).tcp, inPlane, 0.07),
		v2: slidePlate,
	}
}

// setPlate moves the plate along its slides, without stopping it, and computes what follows.
func (e *env) setPlate(x, y float64) {
	e.qpos[9], e.qpos[10] = x, y
	e.forward()
	e.placeSite("goal", e.target)
}

// plateSlide: push it away from the robot into a net.
func plateSlide() *row {
	w := plate("plate-slide", "sawyer_plate_slide")
	w.low, w.high = []float64{0, 0.6, 0, -0.1, 0.85, 0}, []float64{0, 0.6, 0, 0.1, 0.9, 0}
	w.reset = func(e *env, v []float64) {
		e.object0, e.target = point(v), point(v[3:])
		e.placeBody("puck_goal", e.target)
		e.setPlate(0, 0)
		e.span = distanceXY(e.object0, e.target)
	}
	w.v2 = func(e *env) (float64, bool) {
		d := inSpace(e)
		if d < 0.05 {
			return 10, true
		}
		slid := within(d, 0.05, distance(e.object0, e.target))
		near := within(distance(e.tcp(), e.object()), 0.05, distance(e.tcp0, e.object0))
		return 8 * both(near, slid), d <= 0.07
	}
	return w
}

// plateSlideSide: push it to the left. Its class and that of plate-slide-back mean to move the net too and do not: they
// write the position that MuJoCo computes.
func plateSlideSide() *row {
	w := plate("plate-slide-side", "sawyer_plate_slide_sideway")
	w.low, w.high = []float64{0, 0.6, 0, -0.3, 0.54, 0}, []float64{0, 0.6, 0, -0.25, 0.66, 0}
	w.reset = func(e *env, v []float64) {
		e.object0, e.target = point(v), point(v[3:])
		e.setPlate(0, 0)
		e.span = distanceXY(e.object0, e.target)
	}
	return w
}

// plateSlideBack: pull it towards the robot out of the net.
func plateSlideBack() *row {
	w := plate("plate-slide-back", "sawyer_plate_slide")
	w.low, w.high = []float64{0, 0.85, 0, -0.1, 0.6, 0.015}, []float64{0, 0.85, 0, 0.1, 0.6, 0.015}
	w.reset = func(e *env, v []float64) {
		e.object0, e.target = point(v), point(v[3:])
		e.setPlate(0, 0.15)
		e.span = distanceXY(e.geom("puck"), e.target)
	}
	return w
}

// plateSlideBackSide: pull it to the right out of the net.
func plateSlideBackSide() *row {
	w := plate("plate-slide-back-side", "sawyer_plate_slide_sideway")
	w.low, w.high = []float64{-0.25, 0.6, 0, -0.05, 0.6, 0.015}, []float64{-0.25, 0.6, 0, 0.15, 0.6, 0.015}
	w.reset = func(e *env, v []float64) {
		e.object0, e.target = point(v), point(v[3:])
		e.placeBody("puck_goal", e.object0)
		e.setPlate(-0.15, 0)
		e.span = distanceXY(e.geom("puck"), e.target)
	}
	return w
}

// slidePlate is the v2 reward of the other three: come near, then slide with the fingers down on the plate.
func slidePlate(e *env) (float64, bool) {
	d := inSpace(e)
	if d < 0.05 {
		return 10, true
	}
	tcp := e.tcp()
	away := distance(tcp, e.object())
	if tcp[2] <= 0.03 && away < 0.07 {
		return 2 + 7*within(d, 0.05, distance(e.object0, e.target)-0.05), d <= 0.07
	}
	return 1.5 * within(away, 0.05, distance(e.tcp0, e.object0)-0.05), d <= 0.07
}
