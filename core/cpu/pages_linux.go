package cpu

import (
	"syscall"
	"unsafe"
)

// inLargePages asks the system to keep b in pages of size largePage. b starts at a multiple of this size. Linux does so
// by itself only if it is set up for it. If the system refuses, everything is a little slower.
func inLargePages(b []float32) {
	const collapse = 25 // MADV_COLLAPSE, for memory that has been touched before
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&b[0])), 4*len(b))
	if syscall.Madvise(bytes, syscall.MADV_HUGEPAGE) == nil {
		syscall.Madvise(bytes, collapse)
	}
}
