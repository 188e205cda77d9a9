//go:build mujoco && cgo

package mujoco

/*
#cgo CFLAGS: -O2
#cgo linux LDFLAGS: -ldl
#cgo noescape nacre_step_chunk
#cgo nocallback nacre_step_chunk
#cgo noescape nacre_plain_loop
#cgo nocallback nacre_plain_loop
#cgo nocallback nacre_reset
#cgo nocallback nacre_forward
#cgo nocallback nacre_advance
#cgo noescape nacre_touch
#cgo nocallback nacre_touch
#include <stdlib.h>
#include "chunk.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Model is a compiled model in C memory. Chunks only read it, so that goroutines can share it.
type Model struct {
	m     *C.mjModel
	sizes Sizes
}

// loading serialises the XML compiler, which keeps the last model it read in a global.
var loading sync.Mutex

// LoadXML compiles an MJCF text without external files. The error is MuJoCo's, with the line of the text.
func LoadXML(text string) (*Model, error) {
	if err := load(); err != nil {
		return nil, err
	}
	loading.Lock()
	defer loading.Unlock()
	xml := C.CString(text)
	defer C.free(unsafe.Pointer(xml))
	var m *C.mjModel
	var fault C.nacre_fault
	if C.nacre_load(xml, C.int(len(text)), &m, &fault) != C.NACRE_OK {
		return nil, fmt.Errorf("mujoco: load model: %s", C.GoString(&fault.text[0]))
	}
	return newModel(m), nil
}

// LoadFile compiles the MJCF file at path with the files it includes and the meshes and textures it names, which are
// looked for relative to it. The error is MuJoCo's and names the file that is missing.
func LoadFile(path string) (*Model, error) {
	if err := load(); err != nil {
		return nil, err
	}
	loading.Lock()
	defer loading.Unlock()
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var m *C.mjModel
	var fault C.nacre_fault
	if C.nacre_load_file(name, &m, &fault) != C.NACRE_OK {
		return nil, fmt.Errorf("mujoco: load %s: %s", path, C.GoString(&fault.text[0]))
	}
	return newModel(m), nil
}

func newModel(m *C.mjModel) *Model {
	var s C.nacre_sizes
	C.nacre_model_sizes(m, &s)
	return &Model{m, Sizes{
		NQ: int(s.nq), NV: int(s.nv), NU: int(s.nu), NBody: int(s.nbody), NGeom: int(s.ngeom), NSite: int(s.nsite),
		NMocap: int(s.nmocap), Timestep: float64(s.timestep),
	}}
}

// Close frees the model; its chunks must have been closed before.
func (m *Model) Close() {
	if m.m != nil {
		C.nacre_delete_model(m.m)
		m.m = nil
	}
}

// Sizes returns the dimensions of the model.
func (m *Model) Sizes() Sizes { return m.sizes }

// Parameters returns copies of fields of the model as they are now, one after the other.
func (m *Model) Parameters(fields ...Field) []float64 {
	if m.m == nil {
		panic(errClosedModel)
	}
	var all []float64
	for _, f := range fields {
		var length C.int64_t
		at := C.nacre_field(m.m, C.int(f), &length)
		all = append(all, view(*at, int(length))...)
	}
	return all
}

// Chunk is n states of one model, stepped together. Only one goroutine may use it at a time; a second one gets an
// error. Using a chunk after it or its model was closed is an error too.
type Chunk struct {
	model   *Model
	busy    atomic.Bool
	copied  bool           // the chunk has its own head of the model
	c       *C.nacre_chunk // C memory, like all it points to
	data    []*C.mjData
	fault   *C.nacre_fault
	states  []state
	nominal []float64 // the model's values of the varied fields
	params  []float64 // parameters of all environments
	yielded time.Time
}

// NewChunk makes n states. Fields in vary get their own values in every environment, at first those of the model; see
// Parameters. Close frees the states.
func (m *Model) NewChunk(n int, vary ...Field) (*Chunk, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("mujoco: chunk of %d environments; expected at least 1", n)
	}
	if m.m == nil {
		return nil, errClosedModel
	}
	c := &Chunk{
		model: m,
		c:     (*C.nacre_chunk)(C.calloc(1, C.sizeof_nacre_chunk)),
		fault: (*C.nacre_fault)(C.calloc(1, C.sizeof_nacre_fault)),
	}
	c.c.own, c.c.n = m.m, C.int(n)
	c.c.data = (**C.mjData)(C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof(uintptr(0)))))
	c.data = unsafe.Slice(c.c.data, n)
	if err := c.vary(vary); err != nil {
		c.Close()
		return nil, err
	}
	for i := range c.data {
		if C.nacre_make_data(m.m, &c.data[i], c.fault) != C.NACRE_OK {
			err := c.failure()
			c.Close()
			return nil, err
		}
		c.states = append(c.states, views(c.data[i], m.sizes))
	}
	return c, nil
}

// vary gives every environment its own values of fields.
func (c *Chunk) vary(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	c.c.own, c.copied = C.nacre_head(c.model.m), true
	for k, f := range fields {
		if f < 0 || f >= C.NACRE_FIELDS || slices.Contains(fields[:k], f) {
			return fmt.Errorf("mujoco: the fields to vary are %v; expected different ones of 0 to %d", fields,
				C.NACRE_FIELDS-1)
		}
		at := &c.c.field[k]
		at.at = C.nacre_field(c.c.own, C.int(f), &at.length)
	}
	c.nominal = c.model.Parameters(fields...)
	n, row := len(c.data), len(c.nominal)
	c.c.fields, c.c.row = C.int(len(fields)), C.int64_t(row)
	c.c.rows = (*C.double)(C.calloc(C.size_t(n*row), C.sizeof_double))
	c.params = view(c.c.rows, n*row)
	for i := range n {
		copy(c.Parameters(i), c.nominal)
	}
	return nil
}

var errClosedModel = errors.New("mujoco: the model was closed")

// enter takes the chunk for a call about environment i, until leave is called. Otherwise the error says why the chunk
// cannot be used.
func (c *Chunk) enter(i int) error {
	if !c.busy.CompareAndSwap(false, true) {
		return errors.New("mujoco: another goroutine is using the chunk; each needs one of its own")
	}
	var err error
	switch {
	case c.data == nil:
		err = errors.New("mujoco: the chunk was closed")
	case c.model.m == nil:
		err = errClosedModel
	case i < 0 || i >= len(c.data):
		err = fmt.Errorf("mujoco: environment %d; expected one of 0 to %d", i, len(c.data)-1)
	}
	if err != nil {
		c.leave()
	}
	return err
}

func (c *Chunk) leave() { c.busy.Store(false) }

// Close frees the states, once no other goroutine steps them; slices got from the chunk must not be used any more.
func (c *Chunk) Close() {
	for !c.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer c.leave()
	if c.data == nil {
		return
	}
	for _, d := range c.data {
		if d != nil {
			C.nacre_delete_data(d)
		}
	}
	C.free(unsafe.Pointer(c.c.data))
	C.free(unsafe.Pointer(c.c.rows))
	if c.copied {
		C.free(unsafe.Pointer(c.c.own))
	}
	C.free(unsafe.Pointer(c.c))
	C.free(unsafe.Pointer(c.fault))
	c.c, c.data, c.fault, c.states, c.nominal, c.params = nil, nil, nil, nil, nil, nil
}

// Len returns the number of states.
func (c *Chunk) Len() int { return len(c.data) }

// ContactForces makes Step and PlainLoop compute the external forces on the bodies, with contacts, once after every
// control step, from the data of its last mj_step.
func (c *Chunk) ContactForces() { c.c.contact_forces = 1 }

// ForwardAfterStep makes Step and PlainLoop call mj_forward at the end of every control step. Derived values then fit
// the new state. With five steps per control step it costs a sixth forward computation.
func (c *Chunk) ForwardAfterStep() { c.c.forward = 1 }

// DriveMocap adds the mocap bodies to the controls of Step and PlainLoop. A row of controls then has nu + 7·nmocap
// numbers: the actuators' controls, then position (3, in metres) and quaternion (4) of every mocap body.
func (c *Chunk) DriveMocap() { c.c.mocap = 1 }

// controls returns the length of a row of controls.
func (c *Chunk) controls() int {
	if c.c.mocap != 0 {
		return c.model.sizes.NU + 7*c.model.sizes.NMocap
	}
	return c.model.sizes.NU
}

// Parameters returns the values of the varied fields in environment i in place, one field after the other. They replace
// the model's values while the environment is stepped. Values that MuJoCo derived from the model's when it compiled the
// model (mj_setConst) do not change.
func (c *Chunk) Parameters(i int) []float64 {
	row := len(c.nominal)
	return c.params[i*row : (i+1)*row]
}

// Reset puts environment i into the model's initial state, and its varied fields to the model's values. Nothing of its
// earlier state remains.
func (c *Chunk) Reset(i int) error {
	if err := c.enter(i); err != nil {
		return err
	}
	defer c.leave()
	copy(c.Parameters(i), c.nominal)
	return c.resetState(i)
}

// ResetState works like Reset, but the varied fields keep their values.
func (c *Chunk) ResetState(i int) error {
	if err := c.enter(i); err != nil {
		return err
	}
	defer c.leave()
	return c.resetState(i)
}

func (c *Chunk) resetState(i int) error {
	if C.nacre_reset(c.c, C.int(i), c.fault) != C.NACRE_OK {
		return c.failureOf(i)
	}
	return nil
}

// Advance makes n mj_step of environment i with the controls in its state, see Ctrl and MocapPos. It leaves out what
// Step adds to a control step.
func (c *Chunk) Advance(i, n int) error {
	if err := c.enter(i); err != nil {
		return err
	}
	defer c.leave()
	if C.nacre_advance(c.c, C.int(i), C.int(n), c.fault) != C.NACRE_OK {
		return c.failureOf(i)
	}
	return nil
}

// Forward computes everything that follows from positions, velocities and controls of environment i, except the
// external forces on bodies.
func (c *Chunk) Forward(i int) error {
	if err := c.enter(i); err != nil {
		return err
	}
	defer c.leave()
	if C.nacre_forward(c.c, C.int(i), c.fault) != C.NACRE_OK {
		return c.failureOf(i)
	}
	return nil
}

// Step advances every environment with active[i] by nsub mj_step with row i of ctrl (n×nu, see DriveMocap) as controls.
// An error is a *StepError of the first environment that failed; later ones have not been stepped.
func (c *Chunk) Step(active []bool, ctrl []float64, nsub int) error {
	if err := c.enter(0); err != nil {
		return err
	}
	defer c.leave()
	n := len(c.data)
	if len(active) != n || len(ctrl) != n*c.controls() {
		return fmt.Errorf("mujoco: step of %d environments with %d controls each: got %d flags and %d controls",
			n, c.controls(), len(active), len(ctrl))
	}
	c.yield()
	rc := C.nacre_step_chunk(c.c, first(ctrl), (*C.uint8_t)(unsafe.Pointer(&active[0])), C.int(nsub), c.fault)
	if rc != C.NACRE_OK {
		return c.failure()
	}
	return nil
}

// yield lets the scheduler run every 5 ms. Otherwise, after 10 ms in a goroutine, the runtime's monitor takes the
// processor away in every C call and wakes two threads each time. Yielding in every call costs as much.
func (c *Chunk) yield() {
	if now := time.Now(); now.Sub(c.yielded) > 5*time.Millisecond {
		c.yielded = now
		runtime.Gosched()
	}
}

// PlainLoop makes the same steps as len(ctrl)/(n×nu) calls of Step with all environments active. It makes them
// environment after environment in one plain C loop, with which stepping from Go is compared.
func (c *Chunk) PlainLoop(ctrl []float64, nsub int) error {
	if err := c.enter(0); err != nil {
		return err
	}
	defer c.leave()
	n := len(c.data)
	row := n * c.controls()
	if row == 0 || len(ctrl)%row != 0 {
		return fmt.Errorf("mujoco: %d controls are no whole number of steps of %d", len(ctrl), row)
	}
	if C.nacre_plain_loop(c.c, first(ctrl), C.int(len(ctrl)/row), C.int(nsub), c.fault) != C.NACRE_OK {
		return c.failure()
	}
	return nil
}

// CPUSeconds returns the processor time the process has used.
func CPUSeconds() float64 { return float64(C.nacre_cpu_seconds()) }

func first(s []float64) *C.double {
	if len(s) == 0 {
		return nil
	}
	return (*C.double)(unsafe.Pointer(&s[0]))
}

func (c *Chunk) failure() error { return c.failureOf(int(c.fault.env)) }

func (c *Chunk) failureOf(env int) error { return &StepError{env, C.GoString(&c.fault.text[0])} }

// Touch returns the sum of the normal forces, in newtons, of the contacts between two geoms in environment i.
func (c *Chunk) Touch(i, geom1, geom2 int) float64 {
	return float64(C.nacre_touch(c.data[i], C.int(geom1), C.int(geom2)))
}

func views(d *C.mjData, s Sizes) state {
	return state{
		qpos: view(d.qpos, s.NQ), qvel: view(d.qvel, s.NV), ctrl: view(d.ctrl, s.NU),
		mocapPos: view(d.mocap_pos, 3*s.NMocap), mocapQuat: view(d.mocap_quat, 4*s.NMocap),
		warmstart: view(d.qacc_warmstart, s.NV),
		xpos:      view(d.xpos, 3*s.NBody), xquat: view(d.xquat, 4*s.NBody), xmat: view(d.xmat, 9*s.NBody),
		xipos:  view(d.xipos, 3*s.NBody),
		cinert: view(d.cinert, 10*s.NBody), cvel: view(d.cvel, 6*s.NBody),
		qfrcActuator: view(d.qfrc_actuator, s.NV), cfrcExt: view(d.cfrc_ext, 6*s.NBody),
		siteXPos: view(d.site_xpos, 3*s.NSite), siteXMat: view(d.site_xmat, 9*s.NSite),
		geomXPos: view(d.geom_xpos, 3*s.NGeom), geomXMat: view(d.geom_xmat, 9*s.NGeom),
	}
}

// view makes C memory of n numbers a slice. Its address is fixed for the life of the mjData it is part of.
func view(p *C.double, n int) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(p)), n) }

// breakIntegrator makes every mj_step of the model raise an error, for the tests.
func (m *Model) breakIntegrator() { m.m.opt.integrator = 99 }
