// Package gpu plans compiled programs (core.Program) for GPUs: which launches there are, what each computes, in which
// order and beside which others they run, and where every value lies in memory. It knows no GPU, no driver and no
// language: core/cuda and core/webgpu run plans and print their kernels in CUDA and WGSL; another device needs a
// printer of Kernel, matrix products with the epilogues of Product, the optimiser's steps, and a way to run units in
// order.
//
//	plan, err := gpu.New(program, gpu.Options{})
//	fmt.Print(plan) // every launch with its work
//	for _, u := range plan.Units {
//		switch {
//		case u.Kernel != nil: // print it, compile it, launch u.Kernel.Blocks blocks of gpu.BlockSize lanes
//		case u.Product != nil:
//		case u.Steps != nil: // Adam, and averages that follow it
//		case u.Ticks != nil: // count up Adam's steps
//		}
//	}
//
// Equal programs have equal plans, on every machine. What a plan leaves open, such as how a product adds its terms, is
// the device's to fix.
package gpu
