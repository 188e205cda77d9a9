package pearl

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/tcl"
)

var check = fatal.On

// small is a configuration whose reference update takes milliseconds, for 3 observations and 2 actions.
func small(change func(*Config)) Config {
	c := Default()
	c.Latent, c.Hidden, c.Layers, c.EncoderHidden, c.EncoderLayers = 2, 6, 2, 5, 1
	c.MetaBatch, c.Batch, c.Context = 3, 8, 4
	if change != nil {
		change(&c)
	}
	return c
}

const smallObs, smallAct = 3, 2

// updater is an update program on fixed random data, without replay.
type updater struct {
	t    *testing.T
	cfg  Config
	nets Networks
	mem  core.Memory
	run  core.Runner
}

func newUpdater(t *testing.T, c Config, aux belief.Auxiliary,
	compile func(Config, Networks) (*core.Program, error)) *updater {
	t.Helper()
	u := &updater{t: t, cfg: c, nets: NewNetworks(c, smallObs, smallAct)}
	specs := u.nets.Specs()
	if aux != nil {
		specs = append(specs, aux.Params()...)
	}
	p, err := compile(c, u.nets)
	check(t, err)
	u.mem, err = ref.Device.NewMemory(specs)
	check(t, err)
	check(t, u.nets.Init(u.mem, c, 7))
	for i, net := range u.nets.Trained() { // large enough last layers that all gradients are felt
		check(t, nn.Oyster{Last: 0.3}.Init(u.mem, net, rng.New(7, uint64(i))))
	}
	if c.CloneQ {
		check(t, nn.Copy(u.mem, u.nets.Q2, u.nets.Q1))
	}
	if aux != nil {
		check(t, aux.Init(u.mem))
	}
	u.run, err = ref.Device.Load(p, u.mem)
	check(t, err)
	inputs := make([]string, 0, len(p.Inputs))
	for name := range p.Inputs {
		inputs = append(inputs, name)
	}
	for _, name := range inputs {
		v := p.Values[p.Inputs[name]]
		r := rng.New(11, uint64(len(name)), uint64(name[0]), uint64(name[len(name)-1]))
		x := make([]float64, v.Rows*v.Cols)
		for i := range x {
			switch name {
			case "context_weight", "key_weight":
				x[i] = 1
			case "done":
				x[i] = math.Floor(1.2 * r.Float64())
			default:
				x[i] = r.NormFloat64()
			}
		}
		check(t, u.run.Write64(name, x))
	}
	return u
}

// update compiles the whole update, with TCL where withTCL says so.
func update(t *testing.T, c Config, withTCL bool) *updater {
	t.Helper()
	var aux belief.Auxiliary
	if withTCL {
		tc := tcl.Default()
		tc.Window = c.Context
		a, err := tcl.New(tc, NewNetworks(c, smallObs, smallAct).Encoder, c.MetaBatch)
		check(t, err)
		aux = a
	}
	return newUpdater(t, c, aux, func(c Config, n Networks) (*core.Program, error) { return UpdateProgram(c, n, aux) })
}

func (u *updater) step() {
	u.t.Helper()
	check(u.t, u.run.Run())
}

func (u *updater) scalar(name string) float64 {
	u.t.Helper()
	x := make([]float64, 1)
	check(u.t, u.run.Read64(name, x))
	return x[0]
}

// state reads all parameters of a network with their optimiser state.
func state(t *testing.T, m core.Memory, net nn.MLP) []float64 {
	t.Helper()
	var out []float64
	for _, p := range net.Specs() {
		for _, suffix := range []string{"", ".m", ".v", ".t"} {
			x := make([]float64, p.Rows*p.Cols)
			if suffix == ".t" {
				x = x[:1]
			}
			check(t, m.Read(p.Name+suffix, x))
			out = append(out, x...)
		}
	}
	return out
}

// values reads the parameters alone.
func values(t *testing.T, m core.Memory, net nn.MLP) []float64 {
	t.Helper()
	var out []float64
	for _, p := range net.Specs() {
		x := make([]float64, p.Rows*p.Cols)
		check(t, m.Read(p.Name, x))
		out = append(out, x...)
	}
	return out
}

func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

func differ(t *testing.T, what string, a, b []float64) {
	t.Helper()
	for i := range a {
		if a[i] != b[i] {
			return
		}
	}
	t.Errorf("%s: all %d numbers are equal", what, len(a))
}

// criticAlone is the update without its value and policy stages.
func criticAlone(c Config, n Networks) (*core.Program, error) {
	b := core.NewBuilder("critic alone", c.MetaBatch)
	s := b.Stage("critic")
	l := shared{n: n, c: c, rows: c.Context}.critic(s)
	loss := s.Add(s.Scale(l.kl, c.KLWeight), l.q)
	step(s, loss, n.Q1, c.LRQ, "grad_q1")
	step(s, loss, n.Q2, c.LRQ, "grad_q2")
	step(s, loss, n.Encoder.Net, c.LREncoder, "grad_encoder")
	n.V.Nodes(s)
	return b.Compile()
}

// The value and policy stages move neither the encoder nor the Q networks: those take bit for bit the step they take
// without these stages.
func TestValueAndPolicyLeaveEncoderAndQAlone(t *testing.T) {
	c := small(nil)
	whole, alone := update(t, c, false), newUpdater(t, c, nil, criticAlone)
	before := state(t, whole.mem, whole.nets.Encoder.Net)
	whole.step()
	alone.step()
	for _, net := range []nn.MLP{whole.nets.Encoder.Net, whole.nets.Q1, whole.nets.Q2} {
		equal(t, net.Name, state(t, whole.mem, net), state(t, alone.mem, net))
	}
	differ(t, "encoder", state(t, whole.mem, whole.nets.Encoder.Net), before)
	for _, net := range []nn.MLP{whole.nets.V, whole.nets.Policy.Net, whole.nets.VTarget} {
		differ(t, net.Name, values(t, whole.mem, net), values(t, alone.mem, net))
	}
}

// The losses of V and of the policy have no path to the encoder that a gradient passes: asking for it is an error.
func TestNoGradientFromValueAndPolicyToEncoder(t *testing.T) {
	c := small(nil)
	n := NewNetworks(c, smallObs, smallAct)
	for _, name := range []string{"value", "policy"} {
		b := core.NewBuilder("isolation", c.MetaBatch)
		s := b.Stage("critic")
		x := shared{n: n, c: c, rows: c.Context, from: s}
		x.z = x.critic(s).z
		next := b.Stage(name)
		obsZ, a, qMin := x.improve(next)
		loss := next.MeanAll(next.Sub(a.LogProb, qMin))
		if name == "value" {
			loss = next.MeanAll(next.Square(next.Sub(n.V.Apply(next, obsZ), qMin)))
		}
		next.Gradients(loss, n.Encoder.Net.Nodes(next)...)
		if _, err := b.Compile(); err == nil || !strings.Contains(err.Error(), "does not depend on") {
			t.Errorf("gradient of the %s loss by the encoder: error %v", name, err)
		}
	}
}

// With a window as its context and weight 0, TCL changes nothing but the key encoder.
func TestTCLOfNoWeightIsPEARL(t *testing.T) {
	c := small(nil)
	plain := update(t, c, false)
	tc := tcl.Default()
	tc.Window, tc.Scale = c.Context, 0
	aux, err := tcl.New(tc, plain.nets.Encoder, c.MetaBatch)
	check(t, err)
	with := newUpdater(t, c, aux, func(c Config, n Networks) (*core.Program, error) { return UpdateProgram(c, n, aux) })
	for range 2 {
		plain.step()
		with.step()
	}
	for _, net := range append(plain.nets.Trained(), plain.nets.VTarget) {
		a, b := values(t, with.mem, net), values(t, plain.mem, net)
		for i := range b {
			if math.Abs(a[i]-b[i]) > 1e-12 {
				t.Fatalf("%s: %v with TCL of weight 0, %v without", net.Name, a[i], b[i])
			}
		}
	}
}

// Perturbed keys change the encoder's step; the key encoder moves by its average towards the stepped encoder only.
func TestKeyEncoderInTheUpdate(t *testing.T) {
	c := small(nil)
	u, moved := update(t, c, true), update(t, c, true)
	key := u.nets.Encoder.Net.As("encoder_key")
	bias := make([]float64, 2*c.Latent)
	check(t, moved.mem.Read("encoder_key/b1", bias))
	for i := range bias {
		bias[i] += 0.5
	}
	check(t, moved.mem.Write("encoder_key/b1", bias))
	old := values(t, u.mem, key)
	u.step()
	moved.step()
	if a, b := u.scalar("grad_encoder"), moved.scalar("grad_encoder"); a == b {
		t.Errorf("the encoder's gradient norm is %v whatever the keys", a)
	}
	now := values(t, u.mem, u.nets.Encoder.Net)
	for i, got := range values(t, u.mem, key) {
		if want := 0.995*old[i] + 0.005*now[i]; math.Abs(got-want) > 1e-15 {
			t.Fatalf("key parameter %d = %v, want %v", i, got, want)
		}
	}
	for _, p := range key.Specs() {
		steps := make([]float64, 1)
		check(t, u.mem.Read(p.Name+".t", steps))
		if steps[0] != 0 {
			t.Errorf("%s took %v optimiser steps", p.Name, steps[0])
		}
	}
}

// Two Q networks with their own initial weights stay two; garage's copy stays a copy.
func TestTwinQ(t *testing.T) {
	for _, clone := range []bool{false, true} {
		u := update(t, small(func(c *Config) { c.CloneQ = clone }), false)
		for range 10 {
			u.step()
		}
		q1, q2 := state(t, u.mem, u.nets.Q1), state(t, u.mem, u.nets.Q2)
		if clone {
			equal(t, "Q2", q2, q1)
		} else {
			differ(t, "Q1 and Q2", q1, q2)
		}
	}
}

// The target network follows V after V's step.
func TestTargetAverage(t *testing.T) {
	u := update(t, small(func(c *Config) { c.TargetTau = 0.25 }), false)
	old := values(t, u.mem, u.nets.VTarget)
	u.step()
	v := values(t, u.mem, u.nets.V)
	for i, got := range values(t, u.mem, u.nets.VTarget) {
		if want := 0.75*old[i] + 0.25*v[i]; math.Abs(got-want) > 1e-15 {
			t.Fatalf("target parameter %d = %v, want %v", i, got, want)
		}
	}
}

// garage's regularisers are part of the reported loss but of no gradient: the policy steps as without them.
func TestDetachedRegularisers(t *testing.T) {
	strong := func(c *Config) { c.MeanReg, c.StdReg, c.PreTanhReg = 0.5, 0.25, 0.125 }
	with := update(t, small(strong), false)
	without := update(t, small(func(c *Config) { c.MeanReg, c.StdReg, c.PreTanhReg = 0, 0, 0 }), false)
	detached := update(t, small(func(c *Config) { strong(c); c.DetachedReg = true }), false)
	for _, u := range []*updater{with, without, detached} {
		u.step()
	}
	if a, b := detached.scalar("policy_loss"), with.scalar("policy_loss"); math.Abs(a-b) > 1e-12 {
		t.Errorf("detached loss %v, want %v", a, b)
	}
	if a, b := with.scalar("policy_loss"), without.scalar("policy_loss"); !(a > b+1e-3) {
		t.Errorf("loss %v with regularisers, %v without", a, b)
	}
	a, b := values(t, detached.mem, detached.nets.Policy.Net), values(t, without.mem, without.nets.Policy.Net)
	for i := range b {
		if math.Abs(a[i]-b[i]) > 1e-12 {
			t.Fatalf("policy parameter %d = %v, want %v", i, a[i], b[i])
		}
	}
	differ(t, "policy", values(t, with.mem, with.nets.Policy.Net), b)
}

// The KL is weighted by λ and enters the encoder's gradient; the parts the diagnostics report add up to it. With one
// direction per part the norms obey the triangle inequality, and each alone is the gradient where the other is absent.
func TestDiagnosticsAreTheEncodersParts(t *testing.T) {
	diagnose := func(c Config, n Networks) (*core.Program, error) { return DiagnosticsProgram(c, n, nil) }
	c := small(func(c *Config) { c.KLWeight = 0.7 })
	u, d := update(t, c, false), newUpdater(t, c, nil, diagnose)
	before := state(t, d.mem, d.nets.Encoder.Net)
	u.step()
	d.step()
	all, kl, q := u.scalar("grad_encoder"), d.scalar("grad_encoder_kl"), d.scalar("grad_encoder_q")
	if !(all <= kl+q && all >= math.Abs(kl-q)) || kl == 0 || q == 0 {
		t.Errorf("norms: together %v, KL %v, Q %v", all, kl, q)
	}
	equal(t, "encoder after a diagnosis", state(t, d.mem, d.nets.Encoder.Net), before)

	noKL := update(t, small(func(c *Config) { c.KLWeight = 0 }), false)
	noKL.step()
	if got := noKL.scalar("grad_encoder"); math.Abs(got-q) > 1e-12*q {
		t.Errorf("gradient without KL %v, diagnosed %v", got, q)
	}
	double := newUpdater(t, small(func(c *Config) { c.KLWeight = 1.4 }), nil, diagnose)
	double.step()
	if got := double.scalar("grad_encoder_kl"); math.Abs(got-2*kl) > 1e-12*kl {
		t.Errorf("gradient of twice the KL weight %v, want %v", got, 2*kl)
	}
}

// With a temperature of 1 the learned one changes no other loss; in general the policy's loss is linear in it, with
// slope mean log π, V's is quadratic, and log α moves against what the entropy has over its target.
func TestLearnedTemperature(t *testing.T) {
	fixed := update(t, small(nil), false)
	fixed.step()
	learned := func(alpha float64) (v, policy, after float64) {
		u := update(t, small(func(c *Config) { c.Temperature, c.TargetEntropy, c.LRAlpha = "learned", -0.7, 0.01 }),
			false)
		check(t, u.mem.Write(logAlpha, []float64{math.Log(alpha)}))
		u.step()
		if alpha == 1 {
			for i, net := range u.nets.Trained() {
				if !slices.Equal(state(t, u.mem, net), state(t, fixed.mem, fixed.nets.Trained()[i])) {
					t.Errorf("%s: another step with a temperature of 1 that is learned than with none", net.Name)
				}
			}
		}
		if got := u.scalar("alpha"); math.Abs(got-alpha) > 1e-12 {
			t.Errorf("alpha = %g in an update that began with %g", got, alpha)
		}
		x := make([]float64, 1)
		check(t, u.mem.Read(logAlpha, x))
		return u.scalar("v_loss"), u.scalar("policy_loss"), x[0]
	}
	var v, policy, after [4]float64
	for i := range v {
		v[i], policy[i], after[i] = learned(float64(i + 1))
	}
	logProb := policy[1] - policy[0]
	for i := range v {
		want := math.Log(float64(i+1)) + math.Copysign(0.01, logProb-0.7*smallAct)
		if math.Abs(after[i]-want) > 1e-6 {
			t.Errorf("log α went from log %d to %g, want %g", i+1, after[i], want)
		}
	}
	if d := policy[3] - policy[0] - 3*logProb; math.Abs(d) > 1e-9 {
		t.Errorf("the policy's loss is not linear in α: off by %g", d)
	}
	if d := v[3] - 3*v[2] + 3*v[1] - v[0]; math.Abs(d) > 1e-9 {
		t.Errorf("V's loss is not quadratic in α: third difference %g", d)
	}
	if second := v[2] - 2*v[1] + v[0]; second < 2*logProb*logProb {
		t.Errorf("V's loss has curvature %g in α, want 2·mean(log π)², at least %g", second, 2*logProb*logProb)
	}
}

// What is seen through a view is as good as what was so to begin with, in every place that an update reads.
func TestView(t *testing.T) {
	raw := update(t, small(func(c *Config) { c.NextObsInContext = true }), true)
	seen := update(t, small(func(c *Config) {
		c.NextObsInContext, c.Observations, c.Rewards = true, "standardised", "symlog"
	}), true)
	mean, scale := []float64{1, -2, 0.5}, []float64{0.5, 2, 30}
	check(t, seen.mem.Write(obsMean, mean))
	check(t, seen.mem.Write(obsScale, scale))
	obs := func(j int, x float64) float64 { return max(-10, min(10, (x-mean[j])*scale[j])) }
	reward := func(_ int, r float64) float64 { return math.Copysign(math.Log(1+math.Abs(r)), r) }
	row := func(j int, x float64) float64 {
		switch at := smallObs + smallAct; {
		case j < smallObs:
			return obs(j, x)
		case j == at:
			return reward(j, x)
		case j > at:
			return obs(j-at-1, x)
		}
		return x
	}
	c := raw.cfg
	for _, in := range []struct {
		name        string
		rows, width int
		see         func(column int, x float64) float64
	}{
		{"rew", c.MetaBatch * c.Batch, 1, reward}, {"obs", c.MetaBatch * c.Batch, smallObs, obs},
		{"next_obs", c.MetaBatch * c.Batch, smallObs, obs},
		{"context", c.MetaBatch * c.Context, 2*smallObs + smallAct + 1, row},
		{"key_context", c.MetaBatch * c.Context, 2*smallObs + smallAct + 1, row},
	} {
		r := rng.New(3, uint64(len(in.name)))
		x := make([]float64, in.rows*in.width)
		for i := range x {
			x[i] = 3 * r.NormFloat64()
		}
		check(t, seen.run.Write64(in.name, x))
		for i := range x {
			x[i] = in.see(i%in.width, x[i])
		}
		check(t, raw.run.Write64(in.name, x))
	}
	raw.step()
	seen.step()
	for _, name := range []string{"q_loss", "kl", "tcl_loss", "v_loss", "policy_loss"} {
		if a, b := raw.scalar(name), seen.scalar(name); math.Abs(a-b) > 1e-11*max(1, math.Abs(a)) {
			t.Errorf("%s = %.17g, want %.17g", name, b, a)
		}
	}
}

// A temperature per task, of an unknown number of tasks, is an error that says what to call.
func TestTemperaturesOfHowManyTasks(t *testing.T) {
	c := small(func(c *Config) { c.Temperature = "per-task" })
	if _, err := UpdateProgram(c, NewNetworks(c, smallObs, smallAct), nil); err == nil ||
		!strings.Contains(err.Error(), "Networks.ForTasks") {
		t.Errorf("error %v", err)
	}
}

// With a temperature per task, not pooled, a task's temperature learns from its own entropy only, and that of a task
// that is not in the meta-batch does not.
func TestTemperaturePerTask(t *testing.T) {
	c := small(func(c *Config) { c.Temperature = "per-task" })
	gradients := func(noise float64) []float64 { // Adam's first moments, a tenth of them
		nets := NewNetworks(c, smallObs, smallAct).ForTasks(4)
		p, err := UpdateProgram(c, nets, nil)
		check(t, err)
		mem, err := ref.Device.NewMemory(nets.Specs())
		check(t, err)
		check(t, nets.Init(mem, c, 7))
		run, err := ref.Device.Load(p, mem)
		check(t, err)
		for name, i := range p.Inputs {
			v := p.Values[i]
			r, x := rng.New(3, uint64(len(name))), make([]float64, v.Rows*v.Cols)
			for k := range x {
				x[k] = r.NormFloat64()
			}
			switch name {
			case "context_weight":
				x = slices.Repeat([]float64{1}, len(x))
			case "which":
				x = []float64{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1} // tasks 2, 0 and 3
			case "eps_a":
				for k := range x[:len(x)/3] { // of the first slot
					x[k] *= noise
				}
			}
			check(t, run.Write64(name, x))
		}
		check(t, run.Run())
		m := make([]float64, 4)
		check(t, mem.Read(logAlpha+".m", m))
		return m
	}
	a, b := gradients(1), gradients(0.2)
	if a[2] == b[2] || a[0] != b[0] || a[3] != b[3] {
		t.Errorf("with other noise of task 2 the temperatures' gradients are %v, before %v: want another of task 2 "+
			"alone", b, a)
	}
	if a[1] != 0 || a[0] == 0 || a[3] == 0 {
		t.Errorf("gradients %v: want none of task 1, which is not drawn, and some of tasks 0 and 3", a)
	}
}
