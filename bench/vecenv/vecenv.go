// Package vecenv measures what the Python packages that define the families need for a step, in the vector environments
// they are usually driven by. It runs a script of its own with a Python that has gymnasium and, for Meta-World,
// metaworld.
//
//	r, err := vecenv.Measure(ctx, "python3", "ml1/push", 16, 100, 2)
//	fmt.Println(r.Stepped, r.Sync.CPU, r.Async.Wall)
package vecenv

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

//go:embed vecenv.py
var script string

// Rates are environment steps per second.
type Rates struct {
	Stepped string `json:"stepped"` // the package's name of what was stepped
	Sync    Rate   `json:"sync"`    // SyncVectorEnv: one process
	Async   Rate   `json:"async"`   // AsyncVectorEnv: a process for each worker, each with one environment
}

// Rate is environment steps per second.
type Rate struct {
	Wall float64 `json:"wall"`
	CPU  float64 `json:"cpu,omitempty"` // of processor time; unknown for several processes
}

// Measure steps environments of a family, first several in one process, then each in a process of its own. The argument
// envs is the number of the first, workers the number of the second, and steps the number of steps of each environment.
func Measure(ctx context.Context, python, family string, envs, steps, workers int) (Rates, error) {
	cmd := exec.CommandContext(ctx, python, "-c", script, family, strconv.Itoa(envs), strconv.Itoa(steps),
		strconv.Itoa(workers))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return Rates{}, fmt.Errorf("vecenv: %s, stepping %s: %w: %s; it needs a Python with gymnasium, mujoco and "+
			"metaworld", python, family, err, last(said.String()))
	}
	var r Rates
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return Rates{}, fmt.Errorf("vecenv: %s, stepping %s: %w in %q", python, family, err, out.String())
	}
	return r, nil
}

// last is the last line that says something.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
