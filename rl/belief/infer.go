package belief

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nacre/core"
)

// Shape of the inference program: contexts are cut into pieces of pieceRows rows, pieces at a time.
const (
	pieces    = 16
	pieceRows = 64
)

// Gaussian is a posterior as numbers. Mean and Var have the length latent. The zero-context posterior is N(0, I).
type Gaussian struct {
	Mean, Var []float64
}

// Prior returns N(0, I).
func Prior(latent int) Gaussian {
	g := Gaussian{Mean: make([]float64, latent), Var: make([]float64, latent)}
	for i := range g.Var {
		g.Var[i] = 1
	}
	return g
}

// Sample draws z ~ N(Mean, Var).
func (g Gaussian) Sample(r *rand.Rand) []float64 {
	z := make([]float64, len(g.Mean))
	for i := range z {
		z[i] = g.Mean[i] + math.Sqrt(g.Var[i])*r.NormFloat64()
	}
	return z
}

// Inference computes posteriors of contexts of any length with a program of fixed shape: the natural parameters of a
// context's pieces add up. A posterior depends only on its own context, not on the other contexts of a call. Not safe
// for concurrent use.
type Inference struct {
	enc       Encoder
	run       core.Runner
	context   []float32
	weight    []float32
	precision []float64
	precMean  []float64
}

// NewInference loads the program. Every call of Posteriors uses the present parameters of the encoder in m.
func NewInference(d core.Device, m core.Memory, enc Encoder) (*Inference, error) {
	b := core.NewBuilder("belief.infer", pieces)
	s := b.Stage("infer")
	f := enc.Factors(s,
		s.Input("context", pieces*pieceRows, enc.Width()), s.Input("weight", pieces*pieceRows, 1), pieceRows)
	s.Output("precision", f.Precision)
	s.Output("precision_mean", f.PrecisionMean)
	p, err := b.Compile()
	if err != nil {
		return nil, err
	}
	run, err := d.Load(p, m)
	if err != nil {
		return nil, err
	}
	return &Inference{
		enc: enc, run: run,
		context:   make([]float32, pieces*pieceRows*enc.Width()),
		weight:    make([]float32, pieces*pieceRows),
		precision: make([]float64, pieces*enc.Latent),
		precMean:  make([]float64, pieces*enc.Latent),
	}, nil
}

// Posteriors infers one posterior per context. A context is rows×Width, row-major; an empty one gives the prior. The
// error either names a context whose length is not a multiple of the width or comes from the device.
func (f *Inference) Posteriors(contexts [][]float32) ([]Gaussian, error) {
	w := f.enc.Width()
	out := make([]Gaussian, len(contexts)) // natural parameters at first
	owner := make([]int, 0, pieces)
	for i, c := range contexts {
		if len(c)%w != 0 {
			return nil, fmt.Errorf("belief: context %d has %d numbers, want a multiple of the row width %d",
				i, len(c), w)
		}
		out[i] = Gaussian{Mean: make([]float64, f.enc.Latent), Var: make([]float64, f.enc.Latent)}
		for piece := range slices.Chunk(c, pieceRows*w) {
			f.fill(len(owner), piece)
			owner = append(owner, i)
			if len(owner) < pieces {
				continue
			}
			if err := f.accumulate(owner, out); err != nil {
				return nil, err
			}
			owner = owner[:0]
		}
	}
	if len(owner) > 0 {
		if err := f.accumulate(owner, out); err != nil {
			return nil, err
		}
	}
	for i, c := range contexts {
		if len(c) == 0 {
			out[i] = Prior(f.enc.Latent)
			continue
		}
		for l, precision := range out[i].Var {
			out[i].Var[l] = 1 / precision
			out[i].Mean[l] /= precision
		}
	}
	return out, nil
}

// fill puts a piece of a context into a slot of the program's input. The rows left over have weight 0 and are cleared,
// because a value that is not finite would not drop out.
func (f *Inference) fill(slot int, piece []float32) {
	w := f.enc.Width()
	rows := f.context[slot*pieceRows*w : (slot+1)*pieceRows*w]
	clear(rows[copy(rows, piece):])
	weight := f.weight[slot*pieceRows : (slot+1)*pieceRows]
	clear(weight)
	for i := range len(piece) / w {
		weight[i] = 1
	}
}

// accumulate runs the program and adds piece k's natural parameters to context owner[k]: precision into Var,
// precision-weighted mean into Mean.
func (f *Inference) accumulate(owner []int, out []Gaussian) error {
	if err := f.run.Write("context", f.context); err != nil {
		return err
	}
	if err := f.run.Write("weight", f.weight); err != nil {
		return err
	}
	if err := f.run.Run(); err != nil {
		return err
	}
	if err := f.run.Read64("precision", f.precision); err != nil {
		return err
	}
	if err := f.run.Read64("precision_mean", f.precMean); err != nil {
		return err
	}
	n := f.enc.Latent
	for k, i := range owner {
		for l := range n {
			out[i].Var[l] += f.precision[k*n+l]
			out[i].Mean[l] += f.precMean[k*n+l]
		}
	}
	return nil
}

// Close frees the program's buffers.
func (f *Inference) Close() error { return f.run.Close() }
