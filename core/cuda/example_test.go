package cuda_test

import (
	"errors"
	"fmt"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/cuda"
	"nacre/core/op"
)

// A line fitted to two points, on a GPU where there is one.
func Example() {
	b := core.NewBuilder("line", 1)
	s := b.Stage("fit")
	x, y := s.Input("x", 2, 1), s.Input("y", 2, 1)
	w, c := s.Param("w", 1, 1), s.Param("c", 1, 1)
	loss := s.MeanAll(s.Square(s.Sub(s.Dense(x, w, c, op.Linear), y)))
	s.Minimise(loss, core.DefaultAdam(0.1), w, c)
	s.Output("loss", loss)
	program, _ := b.Compile()

	device, err := cuda.New(cuda.Options{})
	var lacking *cuda.Error
	if errors.As(err, &lacking) { // lacking.Fault says what there is not
		device, _ = cpu.New(cpu.Options{Workers: 1})
	}
	memory, _ := device.NewMemory(program.ParamSpecs())
	run, _ := device.Load(program, memory)
	defer run.Close()
	run.Write("x", []float32{0, 1})
	run.Write("y", []float32{1, 3})
	for range 1000 {
		run.Run()
	}
	slope := make([]float64, 1)
	err = memory.Read("w", slope)
	fmt.Printf("slope %.2f, %v\n", slope[0], err)
	// Output: slope 2.00, <nil>
}
