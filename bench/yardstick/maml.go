package yardstick

import (
	"math"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/maml"
	"nacre/rl/onpolicy"
)

// metaPaths and metaSteps are a task's episodes before the inner step, and again after it, and their steps.
const (
	metaTasks = 20
	metaPaths = 10
	metaSteps = 200
)

// Meta is one meta-update of MAML-TRPO on batches and weights from the streams: 20 tasks of 10 + 10 episodes of 200
// steps, for the policy of half-cheetahs (2×64) or of Meta-World (2×100).
type Meta struct {
	size    Size
	policy  onpolicy.Policy
	memory  core.Memory
	update  *maml.MetaUpdate
	theta   []float64
	outcome maml.Outcome
}

// metaHidden is the policy's width at a size.
func (s Size) metaHidden() int {
	if s.Name == MetaWorld.Name {
		return 100
	}
	return 64
}

// NewMeta loads the meta-update and writes its batches.
func NewMeta(s Size, d core.Device) (y *Meta, err error) {
	h := s.metaHidden()
	y = &Meta{size: s, policy: onpolicy.Policy{
		Net: nn.MLP{Name: "policy", In: s.Obs, Hidden: []int{h, h}, Out: s.Act, Act: op.Tanh}, MinLogStd: onpolicy.LogStdMin,
	}}
	if y.memory, err = d.NewMemory(y.policy.Specs()); err != nil {
		return nil, err
	}
	c := maml.Default()
	c.Hidden, c.MetaBatch, c.Episodes = h, metaTasks, metaPaths
	if y.update, err = maml.NewMetaUpdate(d, y.memory, y.policy, c, metaSteps); err != nil {
		return nil, err
	}
	for i := range metaTasks {
		for k, b := range []*onpolicy.Batch{y.update.Before(i), y.update.After(i)} {
			if err := b.Set(s.paths(uint64(10 * (2*i + k)))); err != nil {
				y.Close()
				return nil, err
			}
		}
	}
	for l, p := range y.policy.Specs() {
		y.theta = append(y.theta, weights(l, p, glorot)...)
	}
	return y, nil
}

// paths are a batch from the streams that follow base.
func (s Size) paths(base uint64) []onpolicy.Path {
	n := metaPaths * metaSteps
	obs, act, advantage := normal(base+1, n*s.Obs), normal(base+2, n*s.Act), normal(base+3, n)
	out := make([]onpolicy.Path, metaPaths)
	for i := range out {
		out[i] = onpolicy.NewPath(metaSteps)
		out[i].Obs = narrow(obs[i*metaSteps*s.Obs : (i+1)*metaSteps*s.Obs])
		out[i].Act = narrow(act[i*metaSteps*s.Act : (i+1)*metaSteps*s.Act])
		copy(out[i].Advantage, advantage[i*metaSteps:])
	}
	return out
}

// Algorithm is "maml".
func (y *Meta) Algorithm() string { return "maml" }

// Size is the size the update was made for.
func (y *Meta) Size() Size { return y.size }

// Close gives the device's buffers back.
func (y *Meta) Close() error { return y.update.Close() }

// Prepare goes back to the weights of the streams: every meta-update is the same.
func (y *Meta) Prepare(int) error { return y.policy.Each(y.theta, y.memory.Write) }

// Run makes one meta-update from there.
func (y *Meta) Run() (err error) {
	y.outcome, err = y.update.Step()
	return err
}

// FLOPs is the work of the last Run in matrix products.
func (y *Meta) FLOPs() int64 { return y.update.FLOPs(y.outcome) }

// Names lists what Update returns.
func (y *Meta) Names() []string {
	return []string{"loss_before", "grad_norm", "loss_after", "kl", "step_norm"}
}

// Update makes the meta-update and returns its figures: the meta-objective before and after, the norm of its gradient,
// the divergence, and the norm of the change of θ.
func (y *Meta) Update(step int) (Figures, error) {
	if err := updated(y, step); err != nil {
		return nil, err
	}
	is := make([]float64, len(y.theta))
	if err := y.policy.Each(is, y.memory.Read); err != nil {
		return nil, err
	}
	var square float64
	for i := range is {
		square += (is[i] - y.theta[i]) * (is[i] - y.theta[i])
	}
	o := y.outcome
	return Figures{
		"loss_before": o.LossBefore, "loss_after": o.LossAfter, "grad_norm": o.GradNorm, "kl": o.KL, "step_norm": math.Sqrt(square),
	}, nil
}
