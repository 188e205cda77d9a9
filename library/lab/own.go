package lab

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"regexp"
	"strings"

	"nacre/analysis/frame"
	"nacre/library/cell"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/sim"
	"nacre/sim/pyfamily"
	"nacre/sim/simtest"
	"nacre/tcl"
)

// Loss trains TCL-PEARL with a similarity of your own in its contrastive loss, under a name of small letters, figures
// and hyphens. The name may also be among the algorithms of Compare.
//
//	lab.Train("quick/point-goal", lab.Loss("cosine", cosine))
func Loss(name string, similarity tcl.Similarity) Option {
	return Auxiliary(name, func(c tcl.Config, enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
		t, err := tcl.New(c, enc, metaBatch)
		if err == nil && similarity != nil {
			t.Similarity = similarity
		}
		return t, err
	})
}

// Auxiliary trains PEARL with your own loss on its encoder instead of TCL's. The function loss makes this loss. It gets
// the run's TCL settings, which it may ignore.
func Auxiliary(name string,
	loss func(c tcl.Config, enc belief.Encoder, metaBatch int) (belief.Auxiliary, error)) Option {
	return func(p *plan) {
		algorithm, err := ownLoss(name, loss)
		p.err = cmp.Or(p.err, err)
		if p.own == nil {
			p.own = map[string]string{}
		}
		p.own[name], p.algorithm = algorithm, algorithm
	}
}

var ownName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ownLoss registers the algorithm and returns its name. The name ends in digits that are computed from an update with
// the loss. So a run is found again only if the loss is the same.
func ownLoss(name string, loss func(tcl.Config, belief.Encoder, int) (belief.Auxiliary, error)) (string, error) {
	if !ownName.MatchString(name) {
		return "", fmt.Errorf("lab: a loss called %q; expected small letters, figures and hyphens", name)
	}
	base, err := rl.Lookup("tcl-pearl")
	if err != nil {
		return "", err
	}
	c := pearl.Default()
	c.Hidden, c.EncoderHidden, c.MetaBatch, c.Batch, c.Context = 4, 4, 3, 2, 2
	networks := pearl.NewNetworks(c, 2, 2)
	t := tcl.Default()
	t.Window = 2
	aux, err := loss(t, networks.Encoder, c.MetaBatch)
	if err != nil {
		return "", fmt.Errorf("lab: loss %s: %w", name, err)
	}
	program, err := pearl.UpdateProgram(c, networks, aux)
	if err != nil {
		return "", fmt.Errorf("lab: loss %s: %w", name, err)
	}
	if k, ok := program.Outputs["tcl_similarity"]; ok {
		if v := program.Values[k]; v.Rows != c.MetaBatch || v.Cols != c.MetaBatch {
			return "", fmt.Errorf("lab: loss %s: the similarity of all pairs is %d×%d for a meta-batch of %d; "+
				"expected %[4]d×%[4]d", name, v.Rows, v.Cols, c.MetaBatch)
		}
	}
	h := fnv.New32a()
	io.WriteString(h, program.String())
	own := base
	own.Name, own.Title = fmt.Sprintf("%s-%08x", name, h.Sum32()), name
	own.About, own.Presets, own.Benchmark = "PEARL with a loss of a notebook on its encoder", nil, nil
	own.New = func(c rl.Config, s rl.Setup) (rl.Learner, error) {
		return pearl.New(pearl.Of(c), s, func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
			return loss(tcl.Of(c), enc, metaBatch)
		})
	}
	return own.Name, rl.Define(own)
}

// Family trains on a family of tasks of your own instead of the preset's.
func Family(f sim.Family) Option {
	return func(p *plan) {
		digits, err := behaviour(f)
		if err == nil {
			err = sim.Define(f)
		}
		p.err = cmp.Or(p.err, err)
		p.family, p.behaviour = f.Spec().Name, digits
	}
}

// Python trains on a class in Python instead of the preset's family: "point.py:Point", "MODULE:CLASS" or
// "gymnasium.make(ID)". What a class needs is in docs/python.md.
func Python(class string) Option {
	return func(p *plan) {
		name := class
		if !sim.Opens(name) {
			name = "py:" + name
		}
		f, err := sim.Lookup(name)
		if err == nil {
			p.family = name
			p.behaviour, err = behaviour(f)
		}
		p.err = cmp.Or(p.err, err)
	}
}

// Check is a table of what nacre envs --check says of a family, such as one of a class in Python: a row for each
// property, with columns verdict, property and finding.
//
//	lab.Check("point.py:Point")
func Check(family string) *frame.Frame {
	f, err := sim.Lookup(family)
	if err != nil && !sim.Opens(family) && strings.Contains(family, ":") {
		f, err = sim.Lookup("py:" + family)
	}
	if err != nil {
		return frame.Failed(err)
	}
	findings, err := pyfamily.Check(f)
	if err != nil {
		return frame.Failed(err)
	}
	var columns [3][]string
	for _, found := range append(findings, pyfamily.Contract(f, simtest.Check(f))) {
		verdict := "ok"
		if found.Broken {
			verdict = "broken"
		}
		for k, v := range []string{verdict, found.What, found.Says} {
			columns[k] = append(columns[k], v)
		}
	}
	return frame.New(frame.Texts("verdict", columns[0]), frame.Texts("property", columns[1]),
		frame.Texts("finding", columns[2]))
}

// Reward trains on the family called base with a reward of your own. The new family is called name. Other functions
// that take a family's name can use it too.
func Reward(base, name string, reward sim.Reward) Option {
	return func(p *plan) {
		f, err := sim.Lookup(base)
		if err != nil {
			p.err = cmp.Or(p.err, err)
			return
		}
		Family(sim.WithReward(f, name, reward))(p)
	}
}

// behaviour returns digits that are computed from a family's tasks under random actions. So a run is found again only
// if the tasks behave the same.
func behaviour(f sim.Family) (string, error) {
	train, test, err := f.Tasks(1, 0, 0)
	if err != nil {
		return "", fmt.Errorf("lab: family %s: %w", f.Spec().Name, err)
	}
	var episodes []sim.Episode
	for i, task := range [...]sim.Task{train[0], train[len(train)-1], test[0]} {
		episodes = append(episodes, sim.Episode{Task: task, Seed: uint64(i)})
	}
	pool, err := sim.NewPool(f, 1, 0)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	done, err := pool.Rollout(cell.Context(), episodes, sim.RandomPolicy(f, episodes),
		min(50, f.Spec().Horizon))
	if err != nil {
		return "", err
	}
	h := fnv.New32a()
	for _, t := range done {
		for _, x := range [][]float32{t.Obs, t.Reward, t.CtxReward} {
			for _, v := range x {
				bits := math.Float32bits(v)
				h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
			}
		}
	}
	return fmt.Sprintf("%08x", h.Sum32()), nil
}
