package metaworld

import "math"

// What the fifty v1 rewards have in common.

// pull is the term of a v1 reward for a distance d that was span at the start:
// 1000(span - d) + 1000(exp(-d²/0.01) + exp(-d²/0.001)), which is 2000 more than at the start when d is 0.
func pull(span, d float64) float64 {
	return 1000*(span-d) + 1000*(math.Exp(-(d*d)/0.01)+math.Exp(-(d*d)/0.001))
}

// metric is a distance between the object and the target.
type metric func(e *env) float64

func inSpace(e *env) float64 { return distance(e.object(), e.target) }
func inPlane(e *env) float64 { return distanceXY(e.object(), e.target) }

// along is the distance along one axis, 0 to 2.
func along(axis int) metric {
	return func(e *env) float64 { return math.Abs(e.object()[axis] - e.target[axis]) }
}

// touching makes the v1 reward of families that move an object by touching it with a finger, (*env).tcp or (*env).left;
// success is a metric of at most limit.
func touching(finger func(e *env) vec3, d metric, limit float64) func(e *env) (float64, bool) {
	return func(e *env) (float64, bool) {
		now := d(e)
		return touch(e, finger(e), now), now <= limit
	}
}

// touch is minus the distance of finger and object, and while it is below 5 cm what pull gives for d, if positive.
func touch(e *env, finger vec3, d float64) float64 {
	reach := distance(e.object(), finger)
	if e.touched(reach < 0.05) {
		return -reach + math.Max(pull(e.span, d), 0)
	}
	return -reach
}

// lift is the v1 reward of families that pick an object up and carry it to the target: height is how far it must be
// lifted, weight counts the hand's height while it is not above the object.
//
// It has three terms: reach, pick, place. They use memo's height0 (of the object at reset) and span (the way to carry,
// the height included).
func lift(e *env, height, weight float64) float64 {
	o := e.object()
	c := carrying(e, o, height, distance(o, e.target), anywhere)
	return approach(e, 0.05, 0.05, weight) + c.pick(o, 0.1) + c.place(e, 0.1)
}

// carrySpan is lift's span: from above where the object started, by height, to the target, and the height.
func carrySpan(e *env, height float64) float64 {
	high := e.height0 + height
	return distance(vec3{e.object0[0], e.object0[1], high}, e.target) + high
}

// approach is the reach term of lift and its relatives: minus the distance of fingers and object once the fingers are
// above it, that is within `above` of it in the plane, and before minus the distance in the plane and weight times the
// way down or up from where the fingers started; nearer than `near` it rewards closing the gripper too.
func approach(e *env, above, near, weight float64) float64 {
	o, finger := e.object(), e.tcp()
	reach := distance(o, finger)
	if reach < near {
		return -reach + math.Max(e.act[3], 0)/50
	}
	if plane := distanceXY(o, finger); plane >= above {
		return -plane - weight*math.Abs(finger[2]-e.tcp0[2])
	}
	return -reach
}
