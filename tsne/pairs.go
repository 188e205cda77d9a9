package tsne

import "nacre/tsne/internal/lanes"

// pairs computes the repulsion of all pairs of points in the plane, each pair once. Points are cut into tiles. The
// forces on a tile from each other tile are stored separately and summed afterwards in a fixed order.
type pairs struct {
	k       *lanes.Set
	workers int
	n       int
	tile    int // vectors of 16 points
	tiles   int
	x, y    []lanes.Vec
	fx, fy  []lanes.Vec // [from tile][vector]
	z       []float64   // parts of Z, by pair of tiles
	tasks   [][2]int
	scratch []pairScratch
}

type pairScratch struct {
	args         lanes.RepelArgs
	z, own       lanes.Vec
	idle         [2]lanes.Vec
	lostX, lostY []lanes.Vec
}

// newPairs prepares for n points; forces false is for Z alone, which needs little memory.
func newPairs(k *lanes.Set, workers, n int, forces bool) *pairs {
	const w = lanes.Width
	vectors := (n + w - 1) / w
	p := &pairs{k: k, workers: workers, n: n, tile: 8}
	for vectors > 64*p.tile {
		p.tile *= 2
	}
	p.tiles = (vectors + p.tile - 1) / p.tile
	p.x, p.y = make([]lanes.Vec, vectors), make([]lanes.Vec, vectors)
	for a := range p.tiles {
		for b := a; b < p.tiles; b++ {
			p.tasks = append(p.tasks, [2]int{a, b})
		}
	}
	p.z = make([]float64, len(p.tasks))
	p.scratch = make([]pairScratch, workers)
	if forces {
		p.fx, p.fy = make([]lanes.Vec, p.tiles*vectors), make([]lanes.Vec, p.tiles*vectors)
	}
	for i := range p.scratch {
		p.scratch[i].lostX, p.scratch[i].lostY = make([]lanes.Vec, 2*p.tile), make([]lanes.Vec, 2*p.tile)
	}
	return p
}

// compute returns Z = Σ_{i≠j} w_ij for the layout y and writes Σ_j w²·d of every point to rep, unless p is for Z alone.
func (p *pairs) compute(y, rep []float32) float64 {
	const w = lanes.Width
	for i := range len(p.x) * w {
		v, l := i/w, i%w
		if i < p.n {
			p.x[v][l], p.y[v][l] = y[2*i], y[2*i+1]
		} else { // far from everything and from each other
			p.x[v][l], p.y[v][l] = 1e8*float32(1+l), 1e8
		}
	}
	parallelBy(p.workers, len(p.tasks), func(worker, t int) {
		p.z[t] = p.pair(&p.scratch[worker], p.tasks[t][0], p.tasks[t][1])
	})
	if p.fx != nil {
		cut(p.n).each(p.workers, func(_, lo, hi int) { p.collect(rep, lo, hi) })
	}
	z := 0.0
	for _, v := range p.z {
		z += v
	}
	return z - float64(len(p.x)*w) // every point met itself
}

// collect sums what points lo … hi−1, a multiple of 16 on, received.
func (p *pairs) collect(rep []float32, lo, hi int) {
	const w = lanes.Width
	for v := lo / w; v*w < hi; v++ {
		var fx, fy lanes.Vec
		for from := range p.tiles {
			gx, gy := &p.fx[from*len(p.x)+v], &p.fy[from*len(p.x)+v]
			for l := range fx {
				fx[l] += gx[l]
				fy[l] += gy[l]
			}
		}
		for l := 0; l < w && v*w+l < hi; l++ {
			i := v*w + l
			rep[2*i], rep[2*i+1] = fx[l], fy[l]
		}
	}
}

// pair handles tiles a ≤ b and returns their part of Z.
func (p *pairs) pair(s *pairScratch, a, b int) float64 {
	a0, a1 := a*p.tile, min((a+1)*p.tile, len(p.x))
	b0, b1 := b*p.tile, min((b+1)*p.tile, len(p.x))
	onA, onAy, onB, onBy := s.lostX[:p.tile], s.lostY[:p.tile], s.lostX[p.tile:], s.lostY[p.tile:]
	if p.fx != nil {
		at := func(from, v int) int { return from*len(p.x) + v }
		onA, onAy = p.fx[at(b, a0):at(b, a1)], p.fy[at(b, a0):at(b, a1)]
		onB, onBy = p.fx[at(a, b0):at(a, b1)], p.fy[at(a, b0):at(a, b1)]
	}
	clear(onA)
	clear(onAy)
	clear(onB)
	clear(onBy)
	both, once := 0.0, 0.0
	for v := a0; v < a1; v++ {
		first := b0
		if a == b {
			first = v + 1
			once += p.within(s, v, &onA[v-a0], &onAy[v-a0])
		}
		if first == b1 {
			continue
		}
		s.z = lanes.Vec{}
		s.args = lanes.RepelArgs{
			X: &p.x[v], Y: &p.y[v], FX: &onA[v-a0], FY: &onAy[v-a0], Z: &s.z, Count: b1 - first,
			OX: &p.x[first], OY: &p.y[first], OFX: &onB[first-b0], OFY: &onBy[first-b0],
		}
		p.k.Repel(&s.args)
		both += total(&s.z)
	}
	return 2*both + once
}

// within handles the pairs among the 16 points of vector v, both ways, and each point with itself.
func (p *pairs) within(s *pairScratch, v int, fx, fy *lanes.Vec) float64 {
	s.own, s.idle = lanes.Vec{}, [2]lanes.Vec{}
	s.args = lanes.RepelArgs{
		X: &p.x[v], Y: &p.y[v], FX: fx, FY: fy, Z: &s.own, Count: 1,
		OX: &p.x[v], OY: &p.y[v], OFX: &s.idle[0], OFY: &s.idle[1],
	}
	p.k.Repel(&s.args)
	return total(&s.own)
}

func total(v *lanes.Vec) float64 {
	s := 0.0
	for _, a := range v {
		s += float64(a)
	}
	return s
}
