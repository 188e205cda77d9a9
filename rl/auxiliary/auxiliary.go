// Package auxiliary has further losses for an algorithm's context encoder, each in its own folder, and the code that
// these losses share. Package losses lists them. For each loss there is an algorithm pearl-NAME: PEARL with that loss.
//
//	aux, err := focal.New(focal.Default(), auxiliary.Setting{Encoder: networks.Encoder, Slots: 16, Train: 100,
//		Obs: 20, Act: 6, Context: feed.Draw{Kind: feed.Window, N: 64}})
//	program, err := pearl.UpdateProgram(config, networks, aux)
//
// TCL, the contrastive loss of trajectories, is package tcl.
package auxiliary

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/belief"
)

// Setting is what a loss is attached to.
type Setting struct {
	Encoder  belief.ContextEncoder
	Name     string // of the encoder if the algorithm has several, else empty
	Slots    int    // tasks of an update
	SlotsKey string // dotted key of the setting that says how many; empty: pearl.meta_batch
	Train    int    // train tasks
	Obs, Act int    // numbers of an observation and of an action
	// Context is how the algorithm draws its contexts. A loss that compares two contexts draws them by its own rule.
	Context feed.Draw
	Seed    uint64 // of the parameters that the loss adds
}

// Compares checks that an update has tasks to compare, for the loss of this name.
func (s Setting) Compares(loss string) error {
	if s.Slots < 2 {
		return fmt.Errorf("%s: a meta-batch of %d task has nothing to compare, want at least 2 (%s)",
			loss, s.Slots, cmp.Or(s.SlotsKey, "pearl.meta_batch"))
	}
	return nil
}

// Own is the name of a parameter or metric of the loss on this encoder. It is another name for each of an algorithm's
// encoders.
func (s Setting) Own(name string) string {
	if s.Name == "" {
		return name
	}
	return s.Name + "_" + name
}

// Fills returns what Feed of a belief.Auxiliary must return if the loss uses the algorithm's own contexts. The argument
// more has the other inputs that the loss needs.
func (s Setting) Fills(more ...feed.Fill) ([]feed.Draw, []feed.Fill) {
	row := s.Encoder.Field()
	return []feed.Draw{s.Context}, append([]feed.Fill{{Input: "context", Field: row},
		{Input: "context_weight", Field: feed.Weight}}, more...)
}

// OneHot is a Table for feed.OfTask with a row for each of n tasks: row i is 1 at place i and 0 elsewhere.
func OneHot(n int) []float32 {
	table := make([]float32, n*n)
	for i := range n {
		table[i*n+i] = 1
	}
	return table
}

// Stream is the random stream of the i-th network that a loss adds.
func Stream(seed, i uint64) *rand.Rand { return rng.New(seed, rng.Init, 1<<16, i) }

// Loss describes an auxiliary loss for the list of package losses.
type Loss struct {
	Name  string // "focal"; the algorithms are pearl-focal, mql-focal, rl2-focal and varibad-focal
	Title string // as papers write it
	About string // what it adds to the encoder's loss, one line

	Table rl.Table
	New   func(rl.Config, Setting) (belief.Auxiliary, error)
	// Window is the number of rows of the contexts that it draws. Nil: they are the algorithm's own.
	Window func(rl.Config) int
	// Small and Variants have the same meaning as in rl.Algorithm. Small is applied after PEARL's own
	// Small; other algorithms take those settings of it that are in Table.
	Small    []string
	Variants map[string][]string
}

// Plain implements the methods of belief.Auxiliary that concern parameters, state and moving averages. A loss that has
// none of these embeds Plain.
type Plain struct{}

// MarshalJSON implements belief.Auxiliary.
func (Plain) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// UnmarshalJSON implements belief.Auxiliary.
func (Plain) UnmarshalJSON([]byte) error { return nil }

// Params implements belief.Auxiliary.
func (Plain) Params() []core.ParamSpec { return nil }

// Init implements belief.Auxiliary.
func (Plain) Init(core.Memory) error { return nil }

// Count implements belief.Auxiliary.
func (Plain) Count(feed.Record) {}

// AfterStep implements belief.Auxiliary.
func (Plain) AfterStep(*core.Builder) {}

// Record reads 1×1 outputs and records each as the metric of its name.
func Record(run core.Runner, record func(metric string, value float64), outputs ...string) error {
	var x [1]float64
	for _, name := range outputs {
		if err := run.Read64(name, x[:]); err != nil {
			return err
		}
		record(name, x[0])
	}
	return nil
}

// InfoNCE is mean_i [ log Σ_j exp logits_ij − positive_i ]: logits T×T, positive T×1 → 1×1 (van den Oord et al. 2018,
// eq. 4). The positive of row i must be logits_ii. For numerical stability the row's maximum is subtracted before the
// log-sum-exp.
func InfoNCE(s *core.Stage, logits, positive *graph.Node) *graph.Node {
	return s.MeanAll(s.Sub(s.LogSumExp(logits), positive))
}

// Masked is added to the logit of a pair that must not count; exp of it is zero in float32 and float64.
const Masked = -1e9

// Pair says how the two contexts of a task are drawn, which a contrastive loss compares. If Rows is false, the contexts
// are two windows of N consecutive transitions. From says whether both windows come from one trajectory or each from a
// trajectory of its own. If Rows is true, each context has N transitions, each drawn by itself. From then says whether
// both contexts come from one trajectory, without a common transition, or each from all transitions of the task.
type Pair struct {
	N            int
	Rows         bool
	From         feed.Pair
	ExclusiveEnd bool
}

// One is how a single context of that kind is drawn.
func (p Pair) One() feed.Draw {
	if p.Rows {
		return feed.Draw{Kind: feed.Transitions, N: p.N}
	}
	return feed.Draw{Kind: feed.Window, N: p.N, ExclusiveEnd: p.ExclusiveEnd}
}

// Feed is that of belief.Auxiliary: the first context fills context and context_weight, the second key_context and
// key_weight, in this order.
func (p Pair) Feed(row feed.Field) ([]feed.Draw, []feed.Fill) {
	draws := []feed.Draw{{Kind: feed.WindowPair, N: p.N, Pair: p.From, ExclusiveEnd: p.ExclusiveEnd}}
	key := feed.Fill{Input: "key_context", Field: row, Which: 1}
	if p.Rows {
		draws[0] = feed.Draw{Kind: feed.RowPair, N: p.N}
		if p.From == feed.SameTask {
			draws = []feed.Draw{p.One(), p.One()}
			key.Draw, key.Which = 1, 0
		}
	}
	weight := key
	weight.Input, weight.Field = "key_weight", feed.Weight
	fills := []feed.Fill{{Input: "context", Field: row}, {Input: "context_weight", Field: feed.Weight}}
	return draws, append(fills, key, weight)
}
