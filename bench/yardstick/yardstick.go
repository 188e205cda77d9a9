// Package yardstick is one complete TCL-PEARL gradient update on synthetic data that any language can make: every
// weight, transition and noise value comes from a counter-based splitmix64 stream. An independent PyTorch program
// run once in float64 gave the figures in Expected, so losses and gradients can be compared digit by digit, and
// speeds can be compared on equal work.
//
//	y, err := yardstick.New(yardstick.Oyster, true, ref.Device)
//	for step := range 3 {
//		figures, err := y.Update(step)      // kl, q_loss, …, grad_policy
//		want := y.Expected(step)
//	}
package yardstick

import (
	"fmt"
	"math"

	"nacre/belief"
	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/pearl"
	"nacre/tcl"
)

// Size names one of the two sizes of the paper's experiments.
type Size struct {
	Name                  string
	Obs, Act, Latent      int
	Hidden, EncoderHidden int
	Window                int
	RewardScale           float64
}

// The sizes: half-cheetah velocity as published with PEARL, and Meta-World as in the TCL paper.
var (
	Oyster    = Size{Name: "oyster", Obs: 20, Act: 6, Latent: 5, Hidden: 300, EncoderHidden: 200, Window: 64, RewardScale: 5}
	MetaWorld = Size{Name: "metaworld", Obs: 12, Act: 4, Latent: 7, Hidden: 400, EncoderHidden: 400, Window: 64, RewardScale: 10}
)

// Sizes lists them.
var Sizes = []Size{Oyster, MetaWorld}

// Find returns the size of a name.
func Find(name string) (Size, error) {
	for _, s := range Sizes {
		if s.Name == name {
			return s, nil
		}
	}
	return Size{}, fmt.Errorf("size %q, want \"oyster\" or \"metaworld\"", name)
}

const (
	tasks = 16
	batch = 256
)

// Yardstick is the update loaded on a device.
type Yardstick struct {
	size    Size
	tcl     bool
	run     core.Runner
	program *core.Program
	epsZ    []float64
	epsA    []float64
	waited  [1]float64
}

// Config is the algorithm's configuration at a size.
func (s Size) Config() pearl.Config {
	c := pearl.Default()
	c.Latent, c.Hidden, c.EncoderHidden = s.Latent, s.Hidden, s.EncoderHidden
	c.MetaBatch, c.Batch, c.Context, c.RewardScale = tasks, batch, s.Window, s.RewardScale
	return c
}

// New loads the update, with TCL's loss or without, and writes weights and data.
func New(s Size, withTCL bool, d core.Device) (*Yardstick, error) {
	c := s.Config()
	nets := pearl.NewNetworks(c, s.Obs, s.Act)
	specs := nets.Specs()
	var aux belief.Auxiliary
	if withTCL {
		t := tcl.Default()
		t.Window = s.Window
		a, err := tcl.New(t, nets.Encoder, tasks)
		if err != nil {
			return nil, err
		}
		aux, specs = a, append(specs, a.Params()...)
	}
	mem, err := d.NewMemory(specs)
	if err != nil {
		return nil, err
	}
	if err := s.weights(mem, nets, aux); err != nil {
		return nil, err
	}
	p, err := pearl.UpdateProgram(c, nets, aux)
	if err != nil {
		return nil, err
	}
	run, err := d.Load(p, mem)
	if err != nil {
		return nil, err
	}
	y := &Yardstick{size: s, tcl: withTCL, run: run, program: p}
	if err := y.data(nets.Encoder.Width()); err != nil {
		run.Close()
		return nil, err
	}
	return y, nil
}

// Size is the size the update was made for.
func (y *Yardstick) Size() Size { return y.size }

// Program is the compiled update.
func (y *Yardstick) Program() *core.Program { return y.program }

// FLOPs is the work of an update in matrix products.
func (y *Yardstick) FLOPs() int64 { return y.program.FLOPs() }

// Explain makes updates on what Prepare wrote and tells how the CPU makes them; other devices cannot.
func (y *Yardstick) Explain(updates int) (*cpu.Plan, error) { return cpu.Explain(y.run, updates) }

// Close gives the device's buffers back.
func (y *Yardstick) Close() error { return y.run.Close() }

// weights fills the networks: stream 1000·net + 10·layer (+1 for an output bias), stored output by input there.
func (s Size) weights(m core.Memory, n pearl.Networks, aux belief.Auxiliary) error {
	for i, net := range []nn.MLP{n.Encoder.Net, n.Q1, n.Q2, n.V, n.Policy.Net} {
		last := 3e-3
		if net.Name == n.Policy.Net.Name {
			last = 1e-3
		}
		specs := net.Specs()
		for k := 0; k < len(specs); k += 2 {
			w, b := specs[k], specs[k+1]
			stream, bound := uint64(1000*(i+1)+10*(k/2)), 1/math.Sqrt(float64(w.Cols))
			bias := make([]float64, b.Cols)
			for j := range bias {
				bias[j] = 0.1
			}
			if k == len(specs)-2 {
				bound = last
				bias = uniform(stream+1, b.Cols, -last, last)
			}
			if err := m.Write(w.Name, transpose(uniform(stream, w.Rows*w.Cols, -bound, bound), w.Cols, w.Rows)); err != nil {
				return err
			}
			if err := m.Write(b.Name, bias); err != nil {
				return err
			}
		}
	}
	if aux != nil {
		if err := aux.Init(m); err != nil {
			return err
		}
	}
	return nn.Copy(m, n.VTarget, n.V)
}

// data writes the meta-batch: streams 1 to 9.
func (y *Yardstick) data(row int) error {
	s, nb := y.size, tasks*batch
	window := func(stream uint64) []float64 {
		offset, x := normal(9, tasks*row), normal(stream, tasks*s.Window*row)
		for i := range x {
			x[i] += offset[i/(s.Window*row)*row+i%row]
		}
		return x
	}
	done := uniform(5, nb, 0, 1)
	for i, u := range done {
		done[i] = 0
		if u < 0.01 {
			done[i] = 1
		}
	}
	ones := make([]float64, tasks*s.Window)
	for i := range ones {
		ones[i] = 1
	}
	inputs := map[string][]float64{
		"obs": normal(1, nb*s.Obs), "next_obs": normal(2, nb*s.Obs), "act": uniform(3, nb*s.Act, -1, 1),
		"rew": normal(4, nb), "done": done, "context": window(6), "context_weight": ones,
	}
	if y.tcl {
		inputs["key_context"], inputs["key_weight"] = window(7), ones
	}
	for name, x := range inputs {
		if err := y.run.Write64(name, x); err != nil {
			return err
		}
	}
	return nil
}

// Figures are an update's losses and gradient norms by output name.
type Figures map[string]float64

// Names lists what Update returns, in the order of the update.
func (y *Yardstick) Names() []string {
	names := []string{"kl", "q_loss"}
	if y.tcl {
		names = append(names, "tcl_loss")
	}
	return append(names, "v_loss", "policy_loss", "grad_encoder", "grad_q1", "grad_q2", "grad_v", "grad_policy")
}

// Prepare writes the noise of a step; Run then makes the update. Update does both and reads the figures.
func (y *Yardstick) Prepare(step int) error {
	base := 1_000_000 * uint64(step+1)
	if err := y.run.Write64("eps_z", normal(base+1, tasks*y.size.Latent)); err != nil {
		return err
	}
	return y.run.Write64("eps_a", normal(base+2, tasks*batch*y.size.Act))
}

// Run makes one update on what Prepare wrote. Start gives it to the device, Wait waits for all that was given.
func (y *Yardstick) Run() error {
	if err := y.Start(); err != nil {
		return err
	}
	return y.Wait()
}

func (y *Yardstick) Start() error { return y.run.Run() }
func (y *Yardstick) Wait() error  { return y.run.Read64("q_loss", y.waited[:]) }

// Update makes update number step, from 0, and returns its figures.
func (y *Yardstick) Update(step int) (Figures, error) {
	if err := y.Prepare(step); err != nil {
		return nil, err
	}
	if err := y.Run(); err != nil {
		return nil, err
	}
	f := Figures{}
	var x [1]float64
	for _, name := range y.Names() {
		if err := y.run.Read64(name, x[:]); err != nil {
			return nil, err
		}
		f[name] = x[0]
	}
	return f, nil
}

// mix is splitmix64's output for a counter (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// uniform returns u_i = lo + (hi−lo)·2⁻⁵³·⌊mix(mix(stream)+i) / 2¹¹⌋.
func uniform(stream uint64, n int, lo, hi float64) []float64 {
	base := mix(stream)
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*(float64(mix(base+uint64(i))>>11)*0x1p-53)
	}
	return x
}

// normal returns √(−2 ln(1−u_2i))·cos(2π·u_2i+1).
func normal(stream uint64, n int) []float64 {
	u := uniform(stream, 2*n, 0, 1)
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sqrt(-2*math.Log1p(-u[2*i])) * math.Cos(2*math.Pi*u[2*i+1])
	}
	return x
}

func transpose(x []float64, rows, cols int) []float64 {
	t := make([]float64, len(x))
	for i := range rows {
		for j := range cols {
			t[j*rows+i] = x[i*cols+j]
		}
	}
	return t
}
