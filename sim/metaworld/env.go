package metaworld

import (
	"fmt"

	"nacre/sim"
	"nacre/sim/mujoco"
)

// env is one environment: MuJoCo's arrays in place, what its reward remembers from the reset, and the step at hand.
type env struct {
	batch *batch
	i     int // in the batch
	task  sim.Task
	err   error // the first failure of reading or writing the scene

	hand, leftClaw, rightClaw, leftPad, rightPad []float64 // positions of bodies
	leftFinger, rightFinger                      []float64 // positions of sites
	qpos, qvel, ctrl, mocap, mocapQuat           []float64

	memo
	now, before [18]float64 // the present observation and that of one step earlier
	act         [4]float64  // the action, each number in [-1, 1]
}

// memo holds values from one reset until the next. Families use the values that they need.
type memo struct {
	target  vec3
	hand0   vec3    // where the hand was sent
	object0 vec3    // where the object started, as the class has it
	tcp0    vec3    // where the fingers started
	mark    vec3    // a further point of the scene at the reset
	span    float64 // the distance that pull measures from
	height0 float64 // the height the object started at
	margin  float64 // a further distance at the reset
	picked  bool    // whether the object is lifted, or has been in this episode where that is kept
	placed  bool    // whether it has been brought to its place in this episode, where that is kept
	reached bool    // whether the fingers are at the object, or have been in this episode where that is kept
}

// object is the observed position of the first object, as all rewards see it.
func (e *env) object() vec3 { return point(e.now[4:7]) }

// handAt is the observed position of the hand, which is limited to the observation's box.
func (e *env) handAt() vec3 { return point(e.now[0:3]) }

// opening is the observed opening of the gripper, in [0, 1].
func (e *env) opening() float64 { return e.now[3] }

// tcp is the point midway between the fingers.
func (e *env) tcp() vec3 {
	r, l := e.rightFinger, e.leftFinger
	return vec3{(r[0] + l[0]) / 2, (r[1] + l[1]) / 2, (r[2] + l[2]) / 2}
}

// left is the position of the left finger.
func (e *env) left() vec3 { return point(e.leftFinger) }

// body, geom and site return where a part of the scene is, as MuJoCo last computed it.
func (e *env) body(name string) vec3 { return point(e.chunk().XPos(e.i, e.id(bodies, name))) }
func (e *env) geom(name string) vec3 { return point(e.chunk().GeomXPos(e.i, e.id(geoms, name))) }
func (e *env) site(name string) vec3 { return point(e.chunk().SiteXPos(e.i, e.id(sites, name))) }

// joint returns the position of a hinge or slide, in radians or metres.
func (e *env) joint(name string) float64 { return e.qpos[e.id(joints, name)] }

// The functions below are for row.reset.

// placeBody and placeSite move a part of the scene in its parent's frame. Positions computed from it change with the
// next forward or step.
func (e *env) placeBody(name string, at vec3) {
	copy(e.chunk().Parameters(e.i)[3*e.id(bodies, name):], at[:])
}

func (e *env) placeSite(name string, at vec3) {
	copy(e.chunk().Parameters(e.i)[3*(e.batch.sizes.NBody+e.id(sites, name)):], at[:])
}

// siteOffset returns the position of a site in its body's frame.
func (e *env) siteOffset(name string) vec3 {
	return point(e.chunk().Parameters(e.i)[3*(e.batch.sizes.NBody+e.id(sites, name)):])
}

// setObject puts the free object at `at`, at rest, and computes what follows.
func (e *env) setObject(at vec3) {
	copy(e.qpos[9:12], at[:])
	clear(e.qvel[9:15])
	e.forward()
}

// setSlide puts the joint at qpos 9, which is the object's in scenes with one slide or hinge, at rest at x, and
// computes what follows.
func (e *env) setSlide(x float64) {
	e.qpos[9], e.qvel[9] = x, 0
	e.forward()
}

// setHinge puts a hinge or slide at x, at rest, and computes what follows.
func (e *env) setHinge(name string, x float64) {
	e.qpos[e.id(joints, name)], e.qvel[e.id(speeds, name)] = x, 0
	e.forward()
}

// forward computes everything that follows from the state.
func (e *env) forward() { e.keep(e.chunk().Forward(e.i)) }

// advance makes n steps of the physics with the controls as they are.
func (e *env) advance(n int) { e.keep(e.chunk().Advance(e.i, n)) }

func (e *env) keep(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *env) chunk() *mujoco.Chunk { return e.batch.chunk }

// The kinds of parts that have names.
const (
	bodies = iota
	geoms
	sites
	joints // by the place of their position in qpos
	speeds // of joints, by the place of their velocity in qvel
	kinds
)

// id returns the number of a part.
func (e *env) id(kind int, name string) int {
	known := e.batch.ids[kind]
	if id, ok := known[name]; ok {
		return id
	}
	m := e.batch.model
	var id int
	var err error
	switch kind {
	case bodies:
		id, err = m.Body(name)
	case geoms:
		id, err = m.Geom(name)
	case sites:
		id, err = m.Site(name)
	case joints:
		id, _, err = m.Joint(name)
	case speeds:
		_, id, err = m.Joint(name)
	}
	if err != nil {
		e.keep(fmt.Errorf("scene %s: %w; expected the scenes of "+e.batch.row.era.source, e.batch.row.scene, err,
			e.batch.row.name))
		return 0
	}
	known[name] = id
	return id
}

// bodyPart shows a body as MuJoCo has it: its position and quaternion (w, x, y, z).
func bodyPart(name string) part {
	return part{at: func(e *env) vec3 { return e.body(name) }, turn: bodyTurn(name)}
}

// bodyTurn is a body's quaternion (w, x, y, z).
func bodyTurn(name string) func(e *env) quat {
	return func(e *env) quat { return quat(e.chunk().XQuat(e.i, e.id(bodies, name))) }
}

// sitePart shows a site without an orientation.
func sitePart(name string) part {
	return part{at: func(e *env) vec3 { return e.site(name) }, turn: noTurn}
}

// geomPart shows a geom.
func geomPart(name string) part {
	return part{at: func(e *env) vec3 { return e.geom(name) }, turn: geomTurn(name)}
}

// freeObject is the object "obj" of many scenes, turned as its geom is.
var freeObject = part{at: bodyPart("obj").at, turn: geomTurn("objGeom")}

// shifted shows a body with a point that is off its origin.
func shifted(name string, by vec3) part {
	return part{at: func(e *env) vec3 { return e.body(name).add(by) }, turn: bodyTurn(name)}
}

// bodyMatTurn is a body's quaternion by SciPy (x, y, z, w).
func bodyMatTurn(name string) func(e *env) quat {
	return func(e *env) quat { return scipyQuat(e.chunk().XMat(e.i, e.id(bodies, name))) }
}

// geomTurn is a geom's quaternion by SciPy (x, y, z, w).
func geomTurn(name string) func(e *env) quat {
	return func(e *env) quat { return scipyQuat(e.chunk().GeomXMat(e.i, e.id(geoms, name))) }
}

// siteTurn is a site's quaternion by SciPy (x, y, z, w).
func siteTurn(name string) func(e *env) quat {
	return func(e *env) quat { return scipyQuat(e.chunk().SiteXMat(e.i, e.id(sites, name))) }
}

// noTurn is shown by families that hide the object's orientation.
func noTurn(*env) quat { return quat{} }

// observe stores the last observation as that of one step earlier, and reads the scene again.
func (e *env) observe() {
	e.before = e.now
	e.now = [18]float64{}
	copy(e.now[:], e.hand)
	if e.batch.row.era.pads {
		opening := distance(point(e.rightClaw), point(e.leftClaw)) / 0.1
		e.now[3] = clamp(opening, 0, 1)
	}
	e.show(e.now[4:11], e.batch.row.first)
	if e.batch.row.second.at != nil {
		e.show(e.now[11:18], e.batch.row.second)
	}
}

func (e *env) show(slots []float64, p part) {
	at := p.at(e)
	copy(slots, at[:])
	if p.turn != nil {
		turn := p.turn(e)
		copy(slots[3:], turn[:])
	}
}

// The box that observed positions of the hand are limited to.
var observedLow, observedHigh = vec3{-0.525, 0.348, -0.0525}, vec3{0.525, 1.025, 0.7}

func limit(part *[18]float64) {
	for j := range 3 {
		part[j] = clamp(part[j], observedLow[j], observedHigh[j])
	}
}

// write fills a row of observations; the goal's three numbers stay hidden.
func (e *env) write(obs []float64) {
	copy(obs, e.now[:])
	copy(obs[18:], e.before[:])
	clear(obs[36:])
}
