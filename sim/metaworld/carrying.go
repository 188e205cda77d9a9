package metaworld

import "math"

// carriage says, for v1 rewards that are variants of lift, how far the carrying of an object has come.
type carriage struct {
	high  float64 // height to which it must be lifted
	reach float64 // distance of the fingers
	d     float64 // distance still to go
	up    bool    // it is up there
	held  bool    // it is up there and has not been let fall
	risen bool    // it has left the table

	dropped bool // it lies on the table, away from the fingers and the target
}

// carrying measures the object at o, which must be lifted by height and has d to go.
func carrying(e *env, o vec3, height, d float64) carriage {
	c := carriage{high: e.height0 + height, reach: distance(o, e.tcp()), d: d, risen: o[2] > e.height0+0.005}
	c.up = o[2] >= c.high-0.01
	c.dropped = o[2] < e.height0+0.005 && d > 0.02 && c.reach > 0.02
	c.held = c.up && !c.dropped
	return c
}

// latch takes having been up once in the episode for being up: it is held until it is let fall.
func (c carriage) latch(e *env) carriage {
	e.picked = e.picked || c.up
	c.up, c.held = e.picked, e.picked && !c.dropped
	return c
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
