package maml

import (
	"cmp"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl/onpolicy"
)

// values writes the values of the steps of one task's paths, whose returns are known. If learn is true, this may change
// later predictions.
type values interface {
	predict(paths []onpolicy.Path, learn bool) error
	close() error
}

// leastSquares is fitted to the paths for which it is called.
type leastSquares struct{ *onpolicy.Linear }

func (l leastSquares) predict(paths []onpolicy.Path, _ bool) error {
	if err := l.Fit(paths); err != nil {
		return err
	}
	l.Predict(paths)
	return nil
}

func (leastSquares) close() error { return nil }

// valuePolicy is the value network: a Gaussian over returns with a deviation of its own.
func valuePolicy(c Config, obs int) onpolicy.Policy {
	return onpolicy.Policy{
		Net:       nn.MLP{Name: "value", In: obs, Hidden: []int{c.ValueHidden, c.ValueHidden}, Out: 1, Act: op.Tanh},
		MinLogStd: onpolicy.LogStdMin,
	}
}

// network is the value network with a program that steps it on −mean log N(R; V(o), σ) and one that predicts.
type network struct {
	fit, run core.Runner
	steps    int
	batch    *onpolicy.Batch
	out      []float32
	restart  func() error // of mlp-once; nil otherwise
}

func (m model) newNetwork(d core.Device, mem core.Memory) (n *network, err error) {
	c := m.cfg
	value := valuePolicy(c, m.policy.Net.In)
	n = &network{
		steps: c.ValueSteps, out: make([]float32, m.rows()),
		batch: onpolicy.NewBatch(m.paths, m.horizon, m.policy.Net.In, m.policy.Net.Out),
	}
	fit := core.NewBuilder("maml.value.fit", m.paths)
	s := fit.Stage("fit")
	density := value.Apply(s, value.Nodes(s), s.Input("obs", m.rows(), m.policy.Net.In)).LogProb(s,
		s.Input("return", m.rows(), 1))
	loss := s.Neg(s.SumAll(s.Mul(density, s.Input("weight", m.rows(), 1))))
	s.Minimise(loss, core.DefaultAdam(c.ValueLR), value.Nodes(s)...)
	if n.fit, err = load(d, mem, fit); err != nil {
		return nil, err
	}
	predict := core.NewBuilder("maml.value", m.paths)
	s = predict.Stage("predict")
	s.Output("value", value.Net.Apply(s, s.Input("obs", m.rows(), m.policy.Net.In)))
	n.run, err = load(d, mem, predict)
	return n, err
}

func load(d core.Device, mem core.Memory, b *core.Builder) (core.Runner, error) {
	program, err := b.Compile()
	if err != nil {
		return nil, err
	}
	return d.Load(program, mem)
}

// newValues makes the configured value function for batches of m's shape. Its parameters are in mem, except for
// mlp-once, which keeps nothing it learns.
func (m model) newValues(d core.Device, mem core.Memory, seed uint64) (values, error) {
	switch m.cfg.Value {
	case mlp:
		return m.newNetwork(d, mem)
	case mlpOnce:
		value := valuePolicy(m.cfg, m.policy.Net.In)
		own, err := d.NewMemory(value.Specs())
		if err != nil {
			return nil, err
		}
		n, err := m.newNetwork(d, own)
		if err != nil {
			return nil, err
		}
		n.steps, n.restart = 1, func() error { return value.Init(own, 1, rng.New(seed, rng.Init, 1)) }
		return n, nil
	}
	return leastSquares{onpolicy.NewLinear(m.policy.Net.In, m.cfg.Ridge)}, nil
}

// predict uses the network as it was before these paths and learns from them afterwards. The network of mlp-once makes
// its one step first.
func (n *network) predict(paths []onpolicy.Path, learn bool) error {
	if err := n.batch.Set(paths); err != nil {
		return err
	}
	if n.restart != nil {
		if err := n.restart(); err != nil {
			return err
		}
		if err := n.learn(); err != nil {
			return err
		}
		return n.read(paths)
	}
	if err := n.read(paths); err != nil || !learn {
		return err
	}
	return n.learn()
}

func (n *network) learn() error {
	if err := n.batch.Write(n.fit, "", "obs", "return", "weight"); err != nil {
		return err
	}
	for range n.steps {
		if err := n.fit.Run(); err != nil {
			return err
		}
	}
	return nil
}

func (n *network) read(paths []onpolicy.Path) error {
	if err := n.batch.Write(n.run, "", "obs"); err != nil {
		return err
	}
	if err := n.run.Run(); err != nil {
		return err
	}
	if err := n.run.Read("value", n.out); err != nil {
		return err
	}
	for i, p := range paths {
		for t := range p.Len {
			p.Value[t] = float64(n.out[i*n.batch.Horizon+t])
		}
	}
	return nil
}

func (n *network) close() error {
	return cmp.Or(n.run.Close(), n.fit.Close())
}
