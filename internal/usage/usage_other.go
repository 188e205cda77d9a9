//go:build !unix && !js

package usage

// CPU is 0 where the time of a process cannot be had.
func CPU() float64 { return 0 }
