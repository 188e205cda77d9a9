// Package pearl implements PEARL, off-policy meta-reinforcement learning with a probabilistic context (Rakelly et al.
// 2019). It is a soft actor-critic whose networks see a latent task variable z. A permutation-invariant encoder
// (package belief) infers z from a context of transitions. The update, the replay and the schedule are those of the
// authors' public implementation; README.md lists the choices. A belief.Auxiliary, such as that of package tcl, adds a
// loss to the encoder.
//
// A Learner is one training run. Collect, Update and Metrics make an iteration; Adapter is the agent under evaluation.
// The package opens no files and keeps no schedule; package experiment does both.
//
//	learner, err := pearl.New(config, rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1,
//		Device: device, Pool: pool, Workers: 2, Envs: 16,
//	}, nil)
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0)
//	for update := range 10 {
//		err = learner.Update(0, update)
//	}
//	result, err := protocol.Evaluate(ctx, pool, test, oyster, learner.Adapter(), 1)
package pearl
