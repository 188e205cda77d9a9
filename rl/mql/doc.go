// Package mql implements Meta-Q-Learning (Fakoor et al. 2020): TD3 with a recurrent context, whose actor and critics
// are trained further on a test task. The context is the last state of a gated recurrent unit over the latest
// transitions. Actor and critics see it and are trained on all train tasks at once. On a test task they are trained
// first on the task's transitions. Then they are trained on the replay of the train tasks, where a transition counts
// more, the more similar it is to the test task. Afterwards the networks get their old parameters back.
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
