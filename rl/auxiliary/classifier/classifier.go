// Package classifier is a loss: from the embedding of a context, a classifier must predict the train task that the
// context belongs to. README.md has the equation and its source.
//
//	aux, err := classifier.New(classifier.Default(), setting)
package classifier

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
	Scale  float64 `toml:"scale" range:"[0,1e6]" comment:"weight of the loss"`
	Hidden int     `toml:"hidden" range:"[1,4096]" comment:"width of the classifier"`
	Layers int     `toml:"layers" range:"[0,16]" comment:"hidden layers of it; 0: it is linear"`
	LR     float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam, classifier"`
}

// Default has one hidden layer.
func Default() Config { return Config{Scale: 1, Hidden: 64, Layers: 1, LR: 3e-4} }

// Table is the table of a run's configuration.
var Table = rl.Table{Name: "classifier", Default: Default()}

// Of returns the loss's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Loss returns the entry of this loss in the list of losses.
func Loss() auxiliary.Loss {
	return auxiliary.Loss{
		Name: "classifier", Title: "a classifier of tasks",
		About: "a classifier must know the task from its embedding (UNICORN-SUP)",
		Table: Table,
		New:   func(c rl.Config, s auxiliary.Setting) (belief.Auxiliary, error) { return New(Of(c), s) },
		Small: []string{"classifier.hidden=13"},
	}
}

// Classifier attaches the loss to an encoder.
type Classifier struct {
	auxiliary.Plain
	cfg   Config
	on    auxiliary.Setting
	net   nn.MLP // size → train tasks
	drawn []int  // task of each slot of the update last drawn
}

var _ belief.Learning = (*Classifier)(nil)

// New prepares the loss.
func New(c Config, on auxiliary.Setting) (*Classifier, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	return &Classifier{cfg: c, on: on, drawn: make([]int, on.Slots), net: nn.MLP{Name: on.Own("classifier"),
		In: on.Encoder.Size(), Hidden: slices.Repeat([]int{c.Hidden}, c.Layers), Out: on.Train, Act: op.ReLU}}, nil
}

// Params implements belief.Auxiliary.
func (c *Classifier) Params() []core.ParamSpec { return c.net.Specs() }

// Learned implements belief.Learning.
func (c *Classifier) Learned() ([]core.ParamSpec, float64) { return c.net.Specs(), c.cfg.LR }

// Init implements belief.Auxiliary: as PyTorch does.
func (c *Classifier) Init(m core.Memory) error {
	return nn.InitTorch(m, c.net, auxiliary.Stream(c.on.Seed, 0))
}

// Feed implements belief.Auxiliary: the algorithm's contexts, and the task of each slot.
func (c *Classifier) Feed() ([]feed.Draw, []feed.Fill) {
	return c.on.Fills(feed.Fill{Input: "classifier_task", Field: feed.OfTask, Table: auxiliary.OneHot(c.on.Train)})
}

// Count implements belief.Auxiliary.
func (c *Classifier) Count(r feed.Record) { copy(c.drawn, r.Tasks) }

// Loss implements belief.Auxiliary: the mean cross-entropy over slots. It declares the outputs classifier_loss, before
// its weight, and classifier_logits, T × train tasks.
func (c *Classifier) Loss(s *core.Stage, q belief.Posterior) *graph.Node {
	logits := c.net.Apply(s, q.Mean)
	task := s.Input("classifier_task", c.on.Slots, c.on.Train)
	loss := auxiliary.InfoNCE(s, logits, s.SumCols(s.Mul(task, logits)))
	s.Output("classifier_loss", loss)
	s.Output("classifier_logits", logits)
	return s.Scale(loss, c.cfg.Scale)
}

// MetricNames implements belief.Auxiliary.
func (*Classifier) MetricNames() []string { return []string{"classifier_loss", "classifier_accuracy"} }

// Diagnose implements belief.Auxiliary: the loss, and the share of slots whose task is right. At chance level the loss
// is log(n) and the share 1/n, where n is the number of train tasks.
func (c *Classifier) Diagnose(run core.Runner, record func(metric string, value float64)) error {
	if err := auxiliary.Record(run, record, "classifier_loss"); err != nil {
		return err
	}
	logits := make([]float64, c.on.Slots*c.on.Train)
	if err := run.Read64("classifier_logits", logits); err != nil {
		return err
	}
	right := 0
	for i, task := range c.drawn {
		row := logits[i*c.on.Train : (i+1)*c.on.Train]
		if slices.Index(row, slices.Max(row)) == task {
			right++
		}
	}
	record("classifier_accuracy", float64(right)/float64(c.on.Slots))
	return nil
}
