package maml_test

import (
	"testing"

	"nacre/rl/rltest"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "maml", "maml.hidden=8", "maml.meta_batch=3", "maml.episodes=4", "maml.discount=0.9")
}
