package sim_test

import (
	"context"
	"fmt"
	"log"

	"nacre/sim"
)

// The goal-knowing controller of the point robot, from the origin to a goal 0.4 away along x: after moves of 0.1 the
// distances are 0.3, 0.2, 0.1 and then 0.
func Example() {
	family, err := sim.Lookup("point-goal-sparse")
	if err != nil {
		log.Fatal(err)
	}
	pool, err := sim.NewPool(family, 2, 16)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	episodes := []sim.Episode{{Task: sim.Task{Params: []float64{0.4, 0}}, Seed: 1}}
	policy, err := sim.GoalPolicy(family, episodes)
	if err != nil {
		log.Fatal(err)
	}
	trajectories, err := pool.Rollout(context.Background(), episodes, policy, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d steps, return %.2f\n", trajectories[0].Len, trajectories[0].Return)
	// Output: 20 steps, return -0.60
}
