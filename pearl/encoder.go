package pearl

import (
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/sim"
)

var _ rl.Encoding = (*Learner)(nil)

// encoder is the learner's own.
type encoder struct{ l *Learner }

// Encoder infers with the current parameters of the context encoder.
func (l *Learner) Encoder() rl.Encoder { return encoder{l} }

func (e encoder) NextObs() bool { return e.l.cfg.NextObsInContext }
func (e encoder) Width() int    { return e.l.nets.Encoder.Width() }
func (e encoder) Latent() int   { return e.l.cfg.Latent }

func (e encoder) Posteriors(contexts [][]float32) ([]belief.Gaussian, error) {
	return e.l.infer.Posteriors(contexts)
}

// Explorer explores with stochastic actions and z from the prior, drawn again for each episode.
func (e encoder) Explorer(seed uint64, addresses []uint64) sim.Policy {
	z := make([][]float64, len(addresses))
	for i, a := range addresses {
		z[i] = belief.Prior(e.l.cfg.Latent).Sample(rng.New(seed, rng.Latent, a))
	}
	return policy(e.l.actor, z, seed, addresses)
}
