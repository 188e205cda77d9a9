package metaworld

import "math"

func stickRows() []*row {
	return []*row{stickPush(), stickPull()}
}

// stickPart is the stick; the container is shown as a point without an orientation.
var stickPart = part{at: func(e *env) vec3 { return e.body("stick") }, turn: bodyMatTurn("stick")}

// container is the observed position of the second object.
func (e *env) container() vec3 { return point(e.now[11:14]) }

// setStick is the reset of both families.
func (e *env) setStick(x, y float64) {
	e.placeStick(x, y)
	e.height0 = e.body("stick")[2]
	e.measureStick()
}

// placeStick puts the stick at its start, at rest, and the container's two slides at x and y. mark becomes where the
// container then is.
func (e *env) placeStick(x, y float64) {
	e.setObject(e.object0)
	e.qpos[16], e.qpos[17] = x, y
	e.qvel[16] = 0 // the Python class stops one slide: its indices are those of qpos
	e.forward()
	e.mark = e.body("object")
}

// measureStick measures what rewards remember of the reset, but for height0.
func (e *env) measureStick() {
	e.span = distance(vec3{e.mark[0], e.mark[1], e.height0 + stickHeight}, e.object0) + e.height0 + stickHeight
	e.margin = distanceXY(e.mark, e.target)
}

const stickHeight = 0.04 // how far v1 rewards want the stick lifted

// misread is what the Python class of the release reads in place of the container: the stick's height and the first two
// numbers of its quaternion.
func (e *env) misread() vec3 { return point(e.now[6:9]) }

// stickV1 is the v1 reward of both families: lift the stick, bring it to the container, and, once it is within 5 cm,
// the container to the target. near and far are the widths of the last term.
func stickV1(e *env, container vec3, far, near float64) float64 {
	o := e.object()
	d := distanceXY(container, e.target)
	c := carrying(e, o, stickHeight, d, anywhere)
	r := -c.reach
	if c.reach < 0.05 {
		r += math.Max(e.act[3], 0) / 50
	}
	r += c.pick(o, 0.1)
	if c.held && c.reach < 0.1 {
		gap := distance(container, o)
		place := pull(e.span, gap)
		if gap < 0.05 {
			place += 1000*(e.margin-d) + 2000*(math.Exp(-(d*d)/far)+math.Exp(-(d*d)/near))
		}
		r += math.Max(place, 0)
	}
	return r
}

// stickPush: push a container with a stick.
func stickPush() *row {
	grip := cage{radius: 0.04, reach: 0.05, plane: 0.01}
	return &row{
		name: "stick-push", scene: "sawyer_stick_obj",
		low: []float64{-0.08, 0.58, 0, 0.399, 0.55, 0.1319}, high: []float64{-0.03, 0.62, 0.001, 0.401, 0.6, 0.1321},
		apart: 0.1,
		start: middle,
		first: stickPart,
		second: part{
			at:   func(e *env) vec3 { return e.site("insertion").add(vec3{0, 0.09, 0}) },
			turn: noTurn,
		},
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], 0.02}, vec3{v[3], v[4], e.site("insertion")[2]}
			e.setStick(0, 0)
			e.placeSite("goal", e.target)
		},
		// Success needs an open gripper, which the Python class passes on in version 2 only.
		v1: func(e *env) (float64, bool) { return stickV1(e, e.misread(), 0.001, 0.0001), false },
		v2: func(e *env) (float64, bool) {
			const radius = 0.12
			stick := e.object().add(vec3{0.015, 0, 0})
			d := distance(e.container(), e.target)
			success := d <= radius && e.opening() > 0 && raised(e, 0.01) && e.pinched("objGeom")
			if distance(stick, e.tcp()) < 0.02 && e.opening() > 0 && stick[2]-0.01 > e.object0[2] {
				if d <= radius {
					return 10, success
				}
				return 2 + 5*within(distance(stick, e.target), radius, distance(e.object0, e.target)-radius) +
					3*within(d, radius, distance(e.mark, e.target)-radius), success
			}
			return grip.dense(e, stick), success
		},
	}
}

// pinched reports whether both pads press on a geom.
func (e *env) pinched(geom string) bool {
	g := e.id(geoms, geom)
	press := func(pad string) bool { return e.chunk().Touch(e.i, e.id(geoms, pad), g) > 0 }
	return press("leftpad_geom") && press("rightpad_geom")
}

// stickPull: pull a container with a stick through its handle.
func stickPull() *row {
	grip := cage{radius: 0.014, reach: 0.05, plane: 0.01, from: func(e *env) vec3 { return e.mark }}
	return &row{
		name: "stick-pull", scene: "sawyer_stick_obj",
		low: []float64{-0.1, 0.55, 0, 0.35, 0.45, 0.0199}, high: []float64{0, 0.65, 0.001, 0.45, 0.55, 0.0201},
		apart: 0.1,
		start: middle, handLow: vec3{-0.5, 0.35, 0.05},
		first:  stickPart,
		second: sitePart("insertion"),
		reset: func(e *env, v []float64) {
			e.object0, e.target = vec3{v[0], v[1], 0.02}, vec3{v[3], v[4], 0.02}
			e.setStick(0, 0.09)
			e.placeSite("goal", e.target)
		},
		v1: func(e *env) (float64, bool) { return stickV1(e, e.misread(), 0.01, 0.001), pulled(e) },
		v2: func(e *env) (float64, bool) {
			o, handle := e.object(), e.container()
			ahead, scale := vec3{0.05, 0, 0}, vec3{1, 1, 2}
			at := within(o.sub(handle.add(ahead)).times(scale).norm(), 0.05,
				e.object0.sub(e.mark.add(ahead)).times(scale).norm())
			grasped := distance(o, e.tcp()) < 0.02 && e.opening() > 0 && raised(e, 0.01)
			switch {
			case !grasped:
				return both(grip.dense(e, o), at), pulled(e)
			case pulled(e):
				return 10, true
			case inserted(e):
				return 6 + both(1, at) + 2*within(distance(o, e.target), 0.05, distance(e.object0, e.target)) +
					within(distance(handle.add(ahead), e.target), 0.05, distance(e.mark, e.target)), false
			}
			return 1 + both(1, at) + 5*at, false
		},
	}
}

// inserted reports whether the stick's end is in the container's handle.
func inserted(e *env) bool {
	end, handle := e.site("stick_end"), e.container()
	return end[0] >= handle[0] && math.Abs(end[1]-handle[1]) <= 0.04 && math.Abs(end[2]-handle[2]) <= 0.06
}

// pulled reports whether the container is at the target with the stick in its handle.
func pulled(e *env) bool { return distance(e.container(), e.target) <= 0.12 && inserted(e) }
