package feeding_test

import (
	"fmt"

	"nacre/core/cpu"
	"nacre/core/feed"
	"nacre/rl/replay"
	"nacre/rl/replay/feeding"
)

// A processor draws nothing by itself: there is no copy, and updates take their data from replay.
func Example() {
	device, _ := cpu.New(cpu.Options{Workers: 1})
	memory, _ := device.NewMemory(nil)
	buf, _ := replay.NewBuffer(replay.Dims{Obs: 2, Act: 1}, 3, 1000)
	plan := feed.Recipe{Obs: 2, Act: 1, Tasks: 3, Slots: 2, Choose: feed.WithReplacement, Stores: 1, Capacity: 1000,
		Draws: []feed.Draw{{N: 8}}}
	m, err := feeding.New(device, memory, plan, func() [][]*replay.Task { return [][]*replay.Task{buf.RL} })
	fmt.Println(m == nil, err, m.Chunk())
	host := func(iteration, update int) error { fmt.Println("update", iteration, update); return nil }
	fmt.Println(m.Make(1, 7, 3, 1, feeding.Way{Host: host}), m.Close())
	// Output:
	// true <nil> 1
	// update 7 3
	// <nil> <nil>
}
