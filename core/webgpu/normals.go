//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"math"
	"math/big"
	"sync"

	"nacre/core/gpu"
)

// tableWords is the length of normalTables.
const tableWords = 512

// normalTables holds the ziggurat's tables, and the logarithms of 1 + 2^-k as fractions of 2^64, the logarithm of 2
// first; see feed.wgsl.
func normalTables() []uint32 { return append([]uint32(nil), tablesOfNormals()...) }

var tablesOfNormals = sync.OnceValue(func() []uint32 {
	kn, wn, fn := gpu.Ziggurat()
	out := make([]uint32, tableWords)
	copy(out, kn[:])
	for i := range kn {
		out[128+i], out[256+i] = math.Float32bits(wn[i]), math.Float32bits(fn[i])
	}
	for k := range 63 {
		x := logOnePlus(uint(k))
		out[384+2*k], out[385+2*k] = uint32(x), uint32(x>>32)
	}
	return out
})

// logOnePlus is log(1 + 2^-k)·2^64, rounded: twice the inverse hyperbolic tangent of 1/(2^(k+1) + 1), by its series.
func logOnePlus(k uint) uint64 {
	const guard = 32
	x := new(big.Int).Lsh(big.NewInt(1), k+1)
	x.Add(x, big.NewInt(1))
	square := new(big.Int).Mul(x, x)
	power := new(big.Int).Lsh(big.NewInt(2), 64+guard)
	power.Div(power, x)
	sum := new(big.Int)
	for n := int64(1); power.Sign() > 0; n += 2 {
		sum.Add(sum, new(big.Int).Div(power, big.NewInt(n)))
		power.Div(power, square)
	}
	sum.Add(sum, new(big.Int).Lsh(big.NewInt(1), guard-1))
	return sum.Rsh(sum, guard).Uint64()
}
