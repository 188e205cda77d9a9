// Package focal is FOCAL's distance metric loss: embeddings of one task are drawn together, those of different tasks
// pushed apart by an inverse power of their distance. README.md has the equations and where paper and code differ.
//
//	aux, err := focal.New(focal.Default(), setting)
package focal

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/config"
)

// Config holds every choice of the loss that changes a result.
type Config struct {
	Scale   float64 `toml:"scale" range:"[0,1e6]" comment:"weight of the loss"`
	Form    string  `toml:"form" oneof:"code paper" comment:"of the public code, or of the paper's equation"`
	Power   float64 `toml:"power" range:"(0,8]" comment:"n: a pair of different tasks adds beta divided by the n-th power of their distance"`
	Beta    float64 `toml:"beta" range:"[0,1e6]" comment:"weight of different tasks"`
	Epsilon float64 `toml:"epsilon" range:"(0,1e6]" comment:"added to that power"`
	Bounded bool    `toml:"bounded" comment:"distances of tanh(z), as with the authors' encoders, instead of z"`
}

// Default is the public code's loss, on embeddings as they are.
func Default() Config { return Config{Scale: 1, Form: "code", Power: 2, Beta: 1, Epsilon: 0.1} }

// Table is the table of a run's configuration.
var Table = rl.Table{Name: "focal", Default: Default()}

// Of returns the loss's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Loss returns the entry of this loss in the list of losses.
func Loss() auxiliary.Loss {
	return auxiliary.Loss{
		Name: "focal", Title: "FOCAL's loss", About: "a distance metric that tells tasks apart (FOCAL)",
		Table: Table,
		New:   func(c rl.Config, s auxiliary.Setting) (belief.Auxiliary, error) { return New(Of(c), s) },
		// Embeddings far apart: of those near one another the gradient by biases is rounding alone.
		Small: []string{"focal.bounded=true", "pearl.init=xavier", "pearl.context=5"},
		Variants: map[string][]string{
			"paper": {"focal.form=paper"}, "power": {"focal.power=1", "focal.epsilon=1"},
		},
	}
}

// Offsets of the public code: below the root of positive pairs, and beside the numbers of pairs.
const offset = 1e-3

// tiny keeps the logarithm of a distance of zero finite.
const tiny = 1e-12

// FOCAL attaches the loss to an encoder.
type FOCAL struct {
	auxiliary.Plain
	cfg Config
	on  auxiliary.Setting
}

var _ belief.Auxiliary = (*FOCAL)(nil)

// New prepares the loss.
func New(c Config, on auxiliary.Setting) (*FOCAL, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	return &FOCAL{cfg: c, on: on}, on.Compares("focal")
}

// Feed implements belief.Auxiliary: the algorithm's contexts, a mask of the pairs of slots with the same task, and the
// task of each slot.
func (f *FOCAL) Feed() ([]feed.Draw, []feed.Fill) { return f.on.Fills(f.Masks()...) }

// Masks are the inputs that Term reads.
func (f *FOCAL) Masks() []feed.Fill {
	return []feed.Fill{{Input: "focal_mask", Field: feed.TaskMask, Value: 1},
		{Input: "focal_task", Field: feed.OfTask, Table: auxiliary.OneHot(f.on.Train)}}
}

// Loss implements belief.Auxiliary.
func (f *FOCAL) Loss(s *core.Stage, q belief.Posterior) *graph.Node {
	return s.Scale(f.Term(s, q.Mean), f.cfg.Scale)
}

// Term is the loss before its weight, of embeddings z, T × size. It declares the output focal_loss and its two parts:
// focal_positive, the mean over pairs of slots with the same task, and focal_negative, the weighted mean over pairs
// with different tasks.
func (f *FOCAL) Term(s *core.Stage, z *graph.Node) *graph.Node {
	if f.cfg.Bounded {
		z = s.Tanh(z)
	}
	positive, negative := f.pairs(s, s.SquaredDistances(z, z))
	t := f.on.Slots
	task := s.Input("focal_task", t, f.on.Train)
	same := s.Input("focal_mask", t, t) // without the diagonal
	different := s.Less(s.MatMul(task, task, false, true), s.Const(0.5))
	positive, negative = over(s, same, positive), s.Scale(over(s, different, negative), f.cfg.Beta)
	loss := s.Add(positive, negative)
	s.Output("focal_loss", loss)
	s.Output("focal_positive", positive)
	s.Output("focal_negative", negative)
	return loss
}

// pairs makes the terms of squared distances: of pairs of one task, and of different tasks without beta.
func (f *FOCAL) pairs(s *core.Stage, square *graph.Node) (positive, negative *graph.Node) {
	positive = square
	if f.cfg.Form == "code" {
		square = s.Scale(square, 1/float64(f.on.Encoder.Size())) // the mean over dimensions
		positive = s.Sqrt(s.Shift(square, offset))
	}
	power := square
	if n := f.cfg.Power; n != 2 {
		power = s.Exp(s.Scale(s.Log(s.Shift(square, tiny)), n/2))
	}
	return positive, s.Recip(s.Shift(power, f.cfg.Epsilon))
}

// over is Σ_{i<j} mask·x over the number of those pairs and the offset, 1×1; mask and x are symmetric.
func over(s *core.Stage, mask, x *graph.Node) *graph.Node {
	sum, pairs := s.SumAll(s.Mul(mask, x)), s.SumAll(mask)
	return s.Div(s.Scale(sum, 0.5), s.Affine(pairs, 0.5, offset))
}

// MetricNames implements belief.Auxiliary.
func (*FOCAL) MetricNames() []string {
	return []string{"focal_loss", "focal_positive", "focal_negative"}
}

// Diagnose implements belief.Auxiliary: the outputs of Term.
func (f *FOCAL) Diagnose(run core.Runner, record func(metric string, value float64)) error {
	return auxiliary.Record(run, record, f.MetricNames()...)
}
