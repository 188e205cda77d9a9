// Package onpolicy holds the policy, advantages, baseline and batches that on-policy algorithms share: a Gaussian
// policy, generalised advantages, a linear baseline, batches of whole episodes. The policy's standard deviation does
// not depend on the observation. The package also has the policy's distribution as a training graph, and the code that
// runs the policy in rollouts. It contains no algorithm.
//
//	p := onpolicy.Policy{Net: net, Obs: 20, Act: 6}
//	act, err := onpolicy.NewActor(device, p, 2, 16) // 2 workers of at most 16 environments
//	err = act.Load(0, params)                           // one set of parameters per slot: one for each adapted task
//	trajectories, err := pool.Rollout(ctx, episodes, act.Policy(slots, noise), 0)
//	paths := onpolicy.Paths(trajectories)
//	onpolicy.Returns(0.99, paths)
//	err = baseline.Fit(paths)
//	baseline.Predict(paths)
//	onpolicy.Advantages(0.99, 0.95, paths)
//	onpolicy.Normalise(onpolicy.Std, paths)
//	batch.Set(paths)                                    // rows × obs, act, advantage, weight
package onpolicy
