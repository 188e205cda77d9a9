package tcl_test

import (
	"context"
	"fmt"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/graph"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/sim"
	"nacre/tcl"
)

// cosine compares the directions of the posterior means, whatever their length and spread.
func cosine(s *core.Stage, q, k belief.Posterior) (all, own *graph.Node) {
	unit := func(x *graph.Node) *graph.Node {
		return s.Div(x, s.Sqrt(s.Shift(s.SumCols(s.Square(x)), 1e-8)))
	}
	a, b := unit(q.Mean), unit(k.Mean)
	return s.MatMul(a, b, false, true), s.SumCols(s.Mul(a, b))
}

// TCL with another similarity, trained on the point robot: the windows of a trajectory come to point the same way.
// 2.7726 is log 16, the loss where a key of the same trajectory is like any other of the 16.
func ExampleSimilarity() {
	family, _ := sim.Lookup("point-goal")
	tasks, _, _ := family.Tasks(1, 40, 10)
	pool, _ := sim.NewPool(family, 2, 16)
	defer pool.Close()
	device, _ := cpu.New(cpu.Options{Workers: 2})
	config, contrast := pearl.Default(), tcl.Default()
	config.Hidden, config.EncoderHidden, config.Batch, config.InitialSteps = 32, 64, 32, 200
	contrast.Window, contrast.Temperature = 10, 0.1
	setup := rl.Setup{Spec: family.Spec(), Train: tasks, Seed: 1, Device: device, Pool: pool, Workers: 2, Envs: 16}
	learner, err := pearl.New(config, setup, func(encoder belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
		aux, err := tcl.New(contrast, encoder, metaBatch)
		if err == nil {
			aux.Similarity = cosine
		}
		return aux, err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer learner.Close()
	if _, err := learner.Collect(context.Background(), 0); err != nil {
		fmt.Println(err)
	}
	for update := range 300 {
		if err := learner.Update(0, update); err != nil {
			fmt.Println(err)
		}
	}
	learner.Metrics(0, func(name string, value float64) {
		switch name {
		case "tcl_loss":
			fmt.Println("loss below 1.5 instead of 2.77:", value < 1.5)
		case "tcl_accuracy":
			fmt.Println("most keys told apart from the 15 others:", value > 0.6)
		}
	})
	// Output:
	// loss below 1.5 instead of 2.77: true
	// most keys told apart from the 15 others: true
}
