package pearl

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/sim"
)

// walk is a family whose episodes may end early: the observation is a place on a line, starting anywhere in [0,1); an
// action moves it, and the episode of a task (k) ends after k steps, or at the horizon of 6. The reward is the task.
type walk struct{}

func (walk) Spec() sim.Spec {
	return sim.Spec{Name: "walk", ObsDim: 1, ActDim: 1, Horizon: 6, TaskDim: 1, Source: "test"}
}

func (walk) Tasks(uint64, int, int) (train, test []sim.Task, err error) {
	return walkTasks(3, 6, 9, 2), walkTasks(4, 5), nil
}

func walkTasks(ends ...float64) []sim.Task {
	out := make([]sim.Task, len(ends))
	for i, k := range ends {
		out[i] = sim.Task{ID: i, Params: []float64{k}}
	}
	return out
}

func (walk) NewBatch(n int) (sim.Batch, error) {
	return &walkBatch{at: make([]float64, n), end: make([]float64, n), steps: make([]float64, n)}, nil
}

type walkBatch struct{ at, end, steps []float64 }

func (b *walkBatch) Len() int { return len(b.at) }

func (b *walkBatch) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	b.at[i], b.end[i], b.steps[i] = r.Float64(), task.Params[0], 0
	obs[0] = b.at[i]
	return nil
}

func (b *walkBatch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	for i, on := range active {
		if !on {
			continue
		}
		b.at[i] += 0.1 * sim.Clip(act[i])
		b.steps[i]++
		obs[i], out.Reward[i], out.ContextReward[i] = b.at[i], b.end[i], b.end[i]
		out.Done[i], out.Success[i] = b.steps[i] >= b.end[i], false
	}
	return nil
}

func (b *walkBatch) Close() error { return nil }

// recorder passes rollouts on and remembers them.
type recorder struct {
	pool  *sim.Pool
	calls []call
}

type call struct {
	episodes []sim.Episode
	z        [][]float64
	noisy    bool
	out      []sim.Trajectory
}

func (r *recorder) Rollout(ctx context.Context, episodes []sim.Episode, p sim.Policy,
	horizon int) ([]sim.Trajectory, error) {
	out, err := r.pool.Rollout(ctx, episodes, p, horizon)
	c := call{episodes: slices.Clone(episodes), out: out}
	if own, ok := p.(*actor.Rollout); ok {
		c.z, c.noisy = own.Condition, own.Noise != nil
	}
	r.calls = append(r.calls, c)
	return out, err
}

// episodes lists all recorded episodes in order.
func (r *recorder) all() (z [][]float64, out []sim.Trajectory) {
	for _, c := range r.calls {
		z, out = append(z, c.z...), append(out, c.out...)
	}
	return z, out
}

// setup is all that New takes.
type setup struct {
	rl.Setup
	Config    Config
	auxiliary func(belief.Encoder, int) (belief.Auxiliary, error)
}

// newWalker is a learner on walk.
func newWalker(t *testing.T, change func(*setup)) (*Learner, *recorder) {
	t.Helper()
	pool, err := sim.NewPool(walk{}, 1, 4)
	check(t, err)
	t.Cleanup(func() { pool.Close() })
	rec := &recorder{pool: pool}
	train, _, _ := walk{}.Tasks(0, 0, 0)
	c := small(nil)
	c.InitialSteps, c.PriorSteps, c.PosteriorSteps, c.ExtraPosteriorSteps, c.TasksPerIteration = 7, 8, 0, 13, 2
	s := setup{Config: c, Setup: rl.Setup{Spec: walk{}.Spec(), Train: train, Seed: 5, Device: ref.Device, Pool: rec,
		Workers: 1, Envs: 4}}
	if change != nil {
		change(&s)
	}
	l, err := New(s.Config, s.Setup, s.auxiliary)
	check(t, err)
	t.Cleanup(func() { l.Close() })
	return l, rec
}

// need is what a visit takes where trajectories have the given length: whole ones until the count is reached.
func need(steps, length int) int { return (steps + length - 1) / length * length }

// Whole trajectories are taken until the count is reached; those that end early need more. Prior steps go to both
// buffers, extra ones to the replay buffer only.
func TestStepsPerStage(t *testing.T) {
	l, rec := newWalker(t, nil)
	l.cfg.TasksPerIteration = 0
	steps, err := l.Collect(context.Background(), 0)
	check(t, err)
	// 7 steps of trajectories of 3, 6, 6 (the horizon) and 2 steps.
	want := []int{9, 12, 12, 8}
	for i, n := range want {
		if rl, enc := l.buf.RL[i].Len(), l.buf.Enc[i].Len(); rl != n || enc != n {
			t.Errorf("task %d: %d transitions in replay, %d for the encoder, want %d", i, rl, enc, n)
		}
	}
	if _, out := rec.all(); steps != 9+12+12+8 || len(out) != 3+2+2+4 {
		t.Errorf("%d steps in %d trajectories, want 41 in 11", steps, len(out))
	}

	rec.calls = nil
	l.cfg.TasksPerIteration = 3
	steps, err = l.Collect(context.Background(), 1)
	check(t, err)
	total := 0
	r := rng.New(l.seed, rng.Tasks, 1)
	for range 3 {
		task := r.IntN(4)
		length := []int{3, 6, 6, 2}[task]
		total += need(8, length) + need(13, length)
	}
	if _, out := rec.all(); steps != total {
		t.Errorf("%d steps in %d trajectories, want %d", steps, len(out), total)
	}
}

// content is what a task's buffers hold, as a checkpoint would have it.
func content(t *testing.T, l *Learner, task int) (rl, enc string) {
	t.Helper()
	var a, b bytes.Buffer
	check(t, l.buf.RL[task].Encode(&a))
	check(t, l.buf.Enc[task].Encode(&b))
	return a.String(), b.String()
}

// The encoder buffer of a visited task holds its last prior trajectories only; the others keep theirs.
func TestEncoderBufferOfVisitedTasksIsReplaced(t *testing.T) {
	l, _ := newWalker(t, func(s *setup) { s.Config.TasksPerIteration = 2 })
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	var before [4]string
	var had [4]int
	for i := range before {
		_, before[i] = content(t, l, i)
		had[i] = l.buf.RL[i].Len()
	}
	r := rng.New(l.seed, rng.Tasks, 1)
	visits := map[int]int{}
	for range 2 {
		visits[r.IntN(4)]++
	}
	_, err = l.Collect(context.Background(), 1)
	check(t, err)
	for i, length := range []int{3, 6, 6, 2} {
		_, now := content(t, l, i)
		if visits[i] == 0 {
			if now != before[i] || l.buf.RL[i].Len() != had[i] {
				t.Errorf("task %d was not visited but its buffers changed", i)
			}
			continue
		}
		if got := l.buf.Enc[i].Len(); got != need(8, length) || now == before[i] {
			t.Errorf("task %d: %d transitions for the encoder, want %d new ones", i, got, need(8, length))
		}
		if got, want := l.buf.RL[i].Len()-had[i], visits[i]*(need(8, length)+need(13, length)); got != want {
			t.Errorf("task %d: %d new transitions in replay, want %d", i, got, want)
		}
	}
}

// Initial and prior trajectories act on draws from N(0, I), as does the first of the extra stage; the others act on
// the posterior of a context from the encoder buffer, redrawn for each trajectory.
func TestLatentsOfStages(t *testing.T) {
	for _, fromStart := range []bool{false, true} {
		l, rec := newWalker(t, func(s *setup) {
			s.Config.TasksPerIteration, s.Config.PosteriorFromStart = 1, fromStart
		})
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
		rec.calls = nil
		_, err = l.Collect(context.Background(), 3)
		check(t, err)
		task := rng.New(l.seed, rng.Tasks, 3).IntN(4)
		length := []int{3, 6, 6, 2}[task]
		zs, _ := rec.all()
		priors, extras := need(8, length)/length, need(13, length)/length
		if len(zs) != priors+extras || !rec.calls[0].noisy {
			t.Fatalf("%d trajectories, want %d and %d, with noise", len(zs), priors, extras)
		}
		v := visit{task: task, index: 0}
		for k, z := range zs {
			s, episode := prior, k
			if k >= priors {
				s, episode = extra, k-priors
			}
			r := rng.New(l.seed, rng.Latent, v.address(3, s, episode))
			g := belief.Prior(l.cfg.Latent)
			if s == extra && (episode > 0 || fromStart) {
				c := l.dims.NewContext(l.cfg.Context, false)
				check(t, l.buf.Enc[task].Context(r, l.cfg.Context, false, c))
				q, err := l.infer.Posteriors([][]float32{c.Rows})
				check(t, err)
				g = q[0]
			}
			if want := g.Sample(r); fmt.Sprint(z) != fmt.Sprint(want) {
				t.Errorf("posterior_from_start %v: trajectory %d acts on %v, want %v", fromStart, k, z, want)
			}
		}
	}
}

// Trajectories of the posterior stage extend the encoder buffer one by one.
func TestPosteriorStage(t *testing.T) {
	l, rec := newWalker(t, func(s *setup) {
		s.Config.TasksPerIteration, s.Config.PosteriorSteps, s.Config.ExtraPosteriorSteps = 1, 10, 0
	})
	_, err := l.Collect(context.Background(), 0)
	check(t, err)
	rec.calls = nil
	_, err = l.Collect(context.Background(), 2)
	check(t, err)
	task := rng.New(l.seed, rng.Tasks, 2).IntN(4)
	length := []int{3, 6, 6, 2}[task]
	if got, want := l.buf.Enc[task].Len(), need(8, length)+need(10, length); got != want {
		t.Errorf("%d transitions for the encoder, want %d", got, want)
	}
	single := 0
	for _, c := range rec.calls {
		if len(c.episodes) == 1 {
			single++
		}
	}
	if want := need(10, length) / length; single < want {
		t.Errorf("%d rollouts of one trajectory, want at least %d", single, want)
	}
}

// A collection in waves, which advances visits side by side, stores what visiting task after task stores, also for
// tasks drawn several times.
func TestWavesEqualVisitsInTurn(t *testing.T) {
	const n = 9
	waved, _ := newWalker(t, func(s *setup) { s.Config.TasksPerIteration = n })
	turns, _ := newWalker(t, nil)
	turns.cfg.TasksPerIteration = 0 // only the initial collection
	for _, l := range []*Learner{waved, turns} {
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
	}
	r := rng.New(turns.seed, rng.Tasks, 0)
	for i := range n {
		v := []visit{{task: r.IntN(4), index: i}}
		check(t, turns.buf.ClearEnc(v[0].task))
		_, err := turns.take(context.Background(), turns.live(), 0, prior, v, 8)
		check(t, err)
		_, err = turns.take(context.Background(), turns.live(), 0, extra, v, 13)
		check(t, err)
	}
	for i := range 4 {
		rl1, enc1 := content(t, waved, i)
		rl2, enc2 := content(t, turns, i)
		if rl1 != rl2 || enc1 != enc2 {
			t.Errorf("task %d: buffers differ (%d and %d transitions)", i, waved.buf.RL[i].Len(), turns.buf.RL[i].Len())
		}
	}
}

func TestWaves(t *testing.T) {
	var visits []visit
	for i, task := range []int{4, 2, 4, 4, 0, 2} {
		visits = append(visits, visit{task, i})
	}
	want := "[[{4 0} {2 1} {0 4}] [{4 2} {2 5}] [{4 3}]]"
	if got := fmt.Sprint(waves(visits)); got != want {
		t.Errorf("waves %s, want %s", got, want)
	}
}

// No two episodes of a run share an address, at the ends of every range too.
func TestAddressesAreUnique(t *testing.T) {
	seen := map[uint64]bool{}
	for _, iteration := range []int{0, 1, 1e6} {
		for s := initial; s <= extra; s++ {
			for _, index := range []int{0, 1, maxTrain - 1} {
				for _, episode := range []int{0, 1, 1e6} {
					a := visit{index: index}.address(iteration, s, episode)
					if seen[a] {
						t.Fatalf("iteration %d, stage %d, visit %d, episode %d has another's address", iteration, s,
							index, episode)
					}
					seen[a] = true
				}
			}
		}
	}
}

// Runs of other seeds start their episodes elsewhere.
func TestSeedsHaveTheirOwnInitialStates(t *testing.T) {
	starts := func(seed uint64) (x []float32) {
		l, rec := newWalker(t, func(s *setup) { s.Seed = seed })
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
		_, out := rec.all()
		for _, tr := range out {
			x = append(x, tr.Obs[0])
		}
		return x
	}
	a, b := starts(1), starts(2)
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			t.Errorf("trajectory %d starts at %v under both seeds", i, a[i])
		}
	}
	if c := starts(1); !slices.Equal(a, c) {
		t.Error("one seed gives two sets of initial states")
	}
}

// A cancelled collection returns the context's error.
func TestCollectStopsWithItsContext(t *testing.T) {
	l, _ := newWalker(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Collect(ctx, 0); err == nil {
		t.Error("no error")
	}
}
