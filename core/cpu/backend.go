package cpu

import "nacre/core"

// Backend is the CPU in the list of devices.
var Backend = core.Backend{
	Name:       "cpu",
	Title:      "CPU",
	Precisions: []string{"fp32", "bf16x3", "bf16"},
	Open: func(o core.DeviceOptions) (core.Device, error) {
		return New(Options{Workers: o.Workers, Kernel: KernelOf(o.Kernel, o.Precision)})
	},
}

// KernelOf names the kernels that compute matrix products in a precision: kernel itself in "fp32", or where precision is
// empty; else those of kernel, or of AVX-512 if that is empty, with it.
func KernelOf(kernel, precision string) string {
	switch {
	case precision == "" || precision == "fp32":
		return kernel
	case kernel == "":
		kernel = "avx512"
	}
	return kernel + "+" + precision
}
