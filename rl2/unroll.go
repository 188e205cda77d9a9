package rl2

import (
	"errors"

	"nacre/core"
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

// unroller computes the gradient through whole trials. Of the forward pass only the state before each chunk is kept; the
// backward pass computes a chunk's steps again.
type unroller struct {
	chunk
	forward, backward, apply core.Runner

	states [][]float32 // before each chunk
	back   []float32   // gradient by the state between two chunks
	zero   []float32
	sums   map[string][]float64 // the gradient by parameter, added chunk by chunk from the last to the first
	room   map[string][]float64
}

func newUnroller(d core.Device, m core.Memory, c Config, k chunk) (*unroller, error) {
	size := k.trials * k.p.memory.Hidden
	u := &unroller{
		chunk: k, back: make([]float32, size), zero: make([]float32, size),
		sums: map[string][]float64{}, room: map[string][]float64{},
	}
	for _, spec := range k.p.Specs() {
		u.sums[spec.Name], u.room[spec.Name] = make([]float64, spec.Rows*spec.Cols), make([]float64, spec.Rows*spec.Cols)
	}
	for _, x := range []struct {
		run  *core.Runner
		make func() (*core.Program, error)
	}{
		{&u.forward, k.forwardProgram},
		{&u.backward, func() (*core.Program, error) { return k.backwardProgram(c) }},
		{&u.apply, func() (*core.Program, error) { return applyProgram(c, k.p) }},
	} {
		program, err := x.make()
		if err == nil {
			*x.run, err = d.Load(program, m)
		}
		if err != nil {
			return nil, errors.Join(err, u.Close())
		}
	}
	steps := k.p.stepMatrix(k.steps)
	return u, errors.Join(u.forward.Write("steps", steps), u.backward.Write("steps", steps))
}

// Close gives the runners back.
func (u *unroller) Close() error {
	var errs []error
	for _, run := range []core.Runner{u.forward, u.backward, u.apply} {
		if run != nil {
			errs = append(errs, run.Close())
		}
	}
	return errors.Join(errs...)
}

// walk computes the states before each chunk of b. With old it goes to the end and writes b's log probabilities.
func (u *unroller) walk(b *batch, old bool) error {
	for len(u.states) < len(b.X) {
		u.states = append(u.states, make([]float32, len(u.zero)))
	}
	clear(u.states[0])
	for i := range b.X {
		last := i == len(b.X)-1
		if last && !old {
			return nil
		}
		err := errors.Join(u.forward.Write("x", b.X[i]), u.forward.Write("act", b.Act[i]), u.forward.Write("h", u.states[i]), u.forward.Run())
		if err == nil && old {
			err = u.forward.Read("log_prob", b.Old[i])
		}
		if err == nil && !last {
			err = u.forward.Read("last", u.states[i+1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// figures are the sums of backwardProgram's losses, and the gradient's norm.
type figures struct{ loss, kl, clipped, grad float64 }

// gradients computes the gradient of PPO's loss over b at the current parameters into u.sums.
func (u *unroller) gradients(b *batch) (f figures, err error) {
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
func (u *unroller) chunkBack(b *batch, i int, f *figures) error {
	for _, x := range []struct {
		name string
		data []float32
	}{
		{"x", b.X[i]}, {"act", b.Act[i]}, {"old", b.Old[i]}, {"advantage", b.Advantage[i]}, {"weight", b.Weight[i]},
		{"h", u.states[i]}, {"dlast", u.back},
	} {
		if err := u.backward.Write(x.name, x.data); err != nil {
			return err
		}
	}
	if err := u.backward.Run(); err != nil {
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
	var v [1]float64
	for name, sum := range map[string]*float64{"loss": &f.loss, "kl": &f.kl, "clipped": &f.clipped} {
		if err := u.backward.Read64(name, v[:]); err != nil {
			return err
		}
		*sum += v[0]
	}
	return u.backward.Read("dfirst", u.back)
}

// step makes one epoch: the gradient through all of the trials and an Adam step.
func (u *unroller) step(b *batch) (figures, error) {
	f, err := u.gradients(b)
	if err != nil {
		return f, err
	}
	for name, sum := range u.sums {
		if err := u.apply.Write64(gradient(name), sum); err != nil {
			return f, err
		}
	}
	if err := u.apply.Run(); err != nil {
		return f, err
	}
	var v [1]float64
	err = u.apply.Read64("grad", v[:])
	f.grad = v[0]
	return f, err
}
