//go:build !linux

package cpu

func inLargePages([]float32) {}
