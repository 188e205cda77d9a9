//go:build !unix && !js

package cputime

// Seconds is 0 where the time of a process cannot be had.
func Seconds() float64 { return 0 }
