package varibad

// Grid has smaller settings for VariBAD's grid world: 40 trials of 4 episodes of 15 steps, 2,400 steps per iteration.
func Grid() Config {
	c := PointGoal()
	c.Embed, c.Decoder, c.KLWeight, c.MetaBatch, c.Episodes = 16, 32, 0.05, 40, 4
	c.Discount, c.GAELambda, c.Entropy, c.LRPolicy, c.Iterations = 0.95, 0.95, 0.03, 3e-3, 200
	return c
}

// Bandit has smaller settings for the bandit of 5 arms: 200 trials of one episode of 10 pulls.
func Bandit() Config {
	c := Grid()
	c.Unroll, c.Posteriors, c.Decodes, c.MetaBatch, c.Episodes = 10, 0, 0, 200, 1
	c.Discount, c.GAELambda, c.Entropy, c.Iterations = 0.99, 0.3, 0.01, 100
	return c
}

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
