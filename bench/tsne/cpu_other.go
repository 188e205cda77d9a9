//go:build !unix

package tsnebench

// processor is 0 where the time of a process cannot be had.
func processor() float64 { return 0 }
