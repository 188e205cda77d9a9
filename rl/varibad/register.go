package varibad

import (
	"math"

	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/losses"
	"nacre/rl/suite"
)

// name of the algorithm and of its table, and the protocol it is scored under.
const (
	name   = "varibad"
	scored = "garage-ml1-onpolicy"
)

var table = rl.Table{Name: name, Default: Default()}

// Of returns the algorithm's settings of a run.
func Of(c rl.Config) Config { return c.Get(table).(Config) }

// Put sets the algorithm's settings of a run.
func Put(c *rl.Config, own Config) { c.Put(table, own) }

// algorithm is the registration without an auxiliary loss.
func algorithm() rl.Algorithm {
	return rl.Algorithm{
		Name: name, Title: "VariBAD",
		About:    "a policy on the belief of a recurrent encoder, which is trained to predict rewards and states",
		Tables:   []rl.Table{table},
		Schedule: func(c rl.Config) (iterations, updates int) { return Of(c).Iterations, Of(c).Updates() },
		Length:   "varibad.iterations",
		Protocol: scored,
		Discrete: true,
		Small: []string{
			"varibad.embed=9", "varibad.memory=21", "varibad.decoder=19", "varibad.policy_hidden=23",
			"varibad.trials=3", "varibad.unroll=5",
			"varibad.posteriors=4", "varibad.decodes=4", "varibad.meta_batch=4", "varibad.buffer_trials=20",
			"varibad.state_weight=0.5",
		},
		Presets: []rl.PresetOf{
			{Name: "quick/point-goal-varibad", About: "the point robot by VariBAD: 720,000 steps, 7,500 updates",
				Make: pointRobot},
			{Name: "quick/bandit-varibad", About: "RL²'s bandit of 5 arms by VariBAD: 200,000 pulls, 2,500 updates",
				Make: func() rl.Config { return shipped(suite.Bandit(), Bandit()) }},
			{Name: "quick/grid-varibad", About: "VariBAD's grid world by VariBAD: 480,000 steps, 5,000 updates",
				Make: func() rl.Config { return shipped(suite.Grid(), Grid()) }},
		},
		New: func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(Of(c), s) },
		// The encoder reads whole trials, so only the episode limits the window.
		Window: func(rl.Config) int { return math.MaxInt },
	}
}

// With is VariBAD with a loss on its encoder.
func With(l auxiliary.Loss) rl.Algorithm {
	return auxiliary.Carry(algorithm(), l, func(c rl.Config, s rl.Setup, a *auxiliary.Attachment) (rl.Learner, error) {
		return newLearner(Of(c), nil, s, a)
	})
}

func init() {
	rl.Builtin(algorithm())
	for _, l := range losses.All() {
		rl.Builtin(With(l))
	}
}

// shipped evaluates policies of discrete actions by the on-policy protocol. They explore all trajectories of a trial
// but the last.
func shipped(c rl.Config, own Config) rl.Config {
	repeats := c.Evaluation.Protocol.Repeats
	c = c.For(name, scored)
	c.Evaluation.Protocol.Repeats, c.Evaluation.Protocol.Explore = repeats, own.Episodes-1
	Put(&c, own)
	return c
}

// pointRobot evaluates as the authors do: mean actions, after exploring all trajectories of a trial but the last.
func pointRobot() rl.Config {
	own := PointGoal()
	c := suite.Point().For(name, scored)
	c.Evaluation.Every = 20
	p := &c.Evaluation.Protocol
	p.Repeats, p.Explore, p.Deterministic = 1, own.Episodes-1, true
	Put(&c, own)
	return c
}
