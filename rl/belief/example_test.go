package belief_test

import (
	"fmt"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/belief"
)

func ExampleEncoder_Infer() {
	const tasks, w = 16, 64
	enc := belief.Encoder{Latent: 5, Net: nn.MLP{Name: "encoder", In: 27, Hidden: []int{200, 200, 200}, Out: 10,
		Act: op.ReLU}}

	b := core.NewBuilder("posterior", tasks)
	s := b.Stage("infer")
	q := enc.Infer(s, s.Input("context", tasks*w, enc.Width()), s.Input("weight", tasks*w, 1), w)
	s.Output("mean", q.Mean) // tasks × latent
	s.Output("var", q.Var)
	program, err := b.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	mean := program.Values[program.Outputs["mean"]]
	fmt.Println(mean.Rows, mean.Cols, program.FLOPs())
	// 2·1024·(27·200 + 2·200² + 200·10) for the network on 16·64 rows
	// Output: 16 5 178995200
}
