package oracle_test

import (
	"context"
	"fmt"

	"nacre/core/ref"
	"nacre/rl"
	"nacre/rl/oracle"
	"nacre/rl/protocol"
	"nacre/sim"
)

func Example() {
	if err := train(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 140 environment steps
	// 2 test tasks told, 40 steps
}

func train() error {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		return err
	}
	train, test, err := family.Tasks(1, 5, 2)
	if err != nil {
		return err
	}
	pool, err := sim.NewPool(family, 1, 4)
	if err != nil {
		return err
	}
	defer pool.Close()
	config := oracle.Default()
	config.Hidden, config.Batch, config.InitialSteps, config.TasksPerIteration, config.StepsPerTask = 16, 8, 20, 2, 20
	learner, err := oracle.New(config, rl.Setup{
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
	fmt.Println(steps, "environment steps")
	if err := learner.Update(0, 0); err != nil {
		return err
	}
	told, err := protocol.Preset("oracle")
	if err != nil {
		return err
	}
	result, err := protocol.Evaluate(context.Background(), pool, test, told, learner.Adapter(), 1)
	if err != nil {
		return err
	}
	fmt.Println(len(test), "test tasks told,", result.Steps, "steps")
	return nil
}
