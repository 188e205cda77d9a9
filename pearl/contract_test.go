package pearl_test

import (
	"testing"

	"nacre/rl/rltest"
)

// small are settings with which a training takes a second.
var small = []string{
	"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.meta_batch=3", "pearl.batch=8", "pearl.context=6",
	"pearl.initial_steps=40", "pearl.tasks_per_iteration=2", "pearl.prior_steps=20",
	"pearl.extra_posterior_steps=20", "pearl.updates_per_iteration=6",
}

func TestContract(t *testing.T) {
	rltest.Learner(t, "pearl", small...)
	t.Run("ahead", func(t *testing.T) { rltest.Learner(t, "pearl", append(small, "pearl.collect_ahead=true")...) })
}
