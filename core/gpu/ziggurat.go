package gpu

import "math"

// Ziggurat makes the tables for drawing normals by Marsaglia and Tsang's method (2000, zigset) with 128 layers, with
// the rounding of math/rand/v2. In layer i a number below kn[i] is accepted without a further test. wn[i] scales a
// number to the layer's width; fn[i] is the density there.
func Ziggurat() (kn [128]uint32, wn, fn [128]float32) {
	const (
		right = 3.442619855899      // abscissa at which the tail begins
		area  = 9.91256303526217e-3 // area of every layer
		scale = 1 << 31
	)
	density := func(x float64) float64 { return math.Exp(-x * x / 2) }
	x, last := right, right
	base := area / density(x)
	kn[0], kn[1] = uint32(x/base*scale), 0
	wn[0], wn[127] = float32(base/scale), float32(x/scale)
	fn[0], fn[127] = 1, float32(density(x))
	for i := 126; i > 0; i-- {
		x = math.Sqrt(-2 * math.Log(area/x+density(x)))
		kn[i+1] = uint32(x / last * scale)
		last = x
		fn[i], wn[i] = float32(density(x)), float32(x/scale)
	}
	return kn, wn, fn
}
