package verify

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"nacre/sim"
)

// present is how many numbers of Meta-World's observation belong to the present step; the next 18 depend on what was
// observed before.
const present = 18

// Forced puts family into the stored states of every run of ref. Observations and rewards in such a state must agree to
// Exact; those after the reset, and those one control step after such a state, to OneStep.
func Forced(family sim.Family, ref *Reference, reward int) Result {
	res := Result{Family: family.Spec().Name, Reference: ref.Name, Reward: ref.Rewards[reward], Mode: "forced",
		Tolerance: Exact}
	if err := res.compareTasks(family, ref.TaskLists); err != nil {
		return res.end(err)
	}
	made, err := family.NewBatch(envs)
	if err != nil {
		return res.end(err)
	}
	b, ok := made.(sim.Forcible)
	if !ok {
		return res.end(errors.Join(fmt.Errorf("the family cannot be put into states of its reference"), made.Close()))
	}
	for k := range ref.Runs {
		if err = res.force(b, family.Spec(), &ref.Runs[k], k, reward); err != nil {
			break
		}
		res.Tasks++
	}
	if err == nil {
		err = res.poses(b, family.Spec(), ref, reward)
	}
	return res.end(errors.Join(err, b.Close()))
}

// force goes through the states of run k in their order: some rewards remember the first step.
func (res *Result) force(b sim.Forcible, s sim.Spec, run *Run, k, reward int) error {
	obs, out := make([]float64, envs*s.ObsDim), newStepResult(envs)
	mine := obs[middle*s.ObsDim:][:s.ObsDim]
	if err := b.ResetFrom(middle, sim.Task{ID: k, Params: run.Params}, run.Hand, mine); err != nil {
		return fmt.Errorf("task %d, reset: %w", k, err)
	}
	for j := range present {
		res.StepObservation.see(mine[j], run.Obs[0][j], k, 0, j)
	}
	for _, t := range slices.Sorted(maps.Keys(run.States)) {
		if err := b.SetState(middle, run.States[t], mine); err != nil {
			return fmt.Errorf("task %d, step %d: %w", k, t, err)
		}
		if t > 0 { // what is observed after a reset was computed before it ended
			for j := range present {
				res.Observation.see(mine[j], run.Obs[t][j], k, t, j)
			}
			if err := b.Evaluate(middle, run.Act[t-1], out); err != nil {
				return fmt.Errorf("task %d, step %d: %w", k, t, err)
			}
			res.judge(run, out, k, t-1, reward)
		}
		if t < len(run.Act) {
			if err := res.one(b, s, run, k, t, reward, obs, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// one makes a control step from the state that the environment is in, which is that of step t.
func (res *Result) one(b sim.Forcible, s sim.Spec, run *Run, k, t, reward int, obs []float64,
	out *sim.StepResult) error {
	act := make([]float64, envs*s.ActDim)
	copy(act[middle*s.ActDim:], run.Act[t])
	if err := b.Step([]bool{false, true, false}, act, obs, out); err != nil {
		return fmt.Errorf("task %d, a step from %d: %w", k, t, err)
	}
	for j, v := range obs[middle*s.ObsDim:][:present] {
		res.StepObservation.see(v, run.Obs[t+1][j], k, t+1, j)
	}
	res.StepReward.see(out.Reward[middle], run.Reward[t][reward], k, t, reward)
	return nil
}

// poses compares what is observed and paid in the reference's poses, in their order.
func (res *Result) poses(b sim.Batch, s sim.Spec, ref *Reference, reward int) error {
	if len(ref.Poses) == 0 {
		return nil
	}
	f, ok := b.(sim.Forcible)
	if !ok {
		return fmt.Errorf("the family cannot be put into states of its reference")
	}
	obs, out := make([]float64, s.ObsDim), newStepResult(envs)
	if err := f.ResetFrom(middle, sim.Task{Params: ref.PoseTask}, ref.PoseHand, obs); err != nil {
		return fmt.Errorf("poses: %w", err)
	}
	for i, p := range ref.Poses {
		err := f.SetState(middle, p.State, obs)
		if err == nil {
			err = f.Evaluate(middle, p.Act, out)
		}
		if err != nil {
			return fmt.Errorf("pose %d: %w", i, err)
		}
		for j, v := range obs[:present] {
			res.Observation.see(v, p.Obs[j], -1, i, j)
		}
		res.RewardDiff.see(out.Reward[middle], p.Reward[reward], -1, i, reward)
		if out.Success[middle] != (p.Success[reward] != 0) {
			res.Flags++
		}
		res.Poses++
	}
	return nil
}
