package oracle_test

import (
	"testing"

	"nacre/rl/rltest"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "oracle",
		"oracle.hidden=8", "oracle.meta_batch=3", "oracle.batch=8", "oracle.initial_steps=40",
		"oracle.tasks_per_iteration=2",
		"oracle.steps_per_task=20", "oracle.updates_per_iteration=6")
}
