package protocol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nacre/analysis/stats"
	"nacre/rl/config"
	"nacre/sim"
)

// Swapped says what an agent's return owes to its belief about the task. Every adaptation is made twice: the agent
// explores the task itself, or another of the tasks, and is then scored on the task. Both have the same random numbers.
type Swapped struct {
	Protocol Protocol      `json:"protocol"`
	Seed     uint64        `json:"seed"`
	Steps    int           `json:"steps"` // environment steps
	Tasks    []SwappedTask `json:"tasks"` // in the given order
	// Gain is the mean return with the belief about the own task less that with the belief about another, with an
	// interval over tasks. It is 0 for an agent that does not use its belief.
	Gain stats.Interval `json:"gain"`
}

// SwappedTask holds a task's results by repeat: mean returns of the scored trajectories.
type SwappedTask struct {
	ID     int       `json:"id"`
	Params []float64 `json:"params"`
	Other  []int     `json:"other"`     // ID of the task that was explored in place of this one
	Own    []float64 `json:"own"`       // return after exploring this task
	Theirs []float64 `json:"exchanged"` // return after exploring the other
}

// Gain is the mean over repeats of Own less Theirs.
func (t SwappedTask) Gain() float64 { return stats.Mean(t.Own) - stats.Mean(t.Theirs) }

// GainByTask is each task's Gain, in the order of Tasks.
func (s Swapped) GainByTask() []float64 {
	out := make([]float64, len(s.Tasks))
	for i, t := range s.Tasks {
		out[i] = t.Gain()
	}
	return out
}

// Swap measures the swap gain of a on tasks. The other task of repeat r is the r-th after the task itself, in the given
// order and in turn, of those whose Params differ from its own. The context of scored trajectories is that of
// exploration alone, whatever p.Extend says, and no belief is carried over. The error says what is wrong: no
// exploration, so that there is no belief to exchange, or no two different tasks.
func Swap(ctx context.Context, pool Roller, tasks []sim.Task, p Protocol, a Adapter, seed uint64) (Swapped, error) {
	p.Extend, p.CarryBelief = false, false
	if err := config.Check(&p); err != nil {
		return Swapped{}, fmt.Errorf("protocol: %w", err)
	}
	if _, told := a.(GoalKnower); p.Explore == 0 && !told {
		return Swapped{}, errors.New("protocol: swap gain with explore = 0, want at least 1: without exploration " +
			"there is no belief about a task")
	}
	out := Swapped{Protocol: p, Seed: seed}
	var own, exchanged []cast
	for i, t := range tasks {
		others := different(tasks, i)
		if len(others) == 0 {
			return Swapped{}, fmt.Errorf("protocol: swap gain on %d tasks, of which none differs from task %d %v; "+
				"want two different tasks", len(tasks), t.ID, t.Params)
		}
		at := SwappedTask{ID: t.ID, Params: append([]float64{}, t.Params...)}
		for r := range p.Repeats {
			other := others[r%len(others)]
			at.Other = append(at.Other, other.ID)
			own = append(own, cast{explored: t, scored: t, seed: address(seed, t, r)})
			exchanged = append(exchanged, cast{explored: other, scored: t, seed: address(seed, t, r)})
		}
		at.Own, at.Theirs = make([]float64, p.Repeats), make([]float64, p.Repeats)
		out.Tasks = append(out.Tasks, at)
	}
	if len(tasks) == 0 {
		return Swapped{}, errors.New("protocol: no tasks to evaluate on")
	}
	for _, half := range []struct {
		cast []cast
		to   func(SwappedTask) []float64
	}{{own, func(t SwappedTask) []float64 { return t.Own }},
		{exchanged, func(t SwappedTask) []float64 { return t.Theirs }}} {
		err := adapt(ctx, pool, half.cast, p, a, func(i, traj int, t *sim.Trajectory) {
			out.Steps += t.Len
			if traj >= p.Explore {
				half.to(out.Tasks[i/p.Repeats])[i%p.Repeats] += t.Return / float64(p.Scored)
			}
		})
		if err != nil {
			return Swapped{}, fmt.Errorf("protocol: %w", err)
		}
	}
	out.Gain = stats.MeanInterval(out.GainByTask())
	return out, nil
}

// Exchangeable reports whether each of the tasks differs from another, so that Swap can be measured on them.
func Exchangeable(tasks []sim.Task) bool {
	for i := range tasks {
		if len(different(tasks, i)) == 0 {
			return false
		}
	}
	return len(tasks) > 0
}

// different returns the tasks that differ from task i, beginning after it. Tasks without Params differ by their IDs.
func different(tasks []sim.Task, i int) (out []sim.Task) {
	for k := range len(tasks) - 1 {
		other := tasks[(i+1+k)%len(tasks)]
		if !slices.Equal(other.Params, tasks[i].Params) || len(other.Params) == 0 && other.ID != tasks[i].ID {
			out = append(out, other)
		}
	}
	return out
}
