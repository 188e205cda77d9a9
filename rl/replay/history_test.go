package replay_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/rl/replay"
	"nacre/sim"
)

// counted is a trajectory of n steps whose numbers tell where they stand: observation t is from+t, action 100 more,
// context reward 200 more, reward 300 more.
func counted(from, n int, done bool) *sim.Trajectory {
	t := &sim.Trajectory{Len: n, Done: done}
	for i := range n {
		x := float32(from + i)
		t.Obs, t.Act = append(t.Obs, x), append(t.Act, x+100)
		t.CtxReward, t.Reward = append(t.CtxReward, x+200), append(t.Reward, x+300)
	}
	t.Obs = append(t.Obs, float32(from+n))
	return t
}

// Every transition drawn has the three rows before it, zeros before the beginning of its own trajectory, and one step
// later itself as the last; left-out transitions are not drawn and the others all are.
func TestHistories(t *testing.T) {
	const n, window, width = 4000, 3, 3
	d := replay.Dims{Obs: 1, Act: 1}
	task := replay.NewTask(d, 100)
	for _, tr := range []*sim.Trajectory{counted(10, 5, false), counted(30, 2, true), counted(50, 4, false)} {
		if err := task.Add(tr); err != nil {
			t.Fatal(err)
		}
	}
	begins := map[int]int{} // observation → the first of its trajectory
	for _, x := range [][2]int{{10, 5}, {30, 2}, {50, 4}} {
		for k := range x[1] {
			begins[x[0]+k] = x[0]
		}
	}
	h := d.NewHistories(n, window)
	if err := task.Histories(rand.New(rand.NewPCG(1, 2)), n, window, 1, h); err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for k := range n {
		at := int(h.Obs[k])
		first, ok := begins[at]
		if !ok || at == first {
			t.Fatalf("drew observation %d", at)
		}
		count[at]++
		if h.Act[k] != float32(at+100) || h.Reward[k] != float32(at+300) || h.NextObs[k] != float32(at+1) ||
			(h.Done[k] == 1) != (at == 31) {
			t.Fatalf("transition %d is %v %v %v %v", at, h.Act[k], h.Reward[k], h.NextObs[k], h.Done[k])
		}
		for j := range window {
			for _, side := range []struct {
				rows []float32
				obs  int
			}{{h.Before, at - window + j}, {h.After, at - window + j + 1}} {
				row := side.rows[(k*window+j)*width:][:width]
				want := [3]float32{float32(side.obs), float32(side.obs + 100), float32(side.obs + 200)}
				if side.obs < first {
					want = [3]float32{}
				}
				if [3]float32(row) != want {
					t.Fatalf("transition %d: row %d of its history is %v, want %v", at, j, row, want)
				}
			}
		}
	}
	for at, c := range count { // 8 of 11 can be drawn, each 500 times
		if c < 400 || c > 600 {
			t.Errorf("observation %d was drawn %d times of %d", at, c, n)
		}
	}
	if len(count) != 8 {
		t.Errorf("%d different transitions, want 8", len(count))
	}
}

// A trajectory of which the ring has overwritten the beginning has histories of what is left.
func TestHistoriesOfAnOverwrittenTrajectory(t *testing.T) {
	d := replay.Dims{Obs: 1, Act: 1}
	task := replay.NewTask(d, 6)
	for _, tr := range []*sim.Trajectory{counted(10, 5, false), counted(50, 3, false)} {
		if err := task.Add(tr); err != nil {
			t.Fatal(err)
		}
	}
	h := d.NewHistories(3, 2)
	if err := task.TrajectoryHistories(0, 0, 3, 2, h); err != nil {
		t.Fatal(err)
	}
	for k, want := range [][2]float32{{0, 0}, {0, 12}, {12, 13}} { // observations 12, 13, 14 are left
		if got := [2]float32{h.Before[6*k], h.Before[6*k+3]}; got != want || h.Obs[k] != float32(12+k) {
			t.Errorf("transition %v has history %v, want %v", h.Obs[k], got, want)
		}
	}
}

func TestHistoriesRefuse(t *testing.T) {
	d := replay.Dims{Obs: 1, Act: 1}
	task := replay.NewTask(d, 10)
	r := rand.New(rand.NewPCG(1, 2))
	if err := task.Histories(r, 1, 2, 0, d.NewHistories(1, 2)); err != replay.ErrEmpty {
		t.Errorf("of nothing: %v", err)
	}
	if err := task.Add(counted(1, 2, false)); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"must be at least 1": task.Histories(r, 1, 0, 0, d.NewHistories(1, 1)),
		"histories hold":     task.Histories(r, 2, 2, 0, d.NewHistories(1, 2)),
		"are left out":       task.Histories(r, 1, 2, 2, d.NewHistories(1, 2)),
		"there are 1":        task.TrajectoryHistories(1, 0, 1, 2, d.NewHistories(1, 2)),
		"transitions 1 to 3": task.TrajectoryHistories(0, 1, 2, 2, d.NewHistories(2, 2)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
