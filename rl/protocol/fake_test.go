package protocol

import (
	"context"
	"math"

	"nacre/internal/rng"
	"nacre/sim"
)

// line is a Roller of a tiny world: a position on a line that the action shifts; reward minus the distance to the
// task's goal; the episode starts at a random place and ends by itself when the goal is passed by 2.
type line struct{ rollouts int }

func (w *line) Rollout(ctx context.Context, episodes []sim.Episode, policy sim.Policy,
	horizon int) ([]sim.Trajectory, error) {
	w.rollouts++
	if horizon == 0 {
		horizon = 12
	}
	out := make([]sim.Trajectory, len(episodes))
	for i, e := range episodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		goal := float64(e.Task.ID)
		if len(e.Task.Params) > 0 {
			goal = e.Task.Params[0]
		}
		t := sim.Trajectory{Task: e.Task}
		x := rng.New(e.Seed, rng.Reset).NormFloat64()
		t.Obs = append(t.Obs, float32(x))
		for step := range horizon {
			act := []float64{0}
			if err := policy.Act(0, []int{i}, []int{step}, []float64{x}, act); err != nil {
				return nil, err
			}
			x += act[0]
			r := -math.Abs(x - goal)
			t.Obs, t.Act = append(t.Obs, float32(x)), append(t.Act, float32(act[0]))
			t.Reward, t.CtxReward = append(t.Reward, float32(r)), append(t.CtxReward, float32(r))
			t.Len, t.Return, t.Success = step+1, t.Return+r, t.Success || r > -.5
			if x > goal+2 {
				t.Done = true
				break
			}
		}
		out[i] = t
	}
	return out, nil
}

// believer is an adapter with a state of its own for each adaptation: it seeks the best place it has seen, with
// noise, and before that a place drawn from its prior. With leak it forgets to reset and shares what it saw.
type believer struct {
	leak   bool
	seeds  []uint64
	belief []float64 // best place seen; NaN is the prior
	best   []float64
	calls  []call
}

type call struct {
	what    string
	i       int // adaptations, trajectory or adaptation
	explore bool
}

func (b *believer) Start(n int, seeds []uint64) error {
	b.calls = append(b.calls, call{what: "start", i: n})
	b.seeds = seeds
	b.belief, b.best = make([]float64, n), make([]float64, n)
	for i := range n {
		b.belief[i], b.best[i] = math.NaN(), math.Inf(-1)
	}
	return nil
}

func (b *believer) Policy(traj int, explore bool, p Protocol) (sim.Policy, error) {
	b.calls = append(b.calls, call{"policy", traj, explore})
	targets := make([]float64, len(b.seeds))
	for i, seed := range b.seeds {
		targets[i] = b.belief[i]
		if explore || math.IsNaN(targets[i]) {
			targets[i] = 3 * rng.New(seed, rng.Latent, uint64(traj)).NormFloat64()
		}
	}
	return policyFunc(func(episodes, steps []int, obs, act []float64) error {
		for k, e := range episodes {
			act[k] = max(-1, min(1, targets[e]-obs[k]))
			if !p.Deterministic {
				act[k] += .1 * rng.New(b.seeds[e], rng.Action, uint64(traj), uint64(steps[k])).NormFloat64()
			}
		}
		return nil
	}), nil
}

func (b *believer) Observe(i int, t *sim.Trajectory) error {
	b.calls = append(b.calls, call{what: "observe", i: i})
	if b.leak {
		i = 0
	}
	for k, r := range t.CtxReward {
		if float64(r) > b.best[i] {
			b.best[i], b.belief[i] = float64(r), float64(t.Obs[k+1])
		}
	}
	if b.leak {
		for j := range b.belief {
			b.best[j], b.belief[j] = b.best[0], b.belief[0]
		}
	}
	return nil
}

// goals are tasks with the given goals, numbered from first.
func goals(first int, x ...float64) []sim.Task {
	tasks := make([]sim.Task, len(x))
	for i := range x {
		tasks[i] = sim.Task{ID: first + i, Params: []float64{x[i]}}
	}
	return tasks
}
