package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/replay"
	"nacre/sim"
	"nacre/tsne"
)

// EmbedOptions says which context embeddings to make.
type EmbedOptions struct {
	Tasks   int    // tasks, evenly spread where the family can (sim.Gridder), else the first test tasks
	Windows int    // rollouts per task, one window each
	Length  int    // transitions per window, at most the family's horizon; 0: as the encoder was trained on
	Seed    uint64 // of rollouts and crops; agents given the same seed start their rollouts alike
	// VaryStart draws the start of every rollout where the family's tasks have one start each (sim.Starter).
	VaryStart bool
}

// Windows are windows of exploration rollouts, task by task.
type Windows struct {
	Contexts [][]float32 // rows (o, a, context reward), or with o'
	Label    []int       // of each window: the position of its task
	Names    []string    // of the tasks
	width    int         // of a row
}

// Embed makes the context embeddings of the paper's t-SNE study: the posteriors of the agent's own Windows, in their order.
func (a *Agent) Embed(ctx context.Context, o EmbedOptions) (*tsne.Embeddings, error) {
	w, err := a.Windows(ctx, o)
	if err != nil {
		return nil, err
	}
	return a.EmbedWindows(w)
}

// Encoder is the learner's, where it infers embeddings.
func (a *Agent) Encoder() (rl.Encoder, error) {
	if e, ok := a.Learner.(rl.Encoding); ok {
		return e.Encoder(), nil
	}
	return nil, fmt.Errorf("embed: %s infers no task embedding; expected a run of %s", a.Config.Algorithm, strings.Join(rl.Embedding(), " or "))
}

// Windows explores: for every task so many rollouts (z from the prior, stochastic actions), and of each one random window of
// consecutive transitions.
func (a *Agent) Windows(ctx context.Context, o EmbedOptions) (*Windows, error) {
	if o.Tasks < 2 || o.Windows < 2 {
		return nil, fmt.Errorf("embed: %d tasks of %d windows; want at least 2 of 2", o.Tasks, o.Windows)
	}
	encoder, err := a.Encoder()
	if err != nil {
		return nil, err
	}
	if o.Length == 0 {
		o.Length = a.WindowLength()
	}
	if o.Length < 1 || o.Length > a.Spec.Horizon {
		return nil, fmt.Errorf("embed: windows of %d transitions; expected 1 to %d, the steps of an episode of %s", o.Length, a.Spec.Horizon, a.Spec.Name)
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
	w := &Windows{Names: taskNames(tasks), width: encoder.Width()}
	for k, task := range tasks {
		c, err := a.windows(ctx, pool, encoder, task, k, o)
		if err != nil {
			return nil, err
		}
		w.Contexts = append(w.Contexts, c...)
		for range c {
			w.Label = append(w.Label, k)
		}
	}
	return w, nil
}

// EmbedWindows makes the posteriors of windows, which may be those of another agent on the family.
func (a *Agent) EmbedWindows(w *Windows) (*tsne.Embeddings, error) {
	encoder, err := a.Encoder()
	if err != nil {
		return nil, err
	}
	if w.width != encoder.Width() {
		return nil, fmt.Errorf("embed: windows of rows of %d numbers; the encoder reads rows of %d", w.width, encoder.Width())
	}
	posteriors, err := encoder.Posteriors(w.Contexts)
	if err != nil {
		return nil, err
	}
	latent := encoder.Latent()
	e := &tsne.Embeddings{
		Mean: tsne.NewMatrix(len(posteriors), latent), Std: tsne.NewMatrix(len(posteriors), latent), Label: w.Label, Names: w.Names,
	}
	for i, q := range posteriors {
		copy(e.Mean.Row(i), q.Mean)
		for l, v := range q.Var {
			e.Std.Row(i)[l] = math.Sqrt(v)
		}
	}
	return e, nil
}

// WindowLength is the length of the windows that the encoder was trained on, which an episode bounds; 0 where the agent infers
// no embedding.
func (a *Agent) WindowLength() int {
	if a.algorithm.Window == nil {
		return 0
	}
	return min(a.algorithm.Window(a.Config), a.Spec.Horizon)
}

// spread returns n tasks to embed.
func (a *Agent) spread(n int) ([]sim.Task, error) {
	if g, ok := a.Family.(sim.Gridder); ok {
		return g.Grid(n)
	}
	if n > len(a.TestTasks) {
		return nil, fmt.Errorf("embed: %d tasks; %s has %d test tasks and cannot spread others evenly", n, a.Spec.Name, len(a.TestTasks))
	}
	return a.TestTasks[:n], nil
}

// rollouts is the pool to embed from: the agent's own, or one of the family with varied starts, which is the caller's to
// close.
func (a *Agent) rollouts(varied bool) (*sim.Pool, error) {
	if !varied {
		return a.pool, nil
	}
	s, ok := a.Family.(sim.Starter)
	if !ok {
		return nil, fmt.Errorf("embed: %s cannot vary the start of its episodes; only families whose tasks have one start each can", a.Spec.Name)
	}
	return sim.NewPool(s.VaryStart(), a.pool.Workers(), 0)
}

// windows rolls out task number k and crops one window from each rollout.
func (a *Agent) windows(ctx context.Context, pool *sim.Pool, encoder rl.Encoder, task sim.Task, k int, o EmbedOptions) ([][]float32, error) {
	episodes := make([]sim.Episode, o.Windows)
	addresses := make([]uint64, o.Windows)
	for i := range episodes {
		addresses[i] = rng.New(o.Seed, rng.Rollout, uint64(k), uint64(i)).Uint64()
		episodes[i] = sim.Episode{Task: task, Seed: addresses[i]}
	}
	trajectories, err := pool.Rollout(ctx, episodes, encoder.Explorer(o.Seed, addresses), a.Spec.Horizon)
	if err != nil {
		return nil, err
	}
	d := replay.Dims{Obs: a.Spec.ObsDim, Act: a.Spec.ActDim}
	nextObs := encoder.NextObs()
	out := make([][]float32, o.Windows)
	for i := range trajectories {
		one := replay.NewTask(d, trajectories[i].Len)
		if err := one.Add(&trajectories[i]); err != nil {
			return nil, err
		}
		c := d.NewContext(o.Length, nextObs)
		if _, err := one.Window(rng.New(o.Seed, rng.Window, addresses[i]), feed.Draw{N: o.Length}, nextObs, c); err != nil {
			return nil, err
		}
		out[i] = c.Rows[:c.Valid()*d.ContextWidth(nextObs)]
	}
	return out, nil
}

// taskNames writes task vectors for a legend, without the numbers that all of them share.
func taskNames(tasks []sim.Task) []string {
	first := tasks[0].Params
	var differ []int
	for j := range first {
		if slices.ContainsFunc(tasks, func(t sim.Task) bool { return t.Params[j] != first[j] }) {
			differ = append(differ, j)
		}
	}
	names := make([]string, len(tasks))
	for i, t := range tasks {
		parts := make([]string, len(differ))
		for k, j := range differ {
			parts[k] = fmt.Sprintf("%.3g", t.Params[j])
		}
		names[i] = strings.Join(parts, ", ")
		if len(parts) > 1 {
			names[i] = "(" + names[i] + ")"
		}
	}
	return names
}
