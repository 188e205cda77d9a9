package varibad

// PointGoal has smaller settings for the point robot, with the discount of the robot's other presets: 40 trials of 3
// episodes of 20 steps, 2,400 steps per iteration.
func PointGoal() Config {
	c := Default()
	c.Embed, c.Memory, c.Decoder, c.PolicyHidden = 32, 64, 64, 64
	c.BufferTrials, c.Trials, c.Unroll, c.Posteriors, c.Decodes, c.VAEUpdates = 1000, 20, 60, 20, 10, 20
	c.KLWeight, c.InitStd, c.MetaBatch, c.Episodes = 0.1, 0.5, 40, 3
	c.Discount, c.GAELambda, c.RewardScale, c.Entropy, c.Clip = 0.9, 0.9, 1, 0, 0.2
	c.LRPolicy, c.Epochs, c.Minibatches, c.Iterations = 1e-3, 5, 4, 300
	return c
}
