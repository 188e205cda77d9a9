package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"nacre/internal/breathe"
	"nacre/internal/rng"
)

// Pool runs episodes of one family on persistent workers. Each worker is a goroutine that owns one Batch, so native
// models and states are made once. A Pool runs one Rollout at a time; further calls wait.
type Pool struct {
	family  Family
	spec    Spec
	envs    int
	workers []*worker
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// NewPool makes workers batches of envs environments of f. If workers is 0, there is one worker per processor. If envs
// is 0, it is ChunkOf(f).
func NewPool(f Family, workers, envs int) (*Pool, error) {
	workers = cmp.Or(workers, min(runtime.NumCPU(), runtime.GOMAXPROCS(0)))
	envs = cmp.Or(envs, ChunkOf(f))
	if workers < 1 || envs < 1 {
		return nil, fmt.Errorf("sim: pool of %s: %d workers of %d environments; both must be at least 1, or 0 for "+
			"the default",
			f.Spec().Name, workers, envs)
	}
	p := &Pool{family: f, spec: f.Spec(), envs: envs}
	for i := range workers {
		b, err := f.NewBatch(envs)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("sim: pool of %s: %w", p.spec.Name, err), p.Close())
		}
		w := newWorker(i, b, p.spec)
		p.workers = append(p.workers, w)
		p.running.Add(1)
		go func() {
			defer p.running.Done()
			for r := range w.rollouts {
				w.run(r)
				r.done.Done()
			}
		}()
	}
	return p, nil
}

// Close stops the workers and frees their batches. It waits for a running Rollout; later Rollouts are errors.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	var errs []error
	for _, w := range p.workers {
		close(w.rollouts)
	}
	p.running.Wait()
	for _, w := range p.workers {
		errs = append(errs, w.batch.Close())
	}
	return errors.Join(errs...)
}

// Workers returns the number of workers of the pool. The worker numbers given to Policy.Act are below it.
func (p *Pool) Workers() int { return len(p.workers) }

// Rollout runs every episode for at most horizon steps (0 means the family's own) and returns their trajectories in the
// order of episodes. Actions come from policy. It is called once per step of a worker's chunk, with the rows of the
// episodes still running. The result is the same, bit for bit, for every number of workers and environments.
//
// The first observation of an episode is drawn from the stream (Episode.Seed, rng.Reset). Rollout stops between two
// steps when ctx ends. If an environment fails or a reward is beyond MaxReward, the error is an *Error that names
// family, task, episode and step. If several episodes fail, the error of the first of them in episodes is returned.
// After an error the pool can be used again.
func (p *Pool) Rollout(ctx context.Context, episodes []Episode, policy Policy, horizon int) ([]Trajectory, error) {
	horizon = cmp.Or(horizon, p.spec.Horizon)
	if horizon < 0 {
		return nil, fmt.Errorf("sim: rollout of %s: horizon %d; expected at least 1, or 0 for the family's %d",
			p.spec.Name, horizon, p.spec.Horizon)
	}
	for i, e := range episodes {
		if len(e.Task.Params) != p.spec.TaskDim {
			return nil, fmt.Errorf("sim: rollout of %s: the task of episode %d has %d parameters, expected %d",
				p.spec.Name, i, len(e.Task.Params), p.spec.TaskDim)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("sim: rollout of %s: the pool is closed", p.spec.Name)
	}
	if len(episodes) == 0 {
		return nil, nil
	}
	r := &rollout{
		ctx: ctx, episodes: episodes, policy: policy, horizon: horizon,
		out: make([]Trajectory, len(episodes)), failedEpisode: len(episodes),
		// Few episodes are spread over the workers instead of filling the first worker's chunk.
		slots: min(p.envs, (len(episodes)+len(p.workers)-1)/len(p.workers)),
	}
	if _, native := p.family.(Native); native {
		defer SpareProcessor(len(p.workers))()
	}
	r.done.Add(len(p.workers))
	for _, w := range p.workers {
		w.rollouts <- r
	}
	r.done.Wait()
	if r.err != nil {
		return nil, r.err
	}
	return r.out, nil
}

// rollout holds what the workers share while one Rollout runs.
type rollout struct {
	ctx      context.Context
	episodes []Episode
	policy   Policy
	horizon  int
	slots    int // environments each worker uses
	out      []Trajectory
	next     atomic.Int64 // first episode nobody has taken
	stop     atomic.Bool
	done     sync.WaitGroup

	mu            sync.Mutex
	err           error
	failedEpisode int
}

// fail records err and stops all workers between their steps.
func (r *rollout) fail(episode int, err error) {
	r.stop.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil || episode < r.failedEpisode {
		r.err, r.failedEpisode = err, episode
	}
}

// worker owns one batch and the buffers to step it without allocating.
type worker struct {
	id       int
	batch    Batch
	spec     Spec
	rollouts chan *rollout

	episode []int // index of the episode of each environment
	step    []int // steps made by each environment
	active  []bool
	obs     []float64 // by environment
	act     []float64
	result  StepResult

	// The rows of the active environments, packed for the policy.
	envs             []int
	packedEpisode    []int
	packedStep       []int
	packedObs, packA []float64
	packedReward     []float64
}

func newWorker(id int, b Batch, s Spec) *worker {
	n := b.Len()
	return &worker{
		id: id, batch: b, spec: s, rollouts: make(chan *rollout),
		episode: make([]int, n), step: make([]int, n), active: make([]bool, n),
		obs: make([]float64, n*s.ObsDim), act: make([]float64, n*s.ActDim),
		result: StepResult{
			Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n),
			ContextReward: make([]float64, n), Truncated: make([]bool, n),
		},
		envs: make([]int, 0, n), packedEpisode: make([]int, 0, n), packedStep: make([]int, 0, n),
		packedObs: make([]float64, 0, n*s.ObsDim), packA: make([]float64, n*s.ActDim),
		packedReward: make([]float64, 0, n),
	}
}

// run takes episodes until none are left, stepping those it has together.
func (w *worker) run(r *rollout) {
	defer func() {
		clear(w.active)
		if p := recover(); p != nil {
			r.fail(0, fmt.Errorf("sim: rollout of %s: panic: %v\n%s", w.spec.Name, p, debug.Stack()))
		}
	}()
	for !r.stop.Load() {
		breathe.Now()
		if r.ctx.Err() != nil {
			r.fail(len(r.episodes), fmt.Errorf("sim: rollout of %s: %w", w.spec.Name, context.Cause(r.ctx)))
			return
		}
		for i := range r.slots {
			if w.active[i] {
				continue
			}
			e := int(r.next.Add(1) - 1)
			if e >= len(r.episodes) {
				break
			}
			if err := w.start(r, i, e); err != nil {
				r.fail(e, w.locate(err, r, i, e, -1))
				return
			}
		}
		if !w.pack() {
			return
		}
		if !w.advance(r) {
			return
		}
	}
}

// start begins episode e in environment i.
func (w *worker) start(r *rollout, i, e int) error {
	o, a, h := w.spec.ObsDim, w.spec.ActDim, r.horizon
	ep := r.episodes[e]
	obs := w.obs[i*o : (i+1)*o]
	if err := w.batch.Reset(i, ep.Task, rng.New(ep.Seed, rng.Reset), obs); err != nil {
		return err
	}
	block := make([]float32, (h+1)*o+h*a+2*h)
	cut := func(n int) []float32 {
		s := block[:n:n]
		block = block[n:]
		return s
	}
	r.out[e] = Trajectory{Task: ep.Task, Obs: cut((h + 1) * o), Act: cut(h * a), Reward: cut(h), CtxReward: cut(h)}
	narrow(r.out[e].Obs, obs)
	w.episode[i], w.step[i], w.active[i] = e, 0, true
	return nil
}

// pack gathers the rows of the active environments and reports whether there are any.
func (w *worker) pack() bool {
	o := w.spec.ObsDim
	w.envs, w.packedEpisode = w.envs[:0], w.packedEpisode[:0]
	w.packedStep, w.packedObs = w.packedStep[:0], w.packedObs[:0]
	for i, on := range w.active {
		if on {
			w.envs = append(w.envs, i)
			w.packedEpisode = append(w.packedEpisode, w.episode[i])
			w.packedStep = append(w.packedStep, w.step[i])
			w.packedObs = append(w.packedObs, w.obs[i*o:(i+1)*o]...)
		}
	}
	return len(w.envs) > 0
}

// advance asks the policy, steps the batch and records; it reports whether the rollout may go on.
func (w *worker) advance(r *rollout) bool {
	a := w.spec.ActDim
	first := w.envs[0]
	if err := r.policy.Act(w.id, w.packedEpisode, w.packedStep, w.packedObs, w.packA[:len(w.envs)*a]); err != nil {
		// The policy answers for all its rows; the first stands for them.
		r.fail(w.episode[first], fmt.Errorf("sim: rollout of %s: policy, episodes %v, steps %v: %w",
			w.spec.Name, w.packedEpisode, w.packedStep, err))
		return false
	}
	for k, i := range w.envs {
		copy(w.act[i*a:(i+1)*a], w.packA[k*a:(k+1)*a])
	}
	if err := w.batch.Step(w.active, w.act, w.obs, &w.result); err != nil {
		i := first
		if at, ok := errors.AsType[*Error](err); ok && at.Env >= 0 && at.Env < len(w.episode) {
			i = at.Env
		}
		e := w.episode[i]
		r.fail(e, w.locate(err, r, i, e, w.step[i]))
		return false
	}
	for _, i := range w.envs {
		if err := w.paid(i); err != nil {
			r.fail(w.episode[i], w.locate(err, r, i, w.episode[i], w.step[i]))
			return false
		}
	}
	for _, i := range w.envs {
		w.record(r, i)
	}
	if watcher, ok := r.policy.(Watcher); ok {
		return w.tell(r, watcher)
	}
	return true
}

// MaxReward is the largest absolute value of a step's reward. Losses are computed in float32, which cannot hold the
// square of a larger number.
const MaxReward = 1e18

// paid returns an error if the last step of environment i paid what nothing can learn from.
func (w *worker) paid(i int) error {
	for _, of := range []struct {
		what  string
		value float64
	}{{"reward", w.result.Reward[i]}, {"reward in the context", w.result.ContextReward[i]}} {
		if !(math.Abs(of.value) <= MaxReward) { // NaN is not
			return fmt.Errorf("the %s is %g; expected a number from %g to %g", of.what, of.value, -MaxReward, MaxReward)
		}
	}
	return nil
}

// tell shows the policy the rewards of the step just made.
func (w *worker) tell(r *rollout, policy Watcher) bool {
	w.packedReward = w.packedReward[:0]
	for _, i := range w.envs {
		w.packedReward = append(w.packedReward, w.result.ContextReward[i])
	}
	if err := policy.Watch(w.id, w.packedEpisode, w.packedStep, w.packedReward); err != nil {
		r.fail(w.packedEpisode[0], fmt.Errorf("sim: rollout of %s: policy, episodes %v, steps %v: %w",
			w.spec.Name, w.packedEpisode, w.packedStep, err))
		return false
	}
	return true
}

// record appends the last step of environment i to its trajectory and frees the environment if that was the end.
func (w *worker) record(r *rollout, i int) {
	o, a, t := w.spec.ObsDim, w.spec.ActDim, w.step[i]
	tr := &r.out[w.episode[i]]
	narrow(tr.Act[t*a:], w.act[i*a:(i+1)*a])
	narrow(tr.Obs[(t+1)*o:], w.obs[i*o:(i+1)*o])
	tr.Reward[t] = float32(w.result.Reward[i])
	tr.CtxReward[t] = float32(w.result.ContextReward[i])
	tr.Return += w.result.Reward[i]
	tr.Success = tr.Success || w.result.Success[i]
	tr.Len, w.step[i] = t+1, t+1
	if w.result.Done[i] || w.result.Truncated[i] || t+1 == r.horizon {
		n := tr.Len
		tr.Done = w.result.Done[i]
		tr.Obs, tr.Act, tr.Reward, tr.CtxReward = tr.Obs[:(n+1)*o], tr.Act[:n*a], tr.Reward[:n], tr.CtxReward[:n]
		w.active[i] = false
	}
}

// locate adds episode and step to an error of environment i.
func (w *worker) locate(err error, r *rollout, i, episode, step int) error {
	if at, ok := errors.AsType[*Error](err); ok {
		located := *at
		located.Episode, located.Step = episode, step
		return &located
	}
	return &Error{Family: w.spec.Name, Task: r.episodes[episode].Task, Env: i, Episode: episode, Step: step, Err: err}
}

func narrow(dst []float32, src []float64) {
	for i, v := range src {
		dst[i] = float32(v)
	}
}
