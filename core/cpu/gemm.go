package cpu

// product is one matrix product: C = A·B, or with ta C = Aᵀ·B, summed over the rows of both.
type product struct {
	a, b, c mat
	ta      bool
	byPanel bool     // whether b lies in panels
	mode    gemmMode // gemmStore, or gemmAdd if ta is set and there are more rows than contractRows
	aux     *float32 // bias, or the first element of the mask matrix
	after   *ahead   // data that the worker reads after this product, or nil
}

// ahead is memory worth fetching ahead of its use.
type ahead struct {
	at    *float32 // nil if there is none
	bytes int64
}

// contractRows is the number of rows that a product over rows takes at a time. They stay in the first-level cache while
// the result's rows pass.
const contractRows = 128

// rows computes rows lo..hi-1 of C. Each element is the sum of its products in order of k, whatever the range and the
// blocks. In a product over rows, it is the sum of such sums over contractRows rows each.
func (p *product) rows(k *kernels, g *gemmArgs, lo, hi int) {
	terms := p.b.rows
	if p.ta {
		terms = contractRows
	}
	g.lda, g.ldb, g.ldc = int64(4*p.a.ld), int64(4*p.b.ld), int64(4*p.c.ld)
	for j := 0; j < p.c.ld; {
		blk := k.block(p.c.ld-j, hi-lo)
		if p.byPanel {
			blk = k.block(p.c.ld-j, panelRows)
			g.ldb = int64(4 * blk.width)
		}
		if p.c.cols == 1 && !p.ta && p.mode <= gemmBiasReLU && k.single != nil {
			blk = k.single
		}
		g.mode = p.mode
		for from := 0; from < p.b.rows; from += terms {
			g.k = int64(min(terms, p.b.rows-from))
			p.panel(g, blk, j, from, lo, hi)
			g.mode = gemmAdd
		}
		j += blk.width
	}
}

// block returns the block for the next columns of a product. rows is the number of its rows, and rest the number of
// columns that remain. It is the widest block after which no columns remain or the remaining ones fit wide blocks too:
// in narrow blocks the multipliers wait for loads.
func (k *kernels) block(rest, rows int) *colBlock {
	for i := range k.blocks {
		b := &k.blocks[i]
		if b.width > rest || b.few > 0 && rows > b.few {
			continue
		}
		switch rest - b.width {
		case 16, 32, 80:
		default:
			return b
		}
	}
	return &k.blocks[len(k.blocks)-1]
}

// panel adds g.k terms, beginning at the given one, to a block's columns of C, from column j on, in rows lo..hi-1.
// These columns of B stay in a near cache while the rows of A pass.
func (p *product) panel(g *gemmArgs, blk *colBlock, j, from, lo, hi int) {
	// distances in A: from the element for a row of C to that for the next row, and to the next term
	aRow, aTerm := p.a.ld, 1
	if p.ta {
		aRow, aTerm = 1, p.a.ld
	}
	g.b = &p.b.d[from*p.b.ld+j]
	if p.byPanel {
		g.b = &p.b.d[j*p.b.rows+from*blk.width]
	}
	afterwards := j // the columns after these
	if from+int(g.k) == p.b.rows && j+blk.width < p.c.ld {
		afterwards += blk.width
	}
	fetch := p.following(g, blk, j, from, lo, hi-lo)
	i := lo
	for _, r := range blk.rows {
		kernel := r.kernel
		if p.ta {
			kernel = r.kernelTA
		}
		for ; i+r.rows <= hi; i += r.rows {
			c := i*p.c.ld + j
			g.a, g.c = &p.a.d[i*aRow+from*aTerm], &p.c.d[c]
			g.then = &p.c.d[lo*p.c.ld+afterwards]
			if i+r.rows < hi {
				g.then = &p.c.d[c+r.rows*p.c.ld]
			}
			g.next, g.step = fetch.take(g)
			switch g.mode {
			case gemmBias, gemmBiasReLU:
				g.aux = at(p.aux, int64(4*j))
			case gemmMask:
				g.aux = at(p.aux, int64(4*c))
			}
			kernel(g)
		}
	}
}

// In every round of terms a kernel fetches a piece of this size ahead.
const (
	round = 4
	piece = 128
)

// stream is memory that kernels fetch ahead, because the processor itself does not fetch far enough ahead from the
// third-level cache. It is rows of several pieces each. A call fetches one piece of as many rows as it has rounds.
type stream struct {
	at     *float32 // data that the next call fetches
	ld     int64    // bytes from a row to the next
	rows   int
	row    int // number of the row at which at points
	pieces int // pieces that remain; 0 if there is nothing to fetch
	rounds int // rounds of terms in a call
	every  int // one call in so many fetches, so that the fetching is spread evenly over the calls
	calls  int
}

// following returns the memory that is read after the panel of the given block, column and first term, or late in it:
// the next terms of its columns, the next columns, or the data of the next product. It is fetched while the panel's
// calls compute rows lo..hi-1.
func (p *product) following(g *gemmArgs, blk *colBlock, j, from, lo, hi int) stream {
	s := stream{ld: piece, rounds: int(g.k / round)}
	end, next := from+int(g.k), j+blk.width
	switch {
	case p.ta && j == 0: // in the first columns A is new, while B was just computed if A is an older activation
		s.columns(&p.a, from, lo+piece/4, hi)
	case p.ta && end < p.b.rows:
		s.columns(&p.b, end, j, j+blk.width)
	case p.ta:
		s.columns(&p.b, 0, next, next+blk.width)
	case next < p.c.ld && p.byPanel:
		s.run(&p.b.d[next*p.b.rows], int64(4*p.b.rows*min(blk.width, p.c.ld-next)))
	case next >= p.c.ld && p.after != nil:
		s.run(p.after.at, p.after.bytes)
	}
	if s.rounds == 0 {
		s.pieces = 0
	}
	if s.pieces > 0 {
		need := (s.rows + s.rounds - 1) / s.rounds * s.pieces
		s.every = max(1, (hi-lo)/blk.rows[0].rows/need)
	}
	return s
}

// run sets s to contiguous memory of the given length.
func (s *stream) run(from *float32, bytes int64) {
	s.at, s.rows, s.pieces = from, int(bytes/piece), 1
	if s.rows == 0 {
		s.pieces = 0
	}
}

// columns sets s to columns lo..hi-1 of the rows of m that a product over rows takes at a time, from the given row on.
func (s *stream) columns(m *mat, row, lo, hi int) {
	if hi = min(hi, m.ld); lo >= hi {
		return
	}
	s.at, s.ld = &m.d[row*m.ld+lo], int64(4*m.ld)
	s.rows = min(contractRows, m.rows-row)
	s.pieces = (4*(hi-lo) + piece - 1) / piece
}

// take returns the address at which the next call fetches, and the distance between its rounds.
func (s *stream) take(g *gemmArgs) (*float32, int64) {
	s.calls++
	if s.pieces == 0 || s.calls%s.every != 0 {
		return g.b, 0
	}
	from, step := s.at, s.ld
	if s.row += s.rounds; s.row < s.rows {
		s.at = at(s.at, int64(s.rounds)*s.ld)
	} else if s.pieces--; s.pieces > 0 {
		s.at = at(s.at, piece-int64(s.row-s.rounds)*s.ld)
		s.row = 0
	}
	return from, step
}
