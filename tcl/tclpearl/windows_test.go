package tclpearl_test

import (
	"strings"
	"testing"

	"nacre/rl"
	"nacre/rl/rltest"
)

var small = []string{
	"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=3", "pearl.batch=8", "pearl.context=6",
	"pearl.initial_steps=40", "pearl.tasks_per_iteration=2", "pearl.prior_steps=20", "pearl.extra_posterior_steps=20",
	"pearl.updates_per_iteration=6",
}

// The loss on rows: pairs of one trajectory, and of all of the task's, which are PEARL's own contexts.
func TestRowsContract(t *testing.T) {
	for _, pair := range []string{"same-trajectory", "same-task"} {
		rltest.Learner(t, "tcl-pearl", append(small, "tcl.window=5", "tcl.sampling=rows", "tcl.pair="+pair)...)
	}
}

// PEARL on windows is no control of the loss on rows: PEARL is.
func TestNoWindowsOfRows(t *testing.T) {
	c := rl.Default()
	c.Family = "point-goal"
	err := rl.Change(&c, "algorithm=pearl-windows", "tcl.sampling=rows")
	if err == nil || !strings.Contains(err.Error(), `tcl.sampling = "rows" with pearl-windows`) {
		t.Errorf("error %v", err)
	}
}

func TestWindowsContract(t *testing.T) {
	rltest.Learner(t, "pearl-windows", append(small, "tcl.window=5")...)
}
