package varibad_test

import (
	"context"
	"fmt"

	"nacre/core/ref"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/rl/varibad"
	"nacre/sim"
)

func Example() {
	if err := train(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 120 environment steps
	// 2 test tasks, 220 steps each
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
	config := varibad.Default()
	config.Memory, config.MetaBatch, config.Episodes, config.Trials, config.Posteriors = 8, 2, 3, 2, 5
	learner, err := varibad.New(config, rl.Setup{
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
	for update := range config.Updates() {
		if err := learner.Update(0, update); err != nil {
			return err
		}
	}
	onPolicy, err := protocol.Preset("garage-ml1-onpolicy")
	if err != nil {
		return err
	}
	result, err := protocol.Evaluate(context.Background(), pool, test, onPolicy, learner.Adapter(), 1)
	fmt.Println(len(result.Tasks), "test tasks,", result.Steps/2, "steps each")
	return err
}
