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
	// Similarity may be changed before a program is built with the loss. New sets the paper's.
	Similarity Similarity

	cfg   Config
	query belief.Encoder
	key   nn.MLP
	tasks int // T, slots of the meta-batch

	drawn      []int // task of each slot of the update last drawn
	similarity []float64
	running    Counts
}

// Counts are of the window pairs drawn since the last Diagnose.
type Counts struct {
	Pairs   int
	Overlap int // transitions the two windows of a pair share, summed
	Short   int // pairs with a window shorter than asked
}

// MarshalJSON gives a checkpoint the part of the state that is not in the parameters.
func (t *TCL) MarshalJSON() ([]byte, error) { return json.Marshal(t.running) }

// UnmarshalJSON restores it.
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
	key := enc.Net.As(enc.Net.Name + "_key")
	similarity := wasserstein(deviation)
	if c.Sigma == "var" {
		similarity = wasserstein(itself)
	}
	return &TCL{
		Similarity: similarity, cfg: c, query: enc, key: key, tasks: tasks, drawn: make([]int, tasks),
		similarity: make([]float64, tasks*tasks),
	}, nil
}

// Params implements belief.Auxiliary: the key encoder.
func (t *TCL) Params() []core.ParamSpec { return t.key.Specs() }

// Init implements belief.Auxiliary: the key encoder starts as a copy of the query encoder.
func (t *TCL) Init(m core.Memory) error { return nn.Copy(m, t.key, t.query.Net) }

// Feed implements belief.Auxiliary: a pair of windows, of which the query fills the context and the key key_context, and
// the mask of slots that are no negatives of each other.
func (t *TCL) Feed() (feed.Draw, []feed.Fill) {
	d := feed.Draw{Kind: feed.WindowPair, N: t.cfg.Window, Pair: t.cfg.Pair, ExclusiveEnd: t.cfg.Crop == "exclusive"}
	row := feed.Context
	if t.query.NextObs {
		row = feed.ContextNext
	}
	fills := []feed.Fill{
		{Input: "context", Field: row}, {Input: "context_weight", Field: feed.Weight},
		{Input: "key_context", Field: row, Which: 1}, {Input: "key_weight", Field: feed.Weight, Which: 1},
	}
	if t.cfg.Negatives == "mask-same-task" {
		fills = append(fills, feed.Fill{Input: "tcl_mask", Field: feed.TaskMask, Value: masked})
	}
	return d, fills
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
	return []string{"tcl_loss", "tcl_accuracy", "tcl_positive_distance", "tcl_negative_distance", "tcl_overlap", "tcl_short_windows"}
}

// Diagnose implements belief.Auxiliary. It reports the loss; the share of queries whose nearest key is of their own
// task; the mean squared distance of positive pairs and of pairs of different tasks; and, over the windows drawn
// since the last call, the mean number of transitions the two windows of a pair share and the number of windows
// that were shorter than asked.
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
	for i, task := range t.drawn {
		row := t.similarity[i*t.tasks : (i+1)*t.tasks]
		best := 0
		for j, s := range row {
			if s > row[best] {
				best = j
			}
			if t.drawn[j] != task {
				negative -= s
				negatives++
			}
		}
		if t.drawn[best] == task {
			right++
		}
		positive -= row[i]
	}
	n := float64(t.tasks)
	record("tcl_accuracy", right/n)
	record("tcl_positive_distance", positive/n)
	record("tcl_negative_distance", negative/max(negatives, 1))
	record("tcl_overlap", float64(t.running.Overlap)/float64(max(t.running.Pairs, 1)))
	record("tcl_short_windows", float64(t.running.Short))
	t.running = Counts{}
	return nil
}
