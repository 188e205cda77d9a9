package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nacre/sim"
)

const (
	steps = 200  // of an episode
	rate  = 1e-3 // turns returns into the paper's thousands
)

// scripted is what episodes of one policy came to.
type scripted struct {
	mean      float64 // return, thousands
	successes int
}

// figures are what was measured of a family.
type figures struct {
	random, blind, told     scripted
	hidden                  bool    // whether the goal is
	blindBound, toldCeiling float64 // thousands; of hidden goals
}

// measure rolls episodes out: random actions and the goal-blind controller in the interface that a row is of, the
// goal-knowing one with fixed tasks, which the older interface does not have. An error that wraps sim.ErrUnavailable
// says what is missing here; one that wraps errOpen that the family is not in yet.
func measure(ctx context.Context, name string, redrawn bool, episodes int) (figures, error) {
	var f figures
	fixed, err := lookup(ctx, "ml1-2020/"+name)
	if err != nil {
		return f, err
	}
	defer fixed.Close()
	given := fixed
	if redrawn {
		if given, err = lookup(ctx, "ml1-2020/"+name+":redrawn"); err != nil {
			return f, err
		}
		defer given.Close()
	}
	told, starts, err := fixed.roll(episodes, sim.GoalPolicy)
	if err != nil {
		return f, err
	}
	f.told = told
	if f.blind, _, err = given.roll(episodes, sim.BlindPolicy); err != nil {
		return f, err
	}
	if f.random, _, err = given.roll(episodes, func(family sim.Family, e []sim.Episode) (sim.Policy, error) {
		return sim.RandomPolicy(family, e), nil
	}); err != nil {
		return f, err
	}
	h, ok := hiddenGoals[name]
	if f.hidden = ok; !ok {
		return f, nil
	}
	drawn, _, err := fixed.family.Tasks(1, 4000, 1)
	if err != nil {
		return f, err
	}
	goals := make([]place, len(drawn))
	for i, t := range drawn {
		goals[i] = place(t.Params[3:6])
	}
	blind, best, err := h.bounds(starts, boxOf(goals), steps)
	if err != nil {
		return f, err
	}
	f.blindBound, f.toldCeiling = blind*rate, best*rate
	return f, nil
}

var errOpen = errors.New("not in yet")

// A pool is a family with its workers.
type pool struct {
	*sim.Pool
	ctx    context.Context
	family sim.Family
}

func lookup(ctx context.Context, name string) (pool, error) {
	if !slices.ContainsFunc(sim.Families(), func(s sim.Spec) bool { return s.Name == name }) {
		return pool{}, fmt.Errorf("%s: %w", name, errOpen)
	}
	family, err := sim.Lookup(name)
	if err != nil {
		return pool{}, err
	}
	p, err := sim.NewPool(family, 0, 0)
	return pool{p, ctx, family}, err
}

// roll rolls out an episode of each of the first test tasks of seed 0, and returns where the object is seen first.
func (p pool) roll(episodes int, policy func(sim.Family, []sim.Episode) (sim.Policy, error)) (
	scripted, []place, error) {
	_, tasks, err := p.family.Tasks(0, 1, episodes)
	if err != nil {
		return scripted{}, nil, err
	}
	list := make([]sim.Episode, episodes)
	for i := range list {
		list[i] = sim.Episode{Task: tasks[i], Seed: uint64(i)}
	}
	act, err := policy(p.family, list)
	if err != nil {
		return scripted{}, nil, err
	}
	made, err := p.Rollout(p.ctx, list, act, steps)
	if err != nil {
		return scripted{}, nil, err
	}
	var s scripted
	var starts []place
	for _, t := range made {
		s.mean += rate * t.Return / float64(episodes)
		if t.Success {
			s.successes++
		}
		starts = append(starts, place{float64(t.Obs[3]), float64(t.Obs[4]), float64(t.Obs[5])})
	}
	return s, starts, nil
}
