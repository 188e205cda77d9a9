//go:build unix

package python_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/pack"
	"nacre/experiment/progress"
	"nacre/internal/fatal"
	"nacre/internal/python"
	"nacre/internal/python/pythontest"
	"nacre/internal/rng"
	"nacre/internal/safetensors"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/rl/weights"
	"nacre/sim"
	_ "nacre/sim/pyfamily" // names of families in Python
)

// environment chooses the Python that all tests share. It has pandas too; TestRunFolder hides it.
func environment(t *testing.T) {
	t.Helper()
	pythontest.Environment(t, "numpy", "pandas")
}

// script runs Python code or a file of it, and returns what it prints. The package is that of this folder.
func script(t *testing.T, args ...string) (string, error) {
	t.Helper()
	p, err := python.Find()
	fatal.On(t, err)
	here, err := os.Getwd()
	fatal.On(t, err)
	cmd := exec.CommandContext(t.Context(), p.Path, args...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+here, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run trains a small agent for a moment.
func run(t *testing.T, algorithm, family string, settings ...string) string {
	t.Helper()
	cfg, err := experiment.Preset("quick/point-goal")
	fatal.On(t, err)
	cfg.Algorithm, cfg.Family = algorithm, family
	fatal.On(t, experiment.Change(&cfg, append(smallest(algorithm), settings...)...))
	dir := filepath.Join(t.TempDir(), "run")
	training, err := experiment.Start(dir, cfg, experiment.Host{Workers: 1})
	fatal.On(t, err)
	fatal.On(t, training.Train(context.Background(), progress.Silent()), training.Close())
	return dir
}

// smallest are settings with which an algorithm built on PEARL, or the oracle, trains for a moment.
func smallest(algorithm string) []string {
	small := []string{"train_tasks=4", "test_tasks=2", "evaluation.protocol.repeats=2"}
	for _, s := range []string{"hidden=19", "meta_batch=3", "batch=8", "initial_steps=40", "tasks_per_iteration=2",
		"updates_per_iteration=3", "iterations=2", "layers=2"} {
		small = append(small, table(algorithm)+"."+s)
	}
	return small
}

func table(algorithm string) string {
	if algorithm == "oracle" {
		return algorithm
	}
	return "pearl"
}

// belief and step are what the program computes.
type belief struct {
	Context []float32 `json:"context"`
	Mean    []float64 `json:"mean"`
	Var     []float64 `json:"var"`
}

type step struct {
	Observation []float64 `json:"observation"`
	Condition   []float64 `json:"condition"`
	Noise       []float64 `json:"noise"`
	Action      []float64 `json:"action"`
}

type trajectory struct {
	Observations [][]float32 `json:"observations"`
	Actions      [][]float32 `json:"actions"`
	Rewards      []float32   `json:"rewards"`
	Context      []float32   `json:"context"`
}

// grown gives a run weights as large as those of a trained agent, so that actions are not nearly 0.
func grown(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, experiment.WeightsFile)
	file, err := experiment.ReadWeights(path)
	fatal.On(t, err)
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1})
	fatal.On(t, err)
	defer a.Close()
	m, r := a.Learner.Memory(), rng.New(5)
	for _, p := range m.Params() {
		x := make([]float64, p.Rows*p.Cols)
		for i := range x {
			x[i] = r.NormFloat64() / math.Sqrt(float64(max(p.Rows, 4)))
			if strings.HasPrefix(p.Name, "obs/scale") {
				x[i] = math.Abs(x[i]) + 0.1
			}
		}
		fatal.On(t, m.Write(p.Name, x))
	}
	fatal.On(t, experiment.SaveWeights(path, m, file.Metadata))
}

// asked asks the program's agent for beliefs about contexts, and for actions with and without noise, under the belief
// of one trajectory, and writes all of it with what they were made of.
func asked(t *testing.T, dir string) string {
	t.Helper()
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1, Envs: 4})
	fatal.On(t, err)
	defer a.Close()
	var out struct {
		Beliefs    []belief    `json:"beliefs"`
		Steps      []step      `json:"steps"`
		Trajectory *trajectory `json:"trajectory"`
	}
	r := rng.New(7)
	encoding, encodes := a.Learner.(rl.Encoding)
	if encodes {
		var contexts [][]float32
		for _, rows := range []int{0, 1, 7, 64, 65, 300} {
			c := make([]float32, rows*encoding.Encoder().Width())
			for i := range c {
				c[i] = float32(3 * r.NormFloat64())
			}
			contexts = append(contexts, c)
		}
		posteriors, err := encoding.Encoder().Posteriors(contexts)
		fatal.On(t, err)
		for i, q := range posteriors {
			out.Beliefs = append(out.Beliefs, belief{contexts[i], q.Mean, q.Var})
		}
	}
	for _, deterministic := range []bool{true, false} {
		adapter, seed := a.Learner.Adapter(), uint64(11)
		p := protocol.Protocol{Explore: 1, Scored: 1, Deterministic: deterministic, Z: "mean", Repeats: 1}
		if g, ok := adapter.(protocol.GoalKnower); ok {
			fatal.On(t, g.Know(a.TestTasks[:1]))
		}
		fatal.On(t, adapter.Start(1, []uint64{seed}))
		condition := a.TestTasks[0].Params
		if encodes {
			seen := made(t, a.Spec, r)
			fatal.On(t, adapter.Observe(0, seen))
			rows := replay.Dims{Obs: a.Spec.ObsDim, Act: a.Spec.ActDim}.AppendContext(nil, seen,
				encoding.Encoder().NextObs())
			q, err := encoding.Encoder().Posteriors([][]float32{rows})
			fatal.On(t, err)
			condition = q[0].Mean
			out.Trajectory = spread(seen, a.Spec, rows)
		}
		policy, err := adapter.Policy(1, false, p)
		fatal.On(t, err)
		noise := rng.New(seed, rng.Eval, rng.Action, 1)
		if encodes {
			noise = rng.New(0, rng.Action, noise.Uint64())
		}
		for k := range 50 {
			s := step{Observation: make([]float64, a.Spec.ObsDim), Condition: condition,
				Action: make([]float64, a.Spec.ActDim)}
			for i := range s.Observation {
				s.Observation[i] = 2 * r.NormFloat64()
			}
			fatal.On(t, policy.Act(0, []int{0}, []int{k}, s.Observation, s.Action))
			for range s.Action {
				if !deterministic {
					s.Noise = append(s.Noise, noise.NormFloat64())
				}
			}
			out.Steps = append(out.Steps, s)
		}
	}
	path := filepath.Join(t.TempDir(), "program.json")
	text, err := json.Marshal(out)
	fatal.On(t, err, os.WriteFile(path, text, 0o600))
	return path
}

// made is a trajectory of random numbers.
func made(t *testing.T, spec sim.Spec, r *rand.Rand) *sim.Trajectory {
	t.Helper()
	const n = 9
	normal := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	tr := &sim.Trajectory{Len: n, Obs: normal((n + 1) * spec.ObsDim), Act: normal(n * spec.ActDim), Reward: normal(n)}
	tr.CtxReward = tr.Reward
	return tr
}

func spread(tr *sim.Trajectory, spec sim.Spec, rows []float32) *trajectory {
	out := &trajectory{Rewards: tr.CtxReward, Context: rows}
	for i := range tr.Len + 1 {
		out.Observations = append(out.Observations, tr.Obs[i*spec.ObsDim:(i+1)*spec.ObsDim])
	}
	for i := range tr.Len {
		out.Actions = append(out.Actions, tr.Act[i*spec.ActDim:(i+1)*spec.ActDim])
	}
	return out
}

// The package's posteriors and actions are the program's, given the same noise: to rounding in float32, and to that in
// float64 where the run computes in it.
func TestAgentIsTheProgram(t *testing.T) {
	environment(t)
	views := []string{"pearl.rewards=symlog", "pearl.observations=standardised", "pearl.next_obs_in_context=true"}
	for name, of := range map[string]struct {
		algorithm string
		settings  []string
		tolerance float64
	}{
		"tcl-pearl":        {"tcl-pearl", []string{"tcl.window=8"}, 1e-5},
		"views":            {"pearl", views, 1e-5},
		"views in float64": {"pearl", append(views, "arithmetic=float64"), 1e-12},
		"symlog":           {"pearl", views[:1], 1e-5},
		"two critics":      {"pearl", []string{"pearl.critic=target-q"}, 1e-5},
		"points":           {"focal", nil, 1e-5},
		"oracle":           {"oracle", []string{"oracle.steps_per_task=20"}, 1e-5},
		"raw task":         {"oracle", []string{"oracle.steps_per_task=20", "oracle.raw_task=true"}, 1e-5},
	} {
		t.Run(name, func(t *testing.T) {
			dir := run(t, of.algorithm, "point-goal", of.settings...)
			grown(t, dir)
			program := asked(t, dir)
			compare(t, dir, program, of.tolerance)
			older := filepath.Join(t.TempDir(), "older.zip")
			undescribed(t, dir)
			_, err := pack.Folder(dir, older)
			fatal.On(t, err)
			compare(t, older, program, of.tolerance)
		})
	}
}

// compare compares the package's agent of a run with what the program's answered.
func compare(t *testing.T, run, program string, tolerance float64) {
	t.Helper()
	text, err := script(t, "testdata/compare.py", run, program)
	var differ struct{ Posterior, Action, Size, Context float64 }
	if err == nil {
		err = json.Unmarshal([]byte(text), &differ)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Logf("%+v", differ)
	if max(differ.Posterior, differ.Action) > tolerance || differ.Context != 0 || differ.Size < 0.1 {
		t.Errorf("%s: differences %+v; want at most %g, and actions that are not nearly 0", run, differ, tolerance)
	}
}

// undescribed gives a run weights in the form of older programs, without a description.
func undescribed(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, experiment.WeightsFile)
	file, err := experiment.ReadWeights(path)
	fatal.On(t, err)
	delete(file.Metadata, weights.Key)
	fatal.On(t, safetensors.Save(path, file.Tensors, file.Metadata))
}

// An agent that adapts in Python to an environment there has the return that the program gives it.
func TestAdaptIsTheProgram(t *testing.T) {
	environment(t)
	file, err := filepath.Abs("testdata/fixed.py")
	fatal.On(t, err)
	dir := run(t, "pearl", "py:"+file+":Fixed")
	grown(t, dir)
	a, err := experiment.LoadAgent(dir, experiment.Host{Workers: 1})
	fatal.On(t, err)
	defer a.Close()
	result, err := a.Evaluate(t.Context(), a.TestTasks, protocol.Protocol{Scored: 1, Deterministic: true, Z: "mean",
		Repeats: 1}, 1)
	fatal.On(t, err)
	text, err := script(t, "-c", `
import sys, numpy, nacre_rl
sys.path.insert(0, "testdata")
from fixed import Fixed
run, env = nacre_rl.Run(sys.argv[1]), Fixed()
agent = run.agent()
for task in run.tasks["test"]:
    env.set_task(task)
    blind = agent.adapt(env, trajectories=0)
    blind.z = blind.mean
    print(repr(float(sum(blind.trajectory()[2]))))
one, two = agent.adapt(env, 3, seed=1), agent.adapt(env, 3, seed=1)
assert (one.mean == two.mean).all() and (one.z == two.z).all() and len(one.returns) == 3, "the seed decides"
assert one(numpy.zeros((7, 2))).shape == (7, 2)
o, a, r = one.trajectory(deterministic=False)
assert o.shape == (21, 2) and a.shape == (20, 2) and r.shape == (20,) and abs(a).max() <= 1
mean, var = agent.posterior(agent.context(o, a, r))
assert (var < 1).any() and agent.posterior([])[1].tolist() == [1] * agent.latent_size
`, dir)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	lines := strings.Fields(text)
	if len(lines) != len(result.Tasks) {
		t.Fatalf("%q; want %d returns", text, len(result.Tasks))
	}
	for i, task := range result.Tasks {
		var got float64
		if _, err := fmt.Sscan(lines[i], &got); err != nil || math.Abs(got-task.Return[0][0]) > 1e-4 {
			t.Errorf("task %d: return %s; the program's is %v", i, lines[i], task.Return[0][0])
		}
	}
}

// A run's files say the same in Python, with pandas and without.
func TestRunFolder(t *testing.T) {
	environment(t)
	dir := run(t, "pearl", "point-goal")
	series, err := experiment.ReadMetrics(filepath.Join(dir, experiment.MetricsFile))
	fatal.On(t, err)
	for name, first := range map[string]string{"with pandas": "", "without": `sys.modules["pandas"] = None`} {
		t.Run(name, func(t *testing.T) {
			text, err := script(t, "-c", "import sys\n"+first+`
import json, numpy, nacre_rl
run = nacre_rl.Run(sys.argv[1])
m, r = run.metrics, run.returns
assert run.config["algorithm"] == "pearl" and run.config["pearl"]["hidden"] == 19 and "record" not in run.config
assert run.record["sessions"][0]["ended"] == "finished"
assert run.tasks["test"].shape == (2, 2) and run.tasks["train"].shape == (4, 2)
assert type(m).__name__ == ("DataFrame" if sys.modules.get("pandas") else "dict"), type(m)
assert len(r["return"]) == 2 * 2 * 3 and set(r["repeat"]) == {0, 1}
assert sorted(set(r["trajectory"][r["scored"]])) == [2]
adapted = numpy.mean(numpy.asarray(r["return"])[numpy.asarray(r["scored"])])
assert abs(adapted - run.evaluation["summary"]["adapted"]["mean"]) < 1e-12
assert numpy.asarray(m["env_steps"]).dtype == numpy.int64 and len(run.timing["iteration"]) == 2
print(json.dumps({c: [float(x) for x in m[c]] for c in ("env_steps", "q_loss")}))
`, dir)
			var got map[string][]float64
			if err == nil {
				err = json.Unmarshal([]byte(text), &got)
			}
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			for name, values := range got {
				if want, err := series.Column(name); err != nil || !slices.Equal(values, want) {
					t.Errorf("%s is %v; the program reads %v, %v", name, values, want, err)
				}
			}
		})
	}
}

// adapting is a folder of a run by MQL, as far as its weights go.
func adapting(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	fatal.On(t, safetensors.Save(filepath.Join(dir, experiment.WeightsFile), nil,
		map[string]string{"algorithm": "mql"}))
	return dir
}

const packed = "../notebooks/data/point-goal.zip"

// What is wrong is said in one sentence.
func TestBadInput(t *testing.T) {
	environment(t)
	dir, oracle := run(t, "pearl", "point-goal"), run(t, "oracle", "point-goal", "oracle.steps_per_task=20")
	memory, mql := remembering(t, "rl2", "point-goal"), adapting(t)
	older := filepath.Join(t.TempDir(), "older")
	fatal.On(t, os.CopyFS(older, os.DirFS("../experiment/testdata/db218f0/rl2")))
	alone := filepath.Join(t.TempDir(), "weights.safetensors")
	text, err := os.ReadFile("../experiment/testdata/db218f0/pearl/weights.safetensors")
	fatal.On(t, err, os.WriteFile(alone, text, 0o600))
	short := filepath.Join(t.TempDir(), "short")
	fatal.On(t, os.CopyFS(short, os.DirFS(dir)), os.Truncate(filepath.Join(short, "weights.safetensors"), 3000))
	newer := filepath.Join(t.TempDir(), "newer.safetensors")
	data, err := os.ReadFile(filepath.Join(dir, "weights.safetensors"))
	fatal.On(t, err, os.WriteFile(newer, []byte(strings.Replace(string(data), `\"version\":1`, `\"version\":7`, 1)),
		0o600))
	wants := map[string]string{
		`nacre_rl.Run("/nowhere")`:                "run folder /nowhere does not exist",
		`nacre_rl.Run(".")`:                       ". has no config.toml: it is not a run folder",
		`nacre_rl.Run("doc.go")`:                  "doc.go is a file; expected a run folder, or an archive",
		`nacre_rl.Run("` + packed + `")`:          "holds 15 runs; expected one: name one of them, such as " + packed,
		`nacre_rl.Run("` + packed + `/nothing")`:  "nothing has no config.toml: it is not a run folder",
		fmt.Sprintf("nacre_rl.Agent(%q)", older):  "agents of rl2 without a description cannot be read: `nacre resume`",
		fmt.Sprintf("nacre_rl.Agent(%q)", alone):  "its run folder does not say what they are: ",
		fmt.Sprintf("nacre_rl.Agent(%q)", short):  "is no whole file of weights: ",
		fmt.Sprintf("nacre_rl.Agent(%q)", newer):  "version 7; this package reads 1 to 3: install a newer nacre_rl",
		fmt.Sprintf("nacre_rl.Agent(%q, 1)", dir): "keeps weights of iterations with --keep",
		"agent.posterior([[1, 2, 3]])":            "the context has the shape (1, 3); expected (rows, 5)",
		"agent.act([1, 2, 3], [0] * 5)":           "observation has the shape (3,); expected (…, 2)",
		"agent.act([1, 2], [0] * 4)":              "z has the shape (4,); expected (…, 5)",
		"agent.context([[1, 2]], [[1, 2]], [1])":  "are no trajectory; expected (n+1, 2), (n, 2) and (n,)",
		`nacre_rl.Agent("` + mql + `")`:           "agents of mql adapt on the data of their training: `nacre eval`",
		"rl2.act([1, 2], [])":                     "an agent of rl2 acts in a trial: trial = agent.trial()",
		"rl2.posterior([])":                       "has no context encoder: its trial() remembers what happened",
		"rl2.trial().act([1])":                    "observation has the shape (1,); expected (2,)",
		"rl2.trial().see(1, [1, 2])":              "see tells what followed an action: call act before it",
		"agent.trial()":                           "an agent of pearl has no memory that a trial could keep",
		"oracle.posterior([])":                    "has no context encoder: tell act the task",
		"oracle.adapt(None)":                      "the oracle is told its task: adapt(env, task=…)",
	}
	var tries strings.Builder
	codes := slices.Sorted(maps.Keys(wants))
	for _, code := range codes {
		fmt.Fprintf(&tries, "try:\n    %s\n    print('fine')\nexcept nacre_rl.NacreError as e:\n    print(e)\n", code)
	}
	said, err := script(t, "-c", fmt.Sprintf("import nacre_rl\nagent, oracle, rl2 = nacre_rl.Agent(%q), "+
		"nacre_rl.Agent(%q), nacre_rl.Agent(%q)\n%s", dir, oracle, memory, tries.String()))
	got := strings.Split(strings.TrimSpace(said), "\n")
	if err != nil || len(got) != len(codes) {
		t.Fatalf("%v: %s; want a line for each of %d", err, said, len(codes))
	}
	if text, err := script(t, "-m", "nacre_rl", "version"); err == nil || !strings.HasPrefix(text,
		"nacre: there is no program at ") {
		t.Errorf("the command without a program: %v, %q", err, text)
	}
	for i, code := range codes {
		if !strings.Contains(got[i], wants[code]) {
			t.Errorf("%s: %q; want %q in it", code, got[i], wants[code])
		}
	}
}

// before is what the page's code takes from a user's own.
const before = `
import numpy as np
observation = np.zeros(2)
observations, actions, rewards = np.ones((4, 2)), np.zeros((3, 2)), np.zeros(3)
class Env:
    horizon = 5
    def reset(self, seed=None):
        return observation, {}
    def step(self, action):
        return observation, 0.0, False, False, {}
env = Env()
`

// The code of the page on Python runs as it stands there, each block after the ones before it.
func TestPage(t *testing.T) {
	environment(t)
	page, err := os.ReadFile("../docs/from-python.md")
	fatal.On(t, err)
	dir := run(t, "pearl", "point-goal")
	code, blocks := before, 0
	for _, block := range regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		code += strings.Replace(block[1], "runs/first", dir, 1)
		blocks++
		if text, err := script(t, "-c", code); err != nil || text != "" {
			t.Errorf("%v: %s\n%s", err, text, code)
		}
	}
	if blocks < 2 || blocks != strings.Count(string(page), "```")/2-strings.Count(string(page), "```sh") {
		t.Errorf("%d blocks were run", blocks)
	}
}

// What jupyter-server-proxy is told starts this package's program under the whole path, with a token of its own.
func TestTileInJupyter(t *testing.T) {
	environment(t)
	text, err := script(t, "-c", `
import sys
from nacre_rl.jupyter import proxy
one, two = proxy(), proxy()
token = one["environment"]["NACRE_TOKEN"]
assert len(token) == 48 and token != two["environment"]["NACRE_TOKEN"]
assert one["launcher_entry"]["path_info"] == "nacre/?token=" + token and one["absolute_url"] is True
print(*[a.format(port=7, base_url="/hub/me/") for a in one["command"]][1:])
`)
	if want := "-m nacre_rl notebook --port 7 --base-path /hub/me/nacre/ --allow-host *\n"; err != nil || text != want {
		t.Errorf("%v: %q; want %q", err, text, want)
	}
}
