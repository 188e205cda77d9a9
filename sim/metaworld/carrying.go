package metaworld

import "math"

// carriage says, for v1 rewards that are variants of lift, how far the carrying of an object has come.
type carriage struct {
	high  float64 // height to which it must be lifted
	reach float64 // distance of the fingers
	d     float64 // distance still to go
	up    bool    // it has been lifted
	held  bool    // it has been lifted and has not been let fall
	risen bool    // it has left the table
}

// carrying measures the object at o, which must be lifted by height with the fingers within grasp of it and has d to
// go.
func carrying(e *env, o vec3, height, d, grasp float64) carriage {
	c := carriage{high: e.height0 + height, reach: distance(o, e.tcp()), d: d, risen: o[2] > e.height0+0.005}
	c.up = e.lifted(o[2] >= c.high-0.01 && c.reach < grasp)
	dropped := o[2] < e.height0+0.005 && d > 0.02 && c.reach > 0.02
	c.held = c.up && !dropped
	return c
}

// anywhere is a grasp that asks for no fingers at the object.
var anywhere = math.Inf(1)

// lifted is whether an object counts as lifted that is so now or not; touched is the same of having been touched. Rows
// say whether once in an episode is enough.
func (e *env) lifted(now bool) bool {
	e.picked = now || e.batch.row.keeps && e.picked
	return e.picked
}

func (e *env) touched(now bool) bool {
	e.reached = now || e.batch.row.keeps && e.reached
	return e.reached
}

// pick is the term for lifting with the fingers within near of the object.
func (c carriage) pick(o vec3, near float64) float64 {
	switch {
	case c.held:
		return 100 * c.high
	case c.reach < near && c.risen:
		return 100 * math.Min(c.high, o[2])
	}
	return 0
}

// place is the term for bringing a held object, with the fingers within near of it, nearer to its place.
func (c carriage) place(e *env, near float64) float64 {
	if c.held && c.reach < near {
		return math.Max(pull(e.span, c.d), 0)
	}
	return 0
}
