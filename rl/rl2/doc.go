// Package rl2 is RL² by PPO (Duan et al. 2016, Schulman et al. 2017): a recurrent policy whose state learns what the
// task is. The policy sees its last action, the last reward and the end of episodes, and is trained on trials, several
// episodes of one task joined. At a test task nothing is computed but the state.
//
//	learner, err := rl2.New(rl2.Default(), rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1,
//		Device: device, Pool: pool, Workers: 2, Envs: 16,
//	})
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0)
//	for epoch := range rl2.Default().Epochs {
//		err = learner.Update(0, epoch)
//	}
//	result, err := protocol.Evaluate(ctx, pool, test, onPolicy, learner.Adapter(), 1)
package rl2
