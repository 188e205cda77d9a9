//go:build (mujoco && cgo) || js

package mujoco

// state are the arrays of one mjData, in place.
type state struct {
	qpos, qvel, ctrl, mocapPos, mocapQuat  []float64
	warmstart                              []float64
	xpos, xquat, xmat, xipos               []float64
	cinert, cvel, qfrcActuator, cfrcExt    []float64
	siteXPos, siteXMat, geomXPos, geomXMat []float64
}

// QPos returns the joint positions of environment i in place, nq long.
func (c *Chunk) QPos(i int) []float64 { return c.states[i].qpos }

// QVel returns the joint velocities of environment i in place, nv long.
func (c *Chunk) QVel(i int) []float64 { return c.states[i].qvel }

// Ctrl returns the actuators' controls of environment i in place, nu long.
func (c *Chunk) Ctrl(i int) []float64 { return c.states[i].ctrl }

// MocapPos returns the positions of the mocap bodies of environment i in place, nmocap×3, in metres.
func (c *Chunk) MocapPos(i int) []float64 { return c.states[i].mocapPos }

// MocapQuat returns the quaternions (w, x, y, z) of the mocap bodies of environment i in place, nmocap×4.
func (c *Chunk) MocapQuat(i int) []float64 { return c.states[i].mocapQuat }

// XPos returns the world position of a body of environment i in place, in metres. After Step, this and all other
// derived values belong to the state before the last mj_step's integration, or to its last Runge-Kutta stage, as MuJoCo
// leaves them; see ForwardAfterStep.
func (c *Chunk) XPos(i, body int) []float64 { return c.states[i].xpos[3*body : 3*body+3] }

// XQuat returns the world orientation of a body of environment i in place, as a quaternion (w, x, y, z).
func (c *Chunk) XQuat(i, body int) []float64 { return c.states[i].xquat[4*body : 4*body+4] }

// XMat returns the world orientation of a body of environment i in place, as a rotation matrix by rows.
func (c *Chunk) XMat(i, body int) []float64 { return c.states[i].xmat[9*body : 9*body+9] }

// SiteXPos returns the world position of a site of environment i in place, in metres.
func (c *Chunk) SiteXPos(i, site int) []float64 { return c.states[i].siteXPos[3*site : 3*site+3] }

// SiteXMat returns the world orientation of a site of environment i in place, as a rotation matrix by rows.
func (c *Chunk) SiteXMat(i, site int) []float64 { return c.states[i].siteXMat[9*site : 9*site+9] }

// GeomXPos returns the world position of a geom of environment i in place, in metres.
func (c *Chunk) GeomXPos(i, geom int) []float64 { return c.states[i].geomXPos[3*geom : 3*geom+3] }

// GeomXMat returns the world orientation of a geom of environment i in place, as a rotation matrix by rows.
func (c *Chunk) GeomXMat(i, geom int) []float64 { return c.states[i].geomXMat[9*geom : 9*geom+9] }

// XIPos returns the centres of mass of all bodies of environment i in place, nbody×3, in metres.
func (c *Chunk) XIPos(i int) []float64 { return c.states[i].xipos }

// CInert returns the bodies' inertias about the centre of mass of their tree in environment i in place, nbody×10.
func (c *Chunk) CInert(i int) []float64 { return c.states[i].cinert }

// CVel returns the bodies' velocities about the same point in place, nbody×6, rotation before translation.
func (c *Chunk) CVel(i int) []float64 { return c.states[i].cvel }

// QFrcActuator returns the actuators' forces on the joints of environment i in place, nv long.
func (c *Chunk) QFrcActuator(i int) []float64 { return c.states[i].qfrcActuator }

// CFrcExt returns the external forces on the bodies of environment i in place, nbody×6, torque before force. It is
// zero unless ContactForces was called.
func (c *Chunk) CFrcExt(i int) []float64 { return c.states[i].cfrcExt }

// Warmstart returns the accelerations from which the constraint solver starts in environment i in place, nv long.
func (c *Chunk) Warmstart(i int) []float64 { return c.states[i].warmstart }
