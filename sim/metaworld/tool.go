package metaworld

import "math"

func toolRows() []*row {
	return []*row{assembly(), disassemble(), hammer()}
}

// upright is how near the object's observed quaternion is to an ideal one: 1 there, 0 at a distance of width.
func upright(e *env, ideal quat, width float64) float64 {
	sum := 0.0
	for j, v := range ideal {
		sum += (e.now[7+j] - v) * (e.now[7+j] - v)
	}
	return math.Max(1-math.Sqrt(sum)/width, 0)
}

// alongHandle is the point of a handle along x, of the given half length, that is nearest to the hand.
func alongHandle(e *env, half float64) vec3 {
	o, hand := e.object(), e.handAt()
	if math.Abs(o[0]-hand[0]) < half {
		o[0] = hand[0]
	}
	return o
}

// The nut's handle is what is grasped; its frame is turned by a quarter about z.
var (
	nutPart = part{at: func(e *env) vec3 { return e.site("RoundNut-8") }, turn: bodyTurn("RoundNut")}
	nutTurn = quat{0.707, 0, 0, 0.707}
	nutGrip = cage{radius: 0.015, reach: 0.02, plane: 0.01}
)

// assembly: put a nut over a peg.
func assembly() *row {
	const height = 0.1
	return &row{
		name: "assembly", scene: "sawyer_assembly_peg",
		low: []float64{0, 0.6, 0.02, -0.1, 0.75, 0.1}, high: []float64{0, 0.6, 0.02, 0.1, 0.85, 0.1}, apart: 0.1,
		start: single(middle),
		first: nutPart,
		reset: func(e *env, v []float64) {
			e.object0, e.target = point(v), point(v[3:])
			e.setObject(e.object0)
			e.placeBody("peg", e.target.sub(vec3{0, 0, 0.05}))
			e.placeSite("pegTop", e.target)
			e.height0 = e.site("RoundNut-8")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return assemblyV1(e, height) },
		v2: func(e *env) (float64, bool) {
			placed, success := onPeg(e.site("RoundNut"), e.target)
			if success {
				return 10, true
			}
			return (2*nutGrip.medium(e, alongHandle(e, 0.01), 0.01) + 6*placed) * upright(e, nutTurn, 0.4), false
		},
	}
}

// onPeg says how near the nut's centre is to being over the peg, above a floor that falls towards the peg, and whether
// it is there.
func onPeg(centre, top vec3) (placed float64, success bool) {
	off := top.sub(centre)
	radius := math.Sqrt(off[0]*off[0] + off[1]*off[1])
	success = radius < 0.02 && off[2] > 0
	near := 0.01
	if success {
		near = 0.02
	}
	off[2] = floorAbove(radius, near, 0.02, 0.2) - centre[2]
	return 0.1*bonus(centre[2] > 0.02 || radius < near) + 0.9*within(off.times(vec3{1, 1, 3}).norm(), 0.02, 0.4),
		success
}

// assemblyV1 is like lift with the nut's body for the object and its handle for what is grasped; distances are in the
// plane until the nut is over the peg.
func assemblyV1(e *env, height float64) (float64, bool) {
	handle, nut := e.object(), e.body("RoundNut")
	reach, d := distance(handle, e.tcp()), distanceXY(nut, e.target)
	high := e.height0 + height
	down := math.Abs(nut[2] - e.height0)
	over := math.Abs(nut[0]-e.target[0]) < 0.03 && math.Abs(nut[1]-e.target[1]) < 0.03
	dropped := nut[2] < e.height0+0.005 && d > 0.02 && reach > 0.02
	held := e.lifted(nut[2] >= high-0.01 && reach < 0.03) && !dropped
	r := approach(e, 0.04, 0.04, 1)
	switch {
	case over || held:
		r += 100 * high
	case reach < 0.04 && nut[2] > e.height0+0.005:
		r += 100 * math.Min(high, nut[2])
	}
	if over || held && reach < 0.04 {
		place := pull(e.span, d)
		if over {
			place += 2000*(high-down) + 2000*(math.Exp(-(down*down)/0.003)+math.Exp(-(down*down)/0.0003))
		}
		r += math.Max(place, 0)
	}
	return r, over && down <= 0.04
}

// disassemble: take a nut off a peg.
func disassemble() *row {
	const height = 0.05
	success := func(e *env) bool { return e.object()[2] > e.target[2] }
	return &row{
		name: "disassemble", scene: "sawyer_assembly_peg",
		// The last three numbers only keep some vectors from being used.
		low: []float64{0, 0.6, 0.025, -0.1, 0.6, 0.1699}, high: []float64{0.1, 0.75, 0.02501, 0.1, 0.75, 0.1701},
		apart: 0.1,
		start: single(front),
		first: nutPart,
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target, e.mark = e.object0.add(vec3{0, 0, 0.15}), e.object0.add(vec3{0, 0, 0.03})
			e.placeBody("peg", e.mark)
			e.placeSite("pegTop", e.object0.add(vec3{0, 0, 0.08}))
			e.forward()
			e.setObject(e.object0)
			e.height0 = e.body("RoundNut")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) {
			o := e.object()
			c := carrying(e, o, height, distance(o, e.target), 0.04)
			if nut := e.body("RoundNut"); math.Abs(nut[0]-e.mark[0]) > 0.05 || math.Abs(nut[1]-e.mark[1]) > 0.05 {
				return 100*c.high + c.place(e, 0.03), success(e) // beside the peg
			}
			return approach(e, 0.04, 0.04, 2) + c.pick(o, 0.04) + c.place(e, 0.03), success(e)
		},
		v2: func(e *env) (float64, bool) {
			if success(e) {
				return 10, true
			}
			centre := e.site("RoundNut")
			off := distance(e.target.add(vec3{0, 0, 0.1}), centre)
			placed := 0.1*bonus(centre[2] > 0.02) + 0.9*within(off, 0.02, 0.2)
			return (2*nutGrip.dense(e, alongHandle(e, 0.01)) + 6*placed) * upright(e, nutTurn, 0.4), false
		},
	}
}

// hammer: hit a nail with a hammer.
func hammer() *row {
	const height = 0.09
	grip := cage{radius: 0.015, reach: 0.02, plane: 0.01}
	success := func(e *env) bool { return e.joint("NailSlideJoint") > 0.09 }
	return &row{
		name: "hammer", scene: "sawyer_hammer",
		low: []float64{-0.1, 0.4, 0}, high: []float64{0.1, 0.5, 0},
		start: front,
		first: bodyPart("hammer"), second: bodyPart("nail_link"),
		reset: func(e *env, v []float64) {
			e.placeBody("box", vec3{0.24, 0.85, 0})
			e.target, e.object0 = e.site("goal"), point(v)
			e.setObject(e.object0)
			e.height0 = e.body("hammer")[2]
			high := e.height0 + height
			e.span = math.Abs(high-e.object0[2]) + high + math.Abs(e.object0[1]-e.target[1])
		},
		v1: func(e *env) (float64, bool) {
			o, nail := e.object(), e.site("nailHead")
			swing := distance(nail, e.geom("HammerHead"))
			c := carrying(e, o, height, swing, anywhere)
			c.d = swing + math.Abs(nail[1]-e.target[1])
			r := -c.reach
			if c.reach < 0.05 {
				r += math.Max(e.act[3], 0) / 50
			}
			return r + c.pick(o, 0.1) + c.place(e, 0.1), success(e)
		},
		v2: func(e *env) (float64, bool) {
			head := e.object().add(vec3{0.16, 0.06, 0})
			placed := 0.1*bonus(head[2] > 0.02) + 0.9*within(distance(e.target, head), 0.02, 0.2)
			r := (2*grip.dense(e, alongHandle(e, 0.07)) + 6*placed) * upright(e, quat{1, 0, 0, 0}, 0.4)
			if success(e) && r > 5 {
				r = 10
			}
			return r, success(e)
		},
	}
}
