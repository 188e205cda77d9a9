package tclpearl_test

import (
	"testing"

	"nacre/rl/rltest"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "tcl-pearl",
		"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=3", "pearl.batch=8", "pearl.context=6",
		"pearl.initial_steps=40", "pearl.tasks_per_iteration=2", "pearl.prior_steps=20",
		"pearl.extra_posterior_steps=20", "pearl.updates_per_iteration=6", "tcl.window=6")
}
