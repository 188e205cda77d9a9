// Package oracle is multi-task soft actor-critic (Haarnoja et al. 2018) whose networks see the observation and the true
// task vector. It is the goal-conditioned oracle of the comparison. It does not explore or adapt. Its return shows what
// the other algorithms could reach if they knew the task. It is no upper bound, because the oracle too must learn. It
// follows garage's multi-task SAC: twin critics with twin targets, and one entropy temperature per train task.
//
//	learner, err := oracle.New(oracle.Default(), rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1,
//		Device: device, Pool: pool, Workers: 2, Envs: 16,
//	})
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0)
//	err = learner.Update(0, 0)
//	result, err := protocol.Evaluate(ctx, pool, test, told, learner.Adapter(), 1)
package oracle
