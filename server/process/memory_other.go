//go:build !linux

package process

// MachineMemory is 0: limits are enforced on Linux only.
func MachineMemory() int64 { return 0 }
