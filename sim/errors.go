package sim

import (
	"errors"
	"fmt"
)

// ErrUnavailable marks a family that this build or machine cannot run, though its name is known. The error that
// wraps it says in one sentence what to do.
var ErrUnavailable = errors.New("not available here")

// Error is a failure of one environment: an action or a state that is not finite, or an error of the physics
// library. A Batch fills Family, Task and Env; Pool.Rollout adds Episode and Step.
type Error struct {
	Family  string
	Task    Task
	Env     int // environment within the batch
	Episode int // index into the episodes given to Rollout, -1 outside a rollout
	Step    int // control step of the episode, counted from 0; -1 outside a rollout and during Reset
	Err     error
}

// NewError returns the error of environment env of a batch, outside any rollout.
func NewError(family string, task Task, env int, err error) *Error {
	return &Error{Family: family, Task: task, Env: env, Episode: -1, Step: -1, Err: err}
}

func (e *Error) Error() string {
	where := fmt.Sprintf("sim: %s: task %d %v, environment %d", e.Family, e.Task.ID, e.Task.Params, e.Env)
	if e.Episode >= 0 {
		where += fmt.Sprintf(", episode %d", e.Episode)
	}
	if e.Step >= 0 {
		where += fmt.Sprintf(", step %d", e.Step)
	}
	return where + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// CheckRows returns an error if an argument of Batch.Step does not have one row for each of n environments of a family.
func CheckRows(n int, s Spec, active []bool, act, obs []float64) error {
	for _, size := range []struct {
		what      string
		got, want int
	}{{"flags", len(active), n}, {"numbers of actions", len(act), n * s.ActDim},
		{"numbers of observations", len(obs), n * s.ObsDim}} {
		if size.got != size.want {
			return fmt.Errorf("sim: %s: a step of %d environments got %d %s; expected %d", s.Name, n, size.got,
				size.what, size.want)
		}
	}
	return nil
}
