package cpu_test

import (
	"fmt"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/op"
)

// A network of one layer, y = max(0, x·w + b), on two rows.
func Example() {
	program := &core.Program{
		Name: "layer", Groups: 1, TileGroups: 1, Lanes: 1,
		Values: []core.Value{
			{Name: "x", Kind: core.Input, Rows: 2, Cols: 2, Batched: true},
			{Kind: core.Param, Store: "w", Rows: 2, Cols: 1},
			{Kind: core.Param, Store: "b", Rows: 1, Cols: 1},
			{Name: "y", Rows: 2, Cols: 1, Batched: true},
		},
		Levels: []core.Level{{Tiled: []core.Instr{{Op: op.Dense{Act: op.ReLU}, In: []int{0, 1, 2}, Out: 3}}}},
		Inputs: map[string]int{"x": 0}, Outputs: map[string]int{"y": 3},
	}
	dev, err := cpu.New(cpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mem, _ := dev.NewMemory(program.ParamSpecs())
	_ = mem.Write("w", []float64{1, -2})
	_ = mem.Write("b", []float64{0.5})
	run, err := dev.Load(program, mem)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer run.Close()
	y := make([]float32, 2)
	_ = run.Write("x", []float32{3, 1, 1, 2})
	_ = run.Run()
	_ = run.Read("y", y)
	fmt.Println(y)
	// Output: [1.5 0]
}
