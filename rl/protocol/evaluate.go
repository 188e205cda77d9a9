package protocol

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"nacre/internal/rng"
	"nacre/rl/config"
	"nacre/sim"
)

// Adapter is an agent under evaluation. It makes many independent adaptations at a time, so that their rollouts and
// networks run in batches. Evaluate calls Start. Then it calls, for each trajectory in turn, Policy once, and Observe
// once for every adaptation whose context includes the trajectory.
type Adapter interface {
	// Start begins n adaptations, each from the prior belief. No information of earlier adaptations may remain, except
	// what a Carrier was told to carry. No information may pass between the adaptations of this call. All random
	// numbers of adaptation i that are not drawn by the environment must come from streams of seeds[i], such as
	// rng.New(seeds[i], rng.Latent, uint64(traj)).
	Start(n int, seeds []uint64) error

	// Policy returns the policy for trajectory number traj of every adaptation: episode i of its Act is adaptation i.
	// While explore is true the agent explores. Afterwards it acts on its context, as p says.
	Policy(traj int, explore bool, p Protocol) (sim.Policy, error)

	// Observe gives adaptation i a finished trajectory as context. The trajectory is not used again by others and may
	// be kept.
	Observe(i int, t *sim.Trajectory) error
}

// Carrier is an Adapter with a belief that it can carry from one task to the next.
type Carrier interface {
	Adapter
	// Carry stores the final belief of adaptation 0. After the next Start, adaptations explore with this belief and not
	// with the prior.
	Carry() error
}

// GoalKnower is an Adapter that is told the true tasks, such as a controller or the algorithm oracle. Evaluate calls
// Know before Start, with the task of each adaptation.
type GoalKnower interface {
	Adapter
	Know(tasks []sim.Task) error
}

// Roller runs whole episodes, in the order given; sim.Pool does.
type Roller interface {
	Rollout(ctx context.Context, episodes []sim.Episode, policy sim.Policy, horizon int) ([]sim.Trajectory, error)
}

// Evaluate adapts a to each task p.Repeats times and reports every trajectory. The numbers of a task depend on its
// Params (on its ID if it has none), on seed and on p. They do not depend on other tasks, unless p carries the belief
// over. Then they also depend on the tasks before, and adaptations are made one after the other. The error says which
// argument is wrong. An error of the adapter or of the rollout comes with the trajectory in which it happened.
func Evaluate(ctx context.Context, pool Roller, tasks []sim.Task, p Protocol, a Adapter, seed uint64) (Result, error) {
	if err := config.Check(&p); err != nil {
		return Result{}, fmt.Errorf("protocol: %w", err)
	}
	if len(tasks) == 0 {
		return Result{}, errors.New("protocol: no tasks to evaluate on")
	}
	n := len(tasks) * p.Repeats
	each := make([]cast, n)
	for i := range n {
		t := tasks[i/p.Repeats]
		each[i] = cast{explored: t, scored: t, seed: address(seed, t, i%p.Repeats)}
	}
	result := newResult(tasks, p, seed)
	carrier, carries := a.(Carrier)
	if !p.CarryBelief || !carries {
		carrier = nil
	}
	for lo, hi := 0, n; lo < n; lo, hi = hi, n {
		if carrier != nil {
			hi = lo + 1
		}
		err := adapt(ctx, pool, each[lo:hi], p, a, func(i, traj int, t *sim.Trajectory) {
			result.record((lo+i)/p.Repeats, (lo+i)%p.Repeats, traj, t)
		})
		if err == nil && carrier != nil {
			err = carrier.Carry()
		}
		if err != nil {
			return Result{}, fmt.Errorf("protocol: %w", err)
		}
	}
	result.summarise()
	return result, nil
}

// cast is an adaptation: the task that is explored, the task that is scored afterwards, which is the same one unless
// beliefs are exchanged, and the seed.
type cast struct {
	explored, scored sim.Task
	seed             uint64
}

// adapt makes adaptations side by side and hands out their trajectories.
func adapt(ctx context.Context, pool Roller, each []cast, p Protocol, a Adapter,
	record func(i, traj int, t *sim.Trajectory)) error {
	explored, scored := make([]sim.Task, len(each)), make([]sim.Task, len(each))
	seeds := make([]uint64, len(each))
	for i, c := range each {
		explored[i], scored[i], seeds[i] = c.explored, c.scored, c.seed
	}
	if g, ok := a.(GoalKnower); ok {
		if err := g.Know(slices.Clone(explored)); err != nil {
			return fmt.Errorf("tell the tasks: %w", err)
		}
	}
	if err := a.Start(len(each), slices.Clone(seeds)); err != nil {
		return fmt.Errorf("start %d adaptations: %w", len(each), err)
	}
	for traj := range p.Trajectories() {
		tasks := explored
		if traj >= p.Explore {
			tasks = scored
		}
		trajectories, err := round(ctx, pool, tasks, seeds, traj, p, a)
		if err != nil {
			return fmt.Errorf("trajectory %d of %d: %w", traj+1, p.Trajectories(), err)
		}
		for i := range trajectories {
			record(i, traj, &trajectories[i])
		}
	}
	return nil
}

// round runs one trajectory of every adaptation.
func round(ctx context.Context, pool Roller, tasks []sim.Task, seeds []uint64, traj int, p Protocol,
	a Adapter) ([]sim.Trajectory, error) {
	explore := traj < p.Explore
	policy, err := a.Policy(traj, explore, p)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	episodes := make([]sim.Episode, len(tasks))
	for i := range tasks {
		episodes[i] = sim.Episode{Task: tasks[i], Seed: rng.New(seeds[i], rng.Rollout, uint64(traj)).Uint64()}
	}
	out, err := pool.Rollout(ctx, episodes, policy, p.Horizon)
	if err != nil {
		return nil, err
	}
	if len(out) != len(tasks) {
		return nil, fmt.Errorf("rollout of %d episodes returned %d trajectories", len(tasks), len(out))
	}
	for i := range out {
		if math.IsNaN(out[i].Return) || math.IsInf(out[i].Return, 0) {
			return nil, fmt.Errorf("task %d %v: return is %v", tasks[i].ID, tasks[i].Params, out[i].Return)
		}
		if !explore && !p.Extend {
			continue
		}
		if err := a.Observe(i, &out[i]); err != nil {
			return nil, fmt.Errorf("task %d %v: observe: %w", tasks[i].ID, tasks[i].Params, err)
		}
	}
	return out, nil
}

// address is the seed of one adaptation. If a task has Params, its ID is left out. IDs count from the first train task,
// so the same test task gets another ID if there are more train tasks.
func address(seed uint64, t sim.Task, repeat int) uint64 {
	path := []uint64{rng.Eval, uint64(len(t.Params))}
	if len(t.Params) == 0 {
		path = append(path, uint64(t.ID))
	}
	for _, x := range t.Params {
		path = append(path, math.Float64bits(x+0)) // +0 makes -0 equal to 0
	}
	return rng.New(seed, append(path, uint64(repeat))...).Uint64()
}
