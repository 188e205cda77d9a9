package pearl_test

import (
	"context"
	"fmt"

	"nacre/core/cpu"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
)

// A few updates on the point robot: not enough to learn anything, but all there is to training.
func Example() {
	if err := trainPoint(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 13000 environment steps
	// 10 updates of 45393 parameters
	// 10 test tasks adapted to, 600 steps
}

func trainPoint() error {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		return err
	}
	train, test, err := family.Tasks(1, 40, 10)
	if err != nil {
		return err
	}
	pool, err := sim.NewPool(family, 2, 16)
	if err != nil {
		return err
	}
	defer pool.Close()
	device, err := cpu.New(cpu.Options{Workers: 2})
	if err != nil {
		return err
	}
	config := pearl.Default()
	config.Hidden, config.EncoderHidden, config.Batch, config.InitialSteps = 64, 64, 64, 200

	learner, err := pearl.New(config, rl.Setup{
		Spec: family.Spec(), Train: train, Seed: 1,
		Device: device, Pool: pool, Workers: 2, Envs: 16,
	}, nil)
	if err != nil {
		return err
	}
	defer learner.Close()
	steps, err := learner.Collect(context.Background(), 0)
	if err != nil {
		return err
	}
	fmt.Println(steps, "environment steps")
	for update := range 10 {
		if err := learner.Update(0, update); err != nil {
			return err
		}
	}
	parameters := 0
	for _, net := range learner.Networks().Trained() {
		for _, p := range net.Specs() {
			parameters += p.Rows * p.Cols
		}
	}
	fmt.Println("10 updates of", parameters, "parameters")
	oyster, err := protocol.Preset("oyster")
	if err != nil {
		return err
	}
	result, err := protocol.Evaluate(context.Background(), pool, test, oyster, learner.Adapter(), 1)
	if err != nil {
		return err
	}
	fmt.Println(len(test), "test tasks adapted to,", result.Steps, "steps")
	return nil
}
