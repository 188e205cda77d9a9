//go:build unix

package python_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/sim"
)

// stepped writes trajectories of one task, and what the program's agent does before and after it has adapted to them.
func stepped(t *testing.T, dir string) string {
	t.Helper()
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1, Envs: 4})
	fatal.On(t, err)
	defer a.Close()
	var out struct {
		Trajectories    []*trajectory `json:"trajectories"`
		Before, Adapted []step
	}
	const seed = 11
	r, adapter := rng.New(9), a.Learner.Adapter()
	fatal.On(t, adapter.Start(1, []uint64{seed}))
	acts := func(traj int, explore, deterministic bool) (steps []step) {
		policy, err := adapter.Policy(traj, explore, protocol.Protocol{Explore: 3, Scored: 1, Repeats: 1, Z: "mean",
			Deterministic: deterministic})
		fatal.On(t, err)
		noise := rng.New(seed, rng.Eval, rng.Action, uint64(traj))
		for k := range 20 {
			s := step{Observation: make([]float64, a.Spec.ObsDim), Action: make([]float64, a.Spec.ActDim)}
			for i := range s.Observation {
				s.Observation[i] = float64(float32(2 * r.NormFloat64()))
			}
			fatal.On(t, policy.Act(0, []int{0}, []int{k}, s.Observation, s.Action))
			for range max(len(a.Spec.ActChoices), a.Spec.ActDim) {
				switch {
				case deterministic || a.Spec.Discrete() && len(s.Noise) == len(a.Spec.ActChoices):
				case a.Spec.Discrete():
					s.Noise = append(s.Noise, noise.Float64())
				default:
					s.Noise = append(s.Noise, noise.NormFloat64())
				}
			}
			steps = append(steps, s)
		}
		return steps
	}
	out.Before = acts(0, true, false)
	for k := range 3 {
		seen := made(t, a.Spec, r)
		seen.Len -= k
		if a.Spec.Discrete() {
			clear(seen.Act)
			for i := range seen.Len {
				choose(seen.Act[i*a.Spec.ActDim:(i+1)*a.Spec.ActDim], a.Spec, i)
			}
		}
		fatal.On(t, adapter.Observe(0, seen))
		one := spread(seen, a.Spec, nil)
		one.Rewards = one.Rewards[:seen.Len]
		out.Trajectories = append(out.Trajectories, one)
	}
	for _, deterministic := range []bool{true, false} {
		out.Adapted = append(out.Adapted, acts(3, false, deterministic)...)
	}
	path := filepath.Join(t.TempDir(), "program.json")
	text, err := json.Marshal(out)
	fatal.On(t, err, os.WriteFile(path, text, 0o600))
	return path
}

// choose makes action k a choice of each component.
func choose(act []float32, spec sim.Spec, k int) {
	for _, n := range spec.ActChoices {
		act[k%n] = 1
		act = act[n:]
	}
}

// MAML's gradient step gives in Python the agent that it gives in the program, on the same trajectories.
func TestGradientStepIsTheProgram(t *testing.T) {
	environment(t)
	for name, of := range map[string]struct {
		family    string
		settings  []string
		tolerance float64
	}{
		"linear":     {"point-goal", nil, 1e-4},
		"in float64": {"point-goal", []string{"arithmetic=float64"}, 1e-9},
		"scale, variance, least spread": {"point-goal", []string{"maml.action_scale=10", "maml.advantages=variance",
			"maml.min_std=0.9", "maml.gae_lambda=0.9", "maml.discount=0.8", "arithmetic=float64"}, 1e-9},
		"network, raw": {"point-goal", []string{"maml.value=mlp", "maml.advantages=raw", "maml.inner_lr=0.02"}, 1e-4},
		"discrete":     {"bandit-5", []string{"arithmetic=float64", "maml.inner_lr=3"}, 1e-9},
		"grid":         {"grid", []string{"arithmetic=float64"}, 1e-9},
	} {
		t.Run(name, func(t *testing.T) {
			dir := remembering(t, "maml", of.family, append([]string{"maml.meta_batch=2"}, of.settings...)...)
			grown(t, dir)
			program := stepped(t, dir)
			versions := []string{dir}
			if of.family == "point-goal" {
				older := filepath.Join(t.TempDir(), "older")
				fatal.On(t, os.CopyFS(older, os.DirFS(dir)))
				undescribed(t, older)
				versions = append(versions, older)
			}
			for _, run := range versions {
				text, err := script(t, "testdata/step.py", run, program)
				var differ struct{ Before, Adapted, Moved float64 }
				if err == nil {
					err = json.Unmarshal([]byte(text), &differ)
				}
				if err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				t.Logf("%+v", differ)
				if max(differ.Before, differ.Adapted) > of.tolerance || differ.Moved < 100*of.tolerance {
					t.Errorf("%s: differences %+v; want at most %g, and a step that moves the agent", run, differ,
						of.tolerance)
				}
			}
		})
	}
}

// An agent of MAML adapts to an environment, and what it cannot do is said in one sentence.
func TestGradientStepInAnEnvironment(t *testing.T) {
	environment(t)
	dir := remembering(t, "maml", "point-goal", "maml.meta_batch=2")
	once := remembering(t, "maml", "point-goal", "maml.meta_batch=2", "maml.value=mlp-once")
	text, err := script(t, "-c", `
import sys, numpy, nacre_rl
sys.path.insert(0, "testdata")
from fixed import Fixed
env = Fixed()
env.set_task([1.0, 0.0])
agent, once = [nacre_rl.Agent(d) for d in sys.argv[1:]]
one, two = [agent.adapt(env, 3, seed=1) for _ in range(2)]
assert len(one.returns) == 3 and one.z is None and one.mean is None
o, a, r = one.trajectory()
assert (a == two.trajectory()[1]).all() and not numpy.array_equal(one([.5, .5]), agent.act([.5, .5]))
assert numpy.array_equal(agent.adapt(env, 0).trajectory()[1][0], agent.act([.5, -.25]))
assert agent.act(numpy.zeros((4, 3, 2))).shape == (4, 3, 2)
def said(do):
    try:
        do()
    except nacre_rl.NacreError as e:
        print(e)
said(lambda: agent.act([1, 2], [0] * 5))
said(lambda: agent.act([1, 2, 3]))
said(lambda: agent.trial())
said(lambda: agent.posterior([]))
said(lambda: agent.adapted([]))
said(lambda: agent.adapted([(o, a, r[:-1])]))
said(lambda: agent.adapted([(o, a * numpy.nan, r)]))
said(lambda: once.adapted([(o, a, r)]))
`, dir, once)
	fatal.On(t, err)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	wants := []string{"told nothing of its task: act(observation, noise=…)", "observation has the shape (3,); expected",
		"no memory that a trial could keep: adapted(trajectories) adapts its weights",
		"no context encoder: adapted(trajectories) adapts its weights", "there is no step to adapt to",
		"trajectory 0 has observations (21, 2), actions (20, 2) and rewards (19,); expected (n+1, 2), (n, 2) and (n,)",
		"trajectory 0 has actions that are no finite numbers", "its advantages need a restarted network"}
	if len(lines) != len(wants) {
		t.Fatalf("%s", text)
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) {
			t.Errorf("%q; want %q in it", lines[i], want)
		}
	}
}
