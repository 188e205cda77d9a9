// Package mql is Meta-Q-Learning (Fakoor et al. 2020): TD3 on a recurrent context, which goes on training on a test
// task. Actor and critics see the context, the last state of a gated recurrent unit over what just happened, and are
// trained on all train tasks at once. On a test task they train first on what has been seen there, then on the train
// tasks' replay weighted by how much each transition looks like the test task. The weights are restored afterwards.
//
//	learner, err := mql.New(mql.Default(), rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1,
//		Device: device, Pool: pool, Workers: 2, Envs: 16,
//	})
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0)
//	for u := range learner.Updates(0) {
//		err = learner.Update(0, u)
//	}
//	result, err := protocol.Evaluate(ctx, pool, test, mqlProtocol, learner.Adapter(), 1)
package mql
