package metaworld

import "math"

func toolRows2020() []*row {
	return []*row{assembly2020(), disassemble2020(), hammer2020(), stickPush2020(), stickPull2020()}
}

// assembly2020: put a nut over a peg.
func assembly2020() *row {
	const height = 0.1
	return &row{
		name: "assembly", scene: "sawyer_assembly_peg",
		low: []float64{0, 0.6, 0.02, -0.1, 0.75, 0.1}, high: []float64{0, 0.6, 0.02, 0.1, 0.85, 0.1}, apart: 0.1,
		start: single(middle), first: seenGeom("RoundNut-8"), keeps: true,
		reset: func(e *env, v []float64) {
			e.target = point(v[3:])
			e.setToLift(point(v), "RoundNut-8", height)
			e.placeBody("peg", e.target.sub(vec3{0, 0, 0.05}))
			e.placeSite("pegTop", e.target)
		},
		v1: func(e *env) (float64, bool) { return assemblyV1(e, height) },
	}
}

// disassemble2020: take a nut off a peg. What is drawn for a goal only keeps some vectors from being used.
func disassemble2020() *row {
	const height = 0.05
	return &row{
		name: "disassemble", scene: "sawyer_assembly_peg",
		low: []float64{0.1, 0.75, 0.02, -0.1, 0.75, 0.1699}, high: []float64{0, 0.85, 0.02, 0.1, 0.85, 0.1701},
		apart: 0.1,
		start: single(middle), first: seenGeom("RoundNut-8"), keeps: true,
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target, e.mark = e.object0.add(vec3{0, 0, 0.15}), e.object0.add(vec3{0, 0, 0.03})
			e.placeBody("peg", e.mark)
			e.placeSite("pegTop", e.object0.add(vec3{0, 0, 0.08}))
			e.setObject(e.object0)
			e.height0 = e.geom("RoundNut-8")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return disassembleV1(e, height) },
	}
}

// disassembleV1 is lift with the fingers nearer; beside the peg it is as if the nut were at its target.
func disassembleV1(e *env, height float64) (float64, bool) {
	o := e.object()
	c := carrying(e, o, height, inSpace(e), 0.04)
	if nut := e.body("RoundNut"); math.Abs(nut[0]-e.mark[0]) > 0.05 || math.Abs(nut[1]-e.mark[1]) > 0.05 {
		r := 100 * c.high
		if c.up {
			r += math.Max(pull(e.span, 0), 0)
		}
		return r, true
	}
	return approach(e, 0.04, 0.04, 2) + c.pick(o, 0.04) + c.place(e, 0.03), c.d < 0.02
}

// hammer2020: hit a screw with a hammer.
func hammer2020() *row {
	const height = 0.09
	return &row{
		name: "hammer", scene: "sawyer_hammer",
		low: []float64{-0.1, 0.5, 0.02}, high: []float64{0.1, 0.6, 0.02},
		start: middle, first: part{at: func(e *env) vec3 { return e.body("hammer") }}, keeps: true,
		reset: func(e *env, v []float64) {
			screw := vec3{0.24, 0.71, 0.11}
			e.placeBody("box", vec3{0.24, 0.85, 0.05})
			e.placeBody("screw", screw)
			e.target, e.object0 = e.site("goal"), point(v)
			e.height0 = e.body("hammer")[2]
			e.setObject(e.object0)
			high, head := e.height0+height, e.siteOffset("screwHead").add(screw)
			e.span = distance(vec3{v[0], v[1], high}, head) + high + math.Abs(head[1]-e.target[1])
		},
		v1: func(e *env) (float64, bool) {
			o, screw := e.object(), e.site("screwHead")
			swing, in := distance(screw, e.geom("hammerHead")), math.Abs(screw[1]-e.target[1])
			c := carrying(e, o, height, swing, anywhere)
			c.d = swing + in
			r := -c.reach
			if c.reach < 0.05 {
				r += math.Max(e.act[3], 0) / 50
			}
			return r + c.pick(o, 0.1) + c.place(e, 0.1), in <= 0.05
		},
	}
}

// stick2020 is a stick and a container on two slides, which begin at x and y; the second is observed at a place.
func stick2020(name string, low, high []float64, container part, x, y float64) *row {
	return &row{
		name: name, scene: "sawyer_stick_obj", low: low, high: high, apart: 0.1, start: middle,
		first: part{at: func(e *env) vec3 { return e.body("stick") }}, second: container,
		reset: func(e *env, v []float64) {
			e.height0 = e.body("stick")[2]
			e.object0, e.target = vec3{v[0], v[1], 0.02}, vec3{v[3], v[4], 0.02}
			e.placeStick(x, y)
			e.measureStick()
		},
	}
}

// stickPush2020: push a container with a stick.
func stickPush2020() *row {
	w := stick2020("stick-push", []float64{-0.08, 0.58, 0.02, 0.399, 0.55, 0.0199},
		[]float64{-0.03, 0.62, 0.02, 0.401, 0.6, 0.0201},
		part{at: func(e *env) vec3 { return e.body("object") }}, 0, 0)
	w.v1 = func(e *env) (float64, bool) {
		return stickV1(e, e.container(), 0.001, 0.0001), atTarget(e, 0.1)
	}
	return w
}

// stickPull2020: pull a container with a stick through its handle.
func stickPull2020() *row {
	w := stick2020("stick-pull", []float64{-0.1, 0.55, 0.02, 0.3, 0.4, 0.0199},
		[]float64{0, 0.65, 0.02, 0.4, 0.5, 0.0201},
		seenAt("insertion"), 0, 0.09)
	w.handLow = vec3{-0.5, 0.35, 0.05}
	w.v1 = func(e *env) (float64, bool) {
		return stickV1(e, e.container(), 0.01, 0.001), atTarget(e, 0.08)
	}
	return w
}

// atTarget reports whether the container is within limit of the target in the plane, and the fingers at the stick.
func atTarget(e *env, limit float64) bool {
	return distanceXY(e.container(), e.target) <= limit && distance(e.object(), e.tcp()) <= 0.05
}
