package metaworld

import (
	"math"

	"nacre/sim"
)

// This file has what the scripted controllers of script_table.go are made of: they do what Meta-World's scripted
// policies do, one rule for where the hand goes and one for the gripper, both of the present observation and the goal.
//
// The goal-knowing controller is told the goal of the task, the goal-blind one the middle of the box that the family's
// hidden goals are drawn from. A script that reads no goal, or one that follows from what is seen, is the same to both.

// script is a scripted controller.
type script struct {
	gain float64               // action per metre between the hand and where it should go
	to   func(s *seen) vec3    // where the hand should go
	grip func(s *seen) float64 // what the fingers should do: 1 is closing with all force, -1 opening

	// goal is the goal of a task vector as far as the script reads it; nil where it reads none. shown says that it
	// follows from where the object starts, which is observed, or that all tasks have one.
	goal  func(v []float64) vec3
	shown bool
}

// seen is what a script is told: the present part of the observation, and the goal.
type seen struct {
	hand, object, other, goal vec3
	opening                   float64
}

// act writes the action for what is seen, with its numbers as they are kept.
func (c *script) act(s seen, act []float64, kept func(float64) float64) {
	to := c.to(&s)
	for j := range 3 {
		act[j] = sim.Clip(kept(c.gain * (to[j] - s.hand[j])))
	}
	act[3] = sim.Clip(kept(c.grip(&s)))
}

// single32 rounds to 32-bit floats, in which the package of the release keeps actions; whole keeps them as they are.
func single32(v float64) float64 { return float64(float32(v)) }
func whole(v float64) float64    { return v }

// Act implements sim.Controller: the goal-knowing controller.
func (f *family) Act(task sim.Task, obs, act []float64) {
	c, s := f.row.script(), f.row.era.see(obs)
	if c.goal != nil {
		s.goal = c.goal(task.Params)
	}
	c.act(s, act, f.row.era.kept)
}

// script is the controller of a row.
func (w *row) script() *script {
	if c, ok := scripts2020[w.name]; ok && w.era == year2020 {
		return c
	}
	return scripts[w.name]
}

// Blind implements sim.Blinder.
func (f *family) Blind() sim.Controller {
	c := f.row.script()
	if c.goal == nil || c.shown {
		return f
	}
	return f.row.blind()
}

// blind is the controller of a row that is told the middle of the box that its goals are drawn from.
func (w *row) blind() blind {
	c := w.script()
	middle := make([]float64, len(w.low))
	for j := range middle {
		middle[j] = (w.low[j] + w.high[j]) / 2
	}
	b := blind{script: c, era: w.era}
	if c.goal != nil {
		b.goal = c.goal(middle)
	}
	return b
}

// blind is a script that takes one goal for that of every task.
type blind struct {
	*script
	era  *era
	goal vec3
}

// Act implements sim.Controller.
func (b blind) Act(_ sim.Task, obs, act []float64) {
	s := b.era.see(obs)
	s.goal = b.goal
	b.act(s, act, b.era.kept)
}

// off is the hand's distance from a point in the plane of the table, and height how far it is from the point's height.
func (s *seen) off(p vec3) float64    { return distanceXY(s.hand, p) }
func (s *seen) height(p vec3) float64 { return math.Abs(s.hand[2] - p[2]) }

// level is the point at the hand's place in the plane, at height z.
func (s *seen) level(z float64) vec3 { return vec3{s.hand[0], s.hand[1], z} }

// descent is how scripts come to a thing: to a point `above` it until the hand is within near of it in the plane, then
// to `over` it until the hand is within slack of its height. In metres.
type descent struct{ near, above, slack, over float64 }

// descend comes to a thing and goes on from there.
func (s *seen) descend(to vec3, d descent, then vec3) vec3 {
	switch {
	case s.off(to) > d.near:
		return up(to, d.above)
	case s.height(to) > d.slack:
		return up(to, d.over)
	}
	return then
}

// up is a point z metres over another.
func up(p vec3, z float64) vec3 { return p.add(vec3{0, 0, z}) }

// always is a grip that does not change.
func always(force float64) func(*seen) float64 { return func(*seen) float64 { return force } }

// grasp grips with one force away from the object and with another at it: within near in the plane and slack in height
// of a point that is by off its own.
func grasp(by vec3, near, slack, away, at float64) func(*seen) float64 {
	return func(s *seen) float64 {
		if p := s.object.add(by); s.off(p) > near || s.height(p) > slack {
			return away
		}
		return at
	}
}

// drawn is the goal as the task vector has it, its last three numbers; drawnAt has another height.
func drawn(v []float64) vec3 { return point(v[3:]) }
func drawnAt(z float64) func([]float64) vec3 {
	return func(v []float64) vec3 { return vec3{v[3], v[4], z} }
}

// fixed is a goal that all tasks have.
func fixed(p vec3) func([]float64) vec3 { return func([]float64) vec3 { return p } }
