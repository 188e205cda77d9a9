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

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/pearl"
	"nacre/rl/belief"
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
	done := ends(nb)
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
	return write(y.run, inputs)
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
	if err := updated(y, step); err != nil {
		return nil, err
	}
	return read(y.run, y.Names())
}
