package actor_test

import (
	"fmt"
	"math"
	"testing"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/rl/actor"
)

// A network of zero weights gives the mean from its last bias, whatever it sees.
func Example() {
	p := actor.Policy{Net: nn.MLP{Name: "policy", In: 3, Hidden: []int{4}, Out: 2, Act: op.ReLU}, Obs: 2,
		Condition: 1, Act: 1}
	memory, err := ref.Device.NewMemory(p.Net.Specs())
	if err != nil {
		fmt.Println(err)
		return
	}
	err = memory.Write("policy/b1", []float64{0.5, -3})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := actor.New(ref.Device, memory, p, 1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	act := make([]float64, 2)
	err = a.Policy([][]float64{{1}, {2}}, nil).Act(0, []int{0, 1}, []int{0, 0}, []float64{1, 2, 3, 4}, act)
	fmt.Printf("%.4f %.4f %v\n", act[0], math.Tanh(0.5), err)
	// Output: 0.4621 0.4621 <nil>
}

// The density of the squashed Gaussian integrates to one over the actions.
func TestLogProb(t *testing.T) {
	const n = 2000
	p := actor.Policy{Net: nn.MLP{Name: "policy", In: 1, Out: 2, Act: op.ReLU}, Obs: 1, Act: 1}
	b := core.NewBuilder("density", 1)
	s := b.Stage("density")
	sample := p.Sample(s, s.Input("x", n, 1), s.Input("eps", n, 1))
	s.Output("action", sample.Action)
	s.Output("log_prob", sample.LogProb)
	program, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := ref.Device.NewMemory(p.Net.Specs())
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Write("policy/b0", []float64{0.3, -0.7}); err != nil {
		t.Fatal(err)
	}
	run, err := ref.Device.Load(program, memory)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	x, eps, action, logProb := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range eps {
		eps[i] = -6 + 12*float64(i)/(n-1)
	}
	for _, err := range []error{run.Write64("x", x), run.Write64("eps", eps), run.Run(), run.Read64("action", action),
		run.Read64("log_prob", logProb)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var mass float64
	for i := 1; i < n; i++ {
		mass += (math.Exp(logProb[i]) + math.Exp(logProb[i-1])) / 2 * (action[i] - action[i-1])
	}
	if math.Abs(mass-1) > 1e-4 {
		t.Errorf("the density integrates to %.6f", mass)
	}
}
