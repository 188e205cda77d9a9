//go:build mujoco && cgo

package mujoco

/*
#cgo CFLAGS: -O2
#cgo LDFLAGS: -lmujoco
#cgo noescape nacre_step_chunk
#cgo nocallback nacre_step_chunk
#cgo noescape nacre_plain_loop
#cgo nocallback nacre_plain_loop
#cgo nocallback nacre_reset
#cgo nocallback nacre_forward
#include <stdlib.h>
#include "chunk.h"
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// check compares the library with the headers once: mjData's layout changes with every release.
var check = sync.OnceValue(func() error {
	C.nacre_install_handlers()
	header, library := int(C.nacre_header_version()), int(C.mj_version())
	if header != library {
		return fmt.Errorf("mujoco: built with the headers of MuJoCo %s but running with the library of %s: run `make` again",
			versionText(header), versionText(library))
	}
	return nil
})

// Check returns nil if MuJoCo can be used, and otherwise why not.
func Check() error { return check() }

// Available reports whether MuJoCo can be used; Check says why not.
func Available() bool { return check() == nil }

// Version returns the version of the library, such as "3.3.0", or "" in a build without it.
func Version() string { return versionText(int(C.mj_version())) }

// versionText decodes mj_version, which is three digits up to 3.4 and major*10⁶ + minor*10³ + patch after.
func versionText(v int) string {
	if v < 1000 {
		return fmt.Sprintf("%d.%d.%d", v/100, v/10%10, v%10)
	}
	return fmt.Sprintf("%d.%d.%d", v/1_000_000, v/1000%1000, v%1000)
}

// Model is a compiled model in C memory. Stepping only reads it.
type Model struct {
	m     *C.mjModel
	sizes Sizes
}

// loading serialises the XML compiler, which keeps the last model it read in a global.
var loading sync.Mutex

// LoadXML compiles an MJCF text without external files. The error is MuJoCo's, with the line of the text.
func LoadXML(text string) (*Model, error) {
	if err := check(); err != nil {
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
	var s C.nacre_sizes
	C.nacre_model_sizes(m, &s)
	return &Model{m, Sizes{int(s.nq), int(s.nv), int(s.nu), int(s.nbody), float64(s.timestep)}}, nil
}

// Close frees the model; its chunks must have been closed before.
func (m *Model) Close() {
	if m.m != nil {
		C.mj_deleteModel(m.m)
		m.m = nil
	}
}

// Sizes returns the dimensions of the model.
func (m *Model) Sizes() Sizes { return m.sizes }

// Body returns the number of the body called name.
func (m *Model) Body(name string) (int, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	id := int(C.mj_name2id(m.m, C.mjOBJ_BODY, c))
	if id < 0 {
		return 0, fmt.Errorf("mujoco: the model has no body %q", name)
	}
	return id, nil
}

// Chunk is n states of one model, stepped together. It is used by one goroutine at a time.
type Chunk struct {
	model      *Model
	data       []*C.mjData // the array itself is C memory too, so C may keep and read it
	fault      *C.nacre_fault
	qpos, qvel [][]float64
	xpos       [][]float64
	yielded    time.Time
}

// NewChunk makes n states. Close frees them.
func (m *Model) NewChunk(n int) (*Chunk, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("mujoco: chunk of %d environments; expected at least 1", n)
	}
	c := &Chunk{
		model: m,
		data:  unsafe.Slice((**C.mjData)(C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof(uintptr(0))))), n),
		fault: (*C.nacre_fault)(C.calloc(1, C.sizeof_nacre_fault)),
	}
	for i := range c.data {
		if C.nacre_make_data(m.m, &c.data[i], c.fault) != C.NACRE_OK {
			err := c.failure()
			c.Close()
			return nil, err
		}
		d := c.data[i]
		c.qpos = append(c.qpos, view(d.qpos, m.sizes.NQ))
		c.qvel = append(c.qvel, view(d.qvel, m.sizes.NV))
		c.xpos = append(c.xpos, view(d.xpos, 3*m.sizes.NBody))
	}
	return c, nil
}

// view makes C memory of n numbers a slice. Its address is fixed for the life of the mjData it is part of.
func view(p *C.mjtNum, n int) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(p)), n) }

// Close frees the states; slices got from the chunk must not be used any more.
func (c *Chunk) Close() {
	if c.data == nil {
		return
	}
	for _, d := range c.data {
		if d != nil {
			C.mj_deleteData(d)
		}
	}
	C.free(unsafe.Pointer(&c.data[0]))
	C.free(unsafe.Pointer(c.fault))
	c.data, c.fault, c.qpos, c.qvel, c.xpos = nil, nil, nil, nil, nil
}

// Len returns the number of states.
func (c *Chunk) Len() int { return len(c.data) }

// QPos returns the joint positions of environment i in place, nq long.
func (c *Chunk) QPos(i int) []float64 { return c.qpos[i] }

// QVel returns the joint velocities of environment i in place, nv long.
func (c *Chunk) QVel(i int) []float64 { return c.qvel[i] }

// XPos returns the world position of a body of environment i in place, in metres. After Step it belongs to the state
// before the last mj_step's integration, as MuJoCo leaves it.
func (c *Chunk) XPos(i, body int) []float64 { return c.xpos[i][3*body : 3*body+3] }

// Reset puts environment i into the model's initial state; nothing of what it did before remains.
func (c *Chunk) Reset(i int) error {
	if C.nacre_reset(c.model.m, c.data[i], c.fault) != C.NACRE_OK {
		return c.failureOf(i)
	}
	return nil
}

// Forward computes everything that follows from positions, velocities and controls of environment i.
func (c *Chunk) Forward(i int) error {
	if C.nacre_forward(c.model.m, c.data[i], c.fault) != C.NACRE_OK {
		return c.failureOf(i)
	}
	return nil
}

// Step advances every environment with active[i] by nsub mj_step with row i of ctrl (n×nu) as controls. An error is
// a *StepError of the first environment that failed; later ones have not been stepped.
func (c *Chunk) Step(active []bool, ctrl []float64, nsub int) error {
	n := len(c.data)
	if len(active) != n || len(ctrl) != n*c.model.sizes.NU {
		return fmt.Errorf("mujoco: step of %d environments with %d controls each: got %d flags and %d controls",
			n, c.model.sizes.NU, len(active), len(ctrl))
	}
	c.yield()
	rc := C.nacre_step_chunk(c.model.m, &c.data[0], first(ctrl), (*C.uint8_t)(unsafe.Pointer(&active[0])),
		C.int(n), C.int(nsub), c.fault)
	if rc != C.NACRE_OK {
		return c.failure()
	}
	return nil
}

// yield lets the scheduler run every 5 ms. From a goroutine that has run for 10 ms without that, the runtime's monitor
// takes the processor away in every C call, waking two threads each time; to yield in every call costs as much.
func (c *Chunk) yield() {
	if now := time.Now(); now.Sub(c.yielded) > 5*time.Millisecond {
		c.yielded = now
		runtime.Gosched()
	}
}

// PlainLoop makes the same steps as len(ctrl)/(n×nu) calls of Step with all environments active, environment after
// environment in one plain C loop: the yardstick of stepping from Go.
func (c *Chunk) PlainLoop(ctrl []float64, nsub int) error {
	n := len(c.data)
	row := n * c.model.sizes.NU
	if row == 0 || len(ctrl)%row != 0 {
		return fmt.Errorf("mujoco: %d controls are no whole number of steps of %d", len(ctrl), row)
	}
	if C.nacre_plain_loop(c.model.m, &c.data[0], first(ctrl), C.int(len(ctrl)/row), C.int(n), C.int(nsub), c.fault) != C.NACRE_OK {
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

// breakIntegrator makes every mj_step of the model raise an error, for the tests.
func (m *Model) breakIntegrator() { m.m.opt.integrator = 99 }
