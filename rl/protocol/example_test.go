package protocol_test

import (
	"context"
	"fmt"

	"nacre/rl/protocol"
	"nacre/sim"
)

func Example() {
	family, err := sim.Lookup("point-goal-sparse")
	if err != nil {
		fmt.Println(err)
		return
	}
	pool, err := sim.NewPool(family, 1, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	tasks := []sim.Task{{Params: []float64{1, 0}}}
	p, _ := protocol.Preset("oyster")
	oracle, err := protocol.Evaluate(context.Background(), pool, tasks, p, protocol.Scripted(family.(sim.Controller)),
		1)
	fmt.Printf("%.2f after %d trajectories, %d steps, %v\n", oracle.Summary.Adapted.Mean, p.Explore, oracle.Steps, err)
	// Output: -4.50 after 2 trajectories, 60 steps, <nil>
}
