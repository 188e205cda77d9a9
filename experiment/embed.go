package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/rl"
	"nacre/sim"
	"nacre/tsne"
)

// EmbedOptions says which context embeddings to make.
type EmbedOptions struct {
	// number of tasks, evenly spread if the family supports it (sim.Gridder), otherwise the first test tasks; 0: 8, as
	// in the paper
	Tasks   int
	Windows int         // contexts per task, each from rollouts of its own; 0: 200, as in the paper
	Length  int         // transitions per window, at most the family's horizon; 0: as in the encoder's training
	Seed    uint64      // seed of rollouts and crops; agents with the same seed start their rollouts alike
	Kind    ContextKind // kind of contexts; "": WindowContext
	// VaryStart draws the start of every rollout if the family's tasks have one start each (sim.Starter).
	VaryStart bool
}

// Embed makes the context embeddings of the paper's t-SNE study: the posteriors of contexts from the agent's own
// rollouts, in the order of tasks.
func (a *Agent) Embed(ctx context.Context, o EmbedOptions) (*tsne.Embeddings, error) {
	c, err := a.Contexts(ctx, o, cmp.Or(o.Kind, WindowContext))
	if err != nil {
		return nil, err
	}
	return a.EmbedContexts(c[0])
}

// Encoder returns the learner's encoder. If the learner infers no embeddings, that is an error.
func (a *Agent) Encoder() (rl.Encoder, error) {
	if e, ok := a.Learner.(rl.Encoding); ok {
		return e.Encoder(), nil
	}
	return nil, fmt.Errorf("embed: %s infers no task embedding; expected a run of %s", a.Config.Algorithm,
		strings.Join(rl.Embedding(), " or "))
}

// EmbedContexts makes the posteriors of contexts. These may come from another agent on the family.
func (a *Agent) EmbedContexts(c *Contexts) (*tsne.Embeddings, error) {
	encoder, err := a.Encoder()
	if err != nil {
		return nil, err
	}
	if c.width != encoder.Width() {
		return nil, fmt.Errorf("embed: contexts of rows of %d numbers; the encoder reads rows of %d", c.width,
			encoder.Width())
	}
	posteriors, err := encoder.Posteriors(c.Rows)
	if err != nil {
		return nil, err
	}
	latent := encoder.Latent()
	e := &tsne.Embeddings{
		Mean: tsne.NewMatrix(len(posteriors), latent), Std: tsne.NewMatrix(len(posteriors), latent), Label: c.Label,
		Names: c.Names,
	}
	for i, q := range posteriors {
		copy(e.Mean.Row(i), q.Mean)
		for l, v := range q.Var {
			e.Std.Row(i)[l] = math.Sqrt(v)
		}
	}
	return e, nil
}

// WindowLength is the length of the windows that the encoder was trained on, at most the length of an episode. It is 0
// if the agent infers no embedding.
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
		return nil, fmt.Errorf("embed: %d tasks; %s has %d test tasks and cannot spread others evenly", n, a.Spec.Name,
			len(a.TestTasks))
	}
	return a.TestTasks[:n], nil
}

// rollouts returns the pool to embed from: the agent's own, or one of the family with varied starts, which the caller
// must close.
func (a *Agent) rollouts(varied bool) (*sim.Pool, error) {
	if !varied {
		return a.pool, nil
	}
	s, ok := a.Family.(sim.Starter)
	if !ok {
		return nil, fmt.Errorf("embed: %s cannot vary the start of its episodes; only families whose tasks have one "+
			"start each can", a.Spec.Name)
	}
	return sim.NewPool(s.VaryStart(), a.pool.Workers(), 0)
}

// taskNames returns the names of tasks for a legend. A name is the index in the list and the task's vector, without the
// numbers that all tasks share. Names sort in the order of tasks.
func taskNames(tasks []sim.Task) []string {
	first := tasks[0].Params
	var differ []int
	for j := range first {
		if slices.ContainsFunc(tasks, func(t sim.Task) bool { return t.Params[j] != first[j] }) {
			differ = append(differ, j)
		}
	}
	names, digits := make([]string, len(tasks)), len(fmt.Sprint(len(tasks)-1))
	for i, t := range tasks {
		parts := make([]string, len(differ))
		for k, j := range differ {
			v := t.Params[j]
			if math.Abs(v) < 1e-12 { // the cosine of a right angle
				v = 0
			}
			parts[k] = fmt.Sprintf("%.3g", v)
		}
		names[i] = fmt.Sprintf("task %0*d", digits, i)
		if len(parts) > 0 {
			names[i] += " (" + strings.Join(parts, ", ") + ")"
		}
	}
	return names
}
