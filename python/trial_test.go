//go:build unix

package python_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
	_ "nacre/sim/discrete" // names of families of discrete actions
)

// remembering trains an agent with a memory for a moment.
func remembering(t *testing.T, algorithm, family string, settings ...string) string {
	t.Helper()
	cfg, err := experiment.Preset("quick/point-goal-" + algorithm)
	fatal.On(t, err)
	cfg.Family = family
	a, err := rl.Lookup(algorithm)
	fatal.On(t, err)
	small := append([]string{"train_tasks=4", "test_tasks=2", algorithm + ".iterations=1", algorithm + ".episodes=2"},
		a.Small...)
	fatal.On(t, experiment.Change(&cfg, append(small, settings...)...))
	dir := filepath.Join(t.TempDir(), "run")
	training, err := experiment.Start(dir, cfg, experiment.Host{Workers: 1})
	fatal.On(t, err)
	fatal.On(t, training.Train(context.Background(), progress.Silent()), training.Close())
	return dir
}

// moment is what an agent with a memory sees and does in a step.
type moment struct {
	Observation []float64 `json:"observation"`
	Noise       []float64 `json:"noise"`
	Action      []float64 `json:"action"`
	Reward      float64   `json:"reward"`
	Next        []float64 `json:"next"`
	Done        bool      `json:"done"`
}

// trial lets the program's agent act in a trial of three episodes, on observations and rewards that answer nothing.
func trial(t *testing.T, a *experiment.Agent, deterministic bool) (moments []moment) {
	t.Helper()
	const steps, seed = 7, 11
	p := protocol.Protocol{Explore: 3, Scored: 1, Deterministic: deterministic, Z: "mean", Repeats: 1}
	adapter, r := a.Learner.Adapter(), rng.New(9)
	fatal.On(t, adapter.Start(1, []uint64{seed}))
	normal := func() float64 { return float64(float32(2 * r.NormFloat64())) }
	for episode := range 3 {
		policy, err := adapter.Policy(episode, true, p)
		fatal.On(t, err)
		noise := rng.New(seed, rng.Action, uint64(episode))
		seen := &sim.Trajectory{Len: steps}
		for range (steps + 1) * a.Spec.ObsDim {
			seen.Obs = append(seen.Obs, float32(normal()))
		}
		at := func(k int) (o []float64) {
			for _, x := range seen.Obs[k*a.Spec.ObsDim : (k+1)*a.Spec.ObsDim] {
				o = append(o, float64(x))
			}
			return o
		}
		for k := range steps {
			m := moment{Observation: at(k), Action: make([]float64, a.Spec.ActDim), Reward: normal(), Next: at(k + 1),
				Done: k == steps-1}
			fatal.On(t, policy.Act(0, []int{0}, []int{k}, m.Observation, m.Action))
			fatal.On(t, policy.(sim.Watcher).Watch(0, []int{0}, []int{k}, []float64{m.Reward}))
			for range max(len(a.Spec.ActChoices), a.Spec.ActDim) {
				switch {
				case deterministic || a.Spec.Discrete() && len(m.Noise) == len(a.Spec.ActChoices):
				case a.Spec.Discrete():
					m.Noise = append(m.Noise, noise.Float64())
				default:
					m.Noise = append(m.Noise, noise.NormFloat64())
				}
			}
			moments = append(moments, m)
		}
		fatal.On(t, adapter.Observe(0, seen))
	}
	return moments
}

// remembered writes what the program's agent does in trials, and believes of a context if it has beliefs.
func remembered(t *testing.T, dir string) string {
	t.Helper()
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1, Envs: 4})
	fatal.On(t, err)
	defer a.Close()
	var out struct {
		Trials  [][]moment `json:"trials"`
		Beliefs []belief   `json:"beliefs"`
	}
	for _, deterministic := range []bool{true, false} {
		out.Trials = append(out.Trials, trial(t, a, deterministic))
	}
	if e, ok := a.Learner.(rl.Encoding); ok {
		r := rng.New(7)
		for _, rows := range []int{0, 1, 30} {
			c := make([]float32, rows*e.Encoder().Width())
			for i := range c {
				c[i] = float32(r.NormFloat64())
			}
			q, err := e.Encoder().Posteriors([][]float32{c})
			fatal.On(t, err)
			out.Beliefs = append(out.Beliefs, belief{c, q[0].Mean, q[0].Var})
		}
	}
	path := filepath.Join(t.TempDir(), "program.json")
	text, err := json.Marshal(out)
	fatal.On(t, err, os.WriteFile(path, text, 0o600))
	return path
}

// Agents with a memory act in Python as in the program, step by step through a trial, given the same noise.
func TestMemoryIsTheProgram(t *testing.T) {
	environment(t)
	for name, of := range map[string]struct {
		algorithm, family string
		settings          []string
		tolerance         float64
	}{
		"rl2":                 {"rl2", "point-goal", nil, 1e-5},
		"rl2 in float64":      {"rl2", "point-goal", []string{"arithmetic=float64"}, 1e-12},
		"rl2, inputs reset":   {"rl2", "point-goal", []string{"rl2.reset_inputs=true"}, 1e-5},
		"rl2, least spread":   {"rl2", "point-goal", []string{"rl2.min_std=0.9"}, 1e-5},
		"rl2, discrete":       {"rl2", "bandit-5", nil, 0},
		"varibad":             {"varibad", "point-goal", nil, 1e-5},
		"varibad in float64":  {"varibad", "point-goal", []string{"arithmetic=float64"}, 1e-12},
		"varibad, discrete":   {"varibad", "grid", nil, 1e-5},
		"varibad, one layer":  {"varibad", "point-goal", []string{"varibad.policy_layers=1"}, 1e-5},
		"varibad, min spread": {"varibad", "point-goal", []string{"varibad.min_std=0.9"}, 1e-5},
	} {
		t.Run(name, func(t *testing.T) {
			dir := remembering(t, of.algorithm, of.family, of.settings...)
			grown(t, dir)
			text, err := script(t, "testdata/trial.py", dir, remembered(t, dir))
			var differ struct{ Posterior, Action, Size float64 }
			if err == nil {
				err = json.Unmarshal([]byte(text), &differ)
			}
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			t.Logf("%+v", differ)
			if max(differ.Posterior, differ.Action) > of.tolerance || differ.Size < 0.1 {
				t.Errorf("differences %+v; want at most %g, and actions that are not nearly 0", differ, of.tolerance)
			}
		})
	}
}

// Agents with a memory adapt in Python to an environment there: it gives them what the program's evaluation does.
func TestMemoryAdapts(t *testing.T) {
	environment(t)
	file, err := filepath.Abs("testdata/fixed.py")
	fatal.On(t, err)
	for _, algorithm := range []string{"rl2", "varibad"} {
		t.Run(algorithm, func(t *testing.T) {
			dir := remembering(t, algorithm, "py:"+file+":Fixed")
			grown(t, dir)
			a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1})
			fatal.On(t, err)
			defer a.Close()
			result, err := a.Evaluate(t.Context(), a.TestTasks, protocol.Protocol{Explore: 2, Scored: 1, Repeats: 1,
				Deterministic: true, Z: "mean"}, 1)
			fatal.On(t, err)
			text, err := script(t, "-c", `
import json, sys, nacre_rl
sys.path.insert(0, "testdata")
from fixed import Fixed
run, env, out = nacre_rl.Run(sys.argv[1]), Fixed(), []
for task in run.tasks["test"]:
    env.set_task(task)
    adapted = run.agent().adapt(env, trajectories=2)
    one, two = adapted.trajectory(), adapted.trajectory()
    assert (one[1] == two[1]).all(), "each begins with what exploration left"
    out.append(adapted.returns + [float(sum(one[2]))])
print(json.dumps(out))
`, dir)
			var got [][]float64
			if err == nil {
				err = json.Unmarshal([]byte(text), &got)
			}
			if err != nil || len(got) != len(result.Tasks) {
				t.Fatalf("%v: %s", err, text)
			}
			for i, task := range result.Tasks {
				for k, want := range task.Return[0] {
					if math.Abs(got[i][k]-want) > 1e-3 {
						t.Errorf("task %d, trajectory %d: return %v; the program's is %v", i, k, got[i][k], want)
					}
				}
			}
		})
	}
}
