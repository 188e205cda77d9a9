// Package varibad is VariBAD (Zintgraf et al. 2020): a policy acts on its observation and on a posterior over its task.
// A recurrent encoder reads a task's transitions in order. After each of them it gives a Gaussian posterior over a
// latent task variable. Decoders train the encoder: from a sample of each posterior they predict every reward and
// observation of the trial. PPO trains the policy, which can explore as long as the posterior is uncertain. On a test
// task only the posterior is computed.
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
//	posteriors, err := learner.Encoder().Posteriors(contexts) // a context has rows (o, a, r, o')
package varibad
