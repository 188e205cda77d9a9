package lab

import (
	"errors"
	"fmt"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/library/cell"
	"nacre/library/display"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/sim/recording"
	"nacre/tsne"
)

// Posteriors is a table of Embed's posteriors. It has one row per context and latent dimension, with columns task,
// context, dimension, mean and variance.
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

// Pairs compares every two embeddings by a similarity of their means. The table has one row per pair, with columns
// context, other, task, other_task and similarity. The argument similarity must not change the means.
func Pairs(e *tsne.Embeddings, similarity func(a, b []float64) float64) *frame.Frame {
	name := func(i int) string {
		if i < len(e.Label) {
			return e.Name(e.Label[i])
		}
		return ""
	}
	var texts [2][]string
	var columns [3][]float64 // mean, low, high
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
	return frame.New(frame.Numbers("context", columns[0]), frame.Numbers("other", columns[1]),
		frame.Texts("task", texts[0]),
		frame.Texts("other_task", texts[1]), frame.Numbers("similarity", columns[2]))
}

// Random plays episodes with random actions on a family's test tasks, one after the other. The table has one row per
// step, with columns episode, task, step and reward. The columns obs0, obs1, … are the observation before the action,
// and act0, act1, … are the action.
func Random(f sim.Family, episodes int) *frame.Frame { return acted(f, episodes, false) }

// Told does the same as Random, but with the actions of the controller that knows the task. The family must have a
// sim.Controller.
func Told(f sim.Family, episodes int) *frame.Frame { return acted(f, episodes, true) }

// begin lists episodes on a family's test tasks and the policy that acts in them.
func begin(f sim.Family, episodes int, told bool) (list []sim.Episode, policy sim.Policy, err error) {
	_, tasks, err := f.Tasks(1, 0, 0)
	if err != nil {
		return nil, nil, err
	}
	for i := range episodes {
		list = append(list, sim.Episode{Task: tasks[i%len(tasks)], Seed: uint64(i)})
	}
	if told {
		policy, err = sim.GoalPolicy(f, list)
		return list, policy, err
	}
	return list, sim.RandomPolicy(f, list), nil
}

func acted(f sim.Family, episodes int, told bool) *frame.Frame {
	list, policy, err := begin(f, episodes, told)
	if err != nil {
		return frame.Failed(err)
	}
	pool, err := sim.NewPool(f, 0, 0)
	if err != nil {
		return frame.Failed(err)
	}
	defer pool.Close()
	done, err := pool.Rollout(cell.Context(), list, policy, 0)
	if err != nil {
		return frame.Failed(err)
	}
	return ofSteps(f.Spec(), done)
}

func ofSteps(spec sim.Spec, done []sim.Trajectory) *frame.Frame {
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

// Watch records episodes for playback: those of Random, or those of Told if told is true. If steps is 0, they are as
// long as the family's horizon.
func Watch(f sim.Family, episodes int, told bool, steps int) (display.Rollout, error) {
	list, policy, err := begin(f, episodes, told)
	if err != nil {
		return display.Rollout{}, err
	}
	rec := recording.Recorder{Family: f, Pictures: true}
	_, err = rec.Rollout(cell.Context(), list, policy, steps)
	err = errors.Join(err, rec.Close())
	return display.Rollout{Title: f.Spec().Name, Episodes: rec.Recordings}, err
}

// Yardsticks is Baselines.
//
// Deprecated: use Baselines. The next release removes this name.
func (r *Run) Yardsticks() *frame.Frame { return r.Baselines() }

// Baselines are returns after adaptation by the run's protocol, of random actions and of standing still. If the family
// has a controller, its return without the task and its return with the task are there too. Each baseline has one row,
// with the interval over tasks.
func (r *Run) Baselines() *frame.Frame {
	var names []string
	var columns [3][]float64
	err := r.agent(func(a *experiment.Agent) error {
		b, err := a.Baselines(cell.Context(), a.TestTasks, a.Config.Evaluation.Protocol, r.cfg.Seed)
		for k, result := range []*protocol.Result{&b.Random, b.Still, b.Blind, b.Goal} {
			if err == nil && result != nil {
				names = append(names, []string{"random", "still", "told nothing", "told the goal"}[k])
				for j, v := range []float64{result.Summary.Adapted.Mean, result.Summary.Adapted.Lo,
					result.Summary.Adapted.Hi} {
					columns[j] = append(columns[j], v)
				}
			}
		}
		return err
	})
	if err != nil {
		return frame.Failed(err)
	}
	return frame.New(frame.Texts("policy", names), frame.Numbers("return", columns[0]),
		frame.Numbers("return_lo", columns[1]), frame.Numbers("return_hi", columns[2]))
}
