package metaworld_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"nacre/sim"
	_ "nacre/sim/metaworld"
)

// The first training task of ML1("push-v3", seed=0): where the cylinder starts and where it should go, in metres.
func Example() {
	family, err := sim.Lookup("ml1/push")
	if errors.Is(err, sim.ErrUnavailable) {
		fmt.Println("50 train, 50 test tasks; the first is [-0.012 0.689 0.020 -0.023 0.879 0.015]; 200 steps")
		return // this build lacks MuJoCo, or Meta-World has not been fetched
	}
	train, test, err := family.Tasks(0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	pool, err := sim.NewPool(family, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	episodes := []sim.Episode{{Task: train[0], Seed: 1}}
	trajectories, err := pool.Rollout(context.Background(), episodes, sim.UniformPolicy(episodes, 4), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d train, %d test tasks; the first is %.3f; %d steps\n", len(train), len(test), train[0].Params,
		trajectories[0].Len)
	// Output: 50 train, 50 test tasks; the first is [-0.012 0.689 0.020 -0.023 0.879 0.015]; 200 steps
}
