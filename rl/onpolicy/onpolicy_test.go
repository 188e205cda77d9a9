package onpolicy_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/onpolicy"
	"nacre/sim"
)

var check = fatal.On

func Example() {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, _, _ := family.Tasks(1, 2, 1)
	pool, err := sim.NewPool(family, 1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	p := onpolicy.Policy{Net: nn.MLP{Name: "policy", In: 2, Hidden: []int{8}, Out: 2, Act: op.Tanh},
		MinLogStd: onpolicy.LogStdMin}
	act, err := onpolicy.NewActor(ref.Device, p, 1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer act.Close()
	err = act.Load(0, make([]float64, p.Size())) // zero weights, deviation 1
	episodes := []sim.Episode{{Task: train[0], Seed: 1}, {Task: train[1], Seed: 2}}
	noise := []*rand.Rand{rng.New(1, rng.Action, 0), rng.New(1, rng.Action, 1)}
	trajectories, _ := pool.Rollout(context.Background(), episodes, act.Policy([]int{0, 0}, noise), 0)
	paths := onpolicy.Paths(trajectories)
	onpolicy.Returns(0.99, paths)
	baseline := onpolicy.NewLinear(2, 1e-5)
	err = baseline.Fit(paths)
	baseline.Predict(paths)
	onpolicy.Advantages(0.99, 0.95, paths)
	onpolicy.Normalise(onpolicy.Std, paths)
	batch := onpolicy.NewBatch(2, 20, 2, 2)
	err = batch.Set(paths)
	fmt.Println(batch.Rows(), "rows,", err)
	// Output: 40 rows, <nil>
}

func path(rewards []float32, values []float64) onpolicy.Path {
	p := onpolicy.NewPath(len(rewards))
	p.Reward = rewards
	copy(p.Value, values)
	return p
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// Three steps by hand: γ = ½, λ = ½.
func TestReturnsAndAdvantages(t *testing.T) {
	paths := []onpolicy.Path{path([]float32{1, 2, 4}, []float64{10, 20, 30}), path([]float32{8}, []float64{1})}
	onpolicy.Returns(0.5, paths)
	for i, want := range []float64{3, 4, 4} {
		near(t, "return", paths[0].Return[i], want, 0)
	}
	near(t, "return", paths[1].Return[0], 8, 0)
	// δ = (1+10−10, 2+15−20, 4−30) = (1, −3, −26); A₂ = −26, A₁ = −3 − 26/4, A₀ = 1 + A₁/4
	onpolicy.Advantages(0.5, 0.5, paths)
	for i, want := range []float64{1 - 9.5/4, -9.5, -26} {
		near(t, "advantage", paths[0].Advantage[i], want, 0)
	}
	near(t, "advantage", paths[1].Advantage[0], 7, 0)
	// With λ = 1 an advantage is the return less the value.
	onpolicy.Advantages(0.5, 1, paths)
	for i, want := range []float64{-7, -16, -26} {
		near(t, "advantage for λ = 1", paths[0].Advantage[i], want, 0)
	}
}

func moments(paths []onpolicy.Path) (mean, variance float64) {
	n := 0.0
	for _, p := range paths {
		for _, a := range p.Advantage {
			n++
			mean += a
			variance += a * a
		}
	}
	return mean / n, variance/n - mean*mean/n/n
}

// Advantages of standard deviation s come out with 1; dividing by the variance, as garage does, leaves 1/s.
func TestNormalise(t *testing.T) {
	advantages := func() []onpolicy.Path {
		paths := []onpolicy.Path{onpolicy.NewPath(4), onpolicy.NewPath(2)}
		copy(paths[0].Advantage, []float64{1, -3, 5, 9})
		copy(paths[1].Advantage, []float64{2, -2})
		return paths
	}
	std := math.Sqrt(124.0/6 - 4) // mean 2, squares 124
	for how, want := range map[string]float64{onpolicy.Std: 1, onpolicy.Variance: 1 / std, onpolicy.Raw: std} {
		paths := advantages()
		onpolicy.Normalise(how, paths)
		mean, variance := moments(paths)
		near(t, how+": deviation", math.Sqrt(variance), want, 1e-8)
		if how != onpolicy.Raw {
			near(t, how+": mean", mean, 0, 1e-12)
		}
	}
}

// Returns that are a combination of the features are recovered; a constant column does not stop it.
func TestLinearBaseline(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var paths []onpolicy.Path
	for range 3 {
		p := onpolicy.NewPath(40)
		p.Obs = make([]float32, 41*3)
		for i := range p.Len {
			a, b := float32(r.NormFloat64()), float32(20*r.NormFloat64())
			copy(p.Obs[i*3:], []float32{a, b, 0})
			x, y, at := float64(a), math.Max(-10, math.Min(10, float64(b))), float64(i)/100
			p.Return[i] = 2*x - 0.5*x*x + 0.1*y + 0.01*y*y - 3*at + at*at*at + 7
		}
		paths = append(paths, p)
	}
	l := onpolicy.NewLinear(3, 1e-9)
	check(t, l.Fit(paths))
	l.Predict(paths)
	for _, p := range paths {
		for i := range p.Len {
			near(t, "value", p.Value[i], p.Return[i], 1e-5)
		}
	}
	paths[1].Return[7] = math.NaN()
	if err := l.Fit(paths); err == nil || !strings.Contains(err.Error(), "not a number") {
		t.Errorf("a return that is not a number: error %v", err)
	}
	if err := l.Fit(nil); err == nil {
		t.Error("a fit to nothing was accepted")
	}
}

// Density and divergence against their closed forms, worked out here in float64.
func TestGaussian(t *testing.T) {
	b := core.NewBuilder("gaussian", 1)
	s := b.Stage("s")
	p := onpolicy.Gaussian{Mean: s.Input("mean", 2, 2), LogStd: s.WholeInput("log_std", 1, 2)}
	q := onpolicy.Gaussian{Mean: s.Input("mean2", 2, 2), LogStd: s.WholeInput("log_std2", 1, 2)}
	s.Output("log_prob", p.LogProb(s, s.Input("act", 2, 2)))
	s.Output("kl", p.KL(s, q))
	s.Output("entropy", p.Entropy(s))
	program, err := b.Compile()
	check(t, err)
	memory, err := ref.Device.NewMemory(nil)
	check(t, err)
	run, err := ref.Device.Load(program, memory)
	check(t, err)
	defer run.Close()
	in := map[string][]float64{
		"mean": {0.1, -0.4, 1, 2}, "log_std": {0.2, -0.3}, "mean2": {0, 0.5, 1.5, 2}, "log_std2": {-0.1, 0.4},
		"act": {1, -1, 0.5, 2.5},
	}
	for name, x := range in {
		check(t, run.Write64(name, x))
	}
	check(t, run.Run())
	read := func(name string, n int) []float64 {
		x := make([]float64, n)
		check(t, run.Read64(name, x))
		return x
	}
	logProb, kl := read("log_prob", 2), read("kl", 2)
	entropy := 0.0
	for j := range 2 {
		entropy += in["log_std"][j] + 0.5*math.Log(2*math.Pi*math.E)
	}
	near(t, "entropy", read("entropy", 1)[0], entropy, 1e-14)
	for i := range 2 {
		var density, divergence float64
		for j := range 2 {
			m, m2 := in["mean"][2*i+j], in["mean2"][2*i+j]
			sd, sd2 := math.Exp(in["log_std"][j]), math.Exp(in["log_std2"][j])
			z := (in["act"][2*i+j] - m) / sd
			density += math.Log(math.Exp(-z*z/2) / (sd * math.Sqrt(2*math.Pi)))
			divergence += math.Log(sd2/sd) + (sd*sd+(m-m2)*(m-m2))/(2*sd2*sd2) - 0.5
		}
		near(t, "log probability", logProb[i], density, 1e-13)
		near(t, "divergence", kl[i], divergence, 1e-13)
	}
}

func policy(hidden ...int) onpolicy.Policy {
	return onpolicy.Policy{Net: nn.MLP{Name: "policy", In: 3, Hidden: hidden, Out: 2, Act: op.Tanh},
		MinLogStd: onpolicy.LogStdMin}
}

// Episodes of different slots act with their own parameters, whoever shares the call, and allocate nothing.
func TestSlots(t *testing.T) {
	p := policy(5)
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	a, err := onpolicy.NewActor(d, p, 1, 4)
	check(t, err)
	defer a.Close()
	params := make([]float64, p.Size())
	for slot, bias := range []float64{0.25, -0.5} { // zero weights: the mean is the last bias
		params[len(params)-4], params[len(params)-3] = bias, 2*bias
		params[len(params)-2], params[len(params)-1] = math.Log(2), -1000
		check(t, a.Load(slot, params))
	}
	obs, act := make([]float64, 4*3), make([]float64, 4*2)
	slots := []int{0, 1, 0, 1}
	check(t, a.Policy(slots, nil).Act(0, []int{3, 2, 1}, nil, obs[:9], act[:6]))
	for i, want := range []float64{-0.5, -1, 0.25, 0.5, -0.5, -1} {
		near(t, "mean action", act[i], want, 0)
	}
	noise := make([]*rand.Rand, 4)
	for i := range noise {
		noise[i] = rng.New(1, uint64(i))
	}
	stochastic := a.Policy(slots, noise)
	check(t, stochastic.Act(0, []int{3, 2}, nil, obs[:6], act[:4]))
	near(t, "drawn action", act[0], -0.5+2*rng.New(1, 3).NormFloat64(), 1e-6)
	near(t, "deviation at its bound", act[3], 0.5, 1e-5)
	n := testing.AllocsPerRun(20, func() { err = stochastic.Act(0, []int{0, 1, 2, 3}, nil, obs, act) })
	check(t, err)
	if n != 0 {
		t.Errorf("%g allocations per call", n)
	}
	p.Scale = 10
	scaled, err := onpolicy.NewActor(d, p, 1, 4)
	check(t, err)
	defer scaled.Close()
	check(t, scaled.Load(0, params))
	check(t, scaled.Policy(slots, noise).Act(0, []int{0}, nil, obs[:3], act[:2]))
	near(t, "scaled action", act[1], -0.1, 1e-6)
	if err := a.Load(0, params[1:]); err == nil {
		t.Error("parameters of another size were accepted")
	}
}

// An episode's action has the same bits whatever shares the call, for every kernel.
func TestActionsDoNotDependOnTheCall(t *testing.T) {
	for _, kernel := range []string{"avx512", "avx2", "simd128", "go"} {
		d, err := cpu.New(cpu.Options{Workers: 1, Kernel: kernel})
		if err != nil {
			t.Logf("not tested: %v", err)
			continue
		}
		for _, p := range []onpolicy.Policy{policy(5), policy(64, 64), policy(100, 37)} {
			a, err := onpolicy.NewActor(d, p, 1, 16)
			check(t, err)
			defer a.Close()
			r := rand.New(rand.NewPCG(3, 4))
			params, obs, all := make([]float64, p.Size()), make([]float64, 16*3), make([]float64, 16*2)
			for _, x := range [][]float64{params, obs} {
				for i := range x {
					x[i] = r.NormFloat64()
				}
			}
			check(t, a.Load(0, params))
			slots, episodes := make([]int, 16), make([]int, 16)
			for i := range episodes {
				episodes[i] = i
			}
			check(t, a.Policy(slots, nil).Act(0, episodes, nil, obs, all))
			for n := 1; n < 16; n++ {
				for first := 0; first+n <= 16; first += n {
					some := make([]float64, n*2)
					check(t, a.Policy(slots, nil).Act(0, episodes[first:first+n], nil, obs[first*3:(first+n)*3], some))
					if !slices.Equal(some, all[first*2:(first+n)*2]) {
						t.Errorf("%s, %v: %d rows from %d on differ from those of 16", kernel, p.Net.Hidden, n, first)
					}
				}
			}
		}
	}
}

func TestBatch(t *testing.T) {
	long, short := onpolicy.NewPath(3), onpolicy.NewPath(1)
	long.Obs, long.Act = []float32{1, 2, 3, 4}, []float32{5, 6, 7}
	short.Obs, short.Act = []float32{8, 9}, []float32{10}
	copy(long.Advantage, []float64{-1, -2, -3})
	b := onpolicy.NewBatch(3, 3, 1, 1)
	check(t, b.Set([]onpolicy.Path{short, long}))
	if got := fmt.Sprint(b.Obs, b.Act, b.Advantage, b.Weight); got !=
		"[8 0 0 1 2 3 0 0 0] [10 0 0 5 6 7 0 0 0] [0 0 0 -1 -2 -3 0 0 0] [0.25 0 0 0.25 0.25 0.25 0 0 0]" {
		t.Error(got)
	}
	long.Len = 4
	for _, paths := range [][]onpolicy.Path{{long}, {short, short, short, short}} {
		if b.Set(paths) == nil {
			t.Error("a batch took more than it has room for")
		}
	}
}

// BenchmarkAct times a call for 16 environments of the half-cheetah, under one set of parameters and under 16.
func BenchmarkAct(b *testing.B) {
	p := onpolicy.Policy{Net: nn.MLP{Name: "policy", In: 20, Hidden: []int{64, 64}, Out: 6, Act: op.Tanh},
		MinLogStd: onpolicy.LogStdMin}
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(b, err)
	a, err := onpolicy.NewActor(d, p, 1, 16)
	check(b, err)
	defer a.Close()
	episodes, noise := make([]int, 16), make([]*rand.Rand, 16)
	for i := range episodes {
		check(b, a.Load(i, make([]float64, p.Size())))
		episodes[i], noise[i] = i, rng.New(1, uint64(i))
	}
	obs, act := make([]float64, 16*20), make([]float64, 16*6)
	for name, slots := range map[string][]int{"1 slot": make([]int, 16), "16 slots": episodes} {
		b.Run(name, func(b *testing.B) {
			policy := a.Policy(slots, noise)
			for b.Loop() {
				check(b, policy.Act(0, episodes, nil, obs, act))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*16)/1e3, "µs/row")
		})
	}
}
