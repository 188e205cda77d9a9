package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"nacre/internal/measurement"
)

// robot is the point robot as a Python class: starts, goals, steps and rewards are those of the family point-goal.
const robot = `import gymnasium, numpy as np

class Point(gymnasium.Env):
    horizon = 20
    action_space = gymnasium.spaces.Box(-0.1, 0.1, (2,))
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    def sample_tasks(self, n, seed):
        angle = np.random.default_rng(seed).uniform(0, np.pi, n)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    def set_task(self, task):
        self.goal = task
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.np_random.uniform(-1, 1, 2)
        return self.at, {}
    def step(self, action):
        self.at = self.at + action
        return self.at, -np.linalg.norm(self.at - self.goal), False, False, {}
`

// trainings compares the processor time of PEARL's quick preset, natively and on the class.
func (o options) trainings(ctx context.Context) (measurement.Measurement, error) {
	m := measurement.Measurement{
		What:       "Processor seconds of PEARL on the point robot, of all processes, from start to end",
		Conditions: "quick/point-goal by pearl, one thread, in turns; the Python class is that of docs/python.md",
		Spread:     fmt.Sprintf("lowest and highest of %d runs each; the value is the median", o.rounds),
		Commands:   []string{"go run ./bench/vecenv/turns -python .venv/bin/python -train bin/nacre -write"},
		Labels:     []string{"training"},
		Columns: []measurement.Column{
			{Name: "native", Head: "native", Digits: 1}, {Name: "python", Head: "Python class", Digits: 1},
			{Name: "ratio", Head: "ratio", Digits: 2, Bold: true},
		},
	}
	folder, err := os.MkdirTemp("", "turns")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "point.py")
	if err := os.WriteFile(file, []byte(robot), 0o644); err != nil {
		return m, err
	}
	found := map[string][]float64{}
	for round := range o.rounds {
		native, err := o.training(ctx, "point-goal", filepath.Join(folder, fmt.Sprint("native", round)))
		if err != nil {
			return m, err
		}
		bridged, err := o.training(ctx, "py:"+file+":Point", filepath.Join(folder, fmt.Sprint("python", round)))
		if err != nil {
			return m, err
		}
		found["native"] = append(found["native"], native)
		found["python"] = append(found["python"], bridged)
		found["ratio"] = append(found["ratio"], bridged/native)
		fmt.Printf("native %.2f s, Python class %.2f s, ratio %.3f\n", native, bridged, bridged/native)
	}
	m.Rows = []measurement.Row{{Of: []string{"quick/point-goal, pearl"}, Cells: cells(found)}}
	fmt.Printf("median ratio %.3f\n", m.Rows[0].Cells["ratio"].Value)
	return m, nil
}

// training trains on a family and returns the processor seconds of the program and of the workers that it waited for.
func (o options) training(ctx context.Context, family, out string) (float64, error) {
	cmd := exec.CommandContext(ctx, o.nacre, "train", "--preset", "quick/point-goal", "--algorithm", "pearl",
		"--family", family, "--out", out, "--quiet")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", family, err, said.String())
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}
