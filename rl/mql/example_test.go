package mql_test

import (
	"context"
	"fmt"

	"nacre/core/ref"
	"nacre/rl"
	"nacre/rl/mql"
	"nacre/rl/protocol"
	"nacre/sim"
)

func Example() {
	if err := train(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 60 random steps, 20 updates
	// 2 test tasks, 80 steps
}

func train() error {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		return err
	}
	train, test, err := family.Tasks(1, 3, 2)
	if err != nil {
		return err
	}
	pool, err := sim.NewPool(family, 1, 4)
	if err != nil {
		return err
	}
	defer pool.Close()
	config := mql.Default()
	config.Hidden, config.Batch, config.History, config.InitialSteps, config.MinInitialSteps = 16, 8, 4, 20, 60
	config.AdaptUpdates, config.ReplayUpdates = 2, 2
	learner, err := mql.New(config, rl.Setup{
		Spec: family.Spec(), Train: train, Seed: 1, Device: ref.Device, Pool: pool, Workers: 1, Envs: 4,
	})
	if err != nil {
		return err
	}
	defer learner.Close()
	steps, err := learner.Collect(context.Background(), 0)
	if err != nil {
		return err
	}
	fmt.Println(steps, "random steps,", learner.Updates(0), "updates")
	for u := range learner.Updates(0) {
		if err := learner.Update(0, u); err != nil {
			return err
		}
	}
	p, err := protocol.Preset("mql")
	if err != nil {
		return err
	}
	result, err := protocol.Evaluate(context.Background(), pool, test, p, learner.Adapter(), 1)
	fmt.Println(len(result.Tasks), "test tasks,", result.Steps, "steps")
	return err
}
