package offpolicy_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/feed"
	"nacre/rl"
	"nacre/rl/offpolicy"
	"nacre/rl/replay"
	"nacre/sim"
)

// rewards is an updater whose only loss is the mean reward of two rows plus the parameter "shift". Of its two tasks one
// has the reward 1 throughout, the other 3.
func rewards() (*offpolicy.Updater, core.Memory, error) {
	device, err := cpu.New(cpu.Options{Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	memory, err := device.NewMemory([]core.ParamSpec{{Name: "shift", Rows: 1, Cols: 1}})
	if err != nil {
		return nil, nil, err
	}
	b := core.NewBuilder("rewards", 1)
	s := b.Stage("mean")
	s.Output("loss", s.Add(s.MeanAll(s.Input("rew", 2, 1)), s.Param("shift", 1, 1)))
	program, err := b.Compile()
	if err != nil {
		return nil, nil, err
	}
	buf, err := replay.NewBuffer(replay.Dims{Obs: 1, Act: 1}, 2, 10)
	if err != nil {
		return nil, nil, err
	}
	for task, r := range []float32{1, 3} {
		tr := sim.Trajectory{Len: 1, Obs: []float32{0, 0}, Act: []float32{0}, Reward: []float32{r},
			CtxReward: []float32{r}}
		if err := buf.AddBoth(task, &tr); err != nil {
			return nil, nil, err
		}
	}
	u, err := offpolicy.New(device, memory, offpolicy.Updates{
		Algorithm: "rewards", Seed: 1, Stores: func() [][]*replay.Task { return [][]*replay.Task{buf.RL} },
		Plan: feed.Recipe{Obs: 1, Act: 1, Tasks: 2, Slots: 2, Choose: feed.WithoutReplacement, Stores: 1, Capacity: 10,
			Draws: []feed.Draw{{Kind: feed.Transitions, N: 1}}, Fills: []feed.Fill{{Input: "rew", Field: feed.Reward}}},
		Programs: []offpolicy.Program{{Program: program, Scalars: []string{"loss"}}},
	})
	return u, memory, err
}

// Two updates on the data of both tasks, whose rewards are 1 and 3.
func Example() {
	u, _, err := rewards()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer u.Close()
	fmt.Println(u.Update(0, 0), u.Update(0, 1), u.Settle())
	loss, _ := u.Means.Of("loss")
	fmt.Println(loss, *u.Means["loss"])
	// Output:
	// <nil> <nil> <nil>
	// 2 {4 2}
}

// A loss that is no number is an error with its place and its tasks, and is not added to the mean.
func TestDiverged(t *testing.T) {
	u, memory, err := rewards()
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := errors.Join(memory.Write("shift", []float64{math.Inf(1)}), u.Update(3, 4)); err != nil {
		t.Fatal(err)
	}
	var d *rl.DivergedError
	if err := u.Settle(); !errors.As(err, &d) {
		t.Fatalf("error %v", err)
	}
	if d.Loss != "loss" || d.Iteration != 3 || d.Update != 4 || len(d.Tasks) != 2 || len(u.Means) != 0 {
		t.Errorf("%+v, means %v", d, u.Means)
	}
}

// What a checkpoint holds of the means gives them back.
func TestUnreported(t *testing.T) {
	m := offpolicy.Means{}
	m.Add("a", 1.5)
	m.Add("b", 0.1)
	m.Add("a", 2)
	m.Add("b", 0.2)
	back := offpolicy.Means{"old": {Sum: 1, Count: 1}}
	back.Restore(m.Unreported())
	if len(back) != 2 || *back["a"] != *m["a"] || *back["b"] != *m["b"] {
		t.Errorf("%v became %v", m, back)
	}
}
