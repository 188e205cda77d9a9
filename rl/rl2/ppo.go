package rl2

import (
	"errors"
	"fmt"

	"nacre/core"
	"nacre/rl/auxiliary"
	"nacre/rl/onpolicy"
)

// batch is the trials of an iteration, cut into chunks; every slice is by chunk.
type batch struct {
	X, Act, Old, Advantage, Weight [][]float32
}

func newBatch(k chunk, steps int) *batch {
	b := &batch{}
	for range (steps + k.steps - 1) / k.steps {
		n := k.trials * k.steps
		b.X, b.Act = append(b.X, make([]float32, n*k.p.memory.In)), append(b.Act, make([]float32, n*k.p.act))
		b.Old, b.Advantage = append(b.Old, make([]float32, n)), append(b.Advantage, make([]float32, n))
		b.Weight = append(b.Weight, make([]float32, n))
	}
	return b
}

// PPO makes PPO's steps on whole trials. Its gradient goes through all steps of a trial. The forward pass keeps only
// the state before each chunk of steps. The backward pass computes the steps of a chunk again.
//
//	ppo, err := rl2.NewPPO(device, memory, policy, config, 2000)
//	err = ppo.Set(trials)       // Obs are the inputs x, Advantage is computed
//	for range config.Epochs {
//		figures, err = ppo.Step()
//	}
type PPO struct {
	chunk
	forward, backward, apply core.Runner
	flops                    []int64 // operations of each program

	batch  *batch               // the trials; nil while there are none
	states [][]float64          // before each chunk
	back   []float64            // gradient by the state between two chunks
	sums   map[string][]float64 // the gradient by parameter, added chunk by chunk from the last to the first
	room   map[string][]float64
}

// NewPPO makes the programs for Config.MetaBatch trials. A trial has at most longest steps. m holds the policy's
// parameters.
func NewPPO(d core.Device, m core.Memory, p Policy, c Config, longest int) (*PPO, error) {
	k := chunk{p: p, trials: c.MetaBatch, steps: min(c.Chunk, longest)}
	u := &PPO{chunk: k, back: make([]float64, k.trials*p.memory.Hidden), sums: map[string][]float64{},
		room: map[string][]float64{}}
	for _, spec := range p.Specs() {
		u.sums[spec.Name], u.room[spec.Name] = make([]float64, spec.Rows*spec.Cols),
			make([]float64, spec.Rows*spec.Cols)
	}
	var err error
	u.flops, err = core.LoadAll(d, m,
		core.Loading{Run: &u.forward, Make: k.forwardProgram},
		core.Loading{Run: &u.backward, Make: func() (*core.Program, error) { return k.backwardProgram(c) }},
		core.Loading{Run: &u.apply, Make: func() (*core.Program, error) { return applyProgram(c, p) }})
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	steps := p.stepMatrix(k.steps)
	return u, errors.Join(u.forward.Write("steps", steps), u.backward.Write("steps", steps))
}

// FLOPs is the number of floating-point operations of a Step's matrix products.
func (u *PPO) FLOPs() int64 {
	n := int64(len(u.batch.X))
	return (n-1)*u.flops[0] + n*u.flops[1] + u.flops[2]
}

// Set takes the trials to learn from, at most Config.MetaBatch, and computes the log probabilities of their actions
// under the present policy.
func (u *PPO) Set(trials []onpolicy.Path) error {
	if len(trials) > u.trials {
		return fmt.Errorf("rl2: %d trials for programs of %d", len(trials), u.trials)
	}
	u.batch = u.cut(trials)
	return u.walk(u.batch, true)
}

// cut puts the trials side by side in chunks.
func (k chunk) cut(trials []onpolicy.Path) *batch {
	longest, steps := 0, 0
	for _, p := range trials {
		longest, steps = max(longest, p.Len), steps+p.Len
	}
	in, act := k.p.memory.In, k.p.act
	b := newBatch(k, longest)
	for i, p := range trials {
		for c := range b.X {
			from := c * k.steps
			n := min(k.steps, p.Len-from)
			if n <= 0 {
				break
			}
			copy(b.X[c][i*k.steps*in:], p.Obs[from*in:(from+n)*in])
			copy(b.Act[c][i*k.steps*act:], p.Act[from*act:(from+n)*act])
			for t := range n {
				b.Advantage[c][i*k.steps+t] = float32(p.Advantage[from+t])
				b.Weight[c][i*k.steps+t] = 1 / float32(steps)
			}
		}
	}
	return b
}

// Close frees the runners.
func (u *PPO) Close() error { return core.CloseAll(u.forward, u.backward, u.apply) }

// walk computes the states before each chunk of b. With old it goes to the end and writes b's log probabilities.
func (u *PPO) walk(b *batch, old bool) error {
	for len(u.states) < len(b.X) {
		u.states = append(u.states, make([]float64, len(u.back)))
	}
	clear(u.states[0])
	for i := range b.X {
		last := i == len(b.X)-1
		if last && !old {
			return nil
		}
		err := errors.Join(u.forward.Write("x", b.X[i]), u.forward.Write("act", b.Act[i]),
			u.forward.Write64("h", u.states[i]), u.forward.Run())
		if err == nil && old {
			err = u.forward.Read("log_prob", b.Old[i])
		}
		if err == nil && !last {
			err = u.forward.Read64("last", u.states[i+1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Figures are the loss, the mean of log π_old − log π, the share of steps whose ratio was outside 1 ± clip, and the
// gradient's norm.
type Figures struct{ Loss, KL, Clipped, Grad float64 }

// gradients computes the gradient of PPO's loss over b at the current parameters into u.sums.
func (u *PPO) gradients(b *batch) (f Figures, err error) {
	if err := u.walk(b, false); err != nil {
		return f, err
	}
	for _, x := range u.sums {
		clear(x)
	}
	clear(u.back)
	for i := len(b.X) - 1; i >= 0; i-- {
		if err := u.chunkBack(b, i, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// chunkBack adds chunk i's part and leaves the gradient by the state before it in u.back.
func (u *PPO) chunkBack(b *batch, i int, f *Figures) error {
	for _, x := range []struct {
		name string
		data []float32
	}{
		{"x", b.X[i]}, {"act", b.Act[i]}, {"old", b.Old[i]}, {"advantage", b.Advantage[i]}, {"weight", b.Weight[i]},
	} {
		if err := u.backward.Write(x.name, x.data); err != nil {
			return err
		}
	}
	if err := errors.Join(u.backward.Write64("h", u.states[i]), u.backward.Write64("dlast", u.back),
		u.backward.Run()); err != nil {
		return err
	}
	for name, sum := range u.sums {
		if err := u.backward.Read64(gradient(name), u.room[name]); err != nil {
			return err
		}
		for j, g := range u.room[name] {
			sum[j] += g
		}
	}
	err := core.AddScalars(u.backward, 1, map[string]*float64{"loss": &f.Loss, "kl": &f.KL, "clipped": &f.Clipped})
	if err != nil {
		return err
	}
	return u.backward.Read64("dfirst", u.back)
}

// Step makes one epoch: the gradient through all trials, and Adam's step with it.
func (u *PPO) Step() (Figures, error) { return u.step(nil) }

// step is Step with the gradient of an auxiliary loss, which may be nil, added to that of PPO's loss.
func (u *PPO) step(aux *auxiliary.Part) (Figures, error) {
	f, err := u.gradients(u.batch)
	if err != nil {
		return f, err
	}
	aux.Add(u.sums)
	for name, sum := range u.sums {
		if err := u.apply.Write64(gradient(name), sum); err != nil {
			return f, err
		}
	}
	if err := u.apply.Run(); err != nil {
		return f, err
	}
	return f, core.AddScalars(u.apply, 1, map[string]*float64{"grad": &f.Grad})
}
