package tcl

import (
	"encoding/json"
	"fmt"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/nn"
	"nacre/rl/belief"
	"nacre/rl/config"
)

// TCL attaches the contrastive loss to an encoder. It implements belief.Auxiliary.
type TCL struct {
	// Similarity may be changed before a program is built with the loss. New sets the paper's similarity.
	Similarity Similarity

	cfg   Config
	query belief.Encoder
	key   nn.MLP // the key encoder's own layers: all, or those after the shared layers
	tasks int    // T, slots of the meta-batch

	drawn      []int // task of each slot of the update last drawn
	similarity []float64
	running    Counts
}

// Counts are counts of the window pairs drawn since the last Diagnose.
type Counts struct {
	Pairs   int
	Overlap int // sum of the transitions that the two windows of a pair share
	Short   int // pairs with a window shorter than asked
}

// MarshalJSON returns the part of the state that is not in the parameters, for a checkpoint.
func (t *TCL) MarshalJSON() ([]byte, error) { return json.Marshal(t.running) }

// UnmarshalJSON restores that part of the state.
func (t *TCL) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &t.running) }

var _ belief.Auxiliary = (*TCL)(nil)

// New prepares TCL for an encoder and a meta-batch of the given number of tasks.
func New(c Config, enc belief.Encoder, tasks int) (*TCL, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	if tasks < 2 {
		return nil, fmt.Errorf("tcl: a meta-batch of %d task has nothing to contrast, want at least 2", tasks)
	}
	if layers := len(enc.Net.Hidden); c.SharedLayers > layers {
		return nil, fmt.Errorf("tcl.shared_layers = %d, want at most %d: the encoder has no more hidden layers "+
			"(pearl.encoder_layers)", c.SharedLayers, layers)
	}
	similarity := wasserstein(deviation)
	if c.Sigma != "std" {
		similarity = wasserstein(itself)
	}
	t := &TCL{Similarity: similarity, cfg: c, query: enc, key: own(enc.Net, c.SharedLayers), tasks: tasks,
		drawn: make([]int, tasks)}
	n := tasks * t.perTask()
	t.similarity = make([]float64, n*n)
	return t, nil
}

// own returns the key's network: the query's network without its first shared layers.
func own(query nn.MLP, shared int) nn.MLP {
	key := query.As(query.Name + "_key")
	if shared > 0 {
		key.In, key.Hidden = query.Hidden[shared-1], query.Hidden[shared:]
	}
	return key
}

// followed is the part of the query's network that the key follows.
type followed []core.ParamSpec

func (f followed) Specs() []core.ParamSpec { return f }

func (t *TCL) followed() followed { return t.query.Net.Specs()[2*t.cfg.SharedLayers:] }

// perTask returns the number of queries of a task, which is also its number of keys.
func (t *TCL) perTask() int {
	if t.cfg.Contrast == "transitions" {
		return t.cfg.Window
	}
	return 1
}

// Params implements belief.Auxiliary: the key encoder without the layers that it shares with the query's.
func (t *TCL) Params() []core.ParamSpec { return t.key.Specs() }

// Init implements belief.Auxiliary: the key encoder starts as a copy of the query encoder.
func (t *TCL) Init(m core.Memory) error { return nn.Copy(m, t.key, t.followed()) }

// Feed implements belief.Auxiliary. It draws a pair of windows: the query window fills context and the key window fills
// key_context. A mask marks slots that are no negatives of each other. If the query is a separate window, three windows
// are drawn: query, key and the context. If Sampling is rows, independent rows replace the windows. For a pair from one
// trajectory they are drawn from this trajectory, and query and key share none. Otherwise they are drawn from all rows
// of the task, as PEARL draws its context.
func (t *TCL) Feed() ([]feed.Draw, []feed.Fill) {
	row := feed.Context
	if t.query.NextObs {
		row = feed.ContextNext
	}
	exclusive := t.cfg.Crop == "exclusive"
	one := feed.Draw{Kind: feed.Window, N: t.cfg.Window, ExclusiveEnd: exclusive}
	draws := []feed.Draw{{Kind: feed.WindowPair, N: t.cfg.Window, Pair: t.cfg.Pair, ExclusiveEnd: exclusive}}
	key := feed.Fill{Input: "key_context", Field: row, Which: 1}
	if t.cfg.Sampling == "rows" {
		one = feed.Draw{Kind: feed.Transitions, N: t.cfg.Window}
		draws[0] = feed.Draw{Kind: feed.RowPair, N: t.cfg.Window}
		if t.cfg.Pair == feed.SameTask {
			draws = []feed.Draw{one, one}
			key.Draw, key.Which = 1, 0
		}
	}
	weight := key
	weight.Input, weight.Field = "key_weight", feed.Weight
	fills := []feed.Fill{{Input: "context", Field: row}, {Input: "context_weight", Field: feed.Weight}, key, weight}
	if t.cfg.Query == "own" {
		draws = append(draws, one)
		fills[0].Draw, fills[1].Draw = len(draws)-1, len(draws)-1
		fills = append(fills, feed.Fill{Input: "query_context", Field: row},
			feed.Fill{Input: "query_weight", Field: feed.Weight})
	}
	if t.cfg.Negatives == "mask-same-task" {
		fills = append(fills, feed.Fill{Input: "tcl_mask", Field: feed.TaskMask, Value: masked})
	}
	return draws, fills
}

// Count implements belief.Auxiliary.
func (t *TCL) Count(r feed.Record) {
	copy(t.drawn, r.Tasks)
	t.running.Pairs += r.Pairs
	t.running.Overlap += r.Overlap
	t.running.Short += r.Short
}

// MetricNames implements belief.Auxiliary.
func (t *TCL) MetricNames() []string {
	return []string{"tcl_loss", "tcl_accuracy", "tcl_positive_distance", "tcl_negative_distance", "tcl_overlap",
		"tcl_short_windows"}
}

// Diagnose implements belief.Auxiliary. If single transitions are queries and keys, each belongs to the task of its
// window. It reports the loss; the share of queries whose nearest key belongs to their own task; and the mean squared
// distance of positive pairs and of pairs of different tasks. Over the windows drawn since the last call, it also
// reports the mean number of transitions that the two windows of a pair share, and the number of windows that were
// shorter than asked.
func (t *TCL) Diagnose(run core.Runner, record func(metric string, value float64)) error {
	var loss [1]float64
	if err := run.Read64("tcl_loss", loss[:]); err != nil {
		return err
	}
	if err := run.Read64("tcl_similarity", t.similarity); err != nil {
		return err
	}
	record("tcl_loss", loss[0])
	var right, positive, negative, negatives float64
	each := t.perTask()
	n := t.tasks * each
	for i := range n {
		task, row := t.drawn[i/each], t.similarity[i*n:(i+1)*n]
		best := 0
		for j, s := range row {
			if s > row[best] {
				best = j
			}
			if t.drawn[j/each] != task {
				negative -= s
				negatives++
			}
		}
		if t.drawn[best/each] == task {
			right++
		}
		positive -= row[i]
	}
	record("tcl_accuracy", right/float64(n))
	record("tcl_positive_distance", positive/float64(n))
	record("tcl_negative_distance", negative/max(negatives, 1))
	record("tcl_overlap", float64(t.running.Overlap)/float64(max(t.running.Pairs, 1)))
	record("tcl_short_windows", float64(t.running.Short))
	t.running = Counts{}
	return nil
}
