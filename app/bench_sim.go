package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/rates"
	"nacre/stats"
)

// SimReport is what nacre bench sim prints.
type SimReport struct {
	Workers  int          `json:"workers"`
	Episodes float64      `json:"point_goal_episodes_per_s"` // random actions, wall clock, median over rounds
	Rounds   int          `json:"rounds"`
	Control  *rates.Rates `json:"control,omitempty"` // per second of processor time
	Missing  string       `json:"missing,omitempty"` // why there is none
}

// BenchSim times the point robot's episodes and, where MuJoCo is present, the steps of a control beside a plain loop in
// C.
func BenchSim(ctx context.Context, env *Env, o BenchSimOptions) error {
	if o.Workers == 0 {
		o.Workers = runtime.NumCPU()
	}
	r := SimReport{Workers: o.Workers, Rounds: o.Rounds}
	_, err := sim.Lookup(o.Family)
	if err != nil && !errors.Is(err, sim.ErrUnavailable) {
		return err
	}
	absent := err
	if r.Episodes, err = pointRate(ctx, env, o); err != nil {
		return err
	}
	if absent != nil {
		r.Missing = advice(absent)
		return env.Print(r, r.WriteText)
	}
	stage := env.Progress.Stage(o.Family+", plain C and batches in turns", 0)
	defer stage.Done()
	measured, err := rates.Measure(o.Family, o.Workers, o.Envs, o.Steps, o.Rounds)
	if err != nil {
		return err
	}
	r.Control = &measured
	stage.Done()
	return env.Print(r, r.WriteText)
}

// pointRate is the point robot's episodes per second.
func pointRate(ctx context.Context, env *Env, o BenchSimOptions) (float64, error) {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		return 0, err
	}
	train, _, err := family.Tasks(1, 0, 0)
	if err != nil {
		return 0, err
	}
	pool, err := sim.NewPool(family, o.Workers, o.Envs)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	episodes := make([]sim.Episode, 50*o.Workers*o.Envs)
	for i := range episodes {
		episodes[i] = sim.Episode{Task: train[i%len(train)], Seed: rng.New(1, rng.Rollout, uint64(i)).Uint64()}
	}
	stage := env.Progress.Stage("point-goal", o.Rounds)
	defer stage.Done()
	var rates []float64
	for range o.Rounds {
		start := time.Now()
		if _, err := pool.Rollout(ctx, episodes, sim.UniformPolicy(episodes, family.Spec().ActDim), 0); err != nil {
			return 0, err
		}
		rates = append(rates, float64(len(episodes))/time.Since(start).Seconds())
		stage.Add(1)
	}
	return stats.Median(rates), nil
}

// WriteText prints the report for a person.
func (r SimReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "point-goal: %.0f episodes of 20 steps per second on %d workers (random actions, median of %d rounds)\n", r.Episodes, r.Workers, r.Rounds)
	if r.Control == nil {
		_, err := fmt.Fprintf(w, "controls: %s\n", r.Missing)
		return err
	}
	c := r.Control
	_, err := fmt.Fprintf(w, `%s, control steps per second of processor time, %d workers of %d environments, medians of %d rounds:
  plain loop in C      %8.0f
  batches, as used     %8.0f, with observations and rewards
  ratio                %8.3f
`, c.Family, c.Workers, c.Envs, c.Rounds, c.PlainC, c.Batch, c.Ratio)
	return err
}
