package protocol

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/sim"
)

var study = Protocol{Name: "study", Explore: 2, Scored: 2, Z: Sample, Repeats: 3}

// byGoal evaluates and returns what belongs to each goal: every return, success and length.
func byGoal(t *testing.T, tasks []sim.Task, p Protocol, a Adapter, seed uint64) map[float64]string {
	t.Helper()
	result, err := Evaluate(t.Context(), &line{}, tasks, p, a, seed)
	if err != nil {
		t.Fatal(err)
	}
	out := map[float64]string{}
	for _, r := range result.Tasks {
		numbers := fmt.Sprint(r.Return, r.Success, r.Len)
		if before, ok := out[r.Params[0]]; ok && before != numbers {
			t.Errorf("goal %v is in the list twice, with different numbers", r.Params[0])
		}
		out[r.Params[0]] = numbers
	}
	return out
}

func TestTasksDoNotInfluenceEachOther(t *testing.T) {
	lists := map[string][]sim.Task{
		"one":         goals(4, 2.5),
		"two":         goals(4, -1, 2.5),
		"reversed":    goals(4, 2.5, -1),
		"more":        goals(4, 7, 2.5, 0, -1, 3),
		"other ids":   goals(100, 7, 2.5, 0, -1, 3),
		"twice":       goals(4, 2.5, 2.5, -1),
		"minus zero":  goals(4, math.Copysign(0, -1)),
		"two of four": goals(4, 3, 7),
	}
	for _, p := range []Protocol{study, {Explore: 1, Scored: 3, Extend: true, Deterministic: true, Z: Mean,
		Repeats: 1}} {
		reference := byGoal(t, goals(0, 2.5, -1, 7, 0, 3), p, &believer{}, 5)
		differing := 0
		for name, tasks := range lists {
			for goal, got := range byGoal(t, tasks, p, &believer{}, 5) {
				if got != reference[goal] {
					t.Errorf("%s: goal %v has other numbers:\n%s\n%s", name, goal, got, reference[goal])
				}
			}
			for goal, got := range byGoal(t, tasks, p, &believer{leak: true}, 5) {
				if got != reference[goal] {
					differing++
				}
			}
		}
		if differing == 0 {
			t.Error("an adapter that carries its belief over passes too: the comparison sees nothing")
		}
	}
}

func TestAnAdapterCanBeUsedAgain(t *testing.T) {
	a := &believer{}
	first := byGoal(t, goals(0, 1, 2), study, a, 9)
	byGoal(t, goals(0, 5, 6, 7), study, a, 10)
	if again := byGoal(t, goals(0, 1, 2), study, a, 9); !reflect.DeepEqual(first, again) {
		t.Errorf("second evaluation differs:\n%v\n%v", first, again)
	}
}

func TestSeedsDifferBySeedTaskAndRepeat(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(3) {
		for _, task := range append(goals(0, 0, 1, 2, .5), sim.Task{ID: 0}, sim.Task{ID: 1},
			sim.Task{Params: []float64{0, 0}}, sim.Task{Params: []float64{0, 1}}, sim.Task{Params: []float64{1, 0}}) {
			for repeat := range 3 {
				key := fmt.Sprint(seed, task, repeat)
				s := address(seed, task, repeat)
				if other, ok := seen[s]; ok {
					t.Errorf("%s and %s share the seed %d", key, other, s)
				}
				seen[s] = key
			}
		}
	}
}

// seeing records the seeds of the episodes.
type seeing struct {
	line
	seeds map[uint64]int
}

func (s *seeing) Rollout(ctx context.Context, episodes []sim.Episode, policy sim.Policy,
	horizon int) ([]sim.Trajectory, error) {
	for _, e := range episodes {
		s.seeds[e.Seed]++
	}
	return s.line.Rollout(ctx, episodes, policy, horizon)
}

func TestEveryEpisodeHasItsOwnSeed(t *testing.T) {
	pool := &seeing{seeds: map[uint64]int{}}
	if _, err := Evaluate(t.Context(), pool, goals(0, 1, 2), study, &believer{}, 1); err != nil {
		t.Fatal(err)
	}
	if want := 2 * study.Repeats * study.Trajectories(); len(pool.seeds) != want {
		t.Errorf("%d seeds for %d episodes", len(pool.seeds), want)
	}
}

func TestTasksWithoutParamsAreToldApartByID(t *testing.T) {
	tasks := []sim.Task{{ID: 3}, {ID: 1}}
	all, err := Evaluate(t.Context(), &line{}, tasks, study, &believer{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Evaluate(t.Context(), &line{}, tasks[1:], study, &believer{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(all.Tasks[1], one.Tasks[0]) {
		t.Errorf("task 1 has other numbers without task 3:\n%v\n%v", all.Tasks[1], one.Tasks[0])
	}
}

func TestTheCourseOfAnEvaluation(t *testing.T) {
	for _, extend := range []bool{false, true} {
		p := Protocol{Explore: 2, Scored: 2, Extend: extend, Z: Mean, Repeats: 2}
		a, pool := &believer{}, &line{}
		if _, err := Evaluate(t.Context(), pool, goals(0, 1), p, a, 1); err != nil {
			t.Fatal(err)
		}
		want := []call{{what: "start", i: 2}}
		for traj := range 4 {
			want = append(want, call{"policy", traj, traj < 2})
			if traj < 2 || extend {
				want = append(want, call{what: "observe", i: 0}, call{what: "observe", i: 1})
			}
		}
		if !reflect.DeepEqual(a.calls, want) {
			t.Errorf("extend %v: calls %v, want %v", extend, a.calls, want)
		}
		if pool.rollouts != 4 {
			t.Errorf("%d rollouts, want one per trajectory", pool.rollouts)
		}
	}
}

// Seeking the best place seen is better than seeking a random one: the scored trajectories must show it.
func TestAdaptationShowsInTheCurve(t *testing.T) {
	p := Protocol{Explore: 3, Scored: 1, Deterministic: true, Z: Mean, Repeats: 20}
	r, err := Evaluate(t.Context(), &line{}, goals(0, -3, -1, 0, 2, 3), p, &believer{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for traj := range 3 {
		if r.Summary.Return[traj].Mean >= r.Summary.Adapted.Mean {
			t.Errorf("exploration trajectory %d returned %v, adapted %v", traj, r.Summary.Return[traj],
				r.Summary.Adapted)
		}
	}
}

// staged returns given numbers: goal·1000 + repeat·100 + trajectory, success in repeat 0 after
// trajectory 0.
type staged struct {
	repeats, traj int
	spoil         func([]sim.Trajectory) ([]sim.Trajectory, error)
}

func (s *staged) Rollout(_ context.Context, episodes []sim.Episode, _ sim.Policy, _ int) ([]sim.Trajectory, error) {
	out := make([]sim.Trajectory, len(episodes))
	for i, e := range episodes {
		repeat := i % s.repeats
		out[i] = sim.Trajectory{Task: e.Task, Len: 5 + s.traj, Success: repeat == 0 && s.traj > 0,
			Return: 1000*e.Task.Params[0] + 100*float64(repeat) + float64(s.traj)}
	}
	s.traj++
	if s.spoil != nil {
		return s.spoil(out)
	}
	return out, nil
}

func TestResult(t *testing.T) {
	p := Protocol{Name: "p", Explore: 1, Scored: 2, Z: Mean, Repeats: 2}
	r, err := Evaluate(t.Context(), &staged{repeats: 2}, goals(7, 1, 3), p, Random(sim.Spec{ActDim: 1}), 42)
	if err != nil {
		t.Fatal(err)
	}
	want := []TaskResult{
		{ID: 7, Params: []float64{1}, Return: [][]float64{{1000, 1001, 1002}, {1100, 1101, 1102}}},
		{ID: 8, Params: []float64{3}, Return: [][]float64{{3000, 3001, 3002}, {3100, 3101, 3102}}},
	}
	for i := range want {
		want[i].Success = [][]bool{{false, true, true}, {false, false, false}}
		want[i].Len = [][]int{{5, 6, 7}, {5, 6, 7}}
	}
	if !reflect.DeepEqual(r.Tasks, want) {
		t.Errorf("tasks %+v", r.Tasks)
	}
	// Task means of trajectory 0 are 1050 and 3050; of the scored ones 1051.5 and 3051.5.
	if m := r.Summary.Return[0]; m.Mean != 2050 || m.N != 2 {
		t.Errorf("return of trajectory 0: %v", m)
	}
	if m := r.Summary.Adapted; m.Mean != 2051.5 || !reflect.DeepEqual(r.AdaptedByTask(), []float64{1051.5, 3051.5}) {
		t.Errorf("adapted: %v of %v", m, r.AdaptedByTask())
	}
	none, half := stats.Interval{Level: .95, N: 2}, stats.Interval{Mean: .5, Lo: .5, Hi: .5, Level: .95, N: 2}
	if s := r.Summary; s.AdaptedSuccess != half || !reflect.DeepEqual(s.Success, []stats.Interval{none, half, half}) {
		t.Errorf("success: %v, by trajectory %v", s.AdaptedSuccess, s.Success)
	}
	if r.Steps != 4*(5+6+7) || r.Seed != 42 || r.Protocol != p {
		t.Errorf("steps %d, seed %d, protocol %v", r.Steps, r.Seed, r.Protocol)
	}
	rows := r.CSV()
	if len(rows) != 1+2*2*3 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, want := range map[int]string{
		0: "task,params,repeat,trajectory,phase,return,success,len",
		1: "7,1,0,0,explore,1000,0,5",
		6: "7,1,1,2,scored,1102,0,7",
		8: "8,3,0,1,scored,3001,1,6",
	} {
		if got := strings.Join(rows[i], ","); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}

// refuser fails where it is told to.
type refuser struct {
	believer
	at string
}

var errRefused = errors.New("refused")

func (r *refuser) Start(n int, seeds []uint64) error {
	if r.at == "start" {
		return errRefused
	}
	return r.believer.Start(n, seeds)
}

func (r *refuser) Policy(traj int, explore bool, p Protocol) (sim.Policy, error) {
	if r.at == "policy" && traj == 1 {
		return nil, errRefused
	}
	return r.believer.Policy(traj, explore, p)
}

func (r *refuser) Observe(i int, t *sim.Trajectory) error {
	if r.at == "observe" && i == 1 {
		return errRefused
	}
	return r.believer.Observe(i, t)
}

func TestErrors(t *testing.T) {
	two := goals(0, 1, 2)
	for at, want := range map[string]string{
		"start":   "start 6 adaptations",
		"policy":  "trajectory 2 of 4: policy",
		"observe": "trajectory 1 of 4: task 0 [1]: observe",
	} {
		_, err := Evaluate(t.Context(), &line{}, two, study, &refuser{at: at}, 1)
		if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", at, err, want)
		}
	}
	for name, spoil := range map[string]func([]sim.Trajectory) ([]sim.Trajectory, error){
		"returned 5 trajectories": func(x []sim.Trajectory) ([]sim.Trajectory, error) { return x[1:], nil },
		"return is NaN": func(x []sim.Trajectory) ([]sim.Trajectory, error) {
			x[2].Return = math.NaN()
			return x, nil
		},
		"refused": func([]sim.Trajectory) ([]sim.Trajectory, error) { return nil, errRefused },
	} {
		_, err := Evaluate(t.Context(), &staged{repeats: 3, spoil: spoil}, two, study, Random(sim.Spec{ActDim: 1}), 1)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "trajectory 1 of 4") {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
	if _, err := Evaluate(t.Context(), &line{}, nil, study, &believer{}, 1); err == nil {
		t.Error("no tasks: no error")
	}
	if _, err := Evaluate(t.Context(), &line{}, two, Protocol{}, &believer{}, 1); err == nil {
		t.Error("empty protocol: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(ctx, &line{}, two, study, &believer{}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// carrier is a believer that explores where it was told the task before was.
type carrier struct {
	believer
	from float64
}

func (c *carrier) Carry() error {
	c.calls = append(c.calls, call{what: "carry"})
	c.from = c.belief[0]
	return nil
}

func (c *carrier) Policy(traj int, explore bool, p Protocol) (sim.Policy, error) {
	policy, err := c.believer.Policy(traj, explore, p)
	if !explore || c.from == 0 {
		return policy, err
	}
	return policyFunc(func(_, _ []int, obs, act []float64) error {
		act[0] = max(-1, min(1, c.from-obs[0]))
		return nil
	}), err
}

// With the belief carried over, adaptations are made one after the other, repeats too, and a task's numbers are those
// of its predecessors; the first task's are as without. Agents that cannot carry are evaluated as without it.
func TestCarriedBelief(t *testing.T) {
	p := study
	p.Repeats, p.CarryBelief = 1, true
	var c carrier
	got := byGoal(t, goals(0, 2.5, -1, 4), p, &c, 5)
	var order []string
	for _, call := range c.calls {
		if call.what == "start" || call.what == "carry" {
			order = append(order, fmt.Sprint(call.what, call.i))
		}
	}
	if want := "start1 carry0 start1 carry0 start1 carry0"; strings.Join(order, " ") != want {
		t.Errorf("calls %v, want %s", order, want)
	}
	p.CarryBelief = false
	apart := byGoal(t, goals(0, 2.5, -1, 4), p, &carrier{}, 5)
	if got[2.5] != apart[2.5] || got[-1] == apart[-1] || got[4] == apart[4] {
		t.Errorf("carried %v\napart %v", got, apart)
	}
	p.CarryBelief = true
	if reversed := byGoal(t, goals(0, 4, -1, 2.5), p, &carrier{}, 5); reversed[4] != apart[4] {
		t.Errorf("reversed %v", reversed)
	}
	if plain := byGoal(t, goals(0, 2.5, -1, 4), p, &believer{}, 5); !reflect.DeepEqual(plain, apart) {
		t.Errorf("without a belief to carry %v, want %v", plain, apart)
	}
	p.Repeats = 3
	c = carrier{}
	byGoal(t, goals(0, 2.5, -1), p, &c, 5)
	if starts := len(slices.DeleteFunc(c.calls, func(c call) bool { return c.what != "carry" })); starts != 6 {
		t.Errorf("%d adaptations were carried on from, want 6", starts)
	}
}
