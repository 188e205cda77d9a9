// Package rl is what the learners of all algorithms are made from: a family's tasks, a seed, a device and a pool of
// environments. Packages pearl, maml, rl2, mql and oracle take it beside their own Config.
//
//	setup := rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1, Device: device, Pool: pool, Workers: 2, Envs: 16,
//	}
//	learner, err := rl2.New(rl2.Default(), setup)
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0)
package rl

import (
	"fmt"

	"nacre/core"
	"nacre/rl/config"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Setup is what a learner is made from besides its configuration.
type Setup struct {
	Spec   sim.Spec
	Train  []sim.Task
	Seed   uint64
	Device core.Device
	Pool   protocol.Roller
	// Workers and Envs are the pool's: a policy is loaded once per worker for Envs environments.
	Workers, Envs int
}

// Check checks the values of an algorithm's configuration, as config.Check does, and that there are train tasks.
func (s Setup) Check(algorithm any) error {
	if err := config.Check(algorithm); err != nil {
		return err
	}
	if len(s.Train) == 0 {
		return fmt.Errorf("no train tasks of family %s, want at least 1", s.Spec.Name)
	}
	return nil
}
