// Package rl2 implements RL² with PPO (Duan et al. 2016, Schulman et al. 2017): a recurrent policy whose state learns
// the task. The policy sees its last action, the last reward and the end of episodes. It is trained on trials; a trial
// is several episodes of one task in sequence. On a test task only the state changes.
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
