//go:build !linux && !darwin

package app

// freeBytes returns false: the free space is not known on this system.
func freeBytes(string) (uint64, bool) { return 0, false }
