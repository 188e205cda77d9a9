//go:build !amd64 || !linux

package cpu

// matrixUnit: only Linux on amd64 is known to lend it.
func matrixUnit() bool { return false }

func halfProducts(bool) *halfKernels { return nil }
