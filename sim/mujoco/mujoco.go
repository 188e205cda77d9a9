// Package mujoco steps many states of a model in one call, with the real MuJoCo library. It loads a model, keeps states
// of it, steps them all in one call, and reads and writes them in place. It knows no task and no reward.
//
// The library is loaded when it is first needed: the one that $NACRE_MUJOCO names, the one that nacre setup fetched
// into the user's cache, one beside the program, or the system's. It must have the version of the headers with which
// this package was compiled. Without it every function returns an error that wraps sim.ErrUnavailable and says what to
// do.
//
// In a browser it is MuJoCo's official WebAssembly build, which the page fetches when a model is first made. Numbers
// cross between Go's and MuJoCo's WebAssembly once before and once after a chunk's step. Its version may differ, see
// Notice.
//
// Natively the package is compiled with cgo and the build tag mujoco, which `make` sets if it has the headers. Without
// the headers every function returns ErrUnavailable, so that packages that import this one still build. go doc shows
// the functions of the build without headers; with GOFLAGS=-tags=mujoco it shows what they do natively.
//
//	model, err := mujoco.LoadXML(text)
//	chunk, err := model.NewChunk(16)
//	err = chunk.Reset(0)
//	copy(chunk.QPos(0), start)
//	err = chunk.Forward(0)
//	err = chunk.Step(active, ctrl, 5)
//	x := chunk.QPos(0)[0]
//
// A MuJoCo error never ends the process and a warning never writes a log file: both come back as errors.
package mujoco

import (
	"fmt"

	"nacre/sim"
)

// ErrUnavailable is the error of every call if there is no MuJoCo. It wraps sim.ErrUnavailable.
var ErrUnavailable = fmt.Errorf("MuJoCo is %w: %s", sim.ErrUnavailable, remedy)

// Sizes are the dimensions of a model.
type Sizes struct {
	NQ, NV, NU, NBody, NGeom, NSite, NMocap int
	Timestep                                float64 // seconds per mj_step
}

// Field names an array of a model.
type Field int

// The fields that a chunk can vary between environments, with their lengths.
const (
	BodyMass     Field = iota // nbody, kg
	BodyInertia               // nbody×3, principal moments in kg·m²
	DofDamping                // nv, N·s/m or N·m·s
	GeomFriction              // ngeom×3: sliding, spinning, rolling
	BodyPos                   // nbody×3, in the parent body's frame, in metres
	// nsite×3, in the body's frame, in metres; without effect on sites that the model puts at the origin of this frame
	SitePos
)

// StepError is an error of one environment of a chunk: a MuJoCo error or a warning (a bad number in the state, a
// singular inertia, a full contact list), in MuJoCo's words. The environment must be Reset before it is stepped again.
type StepError struct {
	Env  int
	Text string
}

func (e *StepError) Error() string { return "MuJoCo: " + e.Text }
