//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the operating system's struct for the handling of a signal, as bytes. It is large enough on amd64 and
// arm64.
type sigaction [4]uint64

// keepSignals notes how every signal is handled, and returns a function that restores it. Go's handlers must run on
// their own stack. If a library installs others, Ctrl+C ends the program with a fault.
func keepSignals() (restore func()) {
	var before [65]sigaction
	for n := 1; n < len(before); n++ {
		unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), 0, uintptr(unsafe.Pointer(&before[n])), 8, 0, 0)
	}
	return func() {
		for n := 1; n < len(before); n++ {
			var now sigaction
			unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), 0, uintptr(unsafe.Pointer(&now)), 8, 0, 0)
			if now != before[n] {
				unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(&before[n])), 0, 8, 0, 0)
			}
		}
	}
}
