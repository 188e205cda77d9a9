// Package programs has the programs with which cells are compared with compiled Go. This package is compiled, and cells
// run the source of its functions. Each returns a number that says whether it computed the same.
package programs

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"nacre/sim"
)

// List are the programs.
var List = []struct {
	Name string
	Run  func() float64
}{
	{"fib(27)", func() float64 { return float64(fib(27)) }},
	{"float loop, 300,000", floats},
	{"`sort.Slice`, 30,000", sorted},
	{"matrix product, 100 × 100", product},
	{"struct methods, 1 million", methods},
	{"map of words, 20,000", words},
	{"sieve to 1 million", sieve},
	{"own environment, 12,800 steps", episodes},
}

// Best runs the k-th program n times and returns the shortest time in milliseconds, and its result.
func Best(k, n int) (ms, result float64) {
	ms = math.Inf(1)
	for range n {
		start := time.Now()
		result = List[k].Run()
		ms = math.Min(ms, float64(time.Since(start).Nanoseconds())/1e6)
	}
	return ms, result
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func floats() float64 {
	x := 0.5
	for i := 0; i < 300_000; i++ {
		x = x*3.7*(1-x)*0.99 + 1e-3
	}
	return x
}

func sorted() float64 {
	xs, seed := make([]float64, 30_000), uint32(1)
	for i := range xs {
		seed = seed*1664525 + 1013904223
		xs[i] = float64(seed)
	}
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	return xs[15_000]
}

func product() float64 {
	const n = 100
	a, b, c := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range n {
		a[i], b[i], c[i] = make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range n {
			a[i][j], b[i][j] = float64(i+j), float64(i-j)
		}
	}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
	return c[17][42]
}

type ball struct{ x, v float64 }

func (b *ball) move(dt float64) {
	b.v -= 9.81 * dt
	b.x += b.v * dt
	if b.x < 0 {
		b.x, b.v = -b.x, -b.v
	}
}

func (b ball) energy() float64 { return b.v*b.v/2 + 9.81*b.x }

func methods() float64 {
	b, sum := ball{x: 1}, 0.0
	for i := 0; i < 1_000_000; i++ {
		b.move(1e-3)
		sum += b.energy()
	}
	return sum
}

func words() float64 {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog and ", 2_000)
	counts := map[string]int{}
	for _, w := range strings.Fields(text) {
		counts[w]++
	}
	return float64(counts["the"] + len(counts))
}

func sieve() float64 {
	const n = 1_000_000
	composite := make([]bool, n)
	count := 0
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return float64(count)
}

// pendulum is a family of tasks that a cell might declare: a pendulum with gravity as the task.
type pendulum struct{}

func (pendulum) Spec() sim.Spec {
	return sim.Spec{Name: "own-pendulum", ObsDim: 3, ActDim: 1, Horizon: 200, TaskDim: 1, Source: "a pendulum"}
}

func (pendulum) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	r := rand.New(rand.NewPCG(seed, 0))
	tasks := make([]sim.Task, nTrain+nTest)
	for i := range tasks {
		tasks[i] = sim.Task{ID: i, Params: []float64{5 + 10*r.Float64()}}
	}
	return tasks[:nTrain:nTrain], tasks[nTrain:], nil
}

func (pendulum) NewBatch(n int) (sim.Batch, error) {
	return &pendulums{angle: make([]float64, n), speed: make([]float64, n), gravity: make([]float64, n)}, nil
}

type pendulums struct{ angle, speed, gravity []float64 }

func (b *pendulums) Len() int { return len(b.angle) }

func (b *pendulums) see(i int, obs []float64) {
	obs[0], obs[1], obs[2] = math.Cos(b.angle[i]), math.Sin(b.angle[i]), b.speed[i]
}

func (b *pendulums) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	b.angle[i], b.speed[i], b.gravity[i] = math.Pi*(2*r.Float64()-1), 2*r.Float64()-1, task.Params[0]
	b.see(i, obs)
	return nil
}

func (b *pendulums) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	for i, on := range active {
		if !on {
			continue
		}
		torque := 2 * sim.Clip(act[i])
		a := math.Remainder(b.angle[i], 2*math.Pi)
		out.Reward[i] = -(a*a + 0.1*b.speed[i]*b.speed[i] + 0.001*torque*torque)
		out.ContextReward[i], out.Done[i], out.Success[i] = out.Reward[i], false, false
		b.speed[i] = math.Max(-8, math.Min(8, b.speed[i]+(1.5*b.gravity[i]*math.Sin(b.angle[i])+3*torque)*0.05))
		b.angle[i] += b.speed[i] * 0.05
		b.see(i, obs[3*i:3*i+3])
	}
	return nil
}

func (b *pendulums) Close() error { return nil }

// against pushes against the angle.
type against struct{}

func (against) Act(_ int, _, _ []int, obs, act []float64) error {
	for i := range act {
		act[i] = -obs[3*i+1]
	}
	return nil
}

func episodes() float64 {
	_, tasks, _ := pendulum{}.Tasks(1, 0, 64)
	list := make([]sim.Episode, len(tasks))
	for i, t := range tasks {
		list[i] = sim.Episode{Task: t, Seed: uint64(i)}
	}
	pool, err := sim.NewPool(pendulum{}, 1, 16)
	if err != nil {
		panic(err)
	}
	defer pool.Close()
	made, err := pool.Rollout(context.Background(), list, against{}, 0)
	if err != nil {
		panic(err)
	}
	sum := 0.0
	for _, t := range made {
		sum += t.Return
	}
	return sum
}
