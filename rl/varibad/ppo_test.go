package varibad

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/onpolicy"
	"nacre/sim"
)

// ppoLoss is the loss of a minibatch by hand; each step weighs one over their number.
func (v byHand) ppoLoss(n Networks, b *batch) (loss float64) {
	in, act, c := n.policy.Net.In, n.policy.Net.Out, n.cfg
	logStd := v[n.policy.LogStd().Name]
	for i := range b.N {
		x := wide(b.X[i*in : (i+1)*in])
		out, from, logProb, entropy := v.net(n.policy.Net, math.Tanh, x...), 0, 0.0, 0.0
		for _, k := range n.policy.Choices {
			sum := 0.0
			for _, x := range out[from : from+k] {
				sum += math.Exp(x)
			}
			for j := from; j < from+k; j++ {
				log := out[j] - math.Log(sum)
				logProb += float64(b.Act[i*act+j]) * log
				entropy -= math.Exp(log) * log
			}
			from += k
		}
		loss -= c.Entropy * entropy / float64(b.N)
		for j, mean := range out[from:] {
			l := max(logStd[j], n.policy.MinLogStd)
			z := (float64(b.Act[i*act+j]) - mean) / math.Exp(l)
			logProb -= z*z/2 + l + math.Log(2*math.Pi)/2
		}
		ratio, a := math.Exp(logProb-float64(b.Old[i])), float64(b.Advantage[i])
		off := v.net(n.value, math.Tanh, x...)[0] - float64(b.Target[i])
		loss += (c.ValueWeight*off*off - min(ratio*a, min(max(ratio, 1-c.Clip), 1+c.Clip)*a)) / float64(b.N)
	}
	for _, l := range logStd {
		loss -= c.Entropy * (max(l, n.policy.MinLogStd) + math.Log(2*math.Pi*math.E)/2)
	}
	return loss
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

func normals(n int, scale float64, path ...uint64) []float32 {
	r, x := rng.New(4, path...), make([]float32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// The gradient by policy and value function against central differences of the loss by hand, with ratios on both sides
// of the clip; nothing else has one.
func TestPPO(t *testing.T) {
	t.Run("Gaussian", func(t *testing.T) { ppoGradient(t) })
	t.Run("categorical", func(t *testing.T) { ppoGradient(t, 3, 2) })
}

func ppoGradient(t *testing.T, choices ...int) {
	n, m := tiny(t, ref.Device, func(c *Config) { c.Entropy, c.Minibatches, c.Clip = 0.3, 1, 0.2 }, choices...)
	const steps = 8
	in, width := n.policy.Net.In, n.policy.Net.Out
	b := &batch{
		N: steps, X: normals(steps*in, 1, 1), Act: normals(steps*width, 1, 2),
		Advantage: normals(steps, 1, 4), Target: normals(steps, 2, 5),
	}
	if n.policy.Discrete() {
		act := make([]float64, width)
		for i := range steps {
			sim.Spec{ActDim: width, ActChoices: choices}.RandomAction(rng.New(6, uint64(i)), act)
			for j, x := range act {
				b.Act[i*width+j] = float32(x)
			}
		}
	}
	u, err := newPPO(ref.Device, m, n, steps+1) // one row is padding
	check(t, err)
	defer u.Close()
	paths := []onpolicy.Path{onpolicy.NewPath(steps)}
	paths[0].Obs, paths[0].Act, paths[0].Reward = b.X, b.Act, make([]float32, steps)
	check(t, u.set(paths))
	b.Old = u.batch.Old
	for i, d := range normals(steps, 0.2, 3) { // another policy took the actions
		b.Old[i] += d
	}
	u.batch = b

	builder := core.NewBuilder("gradients", 1)
	s := builder.Stage("ppo")
	specs := append(n.policy.Specs(), n.value.Specs()...)
	for i, g := range s.Gradients(n.ppoLoss(s, steps+1), append(n.policy.Nodes(s), n.value.Nodes(s)...)...) {
		s.Output("d/"+specs[i].Name, g)
	}
	s.OutputNorm("grad", s.Param(specs[0].Name, specs[0].Rows, specs[0].Cols))
	p, err := builder.Compile()
	check(t, err)
	run, err := ref.Device.Load(p, m)
	check(t, err, u.fit.Close())
	u.fit = run
	var f PPOFigures
	check(t, u.fitTo([]int{0, 1, 2, 3, 4, 5, 6, 7}, 1, &f))
	if f.Clipped == 0 || f.Clipped == 1 {
		t.Fatalf("%v of the ratios are outside: the test sees one side of the clip only", f.Clipped)
	}
	at := values(t, m, n.Specs())
	for name, want := range at.differences(specs, func(v byHand) float64 { return v.ppoLoss(n, b) }) {
		got := make([]float64, len(want))
		check(t, run.Read64("d/"+name, got))
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Errorf("gradient by %s[%d] %.9g, by differences %.9g", name, i, got[i], want[i])
			}
		}
	}
}

// A pass trains policy and value function and leaves encoder and decoders as they are, bit for bit.
func TestThePolicyLeavesTheEncoderAlone(t *testing.T) {
	n, m := tiny(t, ref.Device, func(c *Config) { c.Minibatches = 3 })
	u, err := newPPO(ref.Device, m, n, 10)
	check(t, err)
	defer u.Close()
	p := onpolicy.NewPath(7)
	p.Obs, p.Act, p.Reward = normals(7*n.policy.Net.In, 1, 1), normals(7, 1, 2), normals(7, 1, 3)
	check(t, u.set([]onpolicy.Path{p}))
	before := values(t, m, n.Specs())
	_, err = u.pass(rng.New(1))
	check(t, err)
	for name, x := range values(t, m, n.Specs()) {
		trained := strings.HasPrefix(name, "policy") || strings.HasPrefix(name, "value")
		if moved := !slices.Equal(x, before[name]); moved != trained {
			t.Errorf("%s moved: %v", name, moved)
		}
	}
}

// Advantages and targets by the definition: Σ (γλ)^k δ_{t+k} with the value function's values, 0 after the end, and the
// rewards scaled; targets are advantage plus value, advantages then have mean 0 and deviation 1.
func TestAdvantages(t *testing.T) {
	n, m := tiny(t, ref.Device, func(c *Config) {
		c.Minibatches, c.RewardScale, c.Discount, c.GAELambda = 2, 0.5, 0.9, 0.8
	})
	u, err := newPPO(ref.Device, m, n, 6)
	check(t, err)
	defer u.Close()
	p := onpolicy.NewPath(5)
	p.Obs, p.Act, p.Reward = normals(5*n.policy.Net.In, 1, 1), normals(5, 1, 2), normals(5, 1, 3)
	check(t, u.set([]onpolicy.Path{p}))
	at, value := values(t, m, n.Specs()), make([]float64, 6)
	for i := range 5 {
		value[i] = at.net(n.value, math.Tanh, wide(p.Obs[i*n.policy.Net.In:(i+1)*n.policy.Net.In])...)[0]
	}
	var want [5]float64
	mean, square := 0.0, 0.0
	for i := range want {
		factor := 1.0
		for k := i; k < 5; k++ {
			want[i] += factor * (0.5*float64(p.Reward[k]) + 0.9*value[k+1] - value[k])
			factor *= 0.9 * 0.8
		}
		mean += want[i] / 5
	}
	for _, a := range want {
		square += (a - mean) * (a - mean) / 5
	}
	for i, a := range want {
		if got := float64(u.batch.Target[i]); math.Abs(got-a-value[i]) > 1e-5 {
			t.Errorf("target %d is %v, by hand %v", i, got, a+value[i])
		}
		if got, norm := float64(u.batch.Advantage[i]), (a-mean)/math.Sqrt(square); math.Abs(got-norm) > 1e-5 {
			t.Errorf("advantage %d is %v, by hand %v", i, got, norm)
		}
	}
	p.Obs = p.Obs[1:]
	if err := u.set([]onpolicy.Path{p}); err == nil || !strings.Contains(err.Error(), "want") {
		t.Errorf("a trial without a number of its input: %v", err)
	}
}
