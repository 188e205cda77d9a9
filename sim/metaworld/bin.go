package metaworld

import "math"

// binPicking: move a block from one bin into another.
func binPicking() *row {
	const height = 0.1
	grip := cage{radius: 0.015, reach: 0.05, plane: 0.01, effort: 0.7}
	return &row{
		name: "bin-picking", scene: "sawyer_bin_picking",
		// The last three numbers are drawn and not used: the goal is the other bin.
		low:   []float64{-0.21, 0.65, 0.02, 0.1199, 0.699, -0.001},
		high:  []float64{-0.03, 0.75, 0.02, 0.1201, 0.701, 0.001},
		start: middle, handLow: below(0.07),
		first: bodyPart("obj"),
		reset: func(e *env, v []float64) {
			e.object0 = vec3{v[0], v[1], e.body("obj")[2]}
			e.setObject(e.object0)
			e.target = e.body("bin_goal")
			e.height0 = e.body("obj")[2]
			e.span = distanceXY(e.object0, e.target) + e.height0 + height
			e.margin = unknown
		},
		v1: func(e *env) (float64, bool) { return binV1(e, height) },
		v2: func(e *env) (float64, bool) {
			o, hand := e.object(), e.handAt()
			d := distance(o, e.target)
			if e.margin == unknown {
				e.margin = d // after the first step of the episode
			}
			placed := within(d, 0.05, e.margin)
			r := both(grip.dense(e, o), placed)
			if distance(o, hand) < 0.04 && raised(e, 0.02) && e.opening() >= 0.43 {
				floor := math.Min(floorAbove(distanceXY(hand, e.object0), 0.03, 0.02, 0.2),
					floorAbove(distanceXY(hand, e.target), 0.03, 0.02, 0.2))
				r += 1 + 5*both(aboveFloor(hand[2], floor, 0.05), placed)
			}
			if d < 0.05 {
				r = 10
			}
			return r, d <= 0.05
		},
	}
}

// unknown marks a distance that is measured later. Distances are not negative.
const unknown = -1

// binV1 is like lift, with distances in the plane; above the other bin it rewards opening the gripper.
func binV1(e *env, height float64) (float64, bool) {
	o := e.object()
	d := distanceXY(o, e.target)
	c := carrying(e, o, height, d, anywhere)
	above := math.Abs(o[0]-e.target[0]) < 0.05 && math.Abs(o[1]-e.target[1]) < 0.05
	open := 0.0
	if above {
		open = -200 * e.act[3]
	}
	if above && o[2] < e.height0+0.05 {
		return open + math.Max(pull(e.span, d), 0), d <= 0.05
	}
	r := approach(e, 0.06, 0.05, 1) + c.pick(o, 0.1)
	if c.held && c.reach < 0.1 {
		r += open + c.place(e, 0.1)
	}
	return r, d <= 0.05
}
