package mujoco

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall/js"
	"time"
)

// Chunk is n states of one model, stepped together. Only one goroutine may use it at a time.
//
// MuJoCo's memory belongs to another program. So the numbers of the states are here, in one block. They cross in one
// piece before and after each call: rows of inputs on the way there, all rows on the way back.
type Chunk struct {
	model   *Model
	js      js.Value // Chunk of web/src/worker/physics.ts
	n       int
	block   []float64
	inputs  []float64 // n rows: a flag, what inputParts names, the varied fields
	row     int       // length of a row of inputs
	outputs []float64 // n rows of the parts in outputParts
	states  []state
	params  [][]float64
	nominal []float64 // the model's values of the varied fields
	mocap   bool

	substeps int // substeps of the last Step
	there    struct{ inputs, all js.Value }
}

// part is a field of mjData and its place in a state.
type part struct {
	field  string
	length func(s Sizes) int
	in     func(s *state) *[]float64
}

// The inputs from which MuJoCo computes a step, beside the model.
var inputParts = []part{
	{"qpos", func(s Sizes) int { return s.NQ }, func(s *state) *[]float64 { return &s.qpos }},
	{"qvel", func(s Sizes) int { return s.NV }, func(s *state) *[]float64 { return &s.qvel }},
	{"ctrl", func(s Sizes) int { return s.NU }, func(s *state) *[]float64 { return &s.ctrl }},
	{"mocap_pos", func(s Sizes) int { return 3 * s.NMocap }, func(s *state) *[]float64 { return &s.mocapPos }},
	{"mocap_quat", func(s Sizes) int { return 4 * s.NMocap }, func(s *state) *[]float64 { return &s.mocapQuat }},
	{"qacc_warmstart", func(s Sizes) int { return s.NV }, func(s *state) *[]float64 { return &s.warmstart }},
}

// The values that follow from them.
var outputParts = []part{
	{"xpos", func(s Sizes) int { return 3 * s.NBody }, func(s *state) *[]float64 { return &s.xpos }},
	{"xquat", func(s Sizes) int { return 4 * s.NBody }, func(s *state) *[]float64 { return &s.xquat }},
	{"xmat", func(s Sizes) int { return 9 * s.NBody }, func(s *state) *[]float64 { return &s.xmat }},
	{"xipos", func(s Sizes) int { return 3 * s.NBody }, func(s *state) *[]float64 { return &s.xipos }},
	{"cinert", func(s Sizes) int { return 10 * s.NBody }, func(s *state) *[]float64 { return &s.cinert }},
	{"cvel", func(s Sizes) int { return 6 * s.NBody }, func(s *state) *[]float64 { return &s.cvel }},
	{"qfrc_actuator", func(s Sizes) int { return s.NV }, func(s *state) *[]float64 { return &s.qfrcActuator }},
	{"cfrc_ext", func(s Sizes) int { return 6 * s.NBody }, func(s *state) *[]float64 { return &s.cfrcExt }},
	{"site_xpos", func(s Sizes) int { return 3 * s.NSite }, func(s *state) *[]float64 { return &s.siteXPos }},
	{"site_xmat", func(s Sizes) int { return 9 * s.NSite }, func(s *state) *[]float64 { return &s.siteXMat }},
	{"geom_xpos", func(s Sizes) int { return 3 * s.NGeom }, func(s *state) *[]float64 { return &s.geomXPos }},
	{"geom_xmat", func(s Sizes) int { return 9 * s.NGeom }, func(s *state) *[]float64 { return &s.geomXMat }},
}

// bind gives the fields of a state their places in a row, and returns the rest of the row.
func bind(s *state, parts []part, sizes Sizes, row []float64) []float64 {
	for _, p := range parts {
		n := p.length(sizes)
		*p.in(s), row = row[:n:n], row[n:]
	}
	return row
}

func fields(parts []part) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.field
	}
	return strings.Join(names, " ")
}

// NewChunk makes n states. Fields in vary get their own values in every environment, at first those of the model; see
// Parameters. Close frees the states.
func (m *Model) NewChunk(n int, vary ...Field) (*Chunk, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("mujoco: chunk of %d environments; expected at least 1", n)
	}
	var varied []string
	for k, f := range vary {
		if fieldNames[f] == "" || slices.Contains(vary[:k], f) {
			return nil, fmt.Errorf("mujoco: the fields to vary are %v; expected different ones of 0 to %d", vary,
				len(fieldNames))
		}
		varied = append(varied, fieldNames[f])
	}
	v, err := made(m.js.Call("chunk", n, fields(inputParts), fields(outputParts), strings.Join(varied, " ")))
	if err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	c := &Chunk{model: m, js: v, n: n, row: v.Get("inputRow").Int(), nominal: m.Parameters(vary...)}
	outputRow := v.Get("outputRow").Int()
	c.block = make([]float64, n*(c.row+outputRow))
	c.inputs, c.outputs = c.block[:n*c.row], c.block[n*c.row:]
	c.states, c.params = make([]state, n), make([][]float64, n)
	for i := range n {
		c.params[i] = bind(&c.states[i], inputParts, m.sizes, c.inputs[i*c.row+1:(i+1)*c.row])
		rest := bind(&c.states[i], outputParts, m.sizes, c.outputs[i*outputRow:(i+1)*outputRow])
		if len(c.params[i]) != len(c.nominal) || len(rest) != 0 {
			c.Close()
			return nil, fmt.Errorf("mujoco: MuJoCo %s has states of %d and %d numbers, not what this program expects",
				Version(), c.row, outputRow)
		}
		if err := c.Reset(i); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Close frees the states; slices got from the chunk must not be used any more.
func (c *Chunk) Close() {
	if c.js.Truthy() {
		c.js.Call("delete")
	}
	*c = Chunk{}
}

// Len returns the number of states.
func (c *Chunk) Len() int { return c.n }

// ContactForces makes Step and PlainLoop compute the external forces on the bodies, with contacts, once after every
// control step, from the data of its last mj_step.
func (c *Chunk) ContactForces() { c.js.Set("contactForces", true) }

// ForwardAfterStep makes Step and PlainLoop call mj_forward at the end of every control step. Derived values then fit
// the new state. With five steps per control step it costs a sixth forward computation.
func (c *Chunk) ForwardAfterStep() { c.js.Set("forward", true) }

// DriveMocap adds the mocap bodies to the controls of Step and PlainLoop. A row of controls then has nu + 7·nmocap
// numbers: the actuators' controls, then position (3, in metres) and quaternion (4) of every mocap body.
func (c *Chunk) DriveMocap() { c.mocap = true }

// controls returns the length of a row of controls.
func (c *Chunk) controls() int {
	if c.mocap {
		return c.model.sizes.NU + 7*c.model.sizes.NMocap
	}
	return c.model.sizes.NU
}

// Parameters returns the values of the varied fields in environment i in place, one field after the other. They replace
// the model's values while the environment is stepped. Values that MuJoCo derived from the model's when it compiled the
// model (mj_setConst) do not change.
func (c *Chunk) Parameters(i int) []float64 { return c.params[i] }

// Reset puts environment i into the model's initial state, and its varied fields to the model's values. Nothing of its
// earlier state remains.
func (c *Chunk) Reset(i int) error {
	copy(c.params[i], c.nominal)
	return c.ResetState(i)
}

// ResetState works like Reset, but the varied fields keep their values.
func (c *Chunk) ResetState(i int) error { return c.one(i, "reset", i) }

// Advance makes n mj_step of environment i with the controls that lie in its state, see Ctrl and MocapPos. What Step
// adds to a control step is left out.
func (c *Chunk) Advance(i, n int) error { return c.one(i, "advance", i, n) }

// Forward computes everything that follows from positions, velocities and controls of environment i, the external
// forces on bodies excepted.
func (c *Chunk) Forward(i int) error { return c.one(i, "computeForward", i) }

// one calls a method on environment i, between bringing its inputs there and its numbers back.
func (c *Chunk) one(i int, method string, args ...any) error {
	in := c.inputs[i*c.row : (i+1)*c.row]
	n := len(c.outputs) / c.n
	js.CopyBytesToJS(c.js.Call("inputsOf", i), raw(in))
	fault := c.js.Call(method, args...)
	js.CopyBytesToGo(raw(in), c.js.Call("inputsOf", i))
	js.CopyBytesToGo(raw(c.outputs[i*n:(i+1)*n]), c.js.Call("outputsOf", i))
	return failure(fault)
}

// Step advances every environment with active[i] by nsub mj_step with row i of ctrl (n×nu, see DriveMocap) as controls.
// An error is a *StepError of the first environment that failed; later ones have not been stepped.
func (c *Chunk) Step(active []bool, ctrl []float64, nsub int) error {
	row := c.controls()
	if len(active) != c.n || len(ctrl) != c.n*row {
		return fmt.Errorf("mujoco: step of %d environments with %d controls each: got %d flags and %d controls",
			c.n, row, len(active), len(ctrl))
	}
	for i, on := range active {
		flag := &c.inputs[i*c.row]
		if *flag = 0; !on {
			continue
		}
		*flag = 1
		s, from := &c.states[i], ctrl[i*row:(i+1)*row]
		from = from[copy(s.ctrl, from):]
		for b := 0; len(from) > 0; b, from = b+1, from[7:] {
			copy(s.mocapPos[3*b:], from[:3])
			copy(s.mocapQuat[4*b:], from[3:7])
		}
	}
	if nsub != c.substeps {
		c.js.Set("substeps", nsub)
		c.substeps = nsub
	}
	c.look()
	js.CopyBytesToJS(c.there.inputs, raw(c.inputs))
	fault := c.js.Call("step")
	c.look()
	js.CopyBytesToGo(raw(c.block), c.there.all)
	return failure(fault)
}

// look finds the block in MuJoCo's memory anew where that has grown, which empties what was found before.
func (c *Chunk) look() {
	if !c.there.all.Truthy() || c.there.all.Length() == 0 {
		c.there.inputs, c.there.all = c.js.Call("inputs"), c.js.Call("all")
	}
}

// PlainLoop makes len(ctrl)/(n×nu) control steps with all environments active. In this build it calls Step that often.
func (c *Chunk) PlainLoop(ctrl []float64, nsub int) error {
	row := c.n * c.controls()
	if row == 0 || len(ctrl)%row != 0 {
		return fmt.Errorf("mujoco: %d controls are no whole number of steps of %d", len(ctrl), row)
	}
	active := slices.Repeat([]bool{true}, c.n)
	for ; len(ctrl) > 0; ctrl = ctrl[row:] {
		if err := c.Step(active, ctrl[:row], nsub); err != nil {
			return err
		}
	}
	return nil
}

// Touch returns the sum of the normal forces, in newtons, of the contacts between two geoms in environment i.
func (c *Chunk) Touch(i, geom1, geom2 int) float64 {
	return c.js.Call("touch", i, geom1, geom2).Float()
}

// failure is the error of a fault, which is null if there is none.
func failure(fault js.Value) error {
	if !fault.Truthy() {
		return nil
	}
	return &StepError{fault.Get("env").Int(), fault.Get("text").String()}
}

// CPUSeconds returns the wall-clock time since the start, because a browser does not tell the processor time.
func CPUSeconds() float64 { return time.Since(begun).Seconds() }

var begun = time.Now()

// Snapshot is a copy of one environment: what MuJoCo computes a step from, what followed from it, and the values of the
// varied fields. It may be restored by several goroutines at once.
type Snapshot struct {
	model           *Model
	inputs, outputs []float64
	params          int
}

// Save copies environment i. Close frees the copy.
func (c *Chunk) Save(i int) (*Snapshot, error) {
	n := len(c.outputs) / c.n
	return &Snapshot{
		c.model, slices.Clone(c.inputs[i*c.row : (i+1)*c.row]), slices.Clone(c.outputs[i*n : (i+1)*n]), len(c.nominal),
	}, nil
}

// Restore puts environment i into the state that was saved in s, bit for bit. s may come from another chunk of the same
// model that varies the same fields.
func (c *Chunk) Restore(i int, s *Snapshot) error {
	if s.model != c.model || s.params != len(c.nominal) {
		return fmt.Errorf("mujoco: the snapshot is of another model or of a chunk that varies other fields")
	}
	if err := c.ResetState(i); err != nil { // clears MuJoCo's record of warnings
		return err
	}
	copy(c.inputs[i*c.row:], s.inputs)
	copy(c.outputs[i*len(s.outputs):], s.outputs)
	return nil
}

// Close frees the copy.
func (s *Snapshot) Close() { s.inputs, s.outputs = nil, nil }
