// Package infonce is InfoNCE on contexts: from similarities of embeddings, a context's partner of the same task must be
// found among contexts of other tasks. README.md has the equation and its sources. Package tcl is the form of it that
// TCL's paper has.
//
//	aux, err := infonce.New(infonce.Default(), setting)
package infonce

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/config"
)

// Config holds every choice of the loss that changes a result.
type Config struct {
	Scale       float64   `toml:"scale" range:"[0,1e6]" comment:"weight of the loss"`
	Temperature float64   `toml:"temperature" range:"(0,1e9]" comment:"logits are similarities divided by it"`
	Similarity  string    `toml:"similarity" oneof:"cosine distance bilinear" comment:"of two embeddings: the cosine of their angle, their negative squared distance, or q·W·k with a learned W"`
	Sampling    string    `toml:"sampling" oneof:"windows rows" comment:"a context is a window, or the same number of rows that are not consecutive"`
	Window      int       `toml:"window" range:"[1,65536]" comment:"transitions of a context"`
	Pair        feed.Pair `toml:"pair" comment:"same-trajectory or same-task: where the two contexts of a task come from"`
	Key         string    `toml:"key" oneof:"momentum shared" comment:"keys are made by a moving average of the encoder and are constants, or by the encoder, which learns through them too"`
	Tau         float64   `toml:"tau" range:"[0,1]" comment:"of that average: key ← (1-τ)·key + τ·query"`
	Negatives   string    `toml:"negatives" oneof:"literal mask-same-task" comment:"whether other embeddings of the same task in the meta-batch count as negatives"`
	LR          float64   `toml:"lr" range:"(0,1]" comment:"learning rate of Adam, W"`
}

// Default compares embeddings of windows by their cosine. The keys come from a moving average of the encoder.
func Default() Config {
	return Config{Scale: 1, Temperature: 0.1, Similarity: "cosine", Sampling: "windows", Window: 64, Key: "momentum",
		Tau: 0.005, Negatives: "literal", LR: 3e-4}
}

// Table is the table of a run's configuration.
var Table = rl.Table{Name: "infonce", Default: Default()}

// Of returns the loss's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Loss returns the entry of this loss in the list of losses.
func Loss() auxiliary.Loss {
	return auxiliary.Loss{
		Name: "infonce", Title: "InfoNCE", About: "contexts of one task are distinguished from others (InfoNCE)",
		Table:  Table,
		New:    func(c rl.Config, s auxiliary.Setting) (belief.Auxiliary, error) { return New(Of(c), s) },
		Window: func(c rl.Config) int { return Of(c).Window },
		// PEARL's start gives embeddings near zero, whose directions carry rounding; a low temperature multiplies it.
		Small: []string{"infonce.window=5", "infonce.negatives=mask-same-task", "infonce.temperature=1"},
	}
}

// matrix names W, size × size. It starts as the unit matrix.
func (x *InfoNCE) matrix() string { return x.on.Own("infonce") + "/w" }

// InfoNCE attaches the loss to an encoder.
type InfoNCE struct {
	auxiliary.Plain
	cfg   Config
	on    auxiliary.Setting
	pair  auxiliary.Pair
	key   belief.ContextEncoder // the encoder itself where keys are shared
	drawn []int                 // task of each slot of the update last drawn
}

var _ belief.Learning = (*InfoNCE)(nil)

// New prepares the loss.
func New(c Config, on auxiliary.Setting) (*InfoNCE, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	x := &InfoNCE{cfg: c, on: on, key: on.Encoder, drawn: make([]int, on.Slots),
		pair: auxiliary.Pair{N: c.Window, Rows: c.Sampling == "rows", From: c.Pair}}
	if x.momentum() {
		x.key = on.Encoder.Twin("_key")
	}
	return x, on.Compares("infonce")
}

func (x *InfoNCE) momentum() bool { return x.cfg.Key == "momentum" }

// Params implements belief.Auxiliary: the key encoder and W.
func (x *InfoNCE) Params() []core.ParamSpec {
	out, _ := x.Learned()
	if x.momentum() {
		out = append(out, x.key.Specs()...)
	}
	return out
}

// Learned implements belief.Learning: W.
func (x *InfoNCE) Learned() ([]core.ParamSpec, float64) {
	if x.cfg.Similarity != "bilinear" {
		return nil, x.cfg.LR
	}
	n := x.on.Encoder.Size()
	return []core.ParamSpec{{Name: x.matrix(), Rows: n, Cols: n}}, x.cfg.LR
}

// Init implements belief.Auxiliary: the key encoder starts as a copy of the encoder.
func (x *InfoNCE) Init(m core.Memory) error {
	if params, _ := x.Learned(); len(params) > 0 {
		unit := make([]float64, params[0].Rows*params[0].Cols)
		for i := range params[0].Rows {
			unit[i*params[0].Cols+i] = 1
		}
		if err := m.Write(x.matrix(), unit); err != nil {
			return err
		}
	}
	if !x.momentum() {
		return nil
	}
	return nn.Copy(m, x.key, x.on.Encoder)
}

// Feed implements belief.Auxiliary: two contexts of each slot's task, and the mask where one is wanted.
func (x *InfoNCE) Feed() ([]feed.Draw, []feed.Fill) {
	draws, fills := x.pair.Feed(x.on.Encoder.Field())
	if x.cfg.Negatives == "mask-same-task" {
		fills = append(fills, feed.Fill{Input: "infonce_mask", Field: feed.TaskMask, Value: auxiliary.Masked})
	}
	return draws, fills
}

// Count implements belief.Auxiliary.
func (x *InfoNCE) Count(r feed.Record) { copy(x.drawn, r.Tasks) }

// Loss implements belief.Auxiliary. It declares the outputs infonce_loss, before its weight, and infonce_similarity,
// T × T, before temperature and mask.
func (x *InfoNCE) Loss(s *core.Stage, q belief.Posterior) *graph.Node {
	k := x.key.Encode(s, belief.Contexts{Input: "key_context", Weight: "key_weight", N: x.on.Slots,
		Rows: x.cfg.Window}).Mean
	if x.momentum() {
		k = s.StopGrad(k)
	}
	all, own := x.similarity(s, q.Mean, k)
	logits := s.Scale(all, 1/x.cfg.Temperature)
	if x.cfg.Negatives == "mask-same-task" {
		logits = s.Add(logits, s.Input("infonce_mask", x.on.Slots, x.on.Slots))
	}
	loss := auxiliary.InfoNCE(s, logits, s.Scale(own, 1/x.cfg.Temperature))
	s.Output("infonce_loss", loss)
	s.Output("infonce_similarity", all)
	return s.Scale(loss, x.cfg.Scale)
}

// similarity is sim(q_i, k_j), T × T, and its diagonal, T × 1.
func (x *InfoNCE) similarity(s *core.Stage, q, k *graph.Node) (all, own *graph.Node) {
	switch x.cfg.Similarity {
	case "distance":
		return s.Neg(s.SquaredDistances(q, k)), s.Neg(s.SumCols(s.Square(s.Sub(q, k))))
	case "bilinear":
		n := x.on.Encoder.Size()
		q = s.MatMul(q, s.Param(x.matrix(), n, n), false, false)
	default:
		unit := func(v *graph.Node) *graph.Node {
			return s.Div(v, s.Sqrt(s.Shift(s.SumCols(s.Square(v)), 1e-8)))
		}
		q, k = unit(q), unit(k)
	}
	return s.MatMul(q, k, false, true), s.SumCols(s.Mul(q, k))
}

// AfterStep implements belief.Auxiliary: the key encoder follows the encoder.
func (x *InfoNCE) AfterStep(b *core.Builder) {
	if x.momentum() {
		nn.EMA(b, x.key, x.on.Encoder, x.cfg.Tau)
	}
}

// MetricNames implements belief.Auxiliary.
func (*InfoNCE) MetricNames() []string { return []string{"infonce_loss", "infonce_accuracy"} }

// Diagnose implements belief.Auxiliary: the loss, and the share of queries whose most similar key is of their own task.
// Chance is log T and about 1/T.
func (x *InfoNCE) Diagnose(run core.Runner, record func(metric string, value float64)) error {
	if err := auxiliary.Record(run, record, "infonce_loss"); err != nil {
		return err
	}
	t := x.on.Slots
	similarity := make([]float64, t*t)
	if err := run.Read64("infonce_similarity", similarity); err != nil {
		return err
	}
	right := 0
	for i := range t {
		best := 0
		for j, sim := range similarity[i*t : (i+1)*t] {
			if sim > similarity[i*t+best] {
				best = j
			}
		}
		if x.drawn[best] == x.drawn[i] {
			right++
		}
	}
	record("infonce_accuracy", float64(right)/float64(t))
	return nil
}
