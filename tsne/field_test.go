package tsne

import (
	"math"
	"testing"

	"nacre/internal/rng"
	"nacre/tsne/internal/lanes"
)

// scatterOf is a layout of clusters with the given extent.
func scatterOf(n, dims int, extent float64) []float32 {
	r := rng.New(9, rng.TSNE)
	y := make([]float32, n*dims)
	for i := range n {
		for c := range dims {
			centre := math.Sin(float64((i%7)*(c+3)))*0.35 + 0.02*r.NormFloat64()
			y[i*dims+c] = float32(extent * centre)
		}
	}
	return y
}

// allPairs is the repulsion in float64 by its definition.
func allPairs(y []float32, dims int) (rep []float64, z float64) {
	n := len(y) / dims
	rep = make([]float64, len(y))
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			var d [3]float64
			q := 1.0
			for c := range dims {
				d[c] = float64(y[i*dims+c]) - float64(y[j*dims+c])
				q += d[c] * d[c]
			}
			z += 1 / q
			for c := range dims {
				rep[i*dims+c] += d[c] / (q * q)
			}
		}
	}
	return rep, z
}

// errors are the relative errors of the forces, root of mean squares, and of Z.
func errorsOf(rep []float32, z float64, want []float64, wantZ float64) (force, ofZ float64) {
	var diff, size float64
	for i, w := range want {
		d := float64(rep[i]) - w
		diff += d * d
		size += w * w
	}
	return math.Sqrt(diff / size), math.Abs(z/wantZ - 1)
}

// Every method against all pairs in float64, from a start's size to a finished layout's. The limits for the field are
// the 0.4 % measured for splines of order 6 at a step of 0.4.
func TestRepulsionAgainstFloat64(t *testing.T) {
	const n = 611
	for _, set := range lanes.Available() {
		for _, c := range []struct {
			method Method
			dims   int
			force  float64
		}{{MethodExact, 2, 2e-6}, {MethodFFT, 2, 5e-3}, {MethodBarnesHut, 2, 3e-2}, {MethodBarnesHut, 3, 3e-2}} {
			for _, extent := range []float64{1e-4, 0.01, 0.09, 0.11, 1, 8, 40, 120} {
				y := scatterOf(n, c.dims, extent)
				want, wantZ := allPairs(y, c.dims)
				rep := make([]float32, (len(y)+15)&^15)
				r := newRepulsion(set, 2, n, c.dims, c.method, alone())
				z := r.compute(y, rep)
				force, ofZ := errorsOf(rep[:len(y)], z, want, wantZ)
				if force > c.force || ofZ > c.force/4 {
					t.Errorf("%s, %s in %d dimensions, extent %g: force error %.2g, Z error %.2g", set.Name, c.method,
						c.dims, extent, force, ofZ)
				}
			}
		}
	}
}

// A layout with a stray point far away goes to the tree, and is as good.
func TestStretchedLayoutUsesTheTree(t *testing.T) {
	const n = 700
	y := scatterOf(n, 2, 30)
	y[0], y[1] = 4000, -3000
	set := lanes.Available()[0]
	r := newRepulsion(set, 2, n, 2, MethodFFT, alone())
	rep := make([]float32, 2*n+8)
	z := r.compute(y, rep)
	want, wantZ := allPairs(y, 2)
	force, ofZ := errorsOf(rep[:2*n], z, want, wantZ)
	if r.trees != 1 || force > 3e-2 || ofZ > 1e-2 {
		t.Errorf("%d iterations by tree, force error %.2g, Z error %.2g", r.trees, force, ofZ)
	}
}

// The convolution of a few charges, against the sum it stands for.
func TestConvolution(t *testing.T) {
	for _, size := range [][2]int{{64, 96}, {128, 64}, {288, 72 * 2}} {
		nx, ny := size[0]/2, size[1]/2
		kernel := func(dx, dy float64) float64 { return 1 / (1 + 0.3*dx*dx + 0.2*dy*dy) }
		stride := (nx + 31) &^ 31
		grid, out := make([]float32, stride*ny), make([]float32, stride*ny)
		charges := [][3]int{{0, 0, 3}, {nx - 1, ny - 1, -2}, {5, ny / 2, 1}, {nx / 2, 3, 7}}
		for _, c := range charges {
			grid[c[1]*stride+c[0]] = float32(c[2])
		}
		for _, set := range lanes.Available() {
			newConvolution(set, 2, size[0], size[1], kernel, func(float64) float64 { return 1 }).run(grid, out,
				stride, nx, ny)
			for y := range ny {
				for x := range nx {
					want := 0.0
					for _, c := range charges {
						want += float64(c[2]) * kernel(float64(x-c[0]), float64(y-c[1]))
					}
					if got := float64(out[y*stride+x]); math.Abs(got-want) > 5e-6 {
						t.Fatalf("%s, %v: at %d, %d the field is %v, want %v", set.Name, size, x, y, got, want)
					}
				}
			}
		}
	}
}
