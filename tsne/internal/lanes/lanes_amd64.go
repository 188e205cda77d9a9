package lanes

import "golang.org/x/sys/cpu"

//go:generate go run ./gen

// native lists the assembly sets this processor and operating system support, fastest first.
func native() []*Set {
	var sets []*Set
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX2 {
		sets = append(sets, &avx512)
	}
	if cpu.X86.HasAVX2 {
		sets = append(sets, &avx2)
	}
	return sets
}

var avx512 = Set{
	Name: "avx512", Repel: repelAVX512, Attract: attractAVX512, Near: nearAVX512,
	Forward: [5]func(*StageArgs){2: forward2AVX512, 3: forward3AVX512, 4: forward4AVX512},
	Inverse: [5]func(*StageArgs){2: inverse2AVX512, 3: inverse3AVX512, 4: inverse4AVX512},
	Scale:   scaleAVX512, Split: splitAVX512, Join: joinAVX512, Transpose: transposeAVX2,
	Spread: spreadAVX2, Gather: gatherAVX2, Move: moveAVX2,
}

var avx2 = Set{
	Name: "avx2", Repel: repelAVX2, Attract: attractAVX2, Near: nearAVX2,
	Forward: [5]func(*StageArgs){2: forward2AVX2, 3: forward3AVX2, 4: forward4AVX2},
	Inverse: [5]func(*StageArgs){2: inverse2AVX2, 3: inverse3AVX2, 4: inverse4AVX2},
	Scale:   scaleAVX2, Split: splitAVX2, Join: joinAVX2, Transpose: transposeAVX2,
	Spread: spreadAVX2, Gather: gatherAVX2, Move: moveAVX2,
}
