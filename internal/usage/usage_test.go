//go:build unix

package usage

import (
	"runtime"
	"testing"
)

// What is used grows with what is done, and the memory of a large slice that is written is counted.
func TestUsage(t *testing.T) {
	cpu, memory := CPU(), Memory()
	large := make([]byte, 64<<20)
	for i := range large {
		large[i] = byte(i)
	}
	if more := Memory() - memory; more < 48<<20 {
		t.Errorf("64 MiB more are %d bytes", more)
	}
	x := 1.0
	for i := 0; CPU() == cpu && i < 1e10; i++ {
		x *= 1.0000001
	}
	if CPU() <= cpu || memory <= 0 || x == 0 {
		t.Errorf("processor time %v, then %v; memory %d", cpu, CPU(), memory)
	}
	runtime.KeepAlive(large)
}
