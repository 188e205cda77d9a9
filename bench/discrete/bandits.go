package main

import (
	"context"
	"fmt"

	"nacre/internal/measurement"
	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/discrete"
)

// setup is one of the paper's bandits, with the mean returns that its Table 1 gives for Gittins's indices, Thompson
// sampling, UCB1 and RL² (Duan et al. 2016).
type setup struct {
	pulls, arms                  int
	gittins, thompson, ucb1, rl2 float64
	settings                     []string // of our RL², beside those of quick/bandit-rl2
}

var long = []string{"rl2.chunk=25", "rl2.gae_lambda=0.9", "rl2.meta_batch=50", "rl2.iterations=150"}

var setups = []setup{
	{10, 5, 6.6, 5.7, 6.7, 6.7, nil},
	{10, 10, 6.6, 5.5, 6.7, 6.7, nil},
	{10, 50, 6.5, 5.2, 6.6, 6.8, nil},
	{100, 5, 78.3, 74.7, 78.0, 78.7, long},
}

// bandits measures the setups.
func bandits(ctx context.Context, seeds int) (measurement.Measurement, error) {
	m := measurement.Measurement{
		What: "Mean returns on Bernoulli bandits: reference policies, RL² trained here, and RL²'s paper",
		Conditions: "1,000 test bandits; quick/bandit-rl2 with the family changed, for 100 pulls with " +
			"rl2.chunk=25, rl2.gae_lambda=0.9, rl2.meta_batch=50 and rl2.iterations=150. UCB1 has the constant of " +
			"Auer et al.; the paper tuned it. The best is Bayes-optimal, by dynamic programming",
		Spread:   "seeds of RL²",
		Commands: []string{"go run ./bench/discrete -write bandits"},
		Labels:   []string{"pulls", "arms"},
		Columns: []measurement.Column{
			{Name: "random", Head: "random", Digits: 1}, {Name: "thompson", Head: "Thompson", Digits: 1},
			{Name: "ucb1", Head: "UCB1", Digits: 1}, {Name: "gittins", Head: "Gittins", Digits: 1},
			{Name: "best", Head: "best", Digits: 1}, {Name: "rl2", Head: "RL²", Digits: 1, Bold: true},
			{Name: "steps", Head: "pulls in training"},
			{Name: "paper_thompson", Head: "paper: Thompson", Digits: 1},
			{Name: "paper_ucb1", Head: "UCB1", Digits: 1}, {Name: "paper_gittins", Head: "Gittins", Digits: 1},
			{Name: "paper_rl2", Head: "RL²", Digits: 1},
		},
	}
	for _, s := range setups {
		row, err := s.row(ctx, seeds)
		if err != nil {
			return m, err
		}
		m.Rows = append(m.Rows, row)
	}
	return m, nil
}

func (s setup) family() string {
	if s.pulls == 10 {
		return fmt.Sprintf("bandit-%d", s.arms)
	}
	return fmt.Sprintf("bandit-%d:%d", s.arms, s.pulls)
}

func (s setup) row(ctx context.Context, seeds int) (measurement.Row, error) {
	const bandits = 1000
	cells := map[string]measurement.Cell{
		"best":           {Words: "not known"},
		"paper_gittins":  {Value: s.gittins},
		"paper_thompson": {Value: s.thompson},
		"paper_ucb1":     {Value: s.ucb1},
		"paper_rl2":      {Value: s.rl2},
	}
	row := measurement.Row{Of: []string{fmt.Sprint(s.pulls), fmt.Sprint(s.arms)}, Cells: cells}
	if s.pulls == 10 {
		cells["best"] = measurement.Cell{Value: discrete.BestBandit(s.arms, s.pulls)}
	}
	for _, name := range []string{"random", "gittins", "thompson", "ucb1"} {
		mean, err := reference(ctx, s.family(), name, bandits)
		if err != nil {
			return row, err
		}
		cells[name] = measurement.Cell{Value: mean}
	}
	var trained measurement.Cell
	for seed := range seeds {
		returns, steps, err := train(ctx, "quick/bandit-rl2", uint64(seed+1), bandits,
			append([]string{"family=" + s.family()}, s.settings...)...)
		if err != nil {
			return row, err
		}
		trained.Seeds = append(trained.Seeds, returns[len(returns)-1])
		cells["steps"] = measurement.Cell{Value: float64(steps)}
	}
	cells["rl2"] = trained
	return row, nil
}

// reference is the mean return of a reference policy, or of random actions.
func reference(ctx context.Context, family, name string, n int) (mean float64, err error) {
	f, environments, err := pool(family)
	if err != nil {
		return 0, err
	}
	defer environments.Close()
	tasks, err := testTasks(f, n)
	if err != nil {
		return 0, err
	}
	var episodes []sim.Episode
	for i, t := range tasks {
		episodes = append(episodes, sim.Episode{Task: t, Seed: rng.New(2, rng.Rollout, uint64(i)).Uint64()})
	}
	policy := sim.RandomPolicy(f, episodes)
	if name != "random" {
		if policy, err = sim.ReferencePolicy(f, name, episodes); err != nil {
			return 0, err
		}
	}
	out, err := environments.Rollout(ctx, episodes, policy, 0)
	for _, t := range out {
		mean += t.Return / float64(n)
	}
	return mean, err
}
