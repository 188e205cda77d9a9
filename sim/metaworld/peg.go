package metaworld

import "math"

func pegRows() []*row {
	return []*row{pegInsertSide(), pegUnplugSide()}
}

// pegInsertSide: put a peg into a hole from the side.
func pegInsertSide() *row {
	const height = 0.11
	return &row{
		name: "peg-insert-side", scene: "sawyer_peg_insertion_side",
		low: []float64{0, 0.5, 0.02, -0.35, 0.4, -0.001}, high: []float64{0.2, 0.7, 0.02, -0.25, 0.7, 0.001},
		apart: 0.1,
		start: middle,
		first: part{at: func(e *env) vec3 { return e.site("pegGrasp") }, turn: siteTurn("pegGrasp")},
		reset: func(e *env, v []float64) {
			e.object0, e.mark = point(v), e.site("pegHead")
			e.setObject(e.object0)
			box := point(v[3:])
			e.placeBody("box", box)
			e.target = box.add(vec3{0.03, 0, 0.13})
			e.placeSite("goal", e.target)
			e.height0 = e.body("peg")[2]
			e.span = carrySpan(e, height)
		},
		v1: func(e *env) (float64, bool) { return pegInsertV1(e, height) },
		v2: pegInsertV2,
	}
}

// pegInsertV1 is lift with the peg's head showing the way until it is there.
func pegInsertV1(e *env, height float64) (float64, bool) {
	o, head := e.object(), distance(e.site("pegHead"), e.target)
	d := distance(o, e.target)
	c := carrying(e, o, height, d, anywhere)
	if head > 0.05 {
		c.d = head
	}
	return approach(e, 0.05, 0.05, 1) + c.pick(o, 0.1) + c.place(e, 0.1), d <= 0.07
}

func pegInsertV2(e *env) (float64, bool) {
	grip := cage{radius: 0.0075, reach: 0.03, plane: 0.005}
	head := e.site("pegHead")
	to := func(head vec3) float64 { return head.sub(e.target).times(vec3{1, 2, 2}).norm() }
	d := to(head)
	free := both(
		inPrism(head, e.site("bottom_right_corner_collision_box_2"), e.site("top_left_corner_collision_box_2")),
		inPrism(head, e.site("bottom_right_corner_collision_box_1"), e.site("top_left_corner_collision_box_1")))
	placed := both(within(d, 0.07, to(e.mark)), free)
	var r float64
	if holding(e, 0.08) && raised(e, 0.01) {
		r = both(1, placed) + 1 + 5*placed
	} else {
		r = both(grip.dense(e, e.object()), placed)
	}
	if d <= 0.07 {
		r = 10
	}
	return r, d <= 0.07
}

// inPrism is 1 outside the box between two corners; inside it grows from 0 at one corner to 1 at the other.
func inPrism(p, zero, one vec3) float64 {
	product := 1.0
	for j := range p {
		if p[j] < math.Min(zero[j], one[j]) || p[j] > math.Max(zero[j], one[j]) {
			return 1
		}
		product *= (p[j] - zero[j]) / (one[j] - zero[j])
	}
	return product
}

// pegUnplugSide: pull a peg out of a hole to the side.
func pegUnplugSide() *row {
	grip := cage{radius: 0.025, reach: 0.05, plane: 0.005, effort: 0.8}
	return &row{
		name: "peg-unplug-side", scene: "sawyer_peg_unplug_side",
		low: []float64{-0.25, 0.6, -0.001}, high: []float64{-0.15, 0.8, 0.001},
		start: middle,
		first: part{at: func(e *env) vec3 { return e.site("pegEnd") }, turn: bodyTurn("plug1")},
		reset: func(e *env, v []float64) {
			box := point(v)
			e.placeBody("box", box)
			plug := box.add(vec3{0.044, 0, 0.131})
			copy(e.qpos[9:12], plug[:])
			copy(e.qpos[12:16], []float64{1, 0, 0, 0})
			clear(e.qvel[9:12]) // it may go on turning
			e.forward()
			e.object0 = e.site("pegEnd")
			e.target = plug.add(vec3{0.15, 0, 0})
			e.placeSite("goal", e.target)
			e.span = distance(e.target, e.object0)
		},
		v1: dragV1,
		v2: func(e *env) (float64, bool) {
			o := e.object()
			d := distance(o, e.target)
			r := 2 * grip.dense(e, o)
			if e.opening() > 0.5 && o[0]-e.object0[0] > 0.015 && distance(o, e.tcp()) < 0.035 {
				r += 1 + 5*within(d, 0.05, distance(e.object0, e.target))
			}
			if d <= 0.05 {
				r = 10
			}
			return r, d <= 0.07
		},
	}
}

// dragV1 is touch in the plane, with a gripper that should close, and with the hand's height counting until the fingers
// are above the object.
func dragV1(e *env) (float64, bool) {
	o, finger := e.object(), e.tcp()
	reach, d := distance(o, finger), distanceXY(o, e.target)
	r := -reach
	if reach < 0.05 {
		r += math.Max(e.act[3], 0) / 50
	} else if plane := distanceXY(o, finger); plane >= 0.05 {
		r = -plane - 2*math.Abs(finger[2]-e.hand0[2])
	}
	if e.touched(reach < 0.05) {
		r += math.Max(pull(e.span, d), 0)
	}
	return r, d <= 0.07
}
