// Package reconstruction is a loss for which decoders must predict rewards and next observations of a context from its
// embedding. README.md has the equation and its sources.
//
//	aux, err := reconstruction.New(reconstruction.Default(), setting)
package reconstruction

import (
	"slices"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/config"
)

// Config holds every choice of the loss that changes a result.
type Config struct {
	Scale      float64 `toml:"scale" range:"[0,1e6]" comment:"weight of the loss"`
	Targets    string  `toml:"targets" oneof:"both reward next-observation" comment:"what is foretold of a transition"`
	Likelihood string  `toml:"likelihood" oneof:"gaussian squared" comment:"decoders give mean and log variance, as the public code's do, or a mean and squared errors"`
	Hidden     int     `toml:"hidden" range:"[1,4096]" comment:"width of the decoders"`
	Layers     int     `toml:"layers" range:"[1,16]" comment:"hidden layers of them"`
	LR         float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam, decoders"`
}

// Default predicts both, with variances.
func Default() Config {
	return Config{Scale: 1, Targets: "both", Likelihood: "gaussian", Hidden: 64, Layers: 2, LR: 3e-4}
}

// Table is the table of a run's configuration.
var Table = rl.Table{Name: "reconstruction", Default: Default()}

// Of returns the loss's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Loss returns the entry of this loss in the list of losses.
func Loss() auxiliary.Loss {
	return auxiliary.Loss{
		Name: "reconstruction", Title: "reconstruction",
		About: "decoders must predict a context's rewards and next observations from its embedding",
		Table: Table,
		New:   func(c rl.Config, s auxiliary.Setting) (belief.Auxiliary, error) { return New(Of(c), s) },
		Small: []string{"reconstruction.hidden=13"},
	}
}

// decoder predicts columns from to to of a transition (o, a, r, o'), those of an observation as the difference from
// the one before.
type decoder struct {
	name     string // of the target in metrics
	net      nn.MLP // (z, o, a) → mean, and log variance
	from, to int
	next     bool
}

// Bounds of a log variance, where they start; they learn, with this weight on the distance between them.
const (
	least, most  = -10.0, 0.5
	boundsWeight = 0.01
)

func (d decoder) n() int { return d.to - d.from }

func (d decoder) bounds() (low, high core.ParamSpec) {
	return core.ParamSpec{Name: d.net.Name + "/least", Rows: 1, Cols: d.n()},
		core.ParamSpec{Name: d.net.Name + "/most", Rows: 1, Cols: d.n()}
}

// Reconstruction attaches the loss to an encoder.
type Reconstruction struct {
	auxiliary.Plain
	cfg      Config
	on       auxiliary.Setting
	decoders []decoder
}

var _ belief.Learning = (*Reconstruction)(nil)

// New prepares the loss.
func New(c Config, on auxiliary.Setting) (*Reconstruction, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	r := &Reconstruction{cfg: c, on: on}
	in := on.Obs + on.Act
	for _, d := range []decoder{{name: "reward", from: in, to: in + 1},
		{name: "next_observation", from: in + 1, to: in + 1 + on.Obs, next: true}} {
		if c.Targets == "reward" && d.next || c.Targets == "next-observation" && !d.next {
			continue
		}
		out := d.n()
		if r.gaussian() {
			out *= 2
		}
		d.net = nn.MLP{Name: on.Own("reconstruction") + "/" + d.name, In: on.Encoder.Size() + in,
			Hidden: slices.Repeat([]int{c.Hidden}, c.Layers), Out: out, Act: op.ReLU}
		r.decoders = append(r.decoders, d)
	}
	return r, nil
}

func (r *Reconstruction) gaussian() bool { return r.cfg.Likelihood == "gaussian" }

// Params implements belief.Auxiliary.
func (r *Reconstruction) Params() (out []core.ParamSpec) {
	for _, d := range r.decoders {
		out = append(out, d.net.Specs()...)
		if r.gaussian() {
			low, high := d.bounds()
			out = append(out, low, high)
		}
	}
	return out
}

// Learned implements belief.Learning.
func (r *Reconstruction) Learned() ([]core.ParamSpec, float64) { return r.Params(), r.cfg.LR }

// Init implements belief.Auxiliary: as PyTorch does.
func (r *Reconstruction) Init(m core.Memory) error {
	for i, d := range r.decoders {
		if err := nn.InitTorch(m, d.net, auxiliary.Stream(r.on.Seed, uint64(i))); err != nil {
			return err
		}
		if !r.gaussian() {
			continue
		}
		low, high := d.bounds()
		if err := m.Write(low.Name, slices.Repeat([]float64{least}, d.n())); err != nil {
			return err
		}
		if err := m.Write(high.Name, slices.Repeat([]float64{most}, d.n())); err != nil {
			return err
		}
	}
	return nil
}

// Feed implements belief.Auxiliary: the algorithm's contexts, and the same transitions with their next observations.
func (r *Reconstruction) Feed() ([]feed.Draw, []feed.Fill) { return r.on.Fills(r.Rows()...) }

// Rows are the inputs that Term reads: the contexts' transitions and their weights. They are a second set of inputs
// with these transitions, because a recurrent encoder reads its own input in another shape.
func (*Reconstruction) Rows() []feed.Fill {
	return []feed.Fill{{Input: "reconstruction_rows", Field: feed.ContextNext},
		{Input: "reconstruction_weight", Field: feed.Weight}}
}

// Loss implements belief.Auxiliary.
func (r *Reconstruction) Loss(s *core.Stage, q belief.Posterior) *graph.Node {
	return s.Scale(r.Term(s, q.Mean), r.cfg.Scale)
}

// Term is the loss before its weight, of embeddings z, T × size. It declares the outputs reconstruction_loss and, for
// each target, reconstruction_TARGET, the mean squared error of the decoder's means of this target.
func (r *Reconstruction) Term(s *core.Stage, z *graph.Node) *graph.Node {
	rows, in := r.on.Context.N, r.on.Obs+r.on.Act
	n := r.on.Slots * rows
	x := s.Input("reconstruction_rows", n, in+1+r.on.Obs)
	weight := s.Input("reconstruction_weight", n, 1)
	seen := s.ConcatCols(s.RepeatRows(z, rows), s.SliceCols(x, 0, in))
	var loss *graph.Node
	for _, d := range r.decoders {
		y, target := d.net.Apply(s, seen), s.SliceCols(x, d.from, d.to)
		if d.next {
			target = s.Sub(target, s.SliceCols(x, 0, r.on.Obs))
		}
		square := s.Square(s.Sub(s.SliceCols(y, 0, d.n()), target))
		mean := func(x *graph.Node) *graph.Node {
			return s.Div(s.SumAll(s.Mul(x, weight)), s.Scale(s.SumAll(weight), float64(d.n())))
		}
		mse := mean(square)
		s.Output("reconstruction_"+d.name, mse)
		if r.gaussian() {
			logVar, apart := d.logVar(s, s.SliceCols(y, d.n(), 2*d.n()))
			mse = s.Add(mean(s.Add(s.Mul(square, s.Exp(s.Neg(logVar))), logVar)), s.Scale(apart, boundsWeight))
		}
		if loss == nil {
			loss = mse
		} else {
			loss = s.Add(loss, mse)
		}
	}
	s.Output("reconstruction_loss", loss)
	return loss
}

// logVar holds log variances softly within the learned bounds, and is how far these are apart, 1×1.
func (d decoder) logVar(s *core.Stage, x *graph.Node) (bounded, apart *graph.Node) {
	low, high := d.bounds()
	l, h := s.Param(low.Name, low.Rows, low.Cols), s.Param(high.Name, high.Rows, high.Cols)
	x = s.Sub(h, s.Softplus(s.Sub(h, x)))
	x = s.Add(l, s.Softplus(s.Sub(x, l)))
	return x, s.SumCols(s.Sub(h, l))
}

// MetricNames implements belief.Auxiliary.
func (r *Reconstruction) MetricNames() []string {
	out := []string{"reconstruction_loss"}
	for _, d := range r.decoders {
		out = append(out, "reconstruction_"+d.name)
	}
	return out
}

// Diagnose implements belief.Auxiliary: the outputs of Term.
func (r *Reconstruction) Diagnose(run core.Runner, record func(metric string, value float64)) error {
	return auxiliary.Record(run, record, r.MetricNames()...)
}
