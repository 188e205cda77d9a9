package cpu

import (
	"fmt"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
)

// All kernels that this machine runs, with one worker and with three, do what core.Device promises.
func TestContract(t *testing.T) {
	for _, k := range available() {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s ×%d", k.name, workers), func(t *testing.T) {
				coretest.Run(t, func(t testing.TB) core.Device {
					d, err := New(Options{Kernel: k.name, Workers: workers})
					must(t, err)
					return d
				}, coretest.Options{})
			})
		}
	}
}
