package varibad

import (
	"fmt"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/sim"
)

// maxHeads bounds the heads of the Bernoulli decoder.
const maxHeads = 4096

// withHeads returns networks with the Bernoulli decoder, which has a head for every observation of the family.
func (n Networks) withHeads(s sim.Spec) (Networks, error) {
	heads := 1
	for _, c := range s.ObsChoices {
		heads *= min(c, maxHeads+1)
		heads = min(heads, maxHeads+1) // so that products do not overflow
	}
	if len(s.ObsChoices) == 0 || heads > maxHeads {
		return n, fmt.Errorf(`varibad.reward_decoder = "bernoulli": observations of family %s are %s, expected discrete `+
			`ones of at most %d values in all, as the family grid has; set it to "squared"`, s.Name, s.Observations(),
			maxHeads)
	}
	n.cells, n.heads = s.ObsChoices, heads
	n.reward = nn.MLP{
		Name: n.reward.Name, In: n.cfg.Latent, Hidden: n.reward.Hidden, Out: heads, Act: op.ReLU,
	}
	return n, nil
}

// head is the number of an observation's head: the components are the digits, the last one the fastest.
func (n Networks) head(obs []float32) (int, error) {
	at := 0
	for j, c := range n.cells {
		x := int(obs[j])
		if float32(x) != obs[j] || x < 0 || x >= c {
			return 0, fmt.Errorf("varibad: the reward decoder got an observation whose number %d is %g, expected a "+
				"whole number from 0 to %d", j, obs[j], c-1)
		}
		at = at*c + x
	}
	return at, nil
}

// crossEntropy is the cross-entropy of rewards under the Bernoulli decoder, 1 × 1,
//
//	Σ_i w_i·[ log(1 + exp ℓ(z)_h) − y_i·ℓ(z)_h ],
//
// where i goes over the decoded transitions, w_i is the weight of one, h the head of its next observation, ℓ the heads'
// logits, and y_i is 1 if its reward is above 0, else 0. Transitions of one posterior and head are added up before they
// come here, so the inputs are two numbers for each row of z and head: visited is Σ w_i and paid is Σ w_i·y_i.
func (n Networks) crossEntropy(s *core.Stage, z *graph.Node, rows int) *graph.Node {
	logits := n.reward.Apply(s, z)
	all := s.Mul(s.Input("visited", rows, n.heads), s.Softplus(logits))
	return s.SumAll(s.Sub(all, s.Mul(s.Input("paid", rows, n.heads), logits)))
}

// count adds a transition of this weight to the inputs of crossEntropy. row is that of the posterior.
func (v *vae) count(row int, transition []float32, weight float32) error {
	e := v.nets.Encoder
	h, err := v.nets.head(transition[e.obs+e.act+1:])
	if err != nil {
		return err
	}
	v.visited[row*v.nets.heads+h] += weight
	if transition[e.obs+e.act] > 0 {
		v.paid[row*v.nets.heads+h] += weight
	}
	return nil
}
