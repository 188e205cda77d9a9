package webgpu

import (
	"nacre/core"
	"nacre/core/gpu"
)

// Plan returns the schedule with which this package's devices run a program.
func Plan(p *core.Program) (*gpu.Schedule, error) {
	return gpu.New(p, gpu.Options{MaskedProducts: true, InOrder: true})
}
