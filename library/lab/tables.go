package lab

import (
	"fmt"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/library/cell"
	"nacre/sim"
	"nacre/tsne"
)

// Posteriors are those of Embed as a table: a row a context and latent dimension, with columns task, context, dimension, mean
// and variance.
func (r *Run) Posteriors(o ...experiment.EmbedOptions) *frame.Frame {
	e, err := r.Embed(o...)
	if err != nil {
		return frame.Failed(err)
	}
	var task []string
	var columns [4][]float64
	for i := range e.Mean.Rows {
		for j, mean := range e.Mean.Row(i) {
			sd := e.Std.Row(i)[j]
			task = append(task, e.Name(e.Label[i]))
			for k, v := range []float64{float64(i), float64(j), mean, sd * sd} {
				columns[k] = append(columns[k], v)
			}
		}
	}
	f := frame.New(frame.Texts("task", task))
	for k, name := range []string{"context", "dimension", "mean", "variance"} {
		f = f.With(frame.Numbers(name, columns[k]))
	}
	return f
}

// Pairs compares every embedding with every other by a similarity of their means: a row a pair, with columns context, other,
// task, other_task and similarity. The means are only read.
func Pairs(e *tsne.Embeddings, similarity func(a, b []float64) float64) *frame.Frame {
	name := func(i int) string {
		if i < len(e.Label) {
			return e.Name(e.Label[i])
		}
		return ""
	}
	var texts [2][]string
	var columns [3][]float64
	for i := range e.Mean.Rows {
		for j := range e.Mean.Rows {
			if i == j {
				continue
			}
			texts[0], texts[1] = append(texts[0], name(i)), append(texts[1], name(j))
			for k, v := range []float64{float64(i), float64(j), similarity(e.Mean.Row(i), e.Mean.Row(j))} {
				columns[k] = append(columns[k], v)
			}
		}
	}
	return frame.New(frame.Numbers("context", columns[0]), frame.Numbers("other", columns[1]), frame.Texts("task", texts[0]),
		frame.Texts("other_task", texts[1]), frame.Numbers("similarity", columns[2]))
}

// Random acts at random for some episodes on a family's test tasks, one after the other: a row a step, with columns episode,
// task, step, reward, and obs0, obs1, … before the action act0, act1, ….
func Random(f sim.Family, episodes int) *frame.Frame {
	_, tasks, err := f.Tasks(1, 0, 0)
	if err != nil {
		return frame.Failed(err)
	}
	list := make([]sim.Episode, episodes)
	for i := range list {
		list[i] = sim.Episode{Task: tasks[i%len(tasks)], Seed: uint64(i)}
	}
	pool, err := sim.NewPool(f, 0, 0)
	if err != nil {
		return frame.Failed(err)
	}
	defer pool.Close()
	spec := f.Spec()
	done, err := pool.Rollout(cell.Context(), list, sim.UniformPolicy(list, spec.ActDim), 0)
	if err != nil {
		return frame.Failed(err)
	}
	names := []string{"episode", "task", "step", "reward"}
	for j := range spec.ObsDim {
		names = append(names, fmt.Sprint("obs", j))
	}
	for j := range spec.ActDim {
		names = append(names, fmt.Sprint("act", j))
	}
	columns := make([][]float64, len(names))
	for i, t := range done {
		for s := range t.Len {
			row := []float64{float64(i), float64(t.Task.ID), float64(s), float64(t.Reward[s])}
			for _, v := range t.Obs[s*spec.ObsDim : (s+1)*spec.ObsDim] {
				row = append(row, float64(v))
			}
			for _, v := range t.Act[s*spec.ActDim : (s+1)*spec.ActDim] {
				row = append(row, float64(v))
			}
			for k, v := range row {
				columns[k] = append(columns[k], v)
			}
		}
	}
	out := frame.New()
	for k, name := range names {
		out = out.With(frame.Numbers(name, columns[k]))
	}
	return out
}
