// Package unicorn is UNICORN's self-supervised loss: decoders must predict a context's transitions from its embedding,
// and FOCAL's distance metric tells tasks apart. README.md has the equation and where paper and code differ.
//
//	aux, err := unicorn.New(unicorn.Default(), setting)
package unicorn

import (
	"slices"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/focal"
	"nacre/rl/auxiliary/reconstruction"
	"nacre/rl/belief"
	"nacre/rl/config"
)

// Config holds every choice of the loss that changes a result.
type Config struct {
	Scale   float64 `toml:"scale" range:"[0,1e6]" comment:"weight of the loss"`
	Beta    float64 `toml:"beta" range:"[0,1e6]" comment:"weight of FOCAL's loss beside reconstruction; the paper's α/(1-α)"`
	Bounded bool    `toml:"bounded" comment:"distances of tanh(z), as with the authors' encoders, instead of z"`
	Hidden  int     `toml:"hidden" range:"[1,4096]" comment:"width of the decoders"`
	Layers  int     `toml:"layers" range:"[1,16]" comment:"hidden layers of them"`
	LR      float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam, decoders"`
}

// Default has the Beta that the public code uses for two of its three task families.
func Default() Config { return Config{Scale: 1, Beta: 0.15, Hidden: 64, Layers: 2, LR: 3e-4} }

// Table is the table of a run's configuration.
var Table = rl.Table{Name: "unicorn", Default: Default()}

// Of returns the loss's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Loss returns the entry of this loss in the list of losses.
func Loss() auxiliary.Loss {
	return auxiliary.Loss{
		Name: "unicorn", Title: "UNICORN's loss", About: "reconstruction and FOCAL's distance metric (UNICORN)",
		Table: Table,
		New:   func(c rl.Config, s auxiliary.Setting) (belief.Auxiliary, error) { return New(Of(c), s) },
		Small: []string{"unicorn.hidden=13", "unicorn.bounded=true"},
	}
}

// UNICORN attaches the loss to an encoder.
type UNICORN struct {
	*reconstruction.Reconstruction
	metric *focal.FOCAL
	cfg    Config
	on     auxiliary.Setting
}

var _ belief.Learning = (*UNICORN)(nil)

// New prepares the loss.
func New(c Config, on auxiliary.Setting) (*UNICORN, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	r, f := reconstruction.Default(), focal.Default()
	r.Hidden, r.Layers, r.LR, f.Bounded = c.Hidden, c.Layers, c.LR, c.Bounded
	decoders, err := reconstruction.New(r, on)
	if err != nil {
		return nil, err
	}
	if err := on.Compares("unicorn"); err != nil {
		return nil, err
	}
	metric, err := focal.New(f, on)
	return &UNICORN{decoders, metric, c, on}, err
}

// Feed implements belief.Auxiliary: what both parts need.
func (u *UNICORN) Feed() ([]feed.Draw, []feed.Fill) {
	return u.on.Fills(append(u.metric.Masks(), u.Rows()...)...)
}

// Loss implements belief.Auxiliary. It declares the output unicorn_loss, before its weight, and those of both parts.
func (u *UNICORN) Loss(s *core.Stage, q belief.Posterior) *graph.Node {
	loss := s.Add(u.Term(s, q.Mean), s.Scale(u.metric.Term(s, q.Mean), u.cfg.Beta))
	s.Output("unicorn_loss", loss)
	return s.Scale(loss, u.cfg.Scale)
}

// MetricNames implements belief.Auxiliary.
func (u *UNICORN) MetricNames() []string {
	return slices.Concat([]string{"unicorn_loss"}, u.Reconstruction.MetricNames(), u.metric.MetricNames())
}

// Diagnose implements belief.Auxiliary: the loss and its parts.
func (u *UNICORN) Diagnose(run core.Runner, record func(metric string, value float64)) error {
	return auxiliary.Record(run, record, u.MetricNames()...)
}
