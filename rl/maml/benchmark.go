package maml

import (
	"math"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl/benchmark"
	"nacre/rl/onpolicy"
)

// metaPaths is the number of a task's episodes before the inner step, and again after it; metaSteps is the number of
// steps of an episode.
const (
	metaTasks = 20
	metaPaths = 10
	metaSteps = 200
)

// Benchmark is one meta-update of MAML-TRPO on batches and weights from the benchmark's random streams. It has 20 tasks
// of 10 + 10 episodes of 200 steps, and the policy of half-cheetahs (2×64) or of Meta-World (2×100).
type Benchmark struct {
	size    benchmark.Size
	policy  onpolicy.Policy
	memory  core.Memory
	update  *MetaUpdate
	theta   []float64
	outcome Outcome
}

// metaHidden is the policy's width at a size.
func metaHidden(s benchmark.Size) int {
	if s.Name == benchmark.MetaWorld.Name {
		return 100
	}
	return 64
}

// NewBenchmark loads the meta-update and writes its batches.
func NewBenchmark(s benchmark.Size, d core.Device) (y *Benchmark, err error) {
	h := metaHidden(s)
	y = &Benchmark{size: s, policy: onpolicy.Policy{
		Net:       nn.MLP{Name: "policy", In: s.Obs, Hidden: []int{h, h}, Out: s.Act, Act: op.Tanh},
		MinLogStd: onpolicy.LogStdMin,
	}}
	if y.memory, err = d.NewMemory(y.policy.Specs()); err != nil {
		return nil, err
	}
	c := Default()
	c.Hidden, c.MetaBatch, c.Episodes = h, metaTasks, metaPaths
	if y.update, err = NewMetaUpdate(d, y.memory, y.policy, c, metaSteps); err != nil {
		return nil, err
	}
	for i := range metaTasks {
		for k, b := range []*onpolicy.Batch{y.update.Before(i), y.update.After(i)} {
			if err := b.Set(samplePaths(s, uint64(10*(2*i+k)))); err != nil {
				y.Close()
				return nil, err
			}
		}
	}
	for l, p := range y.policy.Specs() {
		y.theta = append(y.theta, benchmark.Weights(l, p, benchmark.Glorot)...)
	}
	return y, nil
}

// samplePaths returns a batch from the streams that follow base.
func samplePaths(s benchmark.Size, base uint64) []onpolicy.Path {
	n := metaPaths * metaSteps
	obs, act, advantage := rng.Normal(base+1, n*s.Obs), rng.Normal(base+2, n*s.Act), rng.Normal(base+3, n)
	out := make([]onpolicy.Path, metaPaths)
	for i := range out {
		out[i] = onpolicy.NewPath(metaSteps)
		out[i].Obs = benchmark.Narrow(obs[i*metaSteps*s.Obs : (i+1)*metaSteps*s.Obs])
		out[i].Act = benchmark.Narrow(act[i*metaSteps*s.Act : (i+1)*metaSteps*s.Act])
		copy(out[i].Advantage, advantage[i*metaSteps:])
	}
	return out
}

// Algorithm is "maml".
func (y *Benchmark) Algorithm() string { return "maml" }

// Size is the size the update was made for.
func (y *Benchmark) Size() benchmark.Size { return y.size }

// Close frees the device's buffers.
func (y *Benchmark) Close() error { return y.update.Close() }

// Prepare restores the weights of the streams, so every meta-update is the same.
func (y *Benchmark) Prepare(int) error { return y.policy.Each(y.theta, y.memory.Write) }

// Run makes one meta-update from the weights that Prepare restored.
func (y *Benchmark) Run() (err error) {
	y.outcome, err = y.update.Step()
	return err
}

// FLOPs is the work of the last Run in matrix products, 2 per multiply-add.
func (y *Benchmark) FLOPs() int64 { return y.update.FLOPs(y.outcome) }

// Names lists the figures that Update returns.
func (y *Benchmark) Names() []string {
	return []string{"loss_before", "grad_norm", "loss_after", "kl", "step_norm"}
}

// Update makes the meta-update and returns its figures: the meta-objective before and after, the norm of its gradient,
// the divergence, and the norm of the change of θ.
func (y *Benchmark) Update(step int) (benchmark.Figures, error) {
	if err := benchmark.Updated(y, step); err != nil {
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
	return benchmark.Figures{
		"loss_before": o.LossBefore, "loss_after": o.LossAfter, "grad_norm": o.GradNorm, "kl": o.KL,
		"step_norm": math.Sqrt(square),
	}, nil
}

// expected are the figures of the meta-update, computed in float64 by package torch's program for PyTorch 1.13. That
// program takes the Hessian of the divergence literally, by backward passes through the inner step.
var expected = map[string]benchmark.Figures{
	"oyster": {"loss_before": -0.00637604674771, "grad_norm": 0.126876374465, "loss_after": -0.0347152635972,
		"kl": 0.00696795452855, "step_norm": 0.813481591614},
	"metaworld": {"loss_before": -0.00637604674771, "grad_norm": 0.0846538948368, "loss_after": -0.0241356558341,
		"kl": 0.00824866013348, "step_norm": 1.14904487157},
}

// Expected returns the figures of the meta-update, the same for every step.
func (y *Benchmark) Expected(int) benchmark.Figures { return expected[y.size.Name] }

// Tolerance implements benchmark.Whole: how large an error conjugate gradient and the line search make out of rounding
// in float64.
func (y *Benchmark) Tolerance() float64 { return 1e-7 }
