// Package gpu plans how compiled programs (core.Program) run on GPUs. A schedule says which launches there are and what
// each computes, in which order they run and which of them may run at the same time, and where every value lies in
// memory.
//
// The package calls no driver and prints no source: core/cuda and core/webgpu run its schedules and print their kernels
// in CUDA and WGSL. Another device needs a printer of Kernel, matrix products with the epilogues of Product, the
// optimiser's steps, and a way to run launches in order.
//
//	schedule, err := gpu.New(program, gpu.Options{})
//	fmt.Print(schedule) // every launch with its work
//	for _, u := range schedule.Units {
//		switch {
//		case u.Kernel != nil: // print it, compile it, launch u.Kernel.Blocks blocks of gpu.BlockSize lanes
//		case u.Product != nil:
//		case u.Steps != nil: // Adam, and averages that follow it
//		case u.Ticks != nil: // count up Adam's steps
//		}
//	}
//
// Equal programs have equal schedules, on every machine. The device decides what a schedule leaves open, such as the
// order in which a product adds its terms.
package gpu
