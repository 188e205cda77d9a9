package tsne

import (
	"math"

	"nacre/tsne/internal/lanes"
)

// transform is a plan for 16 complex transforms of one length at a time, one per lane. forward leaves the frequencies
// in the order of freq, and inverse takes them in this order. Spectra can be multiplied in any order, so they are not
// sorted.
type transform struct {
	n      int
	stages []stage
	freq   []int // frequency at each place
	place  []int // place of each frequency
}

type stage struct {
	radix, length int
	factors       []float32
}

// goodLength is the shortest length of at least n that transforms well: a power of two times 1, 3, 9 or 27.
func goodLength(n int) int {
	best := math.MaxInt
	for p := 32; p < 1<<20; p *= 2 {
		for _, m := range []int{1, 3, 9, 27} {
			if p*m >= n {
				best = min(best, p*m)
			}
		}
	}
	return best
}

func newTransform(n int) *transform {
	t := &transform{n: n, freq: make([]int, n), place: make([]int, n)}
	length := n
	for _, radix := range []int{3, 4, 2} {
		for length%radix == 0 && (radix != 2 || length > 1) {
			s := stage{radix: radix, length: length}
			for k := range length / radix {
				for j := 1; j < radix; j++ {
					sin, cos := math.Sincos(-2 * math.Pi * float64(k*j) / float64(length))
					s.factors = append(s.factors, float32(cos), float32(sin))
				}
			}
			t.stages = append(t.stages, s)
			length /= radix
		}
	}
	for at := range n {
		rest, block, step := at, n, 1
		for _, s := range t.stages {
			block /= s.radix
			t.freq[at] += step * (rest / block)
			rest %= block
			step *= s.radix
		}
		t.place[t.freq[at]] = at
	}
	return t
}

func (t *transform) forward(k *lanes.Set, a *lanes.StageArgs, re, im []lanes.Vec) {
	for _, s := range t.stages {
		*a = lanes.StageArgs{Re: re, Im: im, L: s.length, Tw: s.factors}
		k.Forward[s.radix](a)
	}
}

// inverse undoes forward, times n.
func (t *transform) inverse(k *lanes.Set, a *lanes.StageArgs, re, im []lanes.Vec) {
	for i := len(t.stages) - 1; i >= 0; i-- {
		s := t.stages[i]
		*a = lanes.StageArgs{Re: re, Im: im, L: s.length, Tw: s.factors}
		k.Inverse[s.radix](a)
	}
}

// convolution convolves charges on a grid with a real, even kernel, with one real transform each way. Columns go
// first, 32 at a time, two real ones in each complex transform; half of their spectrum suffices. Then rows, 16
// frequencies at a time.
type convolution struct {
	k            *lanes.Set
	x, y         *transform
	tiles        int         // number of tiles of 16 frequencies in y, 0 … y.n/2
	spectrum     []lanes.Vec // [tile][place in x]: the kernel's, divided by the number of values
	midRe, midIm []lanes.Vec // [tile][x]
	atOf         [][]int32   // places of frequencies k and −k in y, for each tile
	scratch      []*convolutionScratch
	workers      int
}

// convolutionScratch belongs to one worker.
type convolutionScratch struct {
	re, im []lanes.Vec
	half   [4 * lanes.Width]lanes.Vec
	stage  lanes.StageArgs
	split  lanes.SplitArgs
	turn   lanes.TransposeArgs
	scale  lanes.ScaleArgs
}

// newConvolution prepares grids of up to nx/2 by ny/2 values. kernel gives the kernel at a distance in grid steps;
// sharpen gives, by angular frequency in [0, 2π), the factor that each axis contributes to the spectrum.
func newConvolution(k *lanes.Set, workers, nx, ny int, kernel func(dx, dy float64) float64,
	sharpen func(angle float64) float64) *convolution {
	const w = lanes.Width
	c := &convolution{k: k, x: newTransform(nx), y: newTransform(ny), workers: workers, tiles: (ny/2 + 1 + w - 1) / w}
	c.midRe, c.midIm = make([]lanes.Vec, c.tiles*nx), make([]lanes.Vec, c.tiles*nx)
	for range workers {
		long := max(nx, ny)
		c.scratch = append(c.scratch, &convolutionScratch{re: make([]lanes.Vec, long), im: make([]lanes.Vec, long)})
	}
	for t := range c.tiles {
		var at []int32
		for f := t * w; f < min((t+1)*w, ny/2+1); f++ {
			at = append(at, int32(c.y.place[f]), int32(c.y.place[(ny-f)%ny]))
		}
		c.atOf = append(c.atOf, at)
	}
	full := make([]float32, nx*ny)
	for y := range ny {
		for x := range nx {
			full[y*nx+x] = float32(kernel(float64(min(x, nx-x)), float64(min(y, ny-y))))
		}
	}
	c.columns(full, nx, nx, ny)
	c.spectrum = make([]lanes.Vec, c.tiles*nx)
	parallelBy(workers, c.tiles, func(worker, t int) {
		s := c.scratch[worker]
		re, im := c.midRe[t*nx:(t+1)*nx], c.midIm[t*nx:(t+1)*nx]
		c.x.forward(k, &s.stage, re, im)
		for p := range re {
			sx := sharpen(2*math.Pi*float64(c.x.freq[p])/float64(nx)) / (float64(nx) * float64(ny))
			for l := range w {
				if f := t*w + l; f <= ny/2 {
					c.spectrum[t*nx+p][l] = float32(float64(re[p][l]) * sx * sharpen(2*math.Pi*float64(f)/float64(ny)))
				}
			}
		}
	})
	return c
}

// run convolves the nx×ny values of grid, whose rows are stride apart, a multiple of 32 and at least nx, into out of
// the same shape.
func (c *convolution) run(grid, out []float32, stride, nx, ny int) {
	width := (nx + 31) &^ 31
	c.columns(grid, stride, width, ny)
	n := c.x.n
	parallelBy(c.workers, c.tiles, func(worker, t int) {
		s := c.scratch[worker]
		re, im := c.midRe[t*n:(t+1)*n], c.midIm[t*n:(t+1)*n]
		clear(re[width:])
		clear(im[width:])
		c.x.forward(c.k, &s.stage, re, im)
		s.scale = lanes.ScaleArgs{Re: re, Im: im, K: c.spectrum[t*n : (t+1)*n]}
		c.k.Scale(&s.scale)
		c.x.inverse(c.k, &s.stage, re, im)
	})
	c.columnsBack(out, stride, width, ny)
}

// columns transforms the columns of grid into mid.
func (c *convolution) columns(grid []float32, stride, nx, ny int) {
	const w = lanes.Width
	parallelBy(c.workers, nx/(2*w), func(worker, tile int) {
		s := c.scratch[worker]
		re, im := s.re[:c.y.n], s.im[:c.y.n]
		first := tile * 2 * w
		for y := range ny {
			row := grid[y*stride+first:]
			re[y], im[y] = lanes.Vec(row[:w]), lanes.Vec(row[w:2*w])
		}
		clear(re[ny:])
		clear(im[ny:])
		c.y.forward(c.k, &s.stage, re, im)
		for t, at := range c.atOf {
			s.split = lanes.SplitArgs{Re: re, Im: im, At: at, Half: &s.half}
			c.k.Split(&s.split)
			c.turns(s, t, first, true)
		}
	})
}

// turns moves the four tiles of half between rows of frequencies and the columns of mid from first on.
func (c *convolution) turns(s *convolutionScratch, t, first int, toMid bool) {
	const w = lanes.Width
	for part := range 4 {
		mid := c.midRe
		if part%2 == 1 {
			mid = c.midIm
		}
		at := t*c.x.n + first + part/2*w
		s.turn = lanes.TransposeArgs{Dst: (*[w]lanes.Vec)(mid[at : at+w]),
			Src: (*[w]lanes.Vec)(s.half[part*w : (part+1)*w])}
		if !toMid {
			s.turn.Dst, s.turn.Src = s.turn.Src, s.turn.Dst
		}
		c.k.Transpose(&s.turn)
	}
}

// columnsBack transforms mid back into the columns of grid.
func (c *convolution) columnsBack(grid []float32, stride, nx, ny int) {
	const w = lanes.Width
	parallelBy(c.workers, nx/(2*w), func(worker, tile int) {
		s := c.scratch[worker]
		re, im := s.re[:c.y.n], s.im[:c.y.n]
		first := tile * 2 * w
		for t, at := range c.atOf {
			c.turns(s, t, first, false)
			s.split = lanes.SplitArgs{Re: re, Im: im, At: at, Half: &s.half}
			c.k.Join(&s.split)
		}
		c.y.inverse(c.k, &s.stage, re, im)
		for y := range ny {
			row := grid[y*stride+first:]
			copy(row[:w], re[y][:])
			copy(row[w:2*w], im[y][:])
		}
	})
}
