package protocol

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"nacre/sim"
)

// recaller explores at random, remembers the goal of the task that it explored, and then goes there in one step. If it
// does not remember, it stays.
type recaller struct {
	remembers bool
	goal      []float64
	told      int // exploration trajectories that it observed
}

func (r *recaller) Start(n int, _ []uint64) error {
	r.goal = make([]float64, n)
	return nil
}

func (r *recaller) Policy(_ int, explore bool, _ Protocol) (sim.Policy, error) {
	return policyFunc(func(episodes, _ []int, obs, act []float64) error {
		for k, i := range episodes {
			if act[k] = 0; !explore && r.remembers {
				act[k] = r.goal[i] - obs[k]
			}
		}
		return nil
	}), nil
}

func (r *recaller) Observe(i int, t *sim.Trajectory) error {
	r.goal[i], r.told = t.Task.Params[0], r.told+1
	return nil
}

// On a line of 12 steps the own goal returns 0, and a goal at distance d returns −12·d, or −d if it lies more than 2
// above and so ends the episode. Goals 0, 1 and 3 are exchanged in turn.
func TestSwapGain(t *testing.T) {
	p := Protocol{Name: "test", Explore: 2, Scored: 1, Extend: true, Z: Mean, Repeats: 2}
	agent := &recaller{remembers: true}
	got, err := Swap(t.Context(), &line{}, goals(10, 0, 1, 3), p, agent, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []SwappedTask{
		{ID: 10, Params: []float64{0}, Other: []int{11, 12}, Own: []float64{0, 0}, Theirs: []float64{-12, -3}},
		{ID: 11, Params: []float64{1}, Other: []int{12, 10}, Own: []float64{0, 0}, Theirs: []float64{-24, -12}},
		{ID: 12, Params: []float64{3}, Other: []int{10, 11}, Own: []float64{0, 0}, Theirs: []float64{-36, -24}},
	}
	for i, task := range got.Tasks {
		for _, x := range [][]float64{task.Own, task.Theirs} {
			for r := range x {
				x[r] = math.Round(x[r]*1e9)/1e9 + 0
			}
		}
		if !reflect.DeepEqual(task, want[i]) {
			t.Errorf("task %d: %+v, want %+v", i, task, want[i])
		}
	}
	if math.Abs(got.Gain.Mean-18.5) > 1e-9 || got.Gain.N != 3 || got.Protocol.Extend {
		t.Errorf("gain %+v, want 18.5 of 3 tasks without extended contexts", got.Gain)
	}
	if agent.told != 2*2*6 { // two explorations of two halves, and no scored trajectory
		t.Errorf("%d trajectories observed, want 24", agent.told)
	}
}

// Both halves have the same random numbers: an agent without a memory gains exactly nothing, although episodes start
// in random places. The own half is Evaluate's.
func TestSwapGainWithoutBelief(t *testing.T) {
	p := Protocol{Name: "test", Explore: 1, Scored: 2, Z: Mean, Repeats: 3}
	tasks := goals(10, 0, 1, 3)
	got, err := Swap(t.Context(), &line{}, tasks, p, &recaller{}, 5)
	if err != nil {
		t.Fatal(err)
	}
	usual, err := Evaluate(t.Context(), &line{}, tasks, p, &recaller{}, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range usual.AdaptedByTask() {
		own := 0.0
		for _, x := range got.Tasks[i].Own {
			own += x / 3
		}
		if got.Tasks[i].Gain() != 0 || math.Abs(own-by) > 1e-9 || by == 0 {
			t.Errorf("task %d: gain %v, own return %v, Evaluate's %v", i, got.Tasks[i].Gain(), own, by)
		}
	}
}

// The belief of an agent that is told its task is exchanged by telling it another; it needs no exploration.
func TestSwapGainOfToldAgents(t *testing.T) {
	p := Protocol{Name: "test", Scored: 1, Deterministic: true, Z: Mean, Repeats: 1}
	got, err := Swap(t.Context(), &line{}, goals(10, 0, 1), p, Scripted(towards{}), 1)
	if err != nil || !(got.Gain.Mean > 1) {
		t.Errorf("gain %+v, error %v", got.Gain, err)
	}
}

// towards is a controller that goes to the goal in one step.
type towards struct{}

func (towards) Act(task sim.Task, obs, act []float64) { act[0] = task.Params[0] - obs[0] }

func TestWrongSwaps(t *testing.T) {
	p := Protocol{Name: "test", Explore: 1, Scored: 1, Z: Mean, Repeats: 1}
	none := p
	none.Explore = 0
	for about, call := range map[string]struct {
		tasks []sim.Task
		p     Protocol
	}{
		"none differs from task 10": {goals(10, 1), p}, "none differs from task 10 [1]": {goals(10, 1, 1), p},
		"want at least 1: without exploration": {goals(10, 1, 2), none}, "no tasks": {nil, p},
		"repeats": {goals(10, 1, 2), Protocol{Explore: 1, Scored: 1, Z: Mean}},
	} {
		_, err := Swap(t.Context(), &line{}, call.tasks, call.p, &recaller{}, 1)
		if err == nil || !strings.Contains(err.Error(), about) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, about)
		}
	}
	if Exchangeable(goals(10, 1, 1)) || Exchangeable(nil) || !Exchangeable(goals(10, 1, 2)) {
		t.Error("tasks are exchangeable if each differs from another")
	}
	if !Exchangeable([]sim.Task{{ID: 1}, {ID: 2}}) {
		t.Error("tasks without parameters differ by their IDs")
	}
}
