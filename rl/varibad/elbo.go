package varibad

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/graph"
)

// shape holds the sizes of an update of encoder and decoders. The update takes a run of at most steps transitions from
// each of several trials. In a run some posteriors are decoded; each decodes some transitions of the whole trial.
type shape struct {
	trials, steps, posteriors, decodes int
}

// shapeOf is the shape for trials of at most longest transitions.
func shapeOf(c Config, longest int) shape {
	steps := min(c.Unroll, longest)
	s := shape{c.Trials, steps, steps + 1, longest}
	if c.Posteriors > 0 {
		s.posteriors = min(c.Posteriors, s.posteriors)
	}
	if c.Decodes > 0 {
		s.decodes = min(c.Decodes, s.decodes)
	}
	return s
}

// chain is the encoder unrolled over trials: the posteriors before the first transition and after each, side by side.
type chain struct {
	means, logVars *graph.Node // trials × (steps+1)·latent
	beliefs        *graph.Node // trials × (steps+1)·2·latent, mean and log variance of each posterior together
}

// unroll reads the inputs rows, trials × steps·Width, and first, trials × memory, the states they begin in.
func (e Encoder) unroll(s *core.Stage, k shape) chain {
	rows, h := s.Input("rows", k.trials, k.steps*e.Width()), s.Input("first", k.trials, e.memory.Hidden)
	means, logVars := make([]*graph.Node, k.steps+1), make([]*graph.Node, k.steps+1)
	both := make([]*graph.Node, 0, 2*k.steps+2)
	for t := range means {
		if t > 0 {
			h = e.Step(s, s.SliceCols(rows, (t-1)*e.Width(), t*e.Width()), h)
		}
		q := e.Belief(s, h)
		means[t], logVars[t] = q.Mean, q.LogVar
		both = append(both, q.Mean, q.LogVar)
	}
	return chain{s.ConcatCols(means...), s.ConcatCols(logVars...), s.ConcatCols(both...)}
}

// kl is KL(q_t ‖ p_t) for every posterior and dimension, trials × (steps+1)·latent,
//
//	½(log σp² − log σq² − 1 + (σq² + (μq − μp)²)/σp²),
//
// with p_t = q_{t−1} and p_0 = N(0, 1), or all p_t = N(0, 1).
func (q chain) kl(s *core.Stage, latent, steps int, to string) *graph.Node {
	n := (steps + 1) * latent
	if to == standard {
		return s.Scale(s.Sub(s.Add(s.Exp(q.logVars), s.Square(q.means)), s.Shift(q.logVars, 1)), 0.5)
	}
	// Moved by one posterior; the zeros that come in are the mean and log variance of N(0, 1).
	before := func(x *graph.Node) *graph.Node { return s.PadCols(s.SliceCols(x, 0, steps*latent), latent, n) }
	mean, logVar := before(q.means), before(q.logVars)
	square := s.Add(s.Exp(q.logVars), s.Square(s.Sub(q.means, mean)))
	ratio := s.Mul(square, s.Exp(s.Neg(logVar)))
	return s.Scale(s.Add(s.Shift(ratio, -1), s.Sub(logVar, q.logVars)), 0.5)
}

// elbo is the loss of encoder and decoders, the negative ELBO, 1 × 1: the mean over trials of
//
//	Σ_t [ Σ_i w_r·(r_i − R(z_t, o_i, a_i, o'_i))² + w_s·mean (o'_i − S(z_t, o_i, a_i))² + w_kl·KL(q_t ‖ p_t) ],
//
// with z_t a draw from the posterior q_t after t transitions, t from 0 on, and i over all transitions of the trial,
// before and after t. The Bernoulli decoder has the term of crossEntropy in place of the first. Further inputs, with P
// posteriors per trial and D decoded transitions per posterior:
//
//	pick    trials·P × (steps+1)·2·latent: 1 at the numbers of the row's posterior
//	gather  (steps+1)·2·latent × 2·latent: adds the posteriors up
//	noise   trials·P × latent, standard normal
//	decoded trials·P·D × Width, the transitions (o, a, r, o')
//	weight  trials·P·D × 1 and kept trials × (steps+1)·latent: so that the sums are estimates of the means above
//
// The outputs are loss, and its parts reward, state and kl without their coefficients. decoded and weight are inputs
// only if a decoder reads transitions, which the Bernoulli decoder does not.
func (n Networks) elbo(s *core.Stage, k shape) *graph.Node {
	e, l, c := n.Encoder, n.Encoder.latent, n.cfg
	all := (k.steps + 1) * 2 * l
	q := e.unroll(s, k)
	picked := s.Mul(s.RepeatRows(q.beliefs, k.posteriors), s.Input("pick", k.trials*k.posteriors, all))
	one := s.MatMul(picked, s.WholeInput("gather", all, 2*l), false, false)
	deviation := s.Exp(s.Scale(s.SliceCols(one, l, 2*l), 0.5))
	z := s.Add(s.SliceCols(one, 0, l), s.Mul(deviation, s.Input("noise", k.trials*k.posteriors, l)))
	var rows transitions
	if n.readsTransitions() {
		rows = n.transitions(s, k, z)
	}
	kl := s.SumAll(s.Mul(q.kl(s, l, k.steps, c.KLTo), s.Input("kept", k.trials, (k.steps+1)*l)))
	loss := s.Scale(kl, c.KLWeight)
	s.Output("kl", kl)
	if c.RewardWeight > 0 {
		var sum *graph.Node
		if n.heads > 0 {
			sum = n.crossEntropy(s, z, k.trials*k.posteriors)
		} else {
			sum = n.squaredError(s, rows)
		}
		s.Output("reward", sum)
		loss = s.Add(loss, s.Scale(sum, c.RewardWeight))
	}
	if c.StateWeight > 0 {
		off := s.SumCols(s.Square(s.Sub(n.state.Apply(s, s.ConcatCols(rows.z, rows.before)), rows.after)))
		sum := s.Scale(s.SumAll(s.Mul(rows.weight, off)), 1/float64(e.obs))
		s.Output("state", sum)
		loss = s.Add(loss, s.Scale(sum, c.StateWeight))
	}
	s.Output("loss", loss)
	return loss
}

// transitions are those that are decoded, trials·P·D rows: (o, a) together, and the posterior's draw for each.
type transitions struct{ z, before, reward, after, weight *graph.Node }

// readsTransitions reports whether a decoder has transitions as its input.
func (n Networks) readsTransitions() bool {
	return n.cfg.RewardWeight > 0 && n.heads == 0 || n.cfg.StateWeight > 0
}

// transitions reads the inputs decoded and weight. z are the draws, one for each posterior.
func (n Networks) transitions(s *core.Stage, k shape, z *graph.Node) transitions {
	e := n.Encoder
	z = s.RepeatRows(z, k.decodes)
	pairs := k.trials * k.posteriors * k.decodes
	row, weight := s.Input("decoded", pairs, e.Width()), s.Input("weight", pairs, 1)
	before, reward := s.SliceCols(row, 0, e.obs+e.act), s.SliceCols(row, e.obs+e.act, e.obs+e.act+1)
	return transitions{z, before, reward, s.SliceCols(row, e.obs+e.act+1, e.Width()), weight}
}

// squaredError is the rewards' squared error, 1 × 1.
func (n Networks) squaredError(s *core.Stage, rows transitions) *graph.Node {
	off := s.Square(s.Sub(n.reward.Apply(s, s.ConcatCols(rows.z, rows.before, rows.after)), rows.reward))
	return s.SumAll(s.Mul(rows.weight, off))
}

// elboProgram makes one Adam step of encoder and decoders on elbo and the auxiliary loss; a further output is the
// gradient's norm, grad.
func (n Networks) elboProgram(k shape) (*core.Program, error) {
	b := core.NewBuilder("varibad.elbo", k.trials)
	s := b.Stage("elbo")
	s.OutputNorm("grad", s.Minimise(n.aux.AddTo(s, n.elbo(s, k)), core.DefaultAdam(n.cfg.LRVAE), n.vaeNodes(s)...)...)
	return b.Compile()
}

// vae trains encoder and decoders. It holds the program and its inputs.
type vae struct {
	nets Networks
	shape
	run                              core.Runner
	before                           *Inference // reads a trial up to the run that is drawn
	rows, pick, noise, decoded, kept []float32
	weight                           []float32
	visited, paid                    []float32 // of the Bernoulli decoder
	first                            []float64
	pairs                            float64 // decoded transitions of a trial, all posteriors together, in the mean
	order                            []int
}

// newVAE loads the programs for trials of at most longest transitions.
func newVAE(d core.Device, m core.Memory, n Networks, longest int) (*vae, error) {
	k := shapeOf(n.cfg, longest)
	p, err := n.elboProgram(k)
	if err != nil {
		return nil, err
	}
	l, w := n.Encoder.latent, n.Encoder.Width()
	all, rows := (k.steps+1)*2*l, k.trials*k.posteriors
	v := &vae{
		nets: n, shape: k,
		rows: make([]float32, k.trials*k.steps*w), pick: make([]float32, rows*all), noise: make([]float32, rows*l),
		decoded: make([]float32, rows*k.decodes*w), weight: make([]float32, rows*k.decodes),
		kept:  make([]float32, k.trials*(k.steps+1)*l),
		first: make([]float64, k.trials*n.Encoder.memory.Hidden), order: make([]int, max(longest, k.steps+1)),
	}
	if n.heads > 0 {
		v.visited, v.paid = make([]float32, rows*n.heads), make([]float32, rows*n.heads)
	}
	if v.run, err = d.Load(p, m); err != nil {
		return nil, err
	}
	if v.before, err = NewInference(d, m, n.Encoder, k.trials); err == nil {
		err = v.run.Write("gather", k.gather(l))
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// gather is the program's input of this name.
func (k shape) gather(latent int) []float32 {
	x := make([]float32, (k.steps+1)*2*latent*2*latent)
	for i := range (k.steps + 1) * 2 * latent {
		x[i*2*latent+i%(2*latent)] = 1
	}
	return x
}

// set fills the inputs from trials, as many as the program takes. r draws the runs, posteriors, transitions and noise.
// A trial that is shorter than the longest counts only with its own transitions.
func (v *vae) set(trials []*trial, r *rand.Rand) error {
	if len(trials) != v.trials {
		return fmt.Errorf("varibad: %d trials for an update on %d", len(trials), v.trials)
	}
	for _, x := range [][]float32{v.rows, v.pick, v.decoded, v.weight, v.kept, v.visited, v.paid} {
		clear(x)
	}
	v.pairs = 0
	past := make([][]float32, len(trials))
	for i, t := range trials {
		runs, from := (t.Len+v.steps-1)/v.steps, 0
		if runs > 1 {
			from = v.steps * r.IntN(runs)
		}
		past[i] = t.Rows[:from*v.nets.Encoder.Width()]
		if err := v.setTrial(i, t, from, runs, r); err != nil {
			return err
		}
	}
	for i := range v.noise {
		v.noise[i] = float32(r.NormFloat64())
	}
	states, err := v.before.start(len(trials))
	if err == nil {
		err = v.before.read(states, past)
	}
	for i, b := range states {
		copy(v.first[i*len(b.h):], b.h)
	}
	return err
}

// setTrial fills in the run of trial i that begins with transition `from`; the trial has `runs` runs. The posterior
// before a run counts in the run before, as its last one. The posterior before the first run counts in the first run.
func (v *vae) setTrial(i int, t *trial, from, runs int, r *rand.Rand) error {
	l, w := v.nets.Encoder.latent, v.nets.Encoder.Width()
	n := min(v.steps, t.Len-from)
	copy(v.rows[i*v.steps*w:], t.Rows[from*w:(from+n)*w])
	least := 0
	if from > 0 {
		least = 1
	}
	share := float64(runs) / float64(v.trials)
	for j := least * l; j < (n+1)*l; j++ {
		v.kept[i*(v.steps+1)*l+j] = float32(share)
	}
	there := n + 1 - least
	posteriors, decodes := min(v.posteriors, there), min(v.decodes, t.Len)
	// The drawn ones stand for all of them.
	weight := float32(share * float64(there) / float64(posteriors) * float64(t.Len) / float64(decodes))
	v.pairs += 1 / float64(v.trials) * float64(t.Len+1) * float64(t.Len)
	all := (v.steps + 1) * 2 * l
	for k, at := range append([]int(nil), v.draw(there, posteriors, r)...) {
		row := i*v.posteriors + k
		pick := v.pick[row*all+(least+at)*2*l:]
		for j := range 2 * l {
			pick[j] = 1
		}
		for d, from := range v.draw(t.Len, decodes, r) {
			pair := row*v.decodes + d
			copy(v.decoded[pair*w:(pair+1)*w], t.Rows[from*w:])
			v.weight[pair] = weight
			if v.nets.heads == 0 {
				continue
			}
			if err := v.count(row, v.decoded[pair*w:(pair+1)*w], weight); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw returns k different numbers below n. If k is n, they are in order.
func (v *vae) draw(n, k int, r *rand.Rand) []int {
	order := v.order[:n]
	for i := range order {
		order[i] = i
	}
	if k < n {
		for i := range k {
			j := i + r.IntN(n-i)
			order[i], order[j] = order[j], order[i]
		}
	}
	return order[:k]
}

// ELBO holds the results of an update: the loss, the squared error or the cross-entropy per reward, the squared error
// per number of an observation, the sum of a trial's divergences, and the norm of the gradient.
type ELBO struct{ Loss, Reward, State, KL, Grad float64 }

// step makes an update on the inputs that set has filled.
func (v *vae) step() (f ELBO, err error) {
	inputs := map[string][]float32{"rows": v.rows, "pick": v.pick, "noise": v.noise, "kept": v.kept}
	if v.nets.readsTransitions() {
		inputs["decoded"], inputs["weight"] = v.decoded, v.weight
	}
	if v.nets.heads > 0 {
		inputs["visited"], inputs["paid"] = v.visited, v.paid
	}
	for name, data := range inputs {
		if err := v.run.Write(name, data); err != nil {
			return f, err
		}
	}
	if err := errors.Join(v.nets.aux.Write(v.run), v.run.Write64("first", v.first), v.run.Run()); err != nil {
		return f, err
	}
	outputs := map[string]*float64{"loss": &f.Loss, "kl": &f.KL, "grad": &f.Grad}
	if v.nets.cfg.RewardWeight > 0 {
		outputs["reward"] = &f.Reward
	}
	if v.nets.cfg.StateWeight > 0 {
		outputs["state"] = &f.State
	}
	if err := core.AddScalars(v.run, 1, outputs); err != nil {
		return f, err
	}
	f.Reward, f.State = f.Reward/v.pairs, f.State/v.pairs
	return f, nil
}

// Close gives the programs' buffers back.
func (v *vae) Close() error {
	err := v.run.Close()
	if v.before != nil {
		err = errors.Join(err, v.before.Close())
	}
	return err
}
