package varibad

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/internal/rng"
	"nacre/rl/auxiliary"
)

// Contrast trains the encoder by contrastive predictive coding in place of the ELBO, as ContraBAR does: the belief
// after t transitions must tell which transition its own trial has k steps later, among those that the other trials of
// the update have at this step. Config's Trials, Unroll, LRVAE and VAEUpdates apply to it too.
type Contrast struct {
	Ahead int // K, the largest k
	Embed int // numbers of a transition's embedding
}

// contrasting are the networks of a Contrast, all linear.
type contrasting struct {
	of       Contrast
	embed    nn.MLP   // a transition (a, r, o') → Embed
	predicts []nn.MLP // for k = 1 … K: a belief (μ, log σ²) → Embed
}

func newContrasting(c Contrast, e Encoder) *contrasting {
	out := &contrasting{of: c,
		embed: nn.MLP{Name: "contrast/embed", In: e.act + 1 + e.obs, Out: c.Embed}}
	for k := range c.Ahead {
		out.predicts = append(out.predicts,
			nn.MLP{Name: "contrast/ahead" + strconv.Itoa(k+1), In: 2 * e.latent, Out: c.Embed})
	}
	return out
}

// nets lists them.
func (c *contrasting) nets() []nn.MLP { return append([]nn.MLP{c.embed}, c.predicts...) }

// nodes lists their parameters that are learned. The embedding's bias e is none: (W_k b + c_k)·e is the same for all j,
// so that the softmax does not see it. Its gradient would be rounding errors, which Adam makes as large as any other.
func (c *contrasting) nodes(s *core.Stage) []*graph.Node {
	out := c.embed.Nodes(s)[:1]
	for _, net := range c.predicts {
		out = append(out, net.Nodes(s)...)
	}
	return out
}

func (c *contrasting) init(m core.Memory, seed uint64) error {
	var errs []error
	for i, n := range c.nets() {
		errs = append(errs, nn.InitTorch(m, n, rng.New(seed, rng.Init, 4, uint64(i))))
	}
	return errors.Join(errs...)
}

// loss is, for beliefs b_t after t transitions (trials × 2·latent each, t from 1 on) and transitions x_t (a, r, o') of
// the same trials,
//
//	mean over k ≤ K, t and trials i of −log softmax over trials j of (W_k b_ti + c_k)·(E x_(t+k)j + e), at j = i.
//
// there, trials × steps, is 1 where a trial has a transition and 0 after its end: those count neither as i nor as j.
// The second result is the share of i for which the largest number is that of j = i.
func (c *contrasting) loss(s *core.Stage, beliefs, rows []*graph.Node, there *graph.Node) (loss, right *graph.Node) {
	var sum, hits, count *graph.Node
	plus := func(to **graph.Node, x *graph.Node) {
		if *to == nil {
			*to = x
		} else {
			*to = s.Add(*to, x)
		}
	}
	for at := 1; at < len(rows); at++ { // transition at+1
		z, has := c.embed.Apply(s, rows[at]), s.SliceCols(there, at, at+1)
		missing := s.MatMul(s.Like(has, s.Const(1)), s.Affine(has, -auxiliary.Masked, auxiliary.Masked), false, true)
		for k := 1; k <= min(c.of.Ahead, at); k++ {
			p := c.predicts[k-1].Apply(s, beliefs[at-k])
			own := s.SumCols(s.Mul(p, z))
			logits := s.Add(s.MatMul(p, z, false, true), missing)
			plus(&sum, s.SumAll(s.Mul(has, s.Sub(s.LogSumExp(logits), own))))
			plus(&count, s.SumAll(has))
			plus(&hits, s.SumAll(s.Mul(has, s.Less(s.Shift(s.LogSumExp(logits), -ln2), own))))
		}
	}
	count = s.Max(count, s.Const(1)) // of trials that are all a single transition nothing is left
	return s.Div(sum, count), s.Div(hits, count)
}

// ln2 is log 2: a trial with more than half of the probability is found.
const ln2 = 0.69314718055994530942

// contrast trains the encoder by a Contrast. It holds the program and its inputs.
type contrast struct {
	nets   Networks
	shape  shape
	run    core.Runner
	before *Inference // reads a trial up to the run that is drawn
	rows   []float32
	there  []float32
	first  []float64
}

// newContrast loads the programs for trials of at most longest transitions.
func newContrast(d core.Device, m core.Memory, n Networks, longest int) (*contrast, error) {
	k := shape{trials: n.cfg.Trials, steps: min(n.cfg.Unroll, longest)}
	if k.trials < 2 || k.steps < 2 {
		return nil, fmt.Errorf("varibad: an update of %d trials of %d transitions has nothing to contrast, want at "+
			"least 2 of each (trials, unroll)", k.trials, k.steps)
	}
	c := &contrast{nets: n, shape: k, rows: make([]float32, k.trials*k.steps*n.Encoder.Width()),
		there: make([]float32, k.trials*k.steps), first: make([]float64, k.trials*n.Encoder.memory.Hidden)}
	_, err := core.LoadAll(d, m, core.Loading{Run: &c.run, Make: func() (*core.Program, error) {
		return n.contrastProgram(k)
	}})
	if err == nil {
		c.before, err = NewInference(d, m, n.Encoder, k.trials)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// contrastProgram makes one Adam step of the encoder and of the contrast's networks.
func (n Networks) contrastProgram(k shape) (*core.Program, error) {
	b := core.NewBuilder("varibad.contrast", k.trials)
	s := b.Stage("contrast")
	e, h := n.Encoder, s.Input("first", k.trials, n.Encoder.memory.Hidden)
	all := s.Input("rows", k.trials, k.steps*e.Width())
	var beliefs, rows []*graph.Node
	for t := range k.steps {
		row := s.SliceCols(all, t*e.Width(), (t+1)*e.Width())
		h = e.Step(s, row, h)
		q := e.Belief(s, h)
		beliefs = append(beliefs, s.ConcatCols(q.Mean, q.LogVar))
		rows = append(rows, s.SliceCols(row, e.obs, e.Width()))
	}
	loss, right := n.contrasting.loss(s, beliefs, rows, s.Input("there", k.trials, k.steps))
	s.Output("loss", loss)
	s.Output("right", right)
	learned := e.nodes(s)
	learned = append(learned, n.contrasting.nodes(s)...)
	s.OutputNorm("grad", s.Minimise(n.aux.AddTo(s, loss), core.DefaultAdam(n.cfg.LRVAE), learned...)...)
	return b.Compile()
}

// set fills the inputs from trials, as many as the program takes. r draws the run of each.
func (c *contrast) set(trials []*trial, r *rand.Rand) error {
	if len(trials) != c.shape.trials {
		return fmt.Errorf("varibad: %d trials for an update on %d", len(trials), c.shape.trials)
	}
	clear(c.rows)
	clear(c.there)
	w, steps := c.nets.Encoder.Width(), c.shape.steps
	past := make([][]float32, len(trials))
	for i, t := range trials {
		runs, from := (t.Len+steps-1)/steps, 0
		if runs > 1 {
			from = min(steps*r.IntN(runs), t.Len-steps) // the last run is whole too
		}
		n := min(steps, t.Len-from)
		past[i] = t.Rows[:from*w]
		copy(c.rows[i*steps*w:], t.Rows[from*w:(from+n)*w])
		for j := range n {
			c.there[i*steps+j] = 1
		}
	}
	states, err := c.before.start(len(trials))
	if err == nil {
		err = c.before.read(states, past)
	}
	for i, b := range states {
		copy(c.first[i*len(b.h):], b.h)
	}
	return err
}

// fit implements objective.
func (c *contrast) fit() (map[string]float64, error) {
	err := errors.Join(c.nets.aux.Write(c.run), c.run.Write("rows", c.rows), c.run.Write("there", c.there),
		c.run.Write64("first", c.first), c.run.Run())
	if err != nil {
		return nil, err
	}
	var loss, right, grad float64
	err = core.AddScalars(c.run, 1, map[string]*float64{"loss": &loss, "right": &right, "grad": &grad})
	return map[string]float64{"cpc_loss": loss, "cpc_accuracy": right, "cpc_grad": grad}, err
}

// names implements objective.
func (*contrast) names() []string { return []string{"cpc_loss", "cpc_accuracy", "cpc_grad"} }

// Close gives the programs' buffers back.
func (c *contrast) Close() error {
	err := core.CloseAll(c.run)
	if c.before != nil {
		err = errors.Join(err, c.before.Close())
	}
	return err
}

// objective is what trains the encoder: the ELBO, or a Contrast.
type objective interface {
	// set fills the inputs of an update from trials; r draws what of them is taken.
	set(trials []*trial, r *rand.Rand) error
	// fit makes the update and returns its metrics, whose names are names.
	fit() (map[string]float64, error)
	names() []string
	Close() error
}

// fit implements objective.
func (v *vae) fit() (map[string]float64, error) {
	f, err := v.step()
	return map[string]float64{"vae_loss": f.Loss, "reward_error": f.Reward, "state_error": f.State, "kl": f.KL,
		"vae_grad": f.Grad}, err
}

// names implements objective.
func (*vae) names() []string {
	return []string{"vae_loss", "reward_error", "state_error", "kl", "vae_grad"}
}
