package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/sim"
	"nacre/sim/simtest"
)

// hand is a clock's hand to be turned to an angle that only the reward tells.
type hand struct{ angle, speed, target float64 }

func (h *hand) Reset(task []float64, r *rand.Rand, obs []float64) {
	*h = hand{angle: 0.1 * r.NormFloat64(), target: task[0]}
	h.look(obs)
}

func (h *hand) Step(act, obs []float64) (reward float64, success, done bool) {
	h.speed += 0.1*act[0] - 0.05*h.speed
	h.angle += h.speed
	h.look(obs)
	off := math.Abs(h.angle - h.target)
	return -off, off < 0.1, false
}

func (h *hand) look(obs []float64) { obs[0], obs[1] = h.angle, h.speed }

var handSpec = sim.Spec{Name: "hand", ObsDim: 2, ActDim: 1, Horizon: 40, TaskDim: 1}

func anyAngle(r *rand.Rand) []float64 { return []float64{4*r.Float64() - 2} }

// A family of one's own: sizes, how a task is drawn, and a type with two methods.
func ExampleOf() {
	family := sim.Of(handSpec, anyAngle, func() sim.Environment { return new(hand) })
	pool, _ := sim.NewPool(family, 1, 4)
	defer pool.Close()
	// From about 0, full speed ahead, 40 steps: the speed nears 2, so the hand is far beyond 1.5 at the end.
	made, _ := pool.Rollout(context.Background(), []sim.Episode{{Task: sim.Task{Params: []float64{1.5}}}}, always{1}, 0)
	fmt.Println(made[0].Len, made[0].Obs[2*made[0].Len] > 10)
	// Output: 40 true
}

// always is a policy with one action.
type always []float64

func (a always) Act(_ int, _, _ []int, _, act []float64) error {
	for i := range act {
		act[i] = a[i%len(a)]
	}
	return nil
}

func TestOf(t *testing.T) {
	simtest.Family(t, sim.Of(handSpec, anyAngle, func() sim.Environment { return new(hand) }))
}

// broken does in its third step what it was made to do.
type broken struct {
	step int
	how  string
}

func (b *broken) Reset(_ []float64, _ *rand.Rand, obs []float64) { b.step, obs[0] = 0, 0 }

func (b *broken) Step(_, obs []float64) (reward float64, success, done bool) {
	if b.step++; b.step == 3 {
		switch b.how {
		case "observation":
			obs[0] = math.NaN()
		case "reward":
			return math.Inf(1), false, false
		case "done":
			return 7, true, true
		}
	}
	return 1, false, false
}

func TestOfErrors(t *testing.T) {
	spec := sim.Spec{Name: "broken", ObsDim: 1, ActDim: 1, Horizon: 5, TaskDim: 1}
	one := func(*rand.Rand) []float64 { return []float64{0} }
	roll := func(how string, params []float64) ([]sim.Trajectory, error) {
		pool, err := sim.NewPool(sim.Of(spec, one, func() sim.Environment { return &broken{how: how} }), 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		return pool.Rollout(context.Background(), []sim.Episode{{Task: sim.Task{Params: params}}}, always{0.5}, 0)
	}
	for how, want := range map[string]string{"observation": "the value NaN at index 0",
		"reward": "the reward is +Inf"} {
		_, err := roll(how, []float64{0})
		if e := new(sim.Error); !errors.As(err, &e) || e.Step != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("a wrong %s: %v; expected an error of step 2 with %q", how, err, want)
		}
	}
	if _, err := roll("", []float64{1, 2}); err == nil || !strings.Contains(err.Error(), "2 parameters, expected 1") {
		t.Errorf("a task of two numbers: %v", err)
	}
	if made, err := roll("done", []float64{0}); err != nil || made[0].Len != 3 || made[0].Return != 9 ||
		!made[0].Success {
		t.Errorf("an episode that ends: %+v, %v; expected 3 steps, return 9, success", made, err)
	}
	two := sim.Of(spec, func(*rand.Rand) []float64 {
		return []float64{1, 2}
	}, func() sim.Environment { return new(broken) })
	if _, _, err := two.Tasks(1, 0, 0); err == nil ||
		!strings.Contains(err.Error(), "2 parameters, expected 1, the TaskDim") {
		t.Errorf("tasks of another length: %v", err)
	}
	if _, err := sim.NewPool(sim.Of(spec, one, func() sim.Environment { return nil }), 1, 1); err == nil ||
		!strings.Contains(err.Error(), "is nil") {
		t.Errorf("no environment: %v", err)
	}
	if _, err := sim.NewPool(sim.Of(sim.Spec{Name: "sizeless"}, one, func() sim.Environment { return new(broken) }), 1,
		1); err == nil || !strings.Contains(err.Error(), "ObsDim 0") {
		t.Errorf("no sizes: %v", err)
	}
}
