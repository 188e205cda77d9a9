// Package contrabar is ContraBAR (Choshen and Tamar 2023): a policy on the belief of a recurrent encoder, as in
// VariBAD, but the encoder learns by contrastive predictive coding. From the belief after some transitions of a trial
// it must tell a later transition of this trial from those of other trials. README.md has the equation, the stages, and
// where paper and code differ. The loss itself is varibad.Contrast.
//
//	cfg, err := rl.Preset("quick/point-goal-contrabar")
//	learner, err := contrabar.New(varibad.Of(cfg), contrabar.Of(cfg), setup)
package contrabar

import (
	"fmt"
	"math"

	"nacre/rl"
	"nacre/rl/config"
	"nacre/rl/suite"
	"nacre/rl/varibad"
)

// Config holds what ContraBAR has besides VariBAD's settings. Of those it uses all but the decoders', the coefficients
// of the ELBO, and how many posteriors and transitions of a trial are decoded.
type Config struct {
	Ahead int `toml:"ahead" range:"[1,64]" comment:"K: the transition 1 to K steps after a belief is predicted"`
	Embed int `toml:"embed" range:"[1,4096]" comment:"numbers of a transition's embedding, which is predicted"`
}

// Default has the public code's look-ahead on the half-cheetah and the ant.
func Default() Config { return Config{Ahead: 10, Embed: 32} }

// name of the algorithm and of its table, and the protocol it is scored under.
const (
	name   = "contrabar"
	scored = "garage-ml1-onpolicy"
)

var table = rl.Table{Name: name, Default: Default()}

// Of returns ContraBAR's own settings of a run.
func Of(c rl.Config) Config { return c.Get(table).(Config) }

// Put sets ContraBAR's own settings of a run.
func Put(c *rl.Config, own Config) { c.Put(table, own) }

// New makes a learner with freshly drawn parameters.
func New(v varibad.Config, c Config, s rl.Setup) (*varibad.Learner, error) {
	if err := config.Check(c); err != nil {
		return nil, err
	}
	if err := s.Check(v); err != nil {
		return nil, err
	}
	if most := min(v.Unroll, v.Episodes*s.Spec.Horizon) - 1; c.Ahead > most {
		return nil, fmt.Errorf("contrabar.ahead = %d, want at most %d: the gradient goes through %d transitions "+
			"(varibad.unroll, or a trial's length if that is less)", c.Ahead, most, most+1)
	}
	return varibad.NewContrastive(v, varibad.Contrast{Ahead: c.Ahead, Embed: c.Embed}, s)
}

func init() {
	of, err := rl.Lookup("varibad")
	if err != nil {
		panic(err) // package varibad is imported
	}
	rl.Builtin(rl.Algorithm{
		Name: name, Title: "ContraBAR",
		About: "a policy on the belief of a recurrent encoder, which is trained to tell later transitions of its " +
			"trial from others'",
		Tables:   append(of.Tables[:len(of.Tables):len(of.Tables)], table),
		Schedule: of.Schedule,
		Length:   of.Length,
		Protocol: scored,
		Discrete: true,
		Small: []string{"varibad.embed=9", "varibad.memory=21", "varibad.policy_hidden=23", "varibad.trials=3",
			"varibad.unroll=5", "varibad.meta_batch=4", "varibad.buffer_trials=20", "contrabar.ahead=2",
			"contrabar.embed=7"},
		Presets: []rl.PresetOf{{Name: "quick/point-goal-contrabar",
			About: "the point robot by ContraBAR: 720,000 steps, 7,500 updates", Make: pointRobot}},
		New: func(c rl.Config, s rl.Setup) (rl.Learner, error) {
			return made(New(varibad.Of(c), Of(c), s))
		},
		// The encoder reads whole trials, so only the episode limits the window.
		Window: func(rl.Config) int { return math.MaxInt },
	})
}

// made keeps a missing learner from being an rl.Learner that is not nil.
func made(l *varibad.Learner, err error) (rl.Learner, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// pointRobot is VariBAD's preset for the point robot with the other loss, on runs of an episode.
func pointRobot() rl.Config {
	v := varibad.PointGoal()
	v.Unroll = 20
	c := suite.Point().For(name, scored)
	c.Evaluation.Every = 20
	p := &c.Evaluation.Protocol
	p.Repeats, p.Explore, p.Deterministic = 1, v.Episodes-1, true
	varibad.Put(&c, v)
	Put(&c, Config{Ahead: 5, Embed: 16})
	return c
}
