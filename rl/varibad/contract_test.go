package varibad_test

import (
	"testing"

	"nacre/rl/rltest"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "varibad", "varibad.memory=5", "varibad.meta_batch=3", "varibad.episodes=2", "varibad.epochs=2",
		"varibad.vae_updates=2", "varibad.trials=3", "varibad.posteriors=4", "varibad.decodes=4", "varibad.unroll=15")
}
