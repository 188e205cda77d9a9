package display

import (
	"fmt"

	"nacre/tsne"
)

// RolloutMIME is the type of rollouts that the front end plays back.
const RolloutMIME = "application/vnd.nacre.rollout+json"

// Rollout is an episode to be played back in the browser: the poses of a simulated body over time.
type Rollout struct {
	Env     string      // name of the environment, e.g. "ant-dir"
	Dt      float64     // seconds between poses
	Poses   tsne.Matrix // T×nq: MuJoCo's generalised positions, one row a step
	Rewards []float64   // T, or nil
}

// MIMEBundle returns the poses for the front end, and one line of text.
func (r Rollout) MIMEBundle() (map[string]any, error) {
	if r.Poses.Rows == 0 || r.Dt <= 0 {
		return nil, fmt.Errorf("display: a rollout needs poses and a time step; it has %d poses %v s apart", r.Poses.Rows, r.Dt)
	}
	if r.Rewards != nil && len(r.Rewards) != r.Poses.Rows {
		return nil, fmt.Errorf("display: %d rewards for %d poses", len(r.Rewards), r.Poses.Rows)
	}
	sum := 0.0
	for _, v := range r.Rewards {
		sum += v
	}
	text := fmt.Sprintf("rollout of %s, %d steps of %g s", r.Env, r.Poses.Rows, r.Dt)
	m := map[string]any{
		"version": 1, "env": r.Env, "dt": r.Dt, "rewards": nil,
		"qpos": map[string]any{"rows": r.Poses.Rows, "cols": r.Poses.Cols, "encoding": "float32", "data": floats(r.Poses.Data)},
	}
	if r.Rewards != nil {
		m["rewards"] = r.Rewards
		text += fmt.Sprintf(", return %.6g", sum)
	}
	return Bundle{RolloutMIME: m, "text/plain": text}, nil
}
