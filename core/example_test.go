package core_test

import (
	"fmt"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
	"nacre/core/ref"
)

// Fits y = 2x - 1 and shows how little the compiler leaves.
func Example() {
	b := core.NewBuilder("line", 2) // two tasks
	s := b.Stage("fit")
	x, y := s.Input("x", 4, 1), s.Input("y", 4, 1) // two rows of each
	w, c := s.Param("w", 1, 1), s.Param("c", 1, 1)
	loss := s.MeanAll(s.Square(s.Sub(s.Dense(x, w, c, op.Linear), y)))
	s.Minimise(loss, core.DefaultAdam(0.01), w, c)
	s.Output("loss", loss)
	program, err := b.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(program)

	memory, _ := ref.Device.NewMemory(program.ParamSpecs())
	runner, _ := ref.Device.Load(program, memory)
	runner.Write64("x", []float64{-1, 0, 1, 2})
	runner.Write64("y", []float64{-3, -1, 1, 3})
	for range 2000 {
		runner.Run()
	}
	slope, offset := make([]float64, 1), make([]float64, 1)
	memory.Read("w", slope)
	memory.Read("c", offset)
	fmt.Printf("y = %.4f·x %+.4f\n", slope[0], offset[0])

	// Output:
	// program line: 2 groups, 1 tiles of 2, 1 lanes, 0.000 MFLOP
	//   %0 = parameter "w" 1×1
	//   %1 = parameter "c" 1×1
	//   %2 = input "x" 4×1 batched
	//   %4 = input "y" 4×1 batched
	//   %11 = parameter "w" 1×1
	//   %13 = parameter "c" 1×1
	// level 0, tiled
	//   %3 = Dense(Linear)(%2, %0, %1) 4×1 batched 0.000 MFLOP
	//   %5 = Sub(%3, %4) 4×1 batched
	//   %6 = Square(%5) 4×1 batched
	//   %7 = SumAll(%6) 1×1
	//   %9 = Affine(0.5·x+0)(%5) 4×1 batched
	//   %10 = MatMul(aᵀ·b)(%2, %9) 1×1 0.000 MFLOP
	//   %12 = SumRows(0)(%9) 1×1
	// level 1, whole
	//   %8 = Affine(0.25·x+0)(%7) 1×1
	//   %11 = Adam(0.01)(%0, %10) 1×1
	//   %13 = Adam(0.01)(%1, %12) 1×1
	// output "loss" = %8
	// y = 2.0000·x -1.0000
}

// huber is a loss of one's own: e²/2 where |e| ≤ 1, |e| - ½ beyond, averaged over all elements.
func huber(s *core.Stage, e *graph.Node) *graph.Node {
	a := s.Abs(e)
	c := s.Clamp(a, 0, 1)
	return s.MeanAll(s.Mul(c, s.Sub(a, s.Scale(c, 0.5))))
}

// A loss is a function of nodes; its gradient comes by itself.
func ExampleStage_Gradients() {
	b := core.NewBuilder("huber", 1)
	s := b.Stage("loss")
	y := s.Param("prediction", 4, 1)
	loss := huber(s, s.Sub(y, s.Input("target", 4, 1)))
	s.Output("loss", loss)
	s.Output("gradient", s.Gradients(loss, y)[0])
	program, err := b.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	memory, _ := ref.Device.NewMemory(program.ParamSpecs())
	runner, _ := ref.Device.Load(program, memory)
	runner.Write64("target", []float64{3, -0.5, 0, -2})
	runner.Run()
	value, gradient := make([]float64, 1), make([]float64, 4)
	runner.Read64("loss", value)
	runner.Read64("gradient", gradient)
	fmt.Println(value, gradient)
	// Output: [1.03125] [-0.25 0.125 0 0.25]
}

// A program that steps the parameters of a loss of one's own.
func ExampleStage_Minimise() {
	const tasks = 4
	b := core.NewBuilder("fit", tasks)
	s := b.Stage("step")
	w, c := s.Param("w", 3, 1), s.Param("c", 1, 1)
	y := s.Dense(s.Input("x", tasks*8, 3), w, c, op.Linear)
	loss := huber(s, s.Sub(y, s.Input("target", tasks*8, 1)))
	s.Minimise(loss, core.DefaultAdam(3e-4), w, c)
	s.Output("loss", loss)
	program, err := b.Compile()
	fmt.Println(program.ParamSpecs(), err)
	// Output: [{c 1 1} {w 3 1}] <nil>
}
