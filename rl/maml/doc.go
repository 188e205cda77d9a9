// Package maml is model-agnostic meta-learning for policies, by TRPO (Finn, Abbeel and Levine 2017; Schulman et al.
// 2015). It learns parameters θ such that one gradient step on a few episodes of a task, θ' = θ − α∇L(θ), gives a good
// policy for this task. It differentiates through that step, with second-order terms. It follows garage's MAML-TRPO;
// that code's defects are named choices of Config, off by default.
//
//	learner, err := maml.New(maml.Default(), rl.Setup{
//		Spec: family.Spec(), Train: train, Seed: 1,
//		Device: device, Pool: pool, Workers: 2, Envs: 16,
//	})
//	defer learner.Close()
//	steps, err := learner.Collect(ctx, 0) // under θ, and under each task's θ'
//	err = learner.Update(0, 0)            // one meta-update
//	p, err := protocol.Preset("garage-ml1-onpolicy")
//	result, err := protocol.Evaluate(ctx, pool, test, p, learner.Adapter(), 1)
package maml
