package mql_test

import (
	"testing"

	"nacre/rl/rltest"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "mql",
		"mql.hidden=8", "mql.context=5", "mql.history=4", "mql.batch=16", "mql.updates_per_iteration=6",
		"mql.warmup_transitions=0", "mql.min_initial_steps=100", "mql.initial_steps=20", "mql.initial_episode=10",
		"mql.adapt_updates=3", "mql.replay_updates=3")
}
