package rl2

import (
	"maps"
	"math"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/internal/rng"
	"nacre/sim"
)

var check = fatal.On

// byHand is the policy in plain loops, from values of the parameters by name.
type byHand map[string][]float64

func values(t testing.TB, m core.Memory, p Policy) byHand {
	t.Helper()
	out := byHand{}
	for _, s := range p.Specs() {
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

// step moves the state h by an input and returns the mean action.
func (v byHand) step(p Policy, x, h []float64) []float64 {
	s, n := p.memory.Specs(), len(h)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	gx, gh := v.dense(x, s[0], s[1]), v.dense(h, s[2], s[3])
	for j := range h {
		r, z := sigmoid(gx[j]+gh[j]), sigmoid(gx[n+j]+gh[n+j])
		h[j] = (1-z)*math.Tanh(gx[2*n+j]+r*gh[2*n+j]) + z*h[j]
	}
	m := p.mean.Specs()
	return v.dense(h, m[0], m[1])
}

// wholeTrial holds the data of one trial in float64, not cut.
type wholeTrial struct{ x, act, old, advantage, weight []float64 }

// loss is PPO's over whole trials.
func (v byHand) loss(c Config, p Policy, trials []wholeTrial) (loss float64) {
	for _, d := range trials {
		h := make([]float64, p.memory.Hidden)
		for t := range d.old {
			mean := v.step(p, d.x[t*p.memory.In:(t+1)*p.memory.In], h)
			logProb, entropy := 0.0, 0.0
			from := 0
			for _, n := range p.choices {
				sum := 0.0
				for _, x := range mean[from : from+n] {
					sum += math.Exp(x)
				}
				for j := from; j < from+n; j++ {
					log := mean[j] - math.Log(sum)
					logProb += d.act[t*p.act+j] * log
					entropy -= math.Exp(log) * log
				}
				from += n
			}
			for j, m := range mean[from:] {
				l := max(v[logStd][j], p.least)
				z := (d.act[t*p.act+j] - m) / math.Exp(l)
				logProb -= z*z/2 + l + math.Log(2*math.Pi)/2
			}
			ratio := math.Exp(logProb - d.old[t])
			loss -= d.weight[t] * min(ratio*d.advantage[t], min(max(ratio, 1-c.Clip), 1+c.Clip)*d.advantage[t])
			if c.EntropyMode == regularized {
				for j := range mean[from:] {
					entropy += max(v[logStd][j], p.least) + math.Log(2*math.Pi*math.E)/2
				}
				loss -= d.weight[t] * c.Entropy * entropy
			}
		}
	}
	return loss
}

// long is two trials of 2,000 steps, one of which ends 300 steps early, whose advantages lie in the last 40 steps: what
// the early inputs have to do with the loss goes through the state all the way.
func long(c Config, p Policy) []wholeTrial {
	const steps = 2000
	r := rng.New(5)
	normal := func(n int, scale float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(float32(scale * r.NormFloat64()))
		}
		return x
	}
	var out []wholeTrial
	for i := range 2 {
		n := steps - 300*i
		d := wholeTrial{x: normal(n*p.memory.In, 1), act: normal(n*p.act, 0.5), old: make([]float64, n),
			advantage: make([]float64, n), weight: make([]float64, n)}
		for t := range n {
			d.old[t] = float64(float32(-1.2 + 0.3*r.NormFloat64()))
			d.weight[t] = float64(float32(1.0 / 80))
			if t >= n-40 {
				d.advantage[t] = float64(float32(r.NormFloat64()))
			}
			if p.discrete() {
				sim.Spec{ActDim: p.act, ActChoices: p.choices}.RandomAction(r, d.act[t*p.act:(t+1)*p.act])
			}
		}
		out = append(out, d)
	}
	return out
}

// chunks cuts trials as Learner.cut does, old log probabilities included.
func chunks(k chunk, trials []wholeTrial) *batch {
	b := newBatch(k, len(trials[0].old))
	put := func(dst [][]float32, i, width int, src []float64) {
		for n, v := range src {
			t, j := n/width, n%width
			dst[t/k.steps][(i*k.steps+t%k.steps)*width+j] = float32(v)
		}
	}
	for i, d := range trials {
		put(b.X, i, k.p.memory.In, d.x)
		put(b.Act, i, k.p.act, d.act)
		put(b.Old, i, 1, d.old)
		put(b.Advantage, i, 1, d.advantage)
		put(b.Weight, i, 1, d.weight)
	}
	return b
}

// newLong makes a policy that remembers: its update gates are nearly closed, so that states last hundreds of steps.
func newLong(t testing.TB, d core.Device, c Config, choices ...int) (Policy, core.Memory) {
	t.Helper()
	act := 0
	for _, n := range choices {
		act += n
	}
	p := NewPolicy(c, 1, max(act, 1), choices...)
	m, err := d.NewMemory(p.Specs())
	check(t, err)
	for i, s := range p.Specs() {
		r, x := rng.New(7, uint64(i)), make([]float64, s.Rows*s.Cols)
		for j := range x {
			x[j] = float64(float32(0.4 * r.NormFloat64()))
			if s.Name == "policy/memory/bx" && j/c.Hidden == 1 {
				x[j] += 7
			}
			if s.Name == logStd {
				x[j] = -0.3
			}
		}
		check(t, m.Write(s.Name, x))
	}
	return p, m
}

// The gradient through 2,000 steps, for chunks that divide them and chunks that do not, against central differences of
// the loss computed in one go without chunks. A gradient cut off between chunks would not pass.
func TestGradientThroughAWholeTrial(t *testing.T) {
	heavy.Skip(t, "finite differences through a whole trial")
	for mode, choices := range map[string][]int{maxEntropy: nil, regularized: nil, "discrete": {2, 2}} {
		c := Default()
		c.Hidden, c.EntropyMode, c.Entropy = 3, regularized, 0.3
		if mode == maxEntropy {
			c.EntropyMode = mode
		}
		p, m := newLong(t, ref.Device, c, choices...)
		trials, at := long(c, p), values(t, m, p)
		numeric := byHand{}
		for _, s := range p.Specs() {
			for i := range at[s.Name] {
				const step = 1e-5
				shifted := func(d float64) float64 {
					v := maps.Clone(at)
					v[s.Name] = slices.Clone(at[s.Name])
					v[s.Name][i] += d
					return v.loss(c, p, trials)
				}
				numeric[s.Name] = append(numeric[s.Name], (shifted(step)-shifted(-step))/(2*step))
			}
		}
		for _, steps := range []int{50, 30} {
			c.MetaBatch, c.Chunk = 2, steps
			u, err := NewPPO(ref.Device, m, p, c, 2000)
			check(t, err)
			defer u.Close()
			b := chunks(u.chunk, trials)
			f, err := u.gradients(b)
			check(t, err)
			if want := at.loss(c, p, trials); math.Abs(f.Loss-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("%s, chunks of %d: loss %.12g, by hand %.12g", mode, steps, f.Loss, want)
			}
			for _, s := range p.Specs() {
				for i, want := range numeric[s.Name] {
					if got := u.sums[s.Name][i]; math.Abs(got-want) > 2e-6*(1+math.Abs(want)) {
						t.Errorf("%s, chunks of %d: gradient of %s[%d] is %.9g, by differences %.9g", mode, steps,
							s.Name, i, got, want)
					}
				}
			}
			if mode != maxEntropy {
				continue
			}
			// Cut off after the last chunk with an advantage, the gradient would be another.
			clear(u.back)
			var part Figures
			for _, x := range u.sums {
				clear(x)
			}
			for i := len(b.X) - 1; i >= 0; i-- {
				clear(u.back)
				check(t, u.chunkBack(b, i, &part))
			}
			cut, all := u.sums["policy/memory/wx"], numeric["policy/memory/wx"]
			var off, size float64
			for i := range cut {
				off, size = off+(cut[i]-all[i])*(cut[i]-all[i]), size+all[i]*all[i]
			}
			if off < 0.01*size {
				t.Errorf("a gradient cut off between chunks differs by %.3g of %.3g only: the test sees nothing",
					off, size)
			}
		}
	}
}

// In float32 on the CPU the same gradient to a thousandth of its norm.
func TestGradientOnTheCPU(t *testing.T) {
	c := Default()
	c.Hidden, c.MetaBatch = 3, 2
	gradient := func(d core.Device) byHand {
		p, m := newLong(t, d, c)
		u, err := NewPPO(d, m, p, c, 2000)
		check(t, err)
		defer u.Close()
		_, err = u.gradients(chunks(u.chunk, long(c, p)))
		check(t, err)
		return u.sums
	}
	device, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	exact, fast := gradient(ref.Device), gradient(device)
	var off, size float64
	for name, x := range exact {
		for i, g := range x {
			off, size = off+(g-fast[name][i])*(g-fast[name][i]), size+g*g
		}
	}
	if off > 1e-6*size {
		t.Errorf("the gradients differ by %.3g of their norm", math.Sqrt(off/size))
	}
}

// One Adam step moves every parameter by the learning rate against its gradient's sign, and the norm is the gradient's.
func TestStep(t *testing.T) {
	c := Default()
	c.Hidden, c.MetaBatch = 3, 2
	p, m := newLong(t, ref.Device, c)
	u, err := NewPPO(ref.Device, m, p, c, 2000)
	check(t, err)
	defer u.Close()
	before := values(t, m, p)
	u.batch = chunks(u.chunk, long(c, p))
	f, err := u.Step()
	check(t, err)
	after, square := values(t, m, p), 0.0
	for name, x := range u.sums {
		for i, g := range x {
			square += g * g
			want := before[name][i] - c.LR*g/(math.Abs(g)+1e-8)
			if math.Abs(after[name][i]-want) > 1e-12 {
				t.Errorf("%s[%d] went from %v to %v, want %v", name, i, before[name][i], after[name][i], want)
			}
		}
	}
	if math.Abs(f.Grad-math.Sqrt(square)) > 1e-12*f.Grad {
		t.Errorf("norm %v, want %v", f.Grad, math.Sqrt(square))
	}
}
