package varibad

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/internal/rng"
)

// gradients runs the loss of trials and gives what it found and the gradient by every parameter, and the noise by
// trial. The noise is drawn unless it is given.
func elboGradients(t testing.TB, d core.Device, n Networks, m core.Memory, trials []*trial,
	longest int, given ...float32) (f ELBO, grads byHand, noise [][]float64) {
	t.Helper()
	v, err := newVAE(d, m, n, longest)
	check(t, err)
	defer v.Close()
	b := core.NewBuilder("gradients", v.trials)
	s := b.Stage("elbo")
	var specs []core.ParamSpec
	for _, spec := range n.Specs() {
		if strings.HasPrefix(spec.Name, "encoder/") || strings.HasPrefix(spec.Name, "decoder/") {
			specs = append(specs, spec)
		}
	}
	for i, g := range s.Gradients(n.elbo(s, v.shape), n.vaeNodes(s)...) {
		s.Output("d/"+specs[i].Name, g)
	}
	s.OutputNorm("grad", s.Param(specs[0].Name, specs[0].Rows, specs[0].Cols)) // only so that step finds it
	p, err := b.Compile()
	check(t, err)
	run, err := d.Load(p, m)
	check(t, err)
	l := n.Encoder.latent
	check(t, v.set(trials, rng.New(3)), run.Write("gather", v.gather(l)), v.run.Close())
	v.run = run
	copy(v.noise, given)
	f, err = v.step()
	check(t, err)
	f.Reward, f.State = f.Reward*v.pairs, f.State*v.pairs
	grads = byHand{}
	for _, spec := range specs {
		grads[spec.Name] = make([]float64, spec.Rows*spec.Cols)
		check(t, run.Read64("d/"+spec.Name, grads[spec.Name]))
	}
	for i := range trials {
		var x []float64
		for _, e := range v.noise[i*v.posteriors*l : (i+1)*v.posteriors*l] {
			x = append(x, float64(e))
		}
		noise = append(noise, x)
	}
	return f, grads, noise
}

// The loss and its parts against plain loops, and its gradient by every number of encoder and decoders against central
// differences of those; one of the trials is shorter than the longest.
func TestELBO(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"squared":                 func(*Config) {},
		"squared, standard":       func(c *Config) { c.KLTo = standard },
		"bernoulli":               func(c *Config) { c.RewardDecoder = bernoulli },
		"bernoulli, reward alone": func(c *Config) { c.RewardDecoder, c.StateWeight = bernoulli, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			n, m := tiny(t, ref.Device, change)
			trials, rows := randomTrials(n.Encoder.Width(), 5, 3)
			if n.heads > 0 {
				inCells(n, trials, rows)
			}
			compareByHand(t, n, m, trials, rows)
		})
	}
}

// compareByHand compares loss, parts and gradients of trials of up to five transitions.
func compareByHand(t *testing.T, n Networks, m core.Memory, trials []*trial, rows [][]float64) {
	t.Helper()
	f, grads, noise := elboGradients(t, ref.Device, n, m, trials, 5)
	at := values(t, m, n.Specs())
	want := at.elbo(n, rows, noise)
	for name, x := range map[string][2]float64{
		"loss": {f.Loss, want.Loss}, "reward": {f.Reward, want.Reward}, "state": {f.State, want.State},
		"kl": {f.KL, want.KL},
	} {
		if math.Abs(x[0]-x[1]) > 1e-6*math.Abs(x[1]) { // the weights are written as float32
			t.Errorf("%s %.12g, by hand %.12g", name, x[0], x[1])
		}
	}
	var specs []core.ParamSpec
	for _, s := range n.Specs() {
		if grads[s.Name] != nil {
			specs = append(specs, s)
		}
	}
	moved := 0
	for name, want := range at.differences(specs, func(v byHand) float64 { return v.elbo(n, rows, noise).Loss }) {
		for i, g := range grads[name] {
			if math.Abs(g-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Errorf("gradient by %s[%d] %.9g, by differences %.9g", name, i, g, want[i])
			}
			if math.Abs(g) > 1e-3 {
				moved++
			}
		}
	}
	if moved < 90 {
		t.Errorf("only %d numbers have a gradient: the test sees little", moved)
	}
}

// A trial that is longer than the gradient goes back: each run begins in the state that the transitions before it
// leave; over the runs every posterior's divergence counts as often as when all are taken, and so does every pair of a
// posterior and a transition, of any place in the trial.
func TestLongTrials(t *testing.T) {
	n, m := tiny(t, ref.Device, func(c *Config) { c.Unroll, c.Trials = 3, 1 })
	trials, rows := randomTrials(n.Encoder.Width(), 8)
	v, err := newVAE(ref.Device, m, n, 8)
	check(t, err)
	defer v.Close()
	at, w, l := values(t, m, n.Specs()), n.Encoder.Width(), n.Encoder.latent
	const draws = 3000
	kl, pairs := make([]float64, 9), make([]float64, 9)
	for d := range draws {
		check(t, v.set(trials, rng.New(1, uint64(d))))
		from := 0
		for !slices.Equal(v.rows[:w], trials[0].Rows[from*w:(from+1)*w]) {
			from++
		}
		h := make([]float64, n.Encoder.memory.Hidden)
		for step := range from {
			h = at.step(n.Encoder, rows[0][step*w:(step+1)*w], h)
		}
		for j := range h {
			if math.Abs(h[j]-v.first[j]) > 1e-12 {
				t.Fatalf("the run from %d begins in %v, want %v", from, v.first, h)
			}
		}
		for j := range min(4, 9-from) {
			kl[from+j] += float64(v.kept[j*l]) / draws
		}
		for row := range v.posteriors {
			if place := slices.Index(v.pick[row*8*l:(row+1)*8*l], 1); place >= 0 {
				for _, x := range v.weight[row*v.decodes : (row+1)*v.decodes] {
					pairs[from+place/(2*l)] += float64(x) / draws
				}
			}
		}
	}
	for i := range kl {
		if math.Abs(kl[i]-1) > 0.12 || math.Abs(pairs[i]-8) > 1 {
			t.Errorf("posterior %d: the divergence counts %.3f times, want 1, and decodes %.2f transitions, want 8", i,
				kl[i], pairs[i])
		}
	}
}

// In float32 on the CPU the same gradient to a thousandth of its norm.
func TestELBOOnTheCPU(t *testing.T) {
	device, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	var grads [2]byHand
	for i, d := range []core.Device{ref.Device, device} {
		n, m := tiny(t, d, nil)
		trials, _ := randomTrials(n.Encoder.Width(), 5, 3)
		_, grads[i], _ = elboGradients(t, d, n, m, trials, 5)
	}
	var off, size float64
	for name, x := range grads[0] {
		for i, g := range x {
			off, size = off+(g-grads[1][name][i])*(g-grads[1][name][i]), size+g*g
		}
	}
	if off > 1e-6*size {
		t.Errorf("the gradients differ by %.3g of their norm", math.Sqrt(off/size))
	}
}

// What is drawn at random stands for all: over many draws every pair of a posterior and a transition has on average the
// weight it has when all are taken, and no draw has a pair twice.
func TestDrawnTermsAreUnbiased(t *testing.T) {
	n, m := tiny(t, ref.Device, func(c *Config) { c.Posteriors, c.Decodes = 3, 2 })
	trials, _ := randomTrials(n.Encoder.Width(), 5, 3)
	v, err := newVAE(ref.Device, m, n, 5)
	check(t, err)
	defer v.Close()
	const draws = 4000
	w, l := n.Encoder.Width(), n.Encoder.latent
	mean := map[[3]int]float64{} // trial, posterior, transition
	for d := range draws {
		check(t, v.set(trials, rng.New(1, uint64(d))))
		for row := range v.trials * v.posteriors {
			i, pick := row/v.posteriors, v.pick[row*6*2*l:(row+1)*6*2*l]
			at := slices.Index(pick, 1) / (2 * l)
			for k := range v.decodes {
				pair := row*v.decodes + k
				for from := range trials[i].Len {
					if slices.Equal(trials[i].Rows[from*w:(from+1)*w], v.decoded[pair*w:(pair+1)*w]) {
						mean[[3]int{i, at, from}] += float64(v.weight[pair]) / draws
					}
				}
			}
		}
	}
	if len(mean) != 6*5+4*3 {
		t.Fatalf("%d pairs were drawn, there are %d", len(mean), 6*5+4*3)
	}
	for pair, x := range mean {
		if math.Abs(x-0.5) > 0.06 { // four standard errors
			t.Errorf("trial %d, posterior %d, transition %d: mean weight %.3f, want 1/2, one over the trials", pair[0],
				pair[1], pair[2], x)
		}
	}
	if err := v.set(trials[:1], rng.New(1)); err == nil ||
		!strings.Contains(err.Error(), "1 trials for an update on 2") {
		t.Errorf("one trial for two: %v", err)
	}
}

// Trials of two tasks that differ in their rewards alone: after some updates the posterior tells them apart from one
// transition on, and is less certain before it.
func TestTheEncoderLearnsTheTask(t *testing.T) {
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	c := Default()
	c.Latent, c.Embed, c.Memory, c.Decoder, c.Trials, c.Posteriors, c.Decodes, c.LRVAE, c.KLWeight = 2, 8, 8, 16, 8,
		0, 0, 1e-2, 0.1
	n := NewNetworks(c, 1, 1)
	m, err := d.NewMemory(n.Specs())
	check(t, err, n.init(m, 1))
	v, err := newVAE(d, m, n, 4)
	check(t, err)
	defer v.Close()
	var trials []*trial
	var contexts [][]float32
	for i := range c.Trials {
		_, rows := randomTrials(n.Encoder.Width(), 4)
		one, r := &trial{Len: 4}, rng.New(5, uint64(i))
		for j := range rows[0] {
			one.Rows = append(one.Rows, float32(r.NormFloat64()))
			if j%n.Encoder.Width() == 2 {
				one.Rows[j] = float32(2*(i%2) - 1)
			}
		}
		trials, contexts = append(trials, one), append(contexts, one.Rows[:n.Encoder.Width()])
	}
	var first, last ELBO
	for step := range 300 {
		check(t, v.set(trials, rng.New(2, uint64(step))))
		last, err = v.step()
		check(t, err)
		if step == 0 {
			first = last
		}
	}
	// Without a transition there is nothing better than the mean, whose error is 1: a fifth of the terms.
	if last.Reward > 0.3 || last.Reward > first.Reward/2 {
		t.Errorf("the rewards' error went from %.3f to %.3f, want about a fifth of 1", first.Reward, last.Reward)
	}
	f, err := NewInference(d, m, n.Encoder, 3)
	check(t, err)
	defer f.Close()
	q, err := f.Posteriors(append(contexts, nil))
	check(t, err)
	distance := func(i, j int) (sum float64) {
		for k := range q[i].Mean {
			sum += (q[i].Mean[k] - q[j].Mean[k]) * (q[i].Mean[k] - q[j].Mean[k])
		}
		return math.Sqrt(sum)
	}
	for i := range contexts {
		if same, other := distance(i, i%2), distance(i, 1-i%2); i > 1 && same > other/2 {
			t.Errorf("trial %d: %.2f from one of its task, %.2f from one of the other", i, same, other)
		}
		if seen, prior := slices.Min(q[i].Var), slices.Min(q[len(q)-1].Var); seen > 0.9*prior {
			t.Errorf("trial %d: variance %.3f after a transition, %.3f before", i, seen, prior)
		}
	}
}
