package mql

import (
	"maps"
	"math"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/replay"
)

var check = fatal.On

func small() Config {
	c := Default()
	c.Hidden, c.Layers, c.Context, c.History, c.Batch = 5, 1, 3, 3, 6
	c.InitialSteps, c.MinInitialSteps, c.InitialEpisode, c.EpisodesPerIteration = 20, 1, 10, 3
	c.Snapshot, c.AdaptUpdates, c.ReplayUpdates, c.ReplayBatches = 40, 2, 3, 2
	return c
}

// byHand computes the losses in plain loops from values of the parameters by name.
type byHand map[string][]float64

func (p byHand) dense(x []float64, w, b core.ParamSpec) []float64 {
	y := slices.Clone(p[b.Name])
	for j := range y {
		for i := range x {
			y[j] += x[i] * p[w.Name][i*len(y)+j]
		}
	}
	return y
}

func (p byHand) mlp(net nn.MLP, x []float64) []float64 {
	s := net.Specs()
	for l := 0; l < len(s); l += 2 {
		x = p.dense(x, s[l], s[l+1])
		for j := range x {
			if l < len(s)-2 && net.Act == op.ReLU {
				x[j] = max(x[j], 0)
			}
		}
	}
	return x
}

func (p byHand) context(g nn.GRU, history []float64) []float64 {
	h, s, n := make([]float64, g.Hidden), g.Specs(), g.Hidden
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for ; len(history) > 0; history = history[g.In:] {
		gx, gh := p.dense(history[:g.In], s[0], s[1]), p.dense(h, s[2], s[3])
		for j := range h {
			r, z := sigmoid(gx[j]+gh[j]), sigmoid(gx[n+j]+gh[n+j])
			h[j] = (1-z)*math.Tanh(gx[2*n+j]+r*gh[2*n+j]) + z*h[j]
		}
	}
	return h
}

func (p byHand) act(a actorNet, obs, history []float64) []float64 {
	u := p.mlp(a.net, slices.Concat(obs, p.context(a.memory, history)))
	for j := range u {
		u[j] = math.Tanh(u[j])
	}
	return u
}

func (p byHand) q(k criticNet, which int, obs, act, history []float64) float64 {
	return p.mlp(k.q[which], slices.Concat(obs, act, p.context(k.memory, history)))[0]
}

func wide(x []float32, i, n int) []float64 {
	out := make([]float64, n)
	for j := range out {
		out[j] = float64(x[i*n+j])
	}
	return out
}

// row is one transition of a batch in float64.
type row struct {
	obs, act, next, before, after, eps []float64
	rew, done                          float64
}

func (b batch) row(d replay.Dims, window, i int) row {
	h := window * d.ContextWidth(false)
	return row{
		wide(b.rows.Obs, i, d.Obs), wide(b.rows.Act, i, d.Act), wide(b.rows.NextObs, i, d.Obs),
		wide(b.rows.Before, i, h), wide(b.rows.After, i, h), wide(b.eps, i, d.Act), float64(b.rows.Reward[i]),
		float64(b.rows.Done[i]),
	}
}

// beta is the weight of a row in replay updates.
func (p byHand) beta(c Config, n Networks, m logistic, x row) float64 {
	seen := p.context(n.actor.memory, x.before)
	if c.PropensityObs {
		seen = slices.Concat(x.obs, seen)
	}
	beta := math.Exp(-math.Max(m.value(seen), -c.BetaClip))
	if beta < c.BetaMin {
		return 0
	}
	return beta
}

// near is prox·|θ−θ₀|².
func (p byHand) near(prox float64, net nn.Network, anchor byHand) (sum float64) {
	if anchor == nil {
		return 0
	}
	for _, s := range net.Specs() {
		for i, x := range p[s.Name] {
			sum += (x - anchor[s.Name][i]) * (x - anchor[s.Name][i])
		}
	}
	return prox * sum
}

// criticLoss and actorLoss are the equations of updateProgram; targets and weights come from frozen.
func (p byHand) criticLoss(frozen byHand, c Config, n Networks, rows []row, weight []float64) (loss float64) {
	for i, x := range rows {
		a := frozen.act(n.actorTarget, x.next, x.after)
		for j := range a {
			a[j] = min(max(a[j]+min(max(c.PolicyNoise*x.eps[j], -c.NoiseClip), c.NoiseClip), -1), 1)
		}
		y := x.rew + (1-x.done)*c.Discount*min(frozen.q(n.criticTarget, 0, x.next, a, x.after),
			frozen.q(n.criticTarget, 1, x.next, a, x.after))
		for which := range 2 {
			d := p.q(n.critic, which, x.obs, x.act, x.before) - y
			loss += weight[i] * d * d
		}
	}
	return loss
}

func (p byHand) actorLoss(n Networks, rows []row, weight []float64) (loss float64) {
	for i, x := range rows {
		loss -= weight[i] * p.q(n.critic, 0, x.obs, p.act(n.actor, x.obs, x.before), x.before)
	}
	return loss
}

// bench is a memory with random parameters and targets that differ from them, and a random batch.
func newBench(t *testing.T, c Config, rows int) (Networks, core.Memory, batch, replay.Dims) {
	t.Helper()
	d := replay.Dims{Obs: 2, Act: 2}
	n := NewNetworks(c, d.Obs, d.Act)
	m, err := ref.Device.NewMemory(n.Specs())
	check(t, err)
	for i, p := range n.Specs() {
		r := rng.New(1, uint64(i))
		x := make([]float64, p.Rows*p.Cols)
		for j := range x {
			x[j] = 0.6 * r.NormFloat64()
		}
		check(t, m.Write(p.Name, x))
	}
	b := newBatch(d, rows, c.History)
	r := rng.New(2)
	for _, x := range [][]float32{b.rows.Obs, b.rows.Act, b.rows.NextObs, b.rows.Reward, b.rows.Before,
		b.rows.After, b.eps} {
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
	}
	for i := range b.rows.Done {
		b.rows.Done[i], b.weight[i] = float32(i%2), float32(1+i)/8
	}
	return n, m, b, d
}

func values(t *testing.T, m core.Memory) byHand {
	t.Helper()
	out, err := keep(m)
	check(t, err)
	return byHand(out)
}

// Both losses, and the gradients by every parameter, against central differences of the losses written out by hand, in
// training and in the weighted updates of adaptation. Adam's first moment after one step is a tenth of the gradient.
func TestLossesAndGradients(t *testing.T) {
	for _, replayed := range []bool{false, true} {
		c := small()
		c.PropensityObs, c.BetaClip, c.BetaMin = true, 0.5, 0.6
		n, m, b, d := newBench(t, c, c.Batch)
		k := kind{rows: c.Batch, policy: true, lr: 1e-3, replay: replayed}
		program, err := updateProgram(c, n, k)
		check(t, err)
		run, err := ref.Device.Load(program, m)
		check(t, err)
		check(t, b.write(run, !replayed))
		before := values(t, m)
		rows, weight := make([]row, c.Batch), make([]float64, c.Batch)
		var anchored byHand
		classifier := logistic{weight: []float64{0.7, -0.4, 1.1, -0.8, 0.5}, intercept: -0.2}
		for i := range rows {
			rows[i], weight[i] = b.row(d, c.History, i), float64(b.weight[i])
			if replayed {
				weight[i] = before.beta(c, n, classifier, rows[i]) / float64(c.Batch)
			}
		}
		if replayed {
			if low, high := slices.Min(weight)*float64(c.Batch), slices.Max(weight)*float64(c.Batch); low != 0 ||
				math.Abs(high-math.Exp(c.BetaClip)) > 1e-12 {
				t.Fatalf("weights from %v to %v: the test needs both bounds", low, high)
			}
			anchored = byHand{}
			check(t, run.Write64("propensity", classifier.weight),
				run.Write64("intercept", []float64{classifier.intercept}))
			for name, x := range before {
				anchored[name] = make([]float64, len(x))
				for i := range x {
					anchored[name][i] = 0.9*x[i] + 0.01
				}
			}
			for _, s := range slices.Concat(n.actor.Specs(), n.critic.Specs()) {
				check(t, run.Write64(anchor(s.Name), anchored[s.Name]))
			}
		}
		check(t, run.Run())
		after := values(t, m)

		mixed := maps.Clone(before) // the actor's step sees the critics already stepped
		for _, s := range n.critic.Specs() {
			mixed[s.Name] = after[s.Name]
		}
		compare(t, run, "critic_loss", before.criticLoss(before, c, n, rows, weight))
		compare(t, run, "actor_loss", mixed.actorLoss(n, rows, weight))
		gradients(t, n.critic, before, after, func(p byHand) float64 {
			return p.criticLoss(before, c, n, rows, weight) + p.near(c.Prox, n.critic, anchored)
		})
		gradients(t, n.actor, mixed, after, func(p byHand) float64 {
			return p.actorLoss(n, rows, weight) + p.near(c.Prox, n.actor, anchored)
		})
		for _, pair := range [][2]nn.Network{{n.actorTarget, n.actor}, {n.criticTarget, n.critic}} {
			for i, s := range pair[0].Specs() {
				for j, x := range after[s.Name] {
					want := 0.995*before[s.Name][j] + 0.005*after[pair[1].Specs()[i].Name][j]
					if math.Abs(x-want) > 1e-14 {
						t.Errorf("%s[%d] = %v, want %v", s.Name, j, x, want)
					}
				}
			}
		}
	}
}

func compare(t *testing.T, run core.Runner, name string, want float64) {
	t.Helper()
	var got [1]float64
	check(t, run.Read64(name, got[:]))
	if math.Abs(got[0]-want) > 1e-10*(1+math.Abs(want)) {
		t.Errorf("%s = %.14g, by hand %.14g", name, got[0], want)
	}
}

func gradients(t *testing.T, net nn.Network, at, after byHand, loss func(byHand) float64) {
	t.Helper()
	const step = 1e-5
	for _, s := range net.Specs() {
		p := maps.Clone(at)
		for i := range at[s.Name] {
			shifted := func(d float64) float64 {
				p[s.Name] = slices.Clone(at[s.Name])
				p[s.Name][i] += d
				return loss(p)
			}
			numeric, got := (shifted(step)-shifted(-step))/(2*step), 10*after[s.Name+".m"][i]
			if math.Abs(got-numeric) > 2e-7*(1+math.Abs(numeric)) {
				t.Errorf("gradient of %s[%d] is %.9g, by differences %.9g", s.Name, i, got, numeric)
			}
		}
	}
}

// β = exp(−max(f, −clip)), 0 below its least: at f = −10, ln 2, 10 and either side of the least.
func TestBeta(t *testing.T) {
	c := small()
	n, m, b, _ := newBench(t, c, c.Batch)
	program, err := updateProgram(c, n, kind{rows: c.Batch, lr: 1e-3, replay: true})
	check(t, err)
	for f, want := range map[float64]float64{-10: math.E, -0.5: math.Exp(0.5), math.Log(2): 0.5,
		-math.Log(0.101): 0.101, -math.Log(0.099): 0, 10: 0} {
		run, err := ref.Device.Load(program, m)
		check(t, err)
		check(t, b.write(run, false), run.Write64("intercept", []float64{f}), run.Run())
		var beta [1]float64
		check(t, run.Read64("beta", beta[:]))
		if math.Abs(beta[0]-want) > 1e-12 {
			t.Errorf("f = %v: β = %v, want %v", f, beta[0], want)
		}
		check(t, run.Close())
	}
}

// The weight of |θ−θ₀|² by effective sample size: with equal weights nothing is lost and the fixed one holds.
func TestProxByEffectiveSampleSize(t *testing.T) {
	c := small()
	c.ProxESS, c.BetaMin, c.BetaClip = true, 0, 5
	n, m, b, d := newBench(t, c, c.Batch)
	b2 := core.NewBuilder("prox", c.Batch)
	s := b2.Stage("prox")
	x := terms{n: n, c: c, k: kind{rows: c.Batch, replay: true}}
	_, prox := x.weights(s, x.inputs(s))
	s.Output("prox", prox)
	program, err := b2.Compile()
	check(t, err)
	run, err := ref.Device.Load(program, m)
	check(t, err)
	check(t, run.Write("before", b.rows.Before), run.Run())
	compare(t, run, "prox", c.Prox) // w = 0: every β is 1
	w := logistic{weight: []float64{0.3, 1.2, -0.9}}
	check(t, run.Write64("propensity", w.weight), run.Run())
	var sum, square float64
	for i := range c.Batch {
		beta := values(t, m).beta(c, n, w, b.row(d, c.History, i))
		sum, square = sum+beta, square+beta*beta
	}
	compare(t, run, "prox", 1-sum*sum/(square+1e-7)/float64(c.Batch))
}

// Figures of scikit-learn 1.9.1, solver lbfgs, tolerance 1e-12, on the same 20 rows.
func TestLogistic(t *testing.T) {
	var x [][]float64
	var y []float64
	for i := range 20 {
		row, label, shift := []float64{0, 0, 0}, 1.0, -0.3
		if i < 8 {
			label, shift = -1, 0.5
		}
		for j := range row {
			row[j] = math.Sin(float64(1 + 3*i + j))
		}
		row[0] += shift
		x, y = append(x, row), append(y, label)
	}
	for c, want := range map[float64][]float64{
		0.1: {-0.308724974, 0.047617994, -0.000659360, 0.429975780, 0.6},
		0.5: {-0.954373884, 0.362420149, -0.235147879, 0.495085836, 0.8},
		5:   {-3.307911194, 2.755980072, -2.388643230, 0.689921281, 1},
	} {
		m, err := fitLogistic(x, y, c)
		check(t, err)
		for i, v := range append(slices.Clone(m.weight), m.intercept, m.accuracy) {
			if math.Abs(v-want[i]) > 1e-6 {
				t.Errorf("C = %v: number %d is %.9f, scikit-learn has %.9f", c, i, v, want[i])
			}
		}
	}
	if _, err := fitLogistic([][]float64{{math.NaN()}, {1}}, []float64{1, -1}, 1); err == nil {
		t.Error("fitted a row that is not a number")
	}
}
