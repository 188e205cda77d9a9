// Package actor is the stochastic policy of all soft actor-critics here. Its network sees an observation and a
// condition (PEARL's latent z or an oracle's task vector). It returns a Gaussian, which tanh squashes into the actions
// [-1,1]^Act. Policy builds it in a training graph; Actor runs it in rollouts, batched over the environments of each
// worker.
//
//	p := actor.Policy{Net: net, Obs: 20, Condition: 5, Act: 6}
//	a := p.Sample(stage, stage.ConcatCols(obs, z), eps) // a.Action, a.LogProb
//	act, err := actor.New(device, memory, p, 2, 16)
//	trajectories, err := pool.Rollout(ctx, episodes, act.Policy(z, noise), 0)
package actor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/rl/weights"
)

// Policy is the network with its sizes: (o, condition) → 2·Act, the mean and the log standard deviation before
// clipping.
type Policy struct {
	Net                 nn.MLP
	Obs, Condition, Act int
	// View turns observations into the network's input in rollouts, rows×Obs → rows×Obs. If it is nil, the network sees
	// the observations as they are.
	View func(s *core.Stage, obs *graph.Node) *graph.Node
}

// These are the bounds of the log standard deviation.
const (
	LogStdMin = -20
	LogStdMax = 2
)

const ln2Pi = 1.8378770664093454836

// Describe describes the network, whose condition has a name such as "z".
func (p Policy) Describe(condition string) weights.Network {
	return weights.MLP(p.Net, []weights.Part{weights.In("observation", p.Obs), weights.In(condition, p.Condition)},
		[]weights.Part{weights.In("mean", p.Act), weights.Within("log_std", p.Act, LogStdMin, LogStdMax)})
}

// Sample is the policy's output on a batch of rows, as graph nodes.
type Sample struct {
	Mean, LogStd *graph.Node // rows × act
	PreTanh      *graph.Node // mean + std·eps
	Action       *graph.Node // tanh of PreTanh, in (-1,1)
	LogProb      *graph.Node // rows × 1
}

// Head splits the network's output for rows of (o, condition) into mean and clipped log standard deviation.
func (p Policy) Head(s *core.Stage, x *graph.Node) (mean, logStd *graph.Node) {
	h := p.Net.Apply(s, x)
	return s.SliceCols(h, 0, p.Act), s.Clamp(s.SliceCols(h, p.Act, 2*p.Act), LogStdMin, LogStdMax)
}

// Sample builds a = tanh(μ + σ·eps) and its log density (Haarnoja et al. 2018, eq. 21) with standard normal eps,
// rows × act:
//
//	log π(a) = Σ_i [ log N(u_i; μ_i, σ_i) − log(1 − a_i² + 1e-6) ],  u = μ + σ·eps.
func (p Policy) Sample(s *core.Stage, x, eps *graph.Node) Sample {
	var a Sample
	a.Mean, a.LogStd = p.Head(s, x)
	a.PreTanh = s.Add(a.Mean, s.Mul(s.Exp(a.LogStd), eps))
	a.Action = s.Tanh(a.PreTanh)
	gauss := s.Shift(s.Sub(s.Scale(s.Square(eps), -0.5), a.LogStd), -0.5*ln2Pi)
	squash := s.Log(s.Affine(s.Square(a.Action), -1, 1+1e-6))
	a.LogProb = s.SumCols(s.Sub(gauss, squash))
	return a
}

// Actor runs the policy during rollouts, one runner per simulation worker.
type Actor struct {
	policy  Policy
	rows    int // environments per worker at most
	workers []worker
	busy    atomic.Int64 // nanoseconds in Act, over workers
}

// Busy is the time spent on choosing actions so far, summed over workers.
func (a *Actor) Busy() time.Duration { return time.Duration(a.busy.Load()) }

type worker struct {
	run            core.Runner
	obs, condition []float64
	mean, logStd   []float64
}

// New loads the policy for the given number of simulation workers, each with rows environments.
func New(d core.Device, m core.Memory, p Policy, workers, rows int) (*Actor, error) {
	b := core.NewBuilder("act", 1)
	s := b.Stage("act")
	obs := s.Input("obs", rows, p.Obs)
	if p.View != nil {
		obs = p.View(s, obs)
	}
	mean, logStd := p.Head(s, s.ConcatCols(obs, s.Input("condition", rows, p.Condition)))
	s.Output("mean", mean)
	s.Output("log_std", logStd)
	program, err := b.Compile()
	if err != nil {
		return nil, err
	}
	a := &Actor{policy: p, rows: rows}
	for range workers {
		run, err := d.Load(program, m)
		if err != nil {
			a.Close()
			return nil, err
		}
		a.workers = append(a.workers, worker{
			run: run, obs: make([]float64, rows*p.Obs), condition: make([]float64, rows*p.Condition),
			mean: make([]float64, rows*p.Act), logStd: make([]float64, rows*p.Act),
		})
	}
	return a, nil
}

// Policy returns the policy that acts under condition[i] in episode i. The action is tanh of the mean or, if noise is
// not nil, tanh of a draw with noise[i].
func (a *Actor) Policy(condition [][]float64, noise []*rand.Rand) *Rollout {
	return &Rollout{actor: a, Condition: condition, Noise: noise}
}

// Close frees the runners.
func (a *Actor) Close() error {
	var first error
	for _, w := range a.workers {
		if err := w.run.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Rollout is the policy of one set of episodes; it implements sim.Policy.
type Rollout struct {
	actor     *Actor
	Condition [][]float64  // condition of each episode
	Noise     []*rand.Rand // random stream of each episode; nil for deterministic actions
}

// Act implements sim.Policy.
func (r *Rollout) Act(worker int, episodes, _ []int, obs, act []float64) error {
	start := time.Now()
	defer func() { r.actor.busy.Add(int64(time.Since(start))) }()
	w, p := &r.actor.workers[worker], r.actor.policy
	if len(episodes) > r.actor.rows {
		return fmt.Errorf("actor: %d environments in one call, the actor was made for %d", len(episodes), r.actor.rows)
	}
	copy(w.obs, obs[:len(episodes)*p.Obs])
	for k, e := range episodes {
		copy(w.condition[k*p.Condition:(k+1)*p.Condition], r.Condition[e])
	}
	if err := w.infer(); err != nil {
		return err
	}
	for k, e := range episodes {
		for j := range p.Act {
			i := k*p.Act + j
			u := w.mean[i]
			if r.Noise != nil {
				u += math.Exp(w.logStd[i]) * r.Noise[e].NormFloat64()
			}
			act[i] = math.Tanh(u)
		}
	}
	return nil
}

func (w *worker) infer() error {
	if err := w.run.Write64("obs", w.obs); err != nil {
		return err
	}
	if err := w.run.Write64("condition", w.condition); err != nil {
		return err
	}
	if err := w.run.Run(); err != nil {
		return err
	}
	if err := w.run.Read64("mean", w.mean); err != nil {
		return err
	}
	return w.run.Read64("log_std", w.logStd)
}
