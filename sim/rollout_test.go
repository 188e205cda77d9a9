package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"nacre/internal/rng"
)

// walk is a family to test rollouts with: a random start, then x += a; it ends when |x| passes the task's bound, and
// fails at a given step if told so.
type walk struct {
	failTask, failStep int
	closed             *atomic.Int32
}

func (walk) Spec() Spec {
	return Spec{Name: "walk", ObsDim: 1, ActDim: 1, Horizon: 50, TaskDim: 1, Source: "test"}
}

func (walk) Tasks(uint64, int, int) (train, test []Task, err error) { return nil, nil, nil }

func (w walk) NewBatch(n int) (Batch, error) {
	return &walkBatch{walk: w, x: make([]float64, n), step: make([]int, n), task: make([]Task, n)}, nil
}

type walkBatch struct {
	walk
	x    []float64
	step []int
	task []Task
}

func (b *walkBatch) Len() int { return len(b.x) }

func (b *walkBatch) Reset(i int, task Task, r *rand.Rand, obs []float64) error {
	b.x[i], b.step[i], b.task[i] = r.NormFloat64(), 0, task
	obs[0] = b.x[i]
	return nil
}

func (b *walkBatch) Step(active []bool, act, obs []float64, out *StepResult) error {
	for i, on := range active {
		if !on {
			continue
		}
		if b.task[i].ID == b.failTask && b.step[i] == b.failStep {
			return NewError("walk", b.task[i], i, errors.New("stumbled"))
		}
		b.step[i]++
		b.x[i] += act[i]
		obs[i] = b.x[i]
		out.Reward[i], out.ContextReward[i] = b.x[i], 2*b.x[i]
		out.Done[i] = math.Abs(b.x[i]) > b.task[i].Params[0]
		out.Success[i] = b.x[i] > 1
	}
	return nil
}

func (b *walkBatch) Close() error {
	if b.closed != nil {
		b.closed.Add(1)
	}
	return nil
}

// drift acts from the observation and noise addressed by episode and step, and counts its calls.
type drift struct {
	episodes []Episode
	calls    atomic.Int64
	rows     atomic.Int64
}

func (d *drift) Act(_ int, episodes, steps []int, obs, act []float64) error {
	d.calls.Add(1)
	d.rows.Add(int64(len(episodes)))
	for k, e := range episodes {
		r := rng.New(d.episodes[e].Seed, rng.Action, uint64(steps[k]))
		act[k] = r.NormFloat64()/2 - obs[k]/10
	}
	return nil
}

func walkEpisodes(n int) []Episode {
	eps := make([]Episode, n)
	for i := range eps {
		eps[i] = Episode{Task: Task{ID: i, Params: []float64{1 + float64(i%4)}}, Seed: uint64(i)}
	}
	return eps
}

// alone computes an episode the plain way: the definition that Rollout is judged by.
func alone(e Episode, horizon int) (x []float64, sum float64, done bool) {
	at := rng.New(e.Seed, rng.Reset).NormFloat64()
	x = []float64{at}
	for t := 0; t < horizon && !done; t++ {
		at += rng.New(e.Seed, rng.Action, uint64(t)).NormFloat64()/2 - at/10
		x = append(x, at)
		sum += at
		done = math.Abs(at) > e.Task.Params[0]
	}
	return x, sum, done
}

func TestRolloutIsTheSameForAnyPool(t *testing.T) {
	eps := walkEpisodes(23)
	for _, size := range [][2]int{{1, 1}, {1, 5}, {1, 64}, {2, 3}, {3, 1}, {3, 8}} {
		p, err := NewPool(walk{failTask: -1}, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		policy := &drift{episodes: eps}
		for range 2 { // the second time on used environments
			out, err := p.Rollout(context.Background(), eps, policy, 30)
			if err != nil {
				t.Fatal(err)
			}
			ended := 0
			for i, tr := range out {
				x, sum, done := alone(eps[i], 30)
				if tr.Len != len(x)-1 || len(tr.Obs) != len(x) || len(tr.Reward) != tr.Len || len(tr.Act) != tr.Len ||
					tr.Return != sum || tr.Done != done || tr.Task.ID != i {
					t.Fatalf("%v: episode %d: %+v; expected %d steps, return %v, done %v", size, i, tr,
						len(x)-1, sum, done)
				}
				success := false
				for k, v := range x {
					if tr.Obs[k] != float32(v) ||
						k > 0 && (tr.Reward[k-1] != float32(v) || tr.CtxReward[k-1] != float32(2*v)) {
						t.Fatalf("%v: episode %d differs at observation %d", size, i, k)
					}
					success = success || k > 0 && v > 1
				}
				if tr.Success != success {
					t.Errorf("%v: episode %d: success %v", size, i, tr.Success)
				}
				if done {
					ended++
				}
			}
			if ended == 0 || ended == len(eps) {
				t.Fatalf("%d of %d episodes ended early; the test needs both kinds", ended, len(eps))
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRolloutStepsManyRowsPerCall(t *testing.T) {
	eps := walkEpisodes(20)
	for i := range eps {
		eps[i].Task.Params[0] = 1e9
	}
	p, _ := NewPool(walk{failTask: -1}, 2, 10)
	defer p.Close()
	policy := &drift{episodes: eps}
	if _, err := p.Rollout(context.Background(), eps, policy, 0); err != nil {
		t.Fatal(err)
	}
	if rows := policy.rows.Load(); rows != 20*50 {
		t.Errorf("%d actions for 20 episodes of 50 steps", rows)
	}
	// One worker may be done before the other starts, but no call can have more than ten rows.
	if calls := policy.calls.Load(); calls < 100 {
		t.Errorf("%d calls are fewer than 1000 rows in chunks of 10 need", calls)
	}
	few := &drift{episodes: eps[:4]}
	if _, err := p.Rollout(context.Background(), eps[:4], few, 0); err != nil {
		t.Fatal(err)
	}
	if calls := few.calls.Load(); calls < 100 {
		t.Errorf("4 episodes took %d calls: they were not spread over 2 workers", calls)
	}
}

func TestRolloutErrorNamesWhere(t *testing.T) {
	eps := walkEpisodes(9)
	for i := range eps {
		eps[i].Task.Params[0] = 1e9
	}
	p, _ := NewPool(walk{failTask: 6, failStep: 4}, 2, 2)
	defer p.Close()
	_, err := p.Rollout(context.Background(), eps, &drift{episodes: eps}, 0)
	var at *Error
	if !errors.As(err, &at) || at.Family != "walk" || at.Task.ID != 6 || at.Episode != 6 || at.Step != 4 {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{"walk", "task 6", "episode 6", "step 4", "stumbled"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if out, err := p.Rollout(context.Background(), eps[:6], &drift{episodes: eps}, 0); err != nil || len(out) != 6 {
		t.Errorf("the pool cannot be used after an error: %v", err)
	}
}

type policyFunc func(episodes, steps []int, obs, act []float64) error

func (f policyFunc) Act(_ int, episodes, steps []int, obs, act []float64) error {
	return f(episodes, steps, obs, act)
}

func TestBadActionIsNamed(t *testing.T) {
	eps := []Episode{{Task: Task{ID: 3, Params: []float64{1, 0}}}, {Task: Task{ID: 8, Params: []float64{0, 1}}}}
	p, _ := NewPool(mustLookup(t, "point-goal"), 1, 2)
	defer p.Close()
	_, err := p.Rollout(context.Background(), eps, policyFunc(func(episodes, steps []int, _, act []float64) error {
		clear(act)
		for k, e := range episodes {
			if e == 1 && steps[k] == 5 {
				act[2*k+1] = math.NaN()
			}
		}
		return nil
	}), 0)
	var at *Error
	if !errors.As(err, &at) || at.Task.ID != 8 || at.Episode != 1 || at.Step != 5 ||
		!strings.Contains(err.Error(), "NaN at index 1") {
		t.Errorf("error %v", err)
	}
}

func TestPolicyErrorAndPanic(t *testing.T) {
	eps := walkEpisodes(3)
	p, _ := NewPool(walk{failTask: -1}, 1, 4)
	defer p.Close()
	sad := errors.New("no idea")
	_, err := p.Rollout(context.Background(), eps,
		policyFunc(func([]int, []int, []float64, []float64) error { return sad }), 0)
	if !errors.Is(err, sad) {
		t.Errorf("error %v", err)
	}
	_, err = p.Rollout(context.Background(), eps, policyFunc(func([]int, []int, []float64, []float64) error {
		panic("oh no")
	}), 0)
	if err == nil || !strings.Contains(err.Error(), "oh no") {
		t.Errorf("error %v", err)
	}
	if _, err := p.Rollout(context.Background(), eps, &drift{episodes: eps}, 0); err != nil {
		t.Errorf("the pool cannot be used after a panic: %v", err)
	}
}

func TestCancel(t *testing.T) {
	eps := walkEpisodes(4)
	for i := range eps {
		eps[i].Task.Params[0] = 1e9
	}
	p, _ := NewPool(walk{failTask: -1}, 2, 2)
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	_, err := p.Rollout(ctx, eps, policyFunc(func(_, _ []int, _, act []float64) error {
		clear(act)
		if calls.Add(1) == 7 {
			cancel()
		}
		return nil
	}), 1_000_000)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n := calls.Load(); n > 9 {
		t.Errorf("%d policy calls, though the context ended in the seventh", n)
	}
}

func TestPoolRefusesBadArguments(t *testing.T) {
	if p, err := NewPool(fives{walk{failTask: -1}}, 1, 0); err != nil || p.envs != 5 || ChunkOf(walk{}) != 16 {
		t.Errorf("a family that is best stepped by fives: %v", err)
	} else if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := NewPool(walk{}, -1, 2); err == nil || !strings.Contains(err.Error(), "-1 workers") {
		t.Errorf("-1 workers: %v", err)
	}
	var closed atomic.Int32
	p, err := NewPool(walk{failTask: -1, closed: &closed}, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	eps := walkEpisodes(1)
	if _, err := p.Rollout(context.Background(), eps, &drift{episodes: eps}, -5); err == nil ||
		!strings.Contains(err.Error(), "-5") {
		t.Errorf("horizon -5: %v", err)
	}
	eps[0].Task.Params = nil
	if _, err := p.Rollout(context.Background(), eps, &drift{episodes: eps}, 0); err == nil ||
		!strings.Contains(err.Error(), "expected 1") {
		t.Errorf("task without parameters: %v", err)
	}
	if out, err := p.Rollout(context.Background(), nil, nil, 0); err != nil || len(out) != 0 {
		t.Errorf("no episodes: %v, %v", out, err)
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil || closed.Load() != 3 {
		t.Errorf("close: %v; %d of 3 batches closed", err, closed.Load())
	}
	if _, err := p.Rollout(context.Background(), walkEpisodes(1), nil, 0); err == nil {
		t.Error("a closed pool rolled out")
	}
}

// Episodes cost a fixed number of allocations however many steps they have.
func TestNoAllocationPerStep(t *testing.T) {
	eps := walkEpisodes(6)
	for i := range eps {
		eps[i].Task.Params[0] = 1e9
	}
	p, _ := NewPool(walk{failTask: -1}, 1, 3)
	defer p.Close()
	still := policyFunc(func(_, _ []int, _, act []float64) error { clear(act); return nil })
	count := func(horizon int) float64 {
		return testing.AllocsPerRun(5, func() {
			if _, err := p.Rollout(context.Background(), eps, still, horizon); err != nil {
				t.Error(err)
			}
		})
	}
	if short, long := count(10), count(2000); long > short+2 {
		t.Errorf("%v allocations for 10 steps, %v for 2000", short, long)
	}
}

func TestUniformPolicy(t *testing.T) {
	f := mustLookup(t, "point-goal")
	train, _, _ := f.Tasks(0, 0, 0)
	eps := make([]Episode, 200)
	for i := range eps {
		eps[i] = Episode{Task: train[0], Seed: uint64(i / 2)}
	}
	p, _ := NewPool(f, 2, 16)
	defer p.Close()
	out, err := p.Rollout(context.Background(), eps, UniformPolicy(eps, 2), 0)
	if err != nil {
		t.Fatal(err)
	}
	var mean, square float64
	for i, tr := range out {
		for _, a := range tr.Act {
			mean += float64(a) / 8000
			square += float64(a) * float64(a) / 8000
		}
		if i%2 == 1 && !slices.Equal(tr.Act, out[i-1].Act) {
			t.Errorf("episodes %d and %d have equal seeds and other actions", i-1, i)
		}
	}
	// 4000 independent draws: four standard errors of the moments of U[-1,1].
	if math.Abs(mean) > 4*math.Sqrt(1./3/4000) || math.Abs(square-1./3) > 4*math.Sqrt(4./45/4000) {
		t.Errorf("mean %v and mean square %v are not those of U[-1,1]", mean, square)
	}
	if _, err := GoalPolicy(walk{}, nil); err == nil || !strings.Contains(err.Error(), "walk") {
		t.Errorf("goal policy of a family without controller: %v", err)
	}
}

type lame struct{ walk }

func (lame) Spec() Spec {
	return Spec{Name: "lame", ObsDim: 1, ActDim: 1, Horizon: 1, Source: "test"}
}

func (lame) Available() error { return fmt.Errorf("legs are %w", ErrUnavailable) }

func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"point-gaol":  `did you mean "point-goal"?`,
		"Point-Goal":  `did you mean "point-goal"?`,
		"zebra-crank": "(known: ",
	} {
		_, err := Lookup(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "point-goal-sparse") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Lookup("zebra-crank"); strings.Contains(err.Error(), "did you mean") {
		t.Errorf("a far name got a suggestion: %v", err)
	}
	if err := Register(lame{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { delete(registry.byName, "lame") })
	if _, err := Lookup("lame"); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "legs") {
		t.Errorf("unavailable family: %v", err)
	}
	var names []string
	for _, s := range Families() {
		names = append(names, s.Name)
	}
	if !slices.IsSorted(names) || !slices.Contains(names, "lame") || !slices.Contains(names, "point-goal") {
		t.Errorf("families %v", names)
	}
}

// fives is best stepped five at a time.
type fives struct{ walk }

func (fives) Chunk() int { return 5 }

// watching is a policy that keeps what it is shown, by episode.
type watching struct {
	Policy
	seen [][]float64
	fail int // step at which it refuses to watch, or -1
}

func (w *watching) Watch(_ int, episodes, steps []int, reward []float64) error {
	for k, e := range episodes {
		if steps[k] == w.fail {
			return errors.New("looked away")
		}
		if steps[k] != len(w.seen[e]) {
			return fmt.Errorf("episode %d: step %d after %d", e, steps[k], len(w.seen[e]))
		}
		w.seen[e] = append(w.seen[e], reward[k])
	}
	return nil
}

// A Watcher is shown the context reward of every step of every episode, in order, whatever the pool.
func TestWatcherSeesEveryStep(t *testing.T) {
	var episodes []Episode
	for i := range 13 {
		episodes = append(episodes, Episode{Task: Task{ID: i, Params: []float64{3}}, Seed: uint64(i)})
	}
	for _, size := range [][2]int{{1, 1}, {2, 3}, {3, 16}} {
		pool, err := NewPool(walk{failTask: -1}, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		w := &watching{Policy: UniformPolicy(episodes, 1), seen: make([][]float64, len(episodes)), fail: -1}
		trajectories, err := pool.Rollout(t.Context(), episodes, w, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, tr := range trajectories {
			if len(w.seen[i]) != tr.Len {
				t.Fatalf("%d workers: %d of %d steps of episode %d", size[0], len(w.seen[i]), tr.Len, i)
			}
			for k, r := range tr.CtxReward {
				if float32(w.seen[i][k]) != r || r == tr.Reward[k] {
					t.Fatalf("episode %d, step %d: shown %v, context reward %v, reward %v", i, k, w.seen[i][k], r,
						tr.Reward[k])
				}
			}
		}
		w = &watching{Policy: UniformPolicy(episodes, 1), seen: make([][]float64, len(episodes)), fail: 2}
		if _, err := pool.Rollout(t.Context(), episodes, w, 0); err == nil ||
			!strings.Contains(err.Error(), "looked away") {
			t.Errorf("a policy that refuses to watch: %v", err)
		}
	}
}

// What a built-in family lacks is an error at start.
func TestBuiltinFamiliesAreWhole(t *testing.T) {
	for want, f := range map[string]Family{
		"walk: the Source is empty": described{spec: Spec{Name: "walk", ObsDim: 1, ActDim: 1, Horizon: 1}},
		"no name":                   described{},
		"Horizon 0 must":            described{spec: Spec{Name: "walk", ObsDim: 1, ActDim: 1}},
	} {
		if err := builtin(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, got %v", want, err)
		}
	}
}

type described struct {
	walk
	spec Spec
}

func (d described) Spec() Spec { return d.spec }
