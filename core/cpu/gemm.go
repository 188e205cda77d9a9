package cpu

// product is one matrix product C = A·B, or C = Aᵀ·B over the rows of both with ta.
type product struct {
	a, b, c mat
	ta      bool
	byPanel bool // b lies in panels
	mode    gemmMode
	aux     *float32 // bias, or the first element of the mask matrix
	after   *ahead   // what the worker reads after this product, or nil
}

// ahead is memory worth fetching ahead of its use.
type ahead struct {
	at    *float32 // nil if there is none
	bytes int64
}

// rows computes rows lo..hi-1 of C. Each element is the sum of its products in order of k, whatever the range and
// the blocks it is cut into.
func (p *product) rows(k *kernels, g *gemmArgs, lo, hi int) {
	g.k = int64(p.b.rows)
	g.lda, g.ldb, g.ldc = int64(4*p.a.ld), int64(4*p.b.ld), int64(4*p.c.ld)
	g.mode = p.mode
	for _, blk := range k.blocks {
		if n := (hi - lo) / blk.rows; n > 0 {
			p.panel(k, g, blk, lo, lo+n*blk.rows)
			lo += n * blk.rows
		}
	}
}

// panel computes rows lo..hi-1 of C, a multiple of the block's rows: a panel of B's columns stays in the first-level
// cache while the rows of A pass.
func (p *product) panel(k *kernels, g *gemmArgs, blk rowBlock, lo, hi int) {
	step := p.a.ld // in A, from what row i of C needs to what row i+1 needs
	if p.ta {
		step = 1
	}
	first, rowStep := &p.a.d[lo*step], int64(4*blk.rows*step)
	cStep := int64(4 * blk.rows * p.c.ld)
	for j := 0; j < p.c.ld; {
		var col colBlock
		if p.byPanel {
			col = blk.ofWidth(k.panelWidth(p.c.ld - j))
			g.b, g.ldb = &p.b.d[j*p.b.rows], int64(4*col.width)
		} else {
			col = pickWidth(blk.cols, p.c.ld-j)
			g.b = &p.b.d[j]
		}
		kernel := col.kernel
		if p.ta {
			kernel = col.kernelTA
		}
		a, c := first, int64(4*(lo*p.c.ld+j))
		next := p.following(j, col.width, (hi-lo)/blk.rows, g.k)
		for i := lo; i < hi; i += blk.rows {
			g.a, g.c = a, at(&p.c.d[0], c)
			switch {
			case i+blk.rows < hi:
				g.then = at(g.c, cStep)
			case j+col.width < p.c.ld:
				g.then = &p.c.d[lo*p.c.ld+j+col.width]
			default:
				g.then = g.c
			}
			g.next, g.step = next.take(g)
			switch p.mode {
			case gemmBias, gemmBiasReLU:
				g.aux = at(p.aux, int64(4*j))
			case gemmMask:
				g.aux = at(p.aux, c)
			}
			kernel(g)
			if i+blk.rows < hi {
				a = at(a, rowStep)
			}
			c += cStep
		}
		j += col.width
	}
}

// pickWidth chooses the widest block that fits in rest columns; 64 columns are better cut in two halves than into
// 48 and 16, which leaves the multipliers waiting for loads.
func pickWidth(cols []colBlock, rest int) colBlock {
	for _, c := range cols {
		if c.width == 32 && rest == 64 || c.width <= rest && rest != 64 {
			return c
		}
	}
	return cols[len(cols)-1]
}

// ofWidth is the block of exactly that width.
func (b *rowBlock) ofWidth(width int) colBlock {
	for _, c := range b.cols {
		if c.width == width {
			return c
		}
	}
	panic("cpu: a row block lacks a width of the widest one")
}

// stream is memory that kernels fetch ahead, a piece in each call.
type stream struct {
	at         *float32
	step, left int64 // bytes: for two terms of a product, and in all
}

// following is what will be read after the panel of that width at column j: the next panel, or what comes after the
// product. It is fetched evenly in the given number of calls of k terms. The processor's own fetching ahead is too short for what comes from the
// third-level cache.
func (p *product) following(j, width, calls int, k int64) stream {
	var s stream
	switch {
	case j+width >= p.c.ld:
		if p.after != nil {
			s.at, s.left = p.after.at, p.after.bytes
		}
	case p.byPanel:
		s.at, s.left = &p.b.d[(j+width)*p.b.rows], int64(4*p.b.rows*min(width, p.c.ld-j-width))
	}
	n := int64(calls) * max(1, k/2)
	s.step = (s.left + n - 1) / n
	return s
}

// take returns where and with what step the next call fetches.
func (s *stream) take(g *gemmArgs) (*float32, int64) {
	if s.left <= 0 {
		return g.b, 0
	}
	from := s.at
	if s.left -= s.step * (g.k / 2); s.left > 0 {
		s.at = at(from, s.step*(g.k/2))
	}
	return from, s.step
}
