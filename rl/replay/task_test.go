package replay

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/sim"
)

var dims = Dims{Obs: 3, Act: 2}

// transition is what a test remembers of one step.
type transition struct {
	obs, act, next        []float32
	reward, context, done float32
	traj                  int64
}

// history makes trajectories in which every observation is unique, and remembers their transitions.
type history struct {
	task  int
	count float32
	trajs int64
	steps []transition
}

func (h *history) trajectory(n int, done bool) *sim.Trajectory {
	tr := &sim.Trajectory{Task: sim.Task{ID: h.task}, Len: n, Done: done}
	for i := range n + 1 {
		h.count++
		tr.Obs = append(tr.Obs, h.count, float32(h.task), -h.count)
		if i < n {
			tr.Act = append(tr.Act, h.count+.25, h.count+.5)
			tr.Reward = append(tr.Reward, h.count+.125)
			tr.CtxReward = append(tr.CtxReward, h.count+.0625)
		}
	}
	for i := range n {
		s := transition{
			obs: tr.Obs[3*i : 3*i+3], next: tr.Obs[3*i+3 : 3*i+6], act: tr.Act[2*i : 2*i+2],
			reward: tr.Reward[i], context: tr.CtxReward[i], traj: h.trajs,
		}
		if done && i == n-1 {
			s.done = 1
		}
		h.steps = append(h.steps, s)
	}
	h.trajs++
	return tr
}

// kept are the transitions that a ring of the given capacity holds.
func (h *history) kept(capacity int) []transition {
	return h.steps[max(0, len(h.steps)-capacity):]
}

func filled(t *testing.T, capacity int, lengths ...int) (*Task, *history) {
	t.Helper()
	task, h := NewTask(dims, capacity), &history{}
	for i, n := range lengths {
		if err := task.Add(h.trajectory(n, i%2 == 1)); err != nil {
			t.Fatal(err)
		}
	}
	return task, h
}

func equal(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// checkContent compares the whole buffer, and what is drawn from it, with the transitions it should hold.
func checkContent(t *testing.T, task *Task, want []transition) {
	t.Helper()
	if task.Len() != len(want) {
		t.Fatalf("%d transitions, want %d", task.Len(), len(want))
	}
	k := 0
	for i := range task.Trajectories() {
		info := task.Trajectory(i)
		c := dims.NewContext(info.Len, true)
		if err := task.TrajectoryContext(i, 0, info.Len, true, c); err != nil {
			t.Fatal(err)
		}
		for s := range info.Len {
			w := want[k]
			row := append(append(append(append([]float32{}, w.obs...), w.act...), w.context), w.next...)
			if !equal(row, c.Rows[s*9:s*9+9]) || c.Weights[s] != 1 || info.ID != w.traj {
				t.Fatalf("trajectory %d step %d: %v, want %v", i, s, c.Rows[s*9:s*9+9], row)
			}
			k++
		}
		if info.Done != (want[k-1].done == 1) {
			t.Fatalf("trajectory %d: done %v", i, info.Done)
		}
	}
	if k != len(want) {
		t.Fatalf("trajectories cover %d transitions of %d", k, len(want))
	}
	byObs := map[float32]transition{}
	for _, w := range want {
		byObs[w.obs[0]] = w
	}
	const n = 200
	rows := dims.NewRows(n)
	if err := task.Transitions(rng.New(1, uint64(len(want))), n, rows); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w, ok := byObs[rows.Obs[3*i]]
		if !ok || !equal(w.obs, rows.Obs[3*i:3*i+3]) || !equal(w.act, rows.Act[2*i:2*i+2]) ||
			!equal(w.next, rows.NextObs[3*i:3*i+3]) || w.reward != rows.Reward[i] || w.done != rows.Done[i] {
			t.Fatalf("drew obs %v act %v reward %v done %v next %v, want %+v", rows.Obs[3*i:3*i+3],
				rows.Act[2*i:2*i+2], rows.Reward[i], rows.Done[i], rows.NextObs[3*i:3*i+3], w)
		}
	}
}

func TestRingKeepsTheLatest(t *testing.T) {
	for _, capacity := range []int{1, 2, 7, 100, chunkRows, 2*chunkRows + 300} {
		r := rng.New(7, uint64(capacity))
		task, h := NewTask(dims, capacity), &history{}
		for add := range 60 {
			// Some trajectories are longer than the whole buffer.
			n := 1 + r.IntN(1+capacity/5)
			if add%13 == 12 {
				n = capacity + r.IntN(capacity+1)
			}
			if err := task.Add(h.trajectory(n, r.IntN(2) == 0)); err != nil {
				t.Fatal(err)
			}
			checkContent(t, task, h.kept(capacity))
		}
	}
}

func TestPartlyOverwrittenTrajectory(t *testing.T) {
	task, _ := filled(t, 10, 4, 5, 3) // 12 added: the first has lost 2
	want := []Trajectory{{ID: 0, Len: 2, Lost: 2}, {ID: 1, Len: 5, Done: true}, {ID: 2, Len: 3}}
	if task.Trajectories() != len(want) {
		t.Fatalf("%d trajectories", task.Trajectories())
	}
	for i, w := range want {
		if got := task.Trajectory(i); got != w {
			t.Errorf("trajectory %d: %+v, want %+v", i, got, w)
		}
	}
}

func TestClear(t *testing.T) {
	task, h := filled(t, 50, 20, 20, 20)
	bytes := task.Bytes()
	task.Clear()
	if task.Len() != 0 || task.Trajectories() != 0 {
		t.Fatalf("%d transitions in %d trajectories after Clear", task.Len(), task.Trajectories())
	}
	if err := task.Transitions(rng.New(1), 1, dims.NewRows(1)); !errors.Is(err, ErrEmpty) {
		t.Errorf("drawing from an empty buffer: %v", err)
	}
	if err := task.Add(h.trajectory(6, true)); err != nil {
		t.Fatal(err)
	}
	checkContent(t, task, h.steps[60:])
	if task.Bytes() > bytes {
		t.Errorf("%d bytes after refilling, %d before", task.Bytes(), bytes)
	}
}

func TestStorageGrowsWithContent(t *testing.T) {
	const capacity = 1_000_000
	task, h := NewTask(dims, capacity), &history{}
	if task.Bytes() != 0 {
		t.Errorf("an empty buffer holds %d bytes", task.Bytes())
	}
	for range 20 {
		if err := task.Add(h.trajectory(200, false)); err != nil {
			t.Fatal(err)
		}
	}
	// 4000 rows of 7 numbers and a byte are 116000 bytes; chunks and boundaries may add a little.
	if b := task.Bytes(); b < 116_000 || b > 125_000 {
		t.Errorf("4000 transitions hold %d bytes", b)
	}
	small, _ := filled(t, 64, 50, 50, 50, 50)
	if b := small.Bytes(); b < 64*29 || b > 64*29+8*(48+12) {
		t.Errorf("64 transitions hold %d bytes", b)
	}
}

// chiSquare fails when counts, expected to be equal, are less likely than one in a thousand.
func chiSquare(t *testing.T, what string, counts []int) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	expected := float64(total) / float64(len(counts))
	x := 0.0
	for _, c := range counts {
		x += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	if bound := (distuv.ChiSquared{K: float64(len(counts) - 1)}).Quantile(.999); x > bound {
		t.Errorf("%s: chi-square %.1f above %.1f: %v", what, x, bound, counts)
	}
}

func TestTransitionsAndContextsAreUniform(t *testing.T) {
	task, h := filled(t, 30, 9, 8, 12, 11) // wrapped: 40 added
	first := h.kept(30)[0].obs[0]
	index := map[float32]int{}
	for i, s := range h.kept(30) {
		index[s.obs[0]] = i
	}
	r := rng.New(3, rng.Replay)
	const n = 30_000
	rows, context := dims.NewRows(n), dims.NewContext(n, false)
	if err := task.Transitions(r, n, rows); err != nil {
		t.Fatal(err)
	}
	if err := task.Context(r, n, false, context); err != nil {
		t.Fatal(err)
	}
	a, b := make([]int, 30), make([]int, 30)
	for i := range n {
		a[index[rows.Obs[3*i]]]++
		b[index[context.Rows[6*i]]]++
		if context.Weights[i] != 1 {
			t.Fatalf("context row %d has weight %v", i, context.Weights[i])
		}
	}
	chiSquare(t, "transitions", a)
	chiSquare(t, "context", b)
	if first != h.steps[10].obs[0] {
		t.Fatalf("the oldest kept observation is %v", first)
	}
}

// The reward inferred from is the sparse one, the reward learned from the dense one.
func TestContextRewardAndLearningReward(t *testing.T) {
	task := NewTask(Dims{1, 1}, 10)
	tr := &sim.Trajectory{Len: 1, Obs: []float32{1, 2}, Act: []float32{3}, Reward: []float32{4},
		CtxReward: []float32{5}}
	if err := task.Add(tr); err != nil {
		t.Fatal(err)
	}
	rows, c := task.Dims().NewRows(1), task.Dims().NewContext(1, true)
	if err := errors.Join(task.Transitions(rng.New(1), 1, rows), task.Context(rng.New(1), 1, true, c)); err != nil {
		t.Fatal(err)
	}
	if rows.Reward[0] != 4 || !equal(c.Rows, []float32{1, 3, 5, 2}) {
		t.Errorf("reward %v, context %v", rows.Reward, c.Rows)
	}
}

func TestDoneOnlyAtTrueTerminal(t *testing.T) {
	for _, done := range []bool{false, true} {
		task, h := NewTask(dims, 10), &history{}
		if err := task.Add(h.trajectory(4, done)); err != nil {
			t.Fatal(err)
		}
		rows := dims.NewRows(400)
		if err := task.Transitions(rng.New(5), 400, rows); err != nil {
			t.Fatal(err)
		}
		for i, d := range rows.Done[:400] {
			last := rows.Obs[3*i] == 4
			if want := done && last; (d == 1) != want || d != 0 && d != 1 {
				t.Fatalf("done %v at observation %v of a trajectory with Done %v", d, rows.Obs[3*i], done)
			}
		}
	}
}

func TestStacking(t *testing.T) {
	task, h := filled(t, 10, 10)
	rows := dims.NewRows(6)
	if err := task.Transitions(rng.New(2), 2, rows.From(dims, 4)); err != nil {
		t.Fatal(err)
	}
	context := dims.NewContext(6, true)
	if err := task.Context(rng.New(2), 2, true, context.From(9, 4)); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		used := i >= 4
		if (rows.Obs[3*i] != 0) != used || (rows.Reward[i] != 0) != used || (rows.NextObs[3*i] != 0) != used ||
			(rows.Act[2*i] != 0) != used || (context.Rows[9*i] != 0) != used || (context.Weights[i] == 1) != used {
			t.Errorf("row %d: written %v, want %v", i, !used, used)
		}
	}
	if want := h.steps[0].act[0] - h.steps[0].obs[0]; rows.Act[8]-rows.Obs[12] != want {
		t.Errorf("row 4 mixes transitions: %v", rows)
	}
}

func TestAddRejectsWhatIsNotATrajectory(t *testing.T) {
	good := func() *sim.Trajectory { return (&history{}).trajectory(3, false) }
	for name, c := range map[string]struct {
		task *Task
		edit func(*sim.Trajectory)
		want string
	}{
		"length": {NewTask(dims, 9), func(tr *sim.Trajectory) { tr.Len = 0 }, "length 0"},
		"obs": {NewTask(dims, 9), func(tr *sim.Trajectory) {
			tr.Obs = tr.Obs[:9]
		}, "9 observation values, expected 4×3"},
		"act": {NewTask(dims, 9), func(tr *sim.Trajectory) {
			tr.Act = append(tr.Act, 1)
		}, "7 action values, expected 3×2"},
		"reward":   {NewTask(dims, 9), func(tr *sim.Trajectory) { tr.Reward = nil }, "0 rewards"},
		"context":  {NewTask(dims, 9), func(tr *sim.Trajectory) { tr.CtxReward = nil }, "0 context rewards"},
		"capacity": {NewTask(dims, 0), func(*sim.Trajectory) {}, "capacity 0"},
		"dims":     {NewTask(Dims{}, 9), func(*sim.Trajectory) {}, "at least 1"},
	} {
		tr := good()
		c.edit(tr)
		if err := c.task.Add(tr); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
		if c.task.Len() != 0 {
			t.Errorf("%s: something was added", name)
		}
	}
}

func TestShortDestinationIsAnError(t *testing.T) {
	task, _ := filled(t, 20, 20)
	r := rng.New(1)
	rows, c := dims.NewRows(3), dims.NewContext(3, false)
	_, window := task.Window(r, feed.Draw{N: 4}, false, c)
	_, noWeights := task.Window(r, feed.Draw{N: 3}, false, Context{Rows: c.Rows})
	_, zero := task.Window(r, feed.Draw{N: 0}, false, c)
	_, pair := task.WindowPair(r, feed.Draw{N: 3, Pair: feed.SameTask}, true, dims.NewContext(3, true), c)
	for name, err := range map[string]error{
		"transitions": task.Transitions(r, 4, rows),
		"context":     task.Context(r, 4, false, c),
		"next obs":    task.Context(r, 3, true, c),
		"window":      window,
		"no weights":  noWeights,
		"w = 0":       zero,
		"key":         pair,
		"trajectory":  task.TrajectoryContext(1, 0, 1, false, c),
		"steps":       task.TrajectoryContext(0, 18, 3, false, c),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := task.Context(r, 3, false, Context{Rows: c.Rows}); err != nil {
		t.Errorf("a context needs no weights: %v", err)
	}
}

func TestSamplingAllocatesNothing(t *testing.T) {
	task, _ := filled(t, 3000, 200, 200, 50, 200, 128, 2500)
	r := rng.New(4)
	rows, q, k := dims.NewRows(256), dims.NewContext(64, true), dims.NewContext(64, true)
	var err error
	allocs := testing.AllocsPerRun(50, func() {
		_, e1 := task.Window(r, feed.Draw{N: 64}, true, q)
		_, e2 := task.WindowPair(r, feed.Draw{N: 64, Pair: feed.SameTask}, true, q, k)
		e3, e4 := task.Transitions(r, 256, rows), task.Context(r, 64, true, q)
		for _, e := range [...]error{e1, e2, e3, e4} {
			if e != nil {
				err = e
			}
		}
	})
	if err != nil || allocs != 0 {
		t.Errorf("%v allocations, error %v", allocs, err)
	}
}
