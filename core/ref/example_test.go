package ref_test

import (
	"fmt"

	"nacre/core"
	"nacre/core/ref"
)

func Example() {
	b := core.NewBuilder("mean square", 2)
	s := b.Stage("loss")
	s.Output("loss", s.MeanAll(s.Square(s.Input("x", 4, 1))))
	program, err := b.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := ref.Device.NewMemory(program.ParamSpecs())
	r, _ := ref.Device.Load(program, m)
	r.Write64("x", []float64{1, 2, 3, 4})
	r.Run()
	loss := make([]float64, 1)
	r.Read64("loss", loss)
	fmt.Println(loss)
	// Output: [7.5]
}
