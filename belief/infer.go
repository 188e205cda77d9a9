package belief

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/core"
)

// Shape of the inference program: contexts are cut into pieces of pieceRows rows, pieces at a time.
const (
	pieces    = 16
	pieceRows = 64
)

// Gaussian is a posterior as numbers, latent long each. The zero-context posterior is N(0, I).
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

// Inference computes posteriors of contexts of any length with a program of fixed shape: the natural parameters of
// a context's pieces add up. A posterior depends on its own context only, not on what is inferred beside it. Not
// safe for concurrent use.
type Inference struct {
	enc       Encoder
	run       core.Runner
	context   []float32
	weight    []float32
	precision []float64
	precMean  []float64
}

// NewInference loads the program; it reads the encoder's parameters in m as they are at each call.
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

// Posteriors infers one posterior per context. A context is rows×Width, row-major; an empty one gives the prior.
func (f *Inference) Posteriors(contexts [][]float32) ([]Gaussian, error) {
	out := make([]Gaussian, len(contexts))
	owner := make([]int, 0, pieces)
	w := f.enc.Width()
	flush := func() error {
		if len(owner) == 0 {
			return nil
		}
		clear(f.weight[:pieces*pieceRows][len(owner)*pieceRows:])
		err := f.accumulate(owner, out)
		owner = owner[:0]
		return err
	}
	for i, c := range contexts {
		if len(c)%w != 0 {
			return nil, fmt.Errorf("belief: context %d has %d numbers, want a multiple of the row width %d", i, len(c), w)
		}
		if len(c) == 0 {
			out[i] = Prior(f.enc.Latent)
			continue
		}
		out[i] = Gaussian{Mean: make([]float64, f.enc.Latent), Var: make([]float64, f.enc.Latent)}
		for rows := len(c) / w; rows > 0; {
			n := min(rows, pieceRows)
			slot := len(owner)
			copy(f.context[slot*pieceRows*w:], c[:n*w])
			weight := f.weight[slot*pieceRows : (slot+1)*pieceRows]
			for r := range weight {
				weight[r] = 0
				if r < n {
					weight[r] = 1
				}
			}
			owner = append(owner, i)
			c, rows = c[n*w:], rows-n
			if len(owner) == pieces {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for i, c := range contexts {
		if len(c) == 0 {
			continue
		}
		for l := range out[i].Var {
			precision := out[i].Var[l]
			out[i].Var[l] = 1 / precision
			out[i].Mean[l] /= precision
		}
	}
	return out, nil
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

// Close gives the program's buffers back.
func (f *Inference) Close() error { return f.run.Close() }
