package varibad

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/belief"
)

// Encoder is the recurrent context encoder. It reads the rows (o, a, r, o') of one task in order. Of a row it uses only
// (a, r, o'): o is the o' of the row before, except where an episode begins. The state begins at zero. The posterior is
// N(μ, σ²) with (μ, log σ²) linear in the state, so the posterior before the first row is learned.
type Encoder struct {
	embed    nn.MLP // one layer, ReLU
	memory   nn.GRU
	head     nn.MLP // linear
	obs, act int
	latent   int
}

// NewEncoder makes the encoder for observations of obs numbers and actions of act numbers.
func NewEncoder(c Config, obs, act int) Encoder {
	return Encoder{
		embed:  nn.MLP{Name: "encoder/embed", In: act + 1 + obs, Out: c.Embed},
		memory: nn.GRU{Name: "encoder/memory", In: c.Embed, Hidden: c.Memory},
		head:   nn.MLP{Name: "encoder/head", In: c.Memory, Out: 2 * c.Latent},
		obs:    obs, act: act, latent: c.Latent,
	}
}

// Width is the length of a context row.
func (e Encoder) Width() int { return 2*e.obs + e.act + 1 }

// Latent is the number of the task variable's dimensions.
func (e Encoder) Latent() int { return e.latent }

// Specs implements nn.Network.
func (e Encoder) Specs() []core.ParamSpec {
	return append(append(e.embed.Specs(), e.memory.Specs()...), e.head.Specs()...)
}

func (e Encoder) nodes(s *core.Stage) []*graph.Node {
	return append(append(e.embed.Nodes(s), e.memory.Nodes(s)...), e.head.Nodes(s)...)
}

// init draws the weights as PyTorch does.
func (e Encoder) init(m core.Memory, r *rand.Rand) error {
	return errors.Join(
		nn.InitTorch(m, e.embed, r),
		nn.InitUniform(m, e.memory, 1/math.Sqrt(float64(e.memory.Hidden)), r),
		nn.InitTorch(m, e.head, r))
}

// Step returns the state after the row (n × Width), if h (n × memory) is the state before.
func (e Encoder) Step(s *core.Stage, row, h *graph.Node) *graph.Node {
	p := e.embed.Nodes(s)
	x := s.Dense(s.SliceCols(row, e.obs, e.Width()), p[0], p[1], op.ReLU)
	return e.memory.Step(s, x, h)
}

// Gaussian holds n posteriors as nodes of a graph.
type Gaussian struct {
	Mean, LogVar *graph.Node // n × latent each
}

// Belief returns the posterior in state h.
func (e Encoder) Belief(s *core.Stage, h *graph.Node) Gaussian {
	y := e.head.Apply(s, h)
	return Gaussian{
		Mean: s.SliceCols(y, 0, e.latent),
		// A deviation beyond these bounds is not a belief; it would grow to infinity.
		LogVar: s.Clamp(s.SliceCols(y, e.latent, 2*e.latent), minLogVar, maxLogVar),
	}
}

// maxLogVar bounds log σ² from above.
const maxLogVar = 20

var minLogVar = math.Log(belief.MinVar)

// Inference computes posteriors outside of training: of whole contexts, or step by step. It reads the encoder's
// parameters as they are at each call. It is not safe for concurrent use.
type Inference struct {
	Encoder
	rows          int
	step, begin   core.Runner
	x, h, next    []float64 // rows × Width, memory, memory
	mean, logVar  []float64 // rows × latent
	zero, mu, lnv []float64 // of the posterior before the first row
}

// NewInference loads the programs that read at most `rows` contexts side by side.
func NewInference(d core.Device, m core.Memory, e Encoder, rows int) (*Inference, error) {
	f := &Inference{
		Encoder: e, rows: rows,
		x: make([]float64, rows*e.Width()), h: make([]float64, rows*e.memory.Hidden),
		next: make([]float64, rows*e.memory.Hidden),
		mean: make([]float64, rows*e.latent), logVar: make([]float64, rows*e.latent),
		zero: make([]float64, e.memory.Hidden), mu: make([]float64, e.latent), lnv: make([]float64, e.latent),
	}
	load := func(name string, n int, build func(s *core.Stage)) (core.Runner, error) {
		b := core.NewBuilder(name, n)
		build(b.Stage("infer"))
		p, err := b.Compile()
		if err != nil {
			return nil, err
		}
		return d.Load(p, m)
	}
	belief := func(s *core.Stage, h *graph.Node) {
		q := e.Belief(s, h)
		s.Output("mean", q.Mean)
		s.Output("log_var", q.LogVar)
	}
	var err error
	f.step, err = load("varibad.infer", rows, func(s *core.Stage) {
		h := e.Step(s, s.Input("row", rows, e.Width()), s.Input("h", rows, e.memory.Hidden))
		s.Output("next", h)
		belief(s, h)
	})
	if err == nil {
		f.begin, err = load("varibad.prior", 1, func(s *core.Stage) { belief(s, s.Input("h", 1, e.memory.Hidden)) })
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close gives the programs' buffers back.
func (f *Inference) Close() error { return core.CloseAll(f.step, f.begin) }

// believer holds the encoder's state and posterior at a point of a trial.
type believer struct {
	h, mean, logVar []float64
}

// start makes n believers, each at the beginning of a trial.
func (f *Inference) start(n int) ([]believer, error) {
	err := errors.Join(f.begin.Write64("h", f.zero), f.begin.Run(), f.begin.Read64("mean", f.mu),
		f.begin.Read64("log_var", f.lnv))
	out := make([]believer, n)
	for i := range out {
		out[i] = believer{make([]float64, len(f.zero)), append([]float64(nil), f.mu...),
			append([]float64(nil), f.lnv...)}
	}
	return out, err
}

// see moves each believer by one row. The rows were written to the first rows of f.x; there are at most f.rows.
func (f *Inference) see(bs []*believer) error {
	n, l := f.memory.Hidden, f.latent
	for k, b := range bs {
		copy(f.h[k*n:], b.h)
	}
	err := errors.Join(f.step.Write64("row", f.x), f.step.Write64("h", f.h), f.step.Run(),
		f.step.Read64("next", f.next), f.step.Read64("mean", f.mean), f.step.Read64("log_var", f.logVar))
	if err != nil {
		return err
	}
	for k, b := range bs {
		copy(b.h, f.next[k*n:])
		copy(b.mean, f.mean[k*l:(k+1)*l])
		copy(b.logVar, f.logVar[k*l:(k+1)*l])
	}
	return nil
}

// Posteriors infers one posterior per context. A context is rows × Width, row-major and in order; an empty one gives
// the posterior before the first transition. A posterior depends on its own context only. It fails if the length of a
// context is not a multiple of the width, and names this context; or it returns an error of the device.
func (f *Inference) Posteriors(contexts [][]float32) ([]belief.Gaussian, error) {
	w := f.Width()
	for i, c := range contexts {
		if len(c)%w != 0 {
			return nil, fmt.Errorf("varibad: context %d has %d numbers, want a multiple of the row width %d",
				i, len(c), w)
		}
	}
	all, err := f.start(len(contexts))
	if err != nil {
		return nil, err
	}
	for from := 0; from < len(all); from += f.rows {
		to := min(from+f.rows, len(all))
		if err := f.read(all[from:to], contexts[from:to]); err != nil {
			return nil, err
		}
	}
	out := make([]belief.Gaussian, len(all))
	for i, b := range all {
		out[i] = belief.Gaussian{Mean: b.mean, Var: make([]float64, f.latent)}
		for l, v := range b.logVar {
			out[i].Var[l] = math.Exp(v)
		}
	}
	return out, nil
}

// read moves each believer, at most f.rows, through its context.
func (f *Inference) read(bs []believer, contexts [][]float32) error {
	w := f.Width()
	for t := 0; ; t++ {
		var moved []*believer
		for i, c := range contexts {
			if len(c) <= t*w {
				continue
			}
			for j, v := range c[t*w : (t+1)*w] {
				f.x[len(moved)*w+j] = float64(v)
			}
			moved = append(moved, &bs[i])
		}
		if len(moved) == 0 {
			return nil
		}
		if err := f.see(moved); err != nil {
			return err
		}
	}
}
