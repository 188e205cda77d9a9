//go:build unix

package library_test

import (
	"bytes"
	"image/gif"
	"os"
	"strings"
	"testing"

	"nacre/internal/fatal"
	"nacre/internal/python/pythontest"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// walker is an environment that draws itself: a white square on black, as far to the right as it went.
const walker = `
import gymnasium, numpy as np

class Walker(gymnasium.Env):
    horizon = 8
    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    action_space = gymnasium.spaces.Box(-1, 1, (1,))
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (1,))
    def __init__(self, render_mode=None):
        self.render_mode = render_mode
    def sample_tasks(self, n, seed):
        return np.random.default_rng(seed).uniform(-1, 1, (n, 1))
    def set_task(self, task):
        self.goal = task[0]
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.steps = np.zeros(1), 0
        return self.at, {}
    def step(self, action):
        self.at, self.steps = self.at + action, self.steps + 1
        return self.at, -abs(self.at[0] - self.goal), False, False, {}
    def render(self):
        picture = np.zeros((400, 640, 3), np.uint8)
        picture[:, 64 * self.steps:64 * self.steps + 64] = 255
        return picture
`

// A class in Python trains, draws, shows its check and its own pictures in cells.
func TestPythonInCells(t *testing.T) {
	pythontest.Environment(t, "numpy", "gymnasium")
	t.Chdir(t.TempDir())
	fatal.On(t, os.WriteFile("walker.py", []byte(walker), 0o600))
	s := start(t)
	small := `, "pearl.hidden=19", "pearl.updates_per_iteration=3", "pearl.initial_steps=40", ` +
		`"pearl.tasks_per_iteration=2", "train_tasks=4", "test_tasks=3"`
	run := func(code string) kernel.Reply {
		t.Helper()
		r, _ := kerneltest.Execute(s, code)
		if r.Error != nil {
			t.Fatalf("%s\n%s", code, r.Error.Message)
		}
		return r
	}
	run("import (\n\t\"nacre/library/lab\"\n\t\"nacre/sim\"\n)\n" +
		`run, err := lab.Train("quick/point-goal", lab.Python("walker.py:Walker"), lab.Algorithm("pearl"),
	lab.Iterations(2), lab.Quiet(), lab.Folder("run"), lab.Set("pearl.meta_batch=2"` + small + `))
if err != nil {
	panic(err)
}`)
	if shown := run("run.Curve()").Value.MIME; shown["image/png"] == nil {
		t.Errorf("the curve shows %v", shown["text/plain"])
	}
	table := kerneltest.Value(run(`lab.Check("walker.py:Walker")`))
	for _, want := range []string{"verdict", "seeding", "exact: 8 steps", "global generators", "contract"} {
		if !strings.Contains(table, want) {
			t.Errorf("the check lacks %q:\n%s", want, table)
		}
	}
	for code, episodes := range map[string]int{
		"run.Rollout(1)":    1,
		"run.Rollout(0, 2)": 2,
		`f, err := sim.Lookup("py:walker.py:Walker")` + "\nlab.Watch(f, 1, false, 0)": 1,
	} {
		drawn, is := run(code).Value.MIME["image/gif"].([]byte)
		if !is {
			t.Fatalf("%s shows no image/gif", code)
		}
		g, err := gif.DecodeAll(bytes.NewReader(drawn))
		fatal.On(t, err)
		if len(g.Image) != 9 || g.Config.Width != 324*episodes-4 || g.Config.Height != 200 || g.Delay[0] != 10 {
			t.Errorf("%s: %d pictures of %d by %d, each for %d/100 s; want 9 of %d by 200 for 10", code, len(g.Image),
				g.Config.Width, g.Config.Height, g.Delay[0], 324*episodes-4)
		}
		for k, frame := range g.Image { // the square of step k is white in picture k
			if r, _, _, _ := frame.At(32*k+16, 100).RGBA(); r != 0xffff {
				t.Errorf("%s: picture %d does not show step %d", code, k, k)
			}
		}
	}
}

// An environment that cannot draw itself still trains; showing its rollout says why it is not seen.
func TestPythonWithoutPictures(t *testing.T) {
	pythontest.Environment(t, "numpy", "gymnasium")
	t.Chdir(t.TempDir())
	fatal.On(t, os.WriteFile("blind.py", []byte(strings.Replace(walker, "def render(", "def drawn(", 1)), 0o600))
	s := start(t)
	r, _ := kerneltest.Execute(s, "import (\n\t\"nacre/library/lab\"\n\t\"nacre/sim\"\n)\n"+
		`f, err := sim.Lookup("py:blind.py:Walker")
shown, err := lab.Watch(f, 1, false, 0)
len(shown.Episodes[0].Act)`)
	if got := kerneltest.Value(r); got != "8" {
		t.Errorf("%q; want an episode of 8 steps", got)
	}
	if r, _ := kerneltest.Execute(s, "shown"); r.Error == nil || !strings.Contains(r.Error.Message, "no picture of") {
		t.Errorf("%+v; want why there is no picture", r)
	}
}
