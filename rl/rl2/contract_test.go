package rl2_test

import (
	"testing"

	"nacre/rl/rltest"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "rl2", "rl2.hidden=5", "rl2.meta_batch=3", "rl2.episodes=2", "rl2.epochs=4", "rl2.chunk=20")
}
