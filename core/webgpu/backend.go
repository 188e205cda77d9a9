package webgpu

import (
	"fmt"
	"strings"

	"nacre/core"
	"nacre/internal/wgpu"
)

// Backend is the entry for GPUs by WebGPU in the list of devices.
var Backend = core.Backend{
	Name:        "webgpu",
	Title:       "GPU by WebGPU",
	Numbered:    true,
	Accelerator: true,
	Precisions:  []string{"fp32"},
	Open:        New,
	Probe: func() (string, error) {
		all, err := Adapters()
		if err != nil {
			return "", err
		}
		if len(all) == 0 {
			return "", wgpu.NoAdapter()
		}
		var lines []string
		for n, i := range all {
			lines = append(lines, fmt.Sprintf("webgpu:%d %v", n, i))
		}
		return strings.Join(lines, "; "), nil
	},
}
