package maml_test

import (
	"context"
	"fmt"

	"nacre/core/ref"
	"nacre/rl"
	"nacre/rl/maml"
	"nacre/rl/protocol"
	"nacre/sim"
)

func Example() {
	if err := train(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 160 environment steps
	// 2 test tasks, 11 trajectories each, 440 steps
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
	config := maml.Default()
	config.Hidden, config.MetaBatch, config.Episodes = 16, 2, 2
	learner, err := maml.New(config, rl.Setup{
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
	p, err := protocol.Preset("garage-ml1-onpolicy")
	if err != nil {
		return err
	}
	result, err := protocol.Evaluate(context.Background(), pool, test, p, learner.Adapter(), 1)
	if err != nil {
		return err
	}
	fmt.Printf("%d test tasks, %d trajectories each, %d steps\n", len(test), p.Trajectories(), result.Steps)
	return nil
}
