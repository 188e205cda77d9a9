package tcl

import (
	"encoding/json"
	"errors"
	"fmt"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/nn"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/config"
)

// TCL attaches the contrastive loss to an encoder. It implements belief.Auxiliary.
type TCL struct {
	// Similarity may be changed before a program is built with the loss. New sets the paper's similarity.
	Similarity Similarity

	cfg     Config
	encoder belief.ContextEncoder
	twin    belief.ContextEncoder // the key encoder, unless the encoder is a product of Gaussians
	query   belief.Encoder        // the encoder if it is a product of Gaussians
	key     nn.MLP                // that encoder's key: its own layers, all or those after the shared layers
	tasks   int                   // T, slots of the meta-batch

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

// New prepares TCL for an encoder and a meta-batch of the given number of tasks. If the encoder gives points without
// variances, the distance between two posteriors is the distance between the points.
func New(c Config, enc belief.ContextEncoder, tasks int) (*TCL, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	if tasks < 2 {
		return nil, fmt.Errorf("tcl: a meta-batch of %d task has nothing to contrast, want at least 2", tasks)
	}
	query, product := enc.(belief.Encoder)
	if layers := len(query.Net.Hidden); c.SharedLayers > layers {
		return nil, fmt.Errorf("tcl.shared_layers = %d, want at most %d: the encoder has no more hidden layers "+
			"(pearl.encoder_layers)", c.SharedLayers, layers)
	}
	if !product && c.Contrast == "transitions" {
		return nil, errors.New(`tcl.contrast = "transitions", want "posteriors": a recurrent encoder has no ` +
			"posterior of a single transition")
	}
	similarity := wasserstein(deviation)
	if c.Sigma != "std" {
		similarity = wasserstein(itself)
	}
	t := &TCL{Similarity: similarity, cfg: c, encoder: enc, tasks: tasks, drawn: make([]int, tasks)}
	if product {
		t.query, t.key = query, own(query.Net, c.SharedLayers)
	} else {
		t.twin = enc.Twin("_key")
	}
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

func (t *TCL) followed() followed { return t.encoder.Specs()[2*t.cfg.SharedLayers:] }

// follower is what the key has of its own.
func (t *TCL) follower() nn.Network {
	if t.twin != nil {
		return t.twin
	}
	return t.key
}

// perTask returns the number of queries of a task, which is also its number of keys.
func (t *TCL) perTask() int {
	if t.cfg.Contrast == "transitions" {
		return t.cfg.Window
	}
	return 1
}

// Params implements belief.Auxiliary: the key encoder without the layers that it shares with the query's.
func (t *TCL) Params() []core.ParamSpec { return t.follower().Specs() }

// Init implements belief.Auxiliary: the key encoder starts as a copy of the query encoder.
func (t *TCL) Init(m core.Memory) error { return nn.Copy(m, t.follower(), t.followed()) }

// Feed implements belief.Auxiliary. It draws a pair of windows: the query window fills context and the key window fills
// key_context. A mask marks slots that are no negatives of each other. If the query is a separate window, three windows
// are drawn: query, key and the context. If Sampling is rows, independent rows replace the windows. For a pair from one
// trajectory they are drawn from this trajectory, and query and key share none. Otherwise they are drawn from all rows
// of the task, as PEARL draws its context.
func (t *TCL) Feed() ([]feed.Draw, []feed.Fill) {
	row := t.encoder.Field()
	pair := auxiliary.Pair{N: t.cfg.Window, Rows: t.cfg.Sampling == "rows", From: t.cfg.Pair,
		ExclusiveEnd: t.cfg.Crop == "exclusive"}
	draws, fills := pair.Feed(row)
	if t.cfg.Query == "own" {
		draws = append(draws, pair.One())
		fills[0].Draw, fills[1].Draw = len(draws)-1, len(draws)-1
		fills = append(fills, feed.Fill{Input: "query_context", Field: row},
			feed.Fill{Input: "query_weight", Field: feed.Weight})
	}
	if t.cfg.Negatives == "mask-same-task" {
		fills = append(fills, feed.Fill{Input: "tcl_mask", Field: feed.TaskMask, Value: auxiliary.Masked})
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
