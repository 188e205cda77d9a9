package discrete

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/sim"
	"nacre/sim/simtest"
)

var check = fatal.On

func TestFamilies(t *testing.T) {
	for _, f := range []sim.Family{bandit{5, 10}, bandit{50, 500}, grid{}, grid{oneHot: true}} {
		t.Run(f.Spec().Name, func(t *testing.T) { simtest.Family(t, f) })
	}
}

// meanReturn is a policy's over many bandits, with its standard error.
func meanReturn(t *testing.T, b bandit, n int, make func([]sim.Episode) (sim.Policy, error)) (mean, se float64) {
	t.Helper()
	train, _, err := b.Tasks(1, n, 1)
	check(t, err)
	episodes := []sim.Episode{}
	for i, task := range train {
		episodes = append(episodes, sim.Episode{Task: task, Seed: uint64(i)})
	}
	p, err := make(episodes)
	check(t, err)
	pool, err := sim.NewPool(b, 2, 16)
	check(t, err)
	defer pool.Close()
	out, err := pool.Rollout(context.Background(), episodes, p, 0)
	check(t, err)
	square := 0.0
	for _, e := range out {
		mean, square = mean+e.Return/float64(n), square+e.Return*e.Return/float64(n)
	}
	return mean, math.Sqrt((square - mean*mean) / float64(n))
}

// The reference policies return what the table of RL²'s paper says of them, random actions half of the pulls, and the
// controller that knows the arms n·k/(k+1), the mean of the greatest of k uniform numbers.
func TestReferencesAreThoseOfThePaper(t *testing.T) {
	for _, c := range []struct {
		b     bandit
		paper map[string]float64 // Gittins's index and Thompson sampling
	}{
		{bandit{5, 10}, map[string]float64{"gittins": 6.6, "thompson": 5.7}},
		{bandit{10, 10}, map[string]float64{"gittins": 6.6, "thompson": 5.5}},
		{bandit{5, 100}, map[string]float64{"gittins": 78.3, "thompson": 74.7}},
		{bandit{10, 100}, map[string]float64{"gittins": 82.8, "thompson": 76.7}},
	} {
		n := 2000
		if testing.Short() {
			n = 400
		}
		near := func(name string, want, spare float64, make func([]sim.Episode) (sim.Policy, error)) {
			t.Helper()
			got, se := meanReturn(t, c.b, n, make)
			t.Logf("%s: %s %.2f ± %.2f, want %.2f", c.b.Spec().Name, name, got, se, want)
			if math.Abs(got-want) > 4*se+spare {
				t.Errorf("%s: %s returns %.2f ± %.2f, want %.2f", c.b.Spec().Name, name, got, se, want)
			}
		}
		for name, want := range c.paper { // of 1,000 bandits, printed with one decimal
			near(name, want, 0.05+0.01*want, func(e []sim.Episode) (sim.Policy, error) {
				return c.b.Reference(name, e)
			})
		}
		pulls, arms := float64(c.b.pulls), float64(c.b.arms)
		near("random", pulls/2, 0, func(e []sim.Episode) (sim.Policy, error) { return sim.RandomPolicy(c.b, e), nil })
		near("goal-knowing", pulls*arms/(arms+1), 0, func(e []sim.Episode) (sim.Policy, error) {
			return sim.GoalPolicy(c.b, e)
		})
	}
	if _, err := (bandit{5, 10}).Reference("gitins", nil); err == nil {
		t.Error("an unknown reference policy was made")
	}
}

// UCB1 pulls every arm once, then the one with the greatest bound: by hand on two pulls more.
func TestUCB1(t *testing.T) {
	b := bandit{3, 6}
	episodes := []sim.Episode{{Task: sim.Task{Params: []float64{0, 1, 0}}, Seed: 1}}
	p, err := b.Reference("ucb1", episodes)
	check(t, err)
	pool, err := sim.NewPool(b, 1, 1)
	check(t, err)
	defer pool.Close()
	out, err := pool.Rollout(context.Background(), episodes, p, 0)
	check(t, err)
	// At the sixth pull arm 1 has the bound 1 + √(2·ln 6/3) = 2.09, an arm with one pull √(2·ln 6) = 1.89.
	want := []int{0, 1, 2, 1, 1, 1}
	var got []int
	for step := range out[0].Len {
		got = append(got, slices.Index(out[0].Act[3*step:3*step+3], 1))
	}
	if !slices.Equal(got, want) {
		t.Errorf("arms %v, want %v", got, want)
	}
}

// Gittins's indices for a discount of 0.9 and 0.99, of Gittins's own tables, as far as four decimals (Gittins 1989,
// tables 8.1 and 8.4: arms that began with one 1 and one 0).
func TestGittins(t *testing.T) {
	for _, c := range []struct {
		discount, want, spare float64
		ones, zeros           int
	}{{0.9, 0.7029, 4e-4, 0, 0}, {0.9, 0.8001, 4e-4, 1, 0}, {0.9, 0.5001, 4e-4, 0, 1}, {0.99, 0.8699, 2e-3, 0, 0}} {
		if got := gittinsTable(c.discount, 4).at(c.ones, c.zeros); math.Abs(got-c.want) > c.spare {
			t.Errorf("discount %g, %d ones and %d zeros: %.4f, want %.4f", c.discount, c.ones, c.zeros, got, c.want)
		}
	}
}

// Two arms and two pulls by hand: after a 1 (probability ½) the same arm pays 2/3, after a 0 another one pays ½; one
// pull of any arms pays ½. More arms are never worse, and policies stay below the best.
func TestBestBandit(t *testing.T) {
	for _, c := range []struct {
		arms, pulls int
		want        float64
	}{{1, 7, 3.5}, {9, 1, 0.5}, {2, 2, 0.5 + 0.5*2/3 + 0.5*0.5}} {
		if got := BestBandit(c.arms, c.pulls); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d arms, %d pulls: %v, want %v", c.arms, c.pulls, got, c.want)
		}
	}
	heavy.Skip(t, "dynamic programming over what ten pulls can show")
	for arms, want := range bestOf10 {
		if got := BestBandit(arms, 10); math.Abs(got-want) > 5e-4 {
			t.Errorf("%d arms: the best of 10 pulls is %.4f, the family says %.3f", arms, got, want)
		}
	}
}

// A grid world's episodes by hand, if the goal is known: d steps, the last of which pays, and the rest. Of one episode
// the search's best is that of trying all paths of so few steps; and the table's numbers are the search's.
func TestBestGrid(t *testing.T) {
	pool, err := sim.NewPool(grid{}, 1, 21)
	check(t, err)
	defer pool.Close()
	_, test, err := grid{}.Tasks(1, 0, 0)
	check(t, err)
	var episodes []sim.Episode
	for _, task := range test {
		episodes = append(episodes, sim.Episode{Task: task})
	}
	p, err := sim.GoalPolicy(grid{}, episodes)
	check(t, err)
	out, err := pool.Rollout(context.Background(), episodes, p, 0)
	check(t, err)
	for _, e := range out {
		d := e.Task.Params[0] + e.Task.Params[1]
		goal := slices.Index(goals, [2]int{int(e.Task.Params[0]), int(e.Task.Params[1])})
		if want := -0.1*(d-1) + 15 - d + 1; math.Abs(e.Return-want) > 1e-9 || math.Abs(told(goal)-want) > 1e-9 {
			t.Errorf("goal %v: %v, and %v as it is told, want %v", e.Task.Params, e.Return, told(goal), want)
		}
	}
	s := search{known: map[place]float64{}, episodes: 1}
	at := place{cell: 2, step: horizon - 5, seen: 0b1010}
	got, want := s.value(at), allPaths(at, 1)
	if math.Abs(got-want) > 1e-12 || s.bound(at) < want {
		t.Errorf("the best of five steps is %v, of all paths %v, at most %v", got, want, s.bound(at))
	}
	heavy.Skip(t, "a search of all paths of two episodes")
	if got := format(BestGrid(4)); got != bestOf4 {
		t.Errorf("the best of four episodes is %s, the family says %s", got, bestOf4)
	}
}

func format(returns []float64) string {
	text := ""
	for i, r := range returns {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.2f", r)
	}
	return text
}

// allPaths is search.value by trying all action sequences to the end of the episode, the last one.
func allPaths(p place, episodes int) float64 {
	s := search{episodes: episodes}
	if p.step == horizon {
		return 0
	}
	best := math.Inf(-1)
	for action := range actions {
		to, goal := s.next(p, action)
		now, to := s.step(to, goal)
		best = max(best, now+allPaths(to, episodes))
	}
	return best
}
