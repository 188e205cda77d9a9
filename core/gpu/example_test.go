package gpu_test

import (
	"fmt"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/op"
)

// The plan of a layer's fit: its launches, and what one of its kernels computes.
func Example() {
	b := core.NewBuilder("layer", 4)
	s := b.Stage("fit")
	w, c := s.Param("w", 33, 40), s.Param("c", 1, 40)
	y := s.Dense(s.Input("x", 64, 33), w, c, op.ReLU)
	loss := s.MeanAll(s.Square(s.Sub(y, s.Input("y", 64, 40))))
	s.Minimise(loss, core.DefaultAdam(0.01), w, c)
	s.Output("loss", loss)
	program, _ := b.Compile()

	plan, err := gpu.New(program, gpu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan)
	for _, u := range plan.Units {
		if u.Kernel != nil {
			fmt.Print(u.Kernel)
			break
		}
	}
	// Output:
	// plan of layer: 6 launches, 4 deep, 0.338 MFLOP in products, 0.127 MB moved, 0.040 MB of memory
	//   0 branch 0, 0.0 kB, after []: count up 2 steps
	//   1 branch 1, 24.1 kB, after []: %3 = ReLU(%2·%0 + %1), 64×40 of 33 terms
	//   2 branch 1, 30.7 kB, after [1]: %10 = ActGrad(ReLU) 64×40, %7 = SumAll 1×1, %8 = Affine(0.000390625·x+0) 1×1; 1 blocks
	//   3 branch 1, 24.0 kB, after [2]: %11 = %2ᵀ·%10, 33×40 of 64 terms
	//   4 branch 2, 10.4 kB, after [2]: %13 = SumRows(0) 1×40; 2 blocks
	//   5 branch 2, 38.1 kB, after [0 1 3 4]: Adam(0.01) of w, Adam(0.01) of c
	// 1 results in 1 blocks, 1 sums each by 128 lanes and 1 blocks
	//   r below 2560
	//     i0 = div(r, 40)
	//     i1 = mod(r, 40)
	//     i2 = muladd(i0, 40, i1)
	//     t3 = load(0, i2)
	//     t4 = load(1, i2)
	//     t5 = Sub(t3, t4)
	//     t6 = Mul(0.00078125, t5)
	//     t7 = ReLU'(t6, t3)
	//     argument 2 [i2] = t7
	//     t8 = Square(t5)
	//     sum0 += t8
	//   t9 = copy(sum0)
	//   argument 3 [o] = t9
	//   t10 = Mul(0.000390625, t9)
	//   argument 4 [o] = t10
}
