package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nacre/core/feed"
	"nacre/internal/nearest"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// ContextKind names the data of a task that an encoder gets.
type ContextKind string

// WindowContext, RowsContext and RolloutContext are taken from one rollout each. In it the agent acts as if it knew
// nothing of its task yet. MetaTestContext is the context that the agent has at the meta-test when scoring begins.
// AdaptedContext is what the agent does while it is scored.
const (
	WindowContext ContextKind = "window" // consecutive transitions from a random place, as in TCL-PEARL's training
	// the same number of transitions, drawn independently with replacement, as in PEARL's training
	RowsContext     ContextKind = "rows"
	RolloutContext  ContextKind = "rollout"   // all transitions of the rollout
	MetaTestContext ContextKind = "meta-test" // all transitions of the exploration that the run's protocol prescribes
	// a window like WindowContext, but of the first trajectory after the exploration of MetaTestContext
	AdaptedContext ContextKind = "adapted"
)

// ContextKinds lists the kinds of context that studies use, in the order of tables. AdaptedContext is left out: nothing
// is inferred from it.
var ContextKinds = []ContextKind{WindowContext, RowsContext, RolloutContext, MetaTestContext}

// ParseContextKind returns a kind by its name. The error of an unknown name gives the nearest one.
func ParseContextKind(name string) (ContextKind, error) {
	var names []string
	for _, k := range append(slices.Clone(ContextKinds), AdaptedContext) {
		if string(k) == name {
			return k, nil
		}
		names = append(names, string(k))
	}
	return "", fmt.Errorf("context %q does not exist%s; expected %s", name, nearest.Hint(name, names),
		strings.Join(names, ", "))
}

// Contexts holds contexts of several tasks, task by task.
type Contexts struct {
	Kind ContextKind
	// for each context, its rows one after the other; a row is (o, a, context reward), with o' if the encoder takes it
	Rows  [][]float32
	Label []int    // for each context, the index of its task
	Names []string // names of the tasks
	Tasks []sim.Task
	width int // numbers in a row
}

// Contexts explores every task o.Windows times and returns one set of contexts per kind, in the order of kinds. All
// kinds but MetaTestContext and AdaptedContext are taken from the same rollouts.
func (a *Agent) Contexts(ctx context.Context, o EmbedOptions, kinds ...ContextKind) ([]*Contexts, error) {
	o.Tasks, o.Windows = cmp.Or(o.Tasks, 8), cmp.Or(o.Windows, 200)
	if o.Tasks < 2 || o.Windows < 2 {
		return nil, fmt.Errorf("embed: %d tasks of %d contexts; want at least 2 of 2", o.Tasks, o.Windows)
	}
	encoder, err := a.Encoder()
	if err != nil {
		return nil, err
	}
	o.Length = cmp.Or(o.Length, a.WindowLength())
	if o.Length < 1 || o.Length > a.Spec.Horizon {
		return nil, fmt.Errorf("embed: windows of %d transitions; expected 1 to %d, the steps of an episode of %s",
			o.Length, a.Spec.Horizon, a.Spec.Name)
	}
	for _, k := range kinds {
		if _, err := ParseContextKind(string(k)); err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
	}
	tasks, err := a.spread(o.Tasks)
	if err != nil {
		return nil, err
	}
	pool, err := a.rollouts(o.VaryStart)
	if err != nil {
		return nil, err
	}
	if pool != a.pool {
		defer pool.Close()
	}
	x := &explorer{Agent: a, EmbedOptions: o, encoder: encoder, pool: pool,
		dims: replay.Dims{Obs: a.Spec.ObsDim, Act: a.Spec.ActDim}}
	out := make([]*Contexts, len(kinds))
	for i, kind := range kinds {
		out[i] = &Contexts{Kind: kind, Names: taskNames(tasks), Tasks: tasks, width: encoder.Width()}
	}
	for label, task := range tasks {
		if err := x.add(ctx, task, label, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// explorer makes contexts of tasks.
type explorer struct {
	*Agent
	EmbedOptions
	encoder rl.Encoder
	pool    *sim.Pool
	dims    replay.Dims
}

// add explores one task and adds its contexts.
func (x *explorer) add(ctx context.Context, task sim.Task, label int, to []*Contexts) error {
	var trajectories []sim.Trajectory
	addresses := make([]uint64, x.Windows)
	for _, c := range to {
		for range x.Windows {
			c.Label = append(c.Label, label)
		}
		if c.Kind == MetaTestContext || c.Kind == AdaptedContext {
			rows, err := x.metaTest(ctx, task, c.Kind)
			if err != nil {
				return err
			}
			c.Rows = append(c.Rows, rows...)
			continue
		}
		if trajectories == nil {
			episodes := make([]sim.Episode, x.Windows)
			for i := range episodes {
				addresses[i] = rng.New(x.Seed, rng.Rollout, uint64(label), uint64(i)).Uint64()
				episodes[i] = sim.Episode{Task: task, Seed: addresses[i]}
			}
			var err error
			if trajectories, err = x.pool.Rollout(ctx, episodes, x.encoder.Explorer(x.Seed, addresses),
				x.Spec.Horizon); err != nil {
				return err
			}
		}
		for i := range trajectories {
			rows, err := x.rowsOf(c.Kind, &trajectories[i], addresses[i])
			if err != nil {
				return err
			}
			c.Rows = append(c.Rows, rows)
		}
	}
	return nil
}

// rowsOf takes a context from one trajectory.
func (x *explorer) rowsOf(kind ContextKind, t *sim.Trajectory, address uint64) ([]float32, error) {
	next := x.encoder.NextObs()
	if kind == RolloutContext {
		return x.dims.AppendContext(nil, t, next), nil
	}
	one := replay.NewTask(x.dims, t.Len)
	if err := one.Add(t); err != nil {
		return nil, err
	}
	c := x.dims.NewContext(x.Length, next)
	// The streams of both kinds have one address: they are alternatives, and no figure uses both.
	r := rng.New(x.Seed, rng.Window, address)
	if kind == RowsContext {
		return c.Rows, one.Context(r, x.Length, next, c)
	}
	_, err := one.Window(r, feed.Draw{N: x.Length}, next, c)
	return c.Rows[:c.Valid()*x.encoder.Width()], err
}

// metaTest adapts to a task once per context, by the run's own protocol. It returns what the agent had observed when
// each exploration ended, or a window of what it did next.
func (x *explorer) metaTest(ctx context.Context, task sim.Task, kind ContextKind) ([][]float32, error) {
	p := x.Config.Evaluation.Protocol
	if p.Explore < 1 {
		return nil, fmt.Errorf("embed: protocol %s explores %d trajectories; the context of the meta-test needs at "+
			"least 1", p.Name, p.Explore)
	}
	// with Extend, the scored trajectory is observed too
	p.Scored, p.Extend, p.Repeats = 1, kind == AdaptedContext, x.Windows
	seen := &observer{Adapter: x.Learner.Adapter(), dims: x.dims, nextObs: x.encoder.NextObs()}
	if _, err := protocol.Evaluate(ctx, x.pool, []sim.Task{task}, p, seen, x.Seed); err != nil {
		return nil, err
	}
	for i, rows := range seen.rows {
		if kind == AdaptedContext {
			width := x.encoder.Width()
			first := len(rows)/width - seen.last[i]
			at := first + rng.New(x.Seed, rng.Window, uint64(i)).IntN(max(1, seen.last[i]-x.Length+1))
			seen.rows[i] = rows[at*width : min(len(rows), (at+x.Length)*width)]
			continue
		}
		seen.rows[i] = limited(rows, x.encoder.Width(), p.ContextLimit, rng.New(x.Seed, rng.Window, uint64(i)).Perm)
	}
	return seen.rows, nil
}

// limited returns at most limit rows of a context, the first of a permutation. If limit is 0 it returns all rows.
func limited(rows []float32, width, limit int, perm func(int) []int) []float32 {
	n := len(rows) / width
	if limit == 0 || n <= limit {
		return rows
	}
	out := make([]float32, 0, limit*width)
	for _, i := range perm(n)[:limit] {
		out = append(out, rows[i*width:(i+1)*width]...)
	}
	return out
}

// observer stores the contexts of adaptations.
type observer struct {
	protocol.Adapter
	dims    replay.Dims
	nextObs bool
	rows    [][]float32
	last    []int // rows of the last trajectory
}

// Start implements protocol.Adapter.
func (o *observer) Start(n int, seeds []uint64) error {
	o.rows, o.last = make([][]float32, n), make([]int, n)
	return o.Adapter.Start(n, slices.Clone(seeds))
}

// Observe implements protocol.Adapter.
func (o *observer) Observe(i int, t *sim.Trajectory) error {
	o.rows[i], o.last[i] = o.dims.AppendContext(o.rows[i], t, o.nextObs), t.Len
	return o.Adapter.Observe(i, t)
}
