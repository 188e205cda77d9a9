// Package varibad is VariBAD (Zintgraf et al. 2020): a recurrent encoder reads a task's transitions in their order and
// gives after each of them a Gaussian posterior over a latent task variable; decoders that predict every reward and
// observation of a trial from a draw of each posterior train it; and a policy trained by PPO acts on the observation
// and the posterior, so that it can explore as long as it is uncertain. At a test task nothing is computed but the
// posterior.
//
//	learner, err := varibad.New(varibad.Default(), rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1,
//		Device: device, Pool: pool, Workers: 2, Envs: 16,
//	})
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0)
//	for update := range varibad.Default().Updates() {
//		err = learner.Update(0, update)
//	}
//	result, err := protocol.Evaluate(ctx, pool, test, onPolicy, learner.Adapter(), 1)
//	posteriors, err := learner.Encoder().Posteriors(contexts) // of rows (o, a, r, o')
package varibad
