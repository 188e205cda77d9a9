package cpu

import (
	"sync"
	"syscall"

	"golang.org/x/sys/cpu"
)

// matrixUnit reports whether the processor multiplies tiles of bfloat16 (AMX) and the system lets this process.
var matrixUnit = sync.OnceValue(func() bool {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 || !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW {
		return false
	}
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	_, _, err := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return err == 0
})

// inHalves lists the kernels of this machine that have products in bfloat16.
func inHalves() []*kernels {
	if !matrixUnit() {
		return nil
	}
	var sets []*kernels
	for _, low := range []bool{true, false} {
		k := avx512
		k.name = "avx512+bf16"
		if low {
			k.name = "avx512+bf16x3"
		}
		k.half = &halfKernels{rows: halfRowsAVX512, pairs: halfPairsAVX512, transpose: halfTransposeAVX512,
			block: matrixUnitAVX512, low: low}
		sets = append(sets, &k)
	}
	return sets
}
