// Package rl has the contracts of learners and encoders, the registry of algorithms, and a run's configuration. In the
// registry an algorithm has a name, the tables that it reads and a constructor. It registers itself in its own folder;
// a program has the algorithms that it imports (experiment/algorithms.go).
//
//	cfg, err := rl.Preset("quick/point-goal-rl2")
//	algorithm, err := rl.Lookup(cfg.Algorithm)
//	learner, err := algorithm.New(cfg, rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: cfg.Seed, Device: device, Pool: pool, Workers: 2, Envs: 16,
//	})
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

// Setup holds what a learner needs besides its configuration.
type Setup struct {
	Spec   sim.Spec
	Train  []sim.Task
	Seed   uint64
	Device core.Device
	Pool   protocol.Roller
	// Workers and Envs describe the pool: a policy is loaded once per worker for Envs environments.
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
