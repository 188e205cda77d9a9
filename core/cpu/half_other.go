//go:build !amd64 || !linux

package cpu

// inHalves lists nothing: only Linux on amd64 is known to lend a matrix unit.
func inHalves() []*kernels { return nil }
