package varibad

import (
	"maps"
	"math"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/sim"
)

var check = fatal.On

// byHand is the networks in plain loops, from values of the parameters by name.
type byHand map[string][]float64

func values(t testing.TB, m core.Memory, specs []core.ParamSpec) byHand {
	t.Helper()
	out := byHand{}
	for _, s := range specs {
		out[s.Name] = make([]float64, s.Rows*s.Cols)
		check(t, m.Read(s.Name, out[s.Name]))
	}
	return out
}

func (v byHand) dense(x []float64, w, b core.ParamSpec) []float64 {
	y := slices.Clone(v[b.Name])
	for j := range y {
		for i := range x {
			y[j] += x[i] * v[w.Name][i*len(y)+j]
		}
	}
	return y
}

func relu(x float64) float64 { return max(x, 0) }

// net is a perceptron's output.
func (v byHand) net(m nn.MLP, act func(float64) float64, x ...float64) []float64 {
	specs := m.Specs()
	for l := 0; l < len(specs); l += 2 {
		x = v.dense(x, specs[l], specs[l+1])
		for j := range x {
			if l+2 < len(specs) {
				x[j] = act(x[j])
			}
		}
	}
	return x
}

// step is the encoder's state after a row.
func (v byHand) step(e Encoder, row, h []float64) []float64 {
	s := e.embed.Specs()
	x := v.dense(row[e.obs:], s[0], s[1])
	for j := range x {
		x[j] = relu(x[j])
	}
	s = e.memory.Specs()
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	gx, gh, out, n := v.dense(x, s[0], s[1]), v.dense(h, s[2], s[3]), make([]float64, len(h)), len(h)
	for j := range h {
		r, z := sigmoid(gx[j]+gh[j]), sigmoid(gx[n+j]+gh[n+j])
		out[j] = (1-z)*math.Tanh(gx[2*n+j]+r*gh[2*n+j]) + z*h[j]
	}
	return out
}

// beliefs are the posteriors before the first row of a trial and after each.
func (v byHand) beliefs(e Encoder, rows []float64) (out []belief.Gaussian) {
	h := make([]float64, e.memory.Hidden)
	for t := 0; t <= len(rows)/e.Width(); t++ {
		if t > 0 {
			h = v.step(e, rows[(t-1)*e.Width():t*e.Width()], h)
		}
		y := v.net(e.head, nil, h...)
		q := belief.Gaussian{Mean: y[:e.latent], Var: y[e.latent:]}
		for j, l := range q.Var {
			q.Var[j] = math.Exp(min(max(l, minLogVar), maxLogVar))
		}
		out = append(out, q)
	}
	return out
}

// elbo is what the program minimises, over whole trials, all posteriors and all transitions, with the noise of
// posterior t of trial i at noise[i][t].
func (v byHand) elbo(n Networks, rows, noise [][]float64) (f ELBO) {
	e, c := n.Encoder, n.cfg
	square := func(x float64) float64 { return x * x }
	for i, trial := range rows {
		before := belief.Prior(e.latent)
		for t, q := range v.beliefs(e, trial) {
			z := make([]float64, e.latent)
			for j := range z {
				z[j] = q.Mean[j] + math.Sqrt(q.Var[j])*noise[i][t*e.latent+j]
				f.KL += 0.5 * (math.Log(before.Var[j]/q.Var[j]) - 1 +
					(q.Var[j]+square(q.Mean[j]-before.Mean[j]))/before.Var[j])
			}
			for row := range slices.Chunk(trial, e.Width()) {
				o, rest := row[:e.obs+e.act], row[e.obs+e.act:]
				r, next := rest[0], rest[1:]
				f.Reward += v.rewardError(n, z, o, r, next)
				if c.StateWeight == 0 {
					continue
				}
				for j, x := range v.net(n.state, relu, slices.Concat(z, o)...) {
					f.State += square(next[j]-x) / float64(e.obs)
				}
			}
			if c.KLTo == previous {
				before = q
			}
		}
	}
	share := 1 / float64(len(rows))
	f.Reward, f.State, f.KL = share*f.Reward, share*f.State, share*f.KL
	f.Loss = c.RewardWeight*f.Reward + c.StateWeight*f.State + c.KLWeight*f.KL
	return f
}

// rewardError is that of one reward: its squared error, or minus the log of the probability that the head of the next
// observation gives to what it is.
func (v byHand) rewardError(n Networks, z, o []float64, r float64, next []float64) float64 {
	if n.heads == 0 {
		off := r - v.net(n.reward, relu, slices.Concat(z, o, next)...)[0]
		return off * off
	}
	head := 0
	for j, x := range next {
		head = head*n.cells[j] + int(x)
	}
	logit := v.net(n.reward, relu, z...)[head]
	if r > 0 {
		return -math.Log(1 / (1 + math.Exp(-logit)))
	}
	return -math.Log(1 - 1/(1+math.Exp(-logit)))
}

// differences are central differences of a loss by every number of the parameters.
func (v byHand) differences(specs []core.ParamSpec, loss func(byHand) float64) byHand {
	out := byHand{}
	for _, s := range specs {
		for i := range v[s.Name] {
			const step = 1e-5
			at := func(d float64) float64 {
				w := maps.Clone(v)
				w[s.Name] = slices.Clone(v[s.Name])
				w[s.Name][i] += d
				return loss(w)
			}
			out[s.Name] = append(out[s.Name], (at(step)-at(-step))/(2*step))
		}
	}
	return out
}

// randomTrials are trials of so many transitions.
func randomTrials(width int, steps ...int) (out []*trial, rows [][]float64) {
	for i, n := range steps {
		t, r := &trial{Len: n}, rng.New(9, uint64(i))
		wide := make([]float64, n*width)
		for j := range wide {
			wide[j] = float64(float32(r.NormFloat64()))
			t.Rows = append(t.Rows, float32(wide[j]))
		}
		out, rows = append(out, t), append(rows, wide)
	}
	return out, rows
}

// cells are the observations that tiny's Bernoulli decoder has heads for.
var cells = []int{3, 2}

// inCells makes the trials' observations such ones: o' of every transition, as the decoder reads no other.
func inCells(n Networks, trials []*trial, rows [][]float64) {
	w, from := n.Encoder.Width(), n.Encoder.obs+n.Encoder.act+1
	for i, t := range trials {
		r := rng.New(8, uint64(i))
		for at := from; at < len(t.Rows); at += w {
			for j, c := range cells {
				t.Rows[at+j] = float32(r.IntN(c))
				rows[i][at+j] = float64(t.Rows[at+j])
			}
		}
	}
}

// tiny is networks of a few numbers with parameters that are neither small nor equal.
func tiny(t testing.TB, d core.Device, change func(*Config), choices ...int) (Networks, core.Memory) {
	t.Helper()
	c := Default()
	c.Latent, c.Embed, c.Memory, c.Decoder, c.Layers, c.PolicyHidden = 2, 4, 3, 4, 2, 3
	c.Trials, c.Posteriors, c.Decodes = 2, 0, 0
	c.RewardWeight, c.StateWeight, c.KLWeight = 0.7, 1.3, 0.4
	if change != nil {
		change(&c)
	}
	act := 0
	for _, n := range choices {
		act += n
	}
	n, err := NewNetworks(c, 2, max(act, 1), choices...), error(nil)
	if c.RewardDecoder == bernoulli {
		n, err = n.withHeads(sim.Spec{Name: "tiny", ObsDim: 2, ObsChoices: cells})
		check(t, err)
	}
	m, err := d.NewMemory(n.Specs())
	check(t, err)
	for i, s := range n.Specs() {
		r, x := rng.New(7, uint64(i)), make([]float64, s.Rows*s.Cols)
		for j := range x {
			x[j] = float64(float32(0.5 * r.NormFloat64()))
		}
		check(t, m.Write(s.Name, x))
	}
	return n, m
}

// The reference in plain loops against numbers worked out on paper.
func TestTheReferenceAgainstAClosedForm(t *testing.T) {
	n, m := tiny(t, ref.Device, func(c *Config) { c.Latent = 1 })
	v := values(t, m, n.Specs())
	for _, x := range v {
		clear(x)
	}
	// All posteriors are N(0.5, e^-1), all predictions 2 and (3, 3).
	copy(v["encoder/head/b0"], []float64{0.5, -1})
	v["decoder/reward/b2"][0] = 2
	copy(v["decoder/state/b2"], []float64{3, 3})
	f := v.elbo(n, [][]float64{{0, 0, 0, 1, 1, 5}, {0, 0, 0, 4, 3, 3}}, [][]float64{{1, 1}, {1, 1}})
	kl := 0.5 * (math.Exp(-1) + 0.25) // ½(-logvar - 1 + e^logvar + mean²) with logvar -1; the second one is 0
	want := ELBO{Reward: (2*1 + 2*4) / 2.0, State: (2*(4+4)/2.0 + 0) / 2, KL: kl}
	want.Loss = 0.7*want.Reward + 1.3*want.State + 0.4*want.KL
	for name, x := range map[string][2]float64{"reward": {f.Reward, want.Reward}, "state": {f.State, want.State},
		"kl": {f.KL, want.KL}, "loss": {f.Loss, want.Loss}} {
		if math.Abs(x[0]-x[1]) > 1e-12 {
			t.Errorf("%s %v, in closed form %v", name, x[0], x[1])
		}
	}
}
