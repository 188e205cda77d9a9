package cpu

// Matrix products in bfloat16 on the processor's matrix unit. A float32 is cut into a high part, itself rounded to 8
// bits, and a low part, the rest rounded to 8 bits. The kernels "avx512+bf16x3" add three products, high·high, high·low
// and low·high, which leaves a relative error of about 2⁻¹⁶ in every term; "avx512+bf16" take high·high only, with 2⁻⁸.
// Sums are float32 either way, and so is everything that is not such a product.

// halfArgs tells a kernel which part of a matrix to cut into a tile.
type halfArgs struct {
	src       *float32
	ld        int64   // bytes
	high, low *uint32 // tiles of 16 rows of 16 pairs
	rows      int64   // that exist, at least 1; the tile has 16, or 32 if pairs stand in columns
	wide      int64   // of rows: 1 if columns 16 to 31 exist
}

// unitArgs tells the matrix unit which 32×32 block to compute.
type unitArgs struct {
	chunks     int64   // of 32 terms
	a0, a1     *uint32 // upper and lower 16 rows, one tile after another
	b0, b1     *uint32 // left and right 16 columns
	lowA, lowB int64   // bytes from a high tile to its low tile; lowB is 0 for products of high parts only
	c          *float32
	ldc        int64    // bytes
	aux        *float32 // see gemmArgs
	mode       gemmMode
	rows       int64 // rows of the block that exist in C
	wide       int64 // 1 if columns 16 to 31 of the block exist
	//lint:ignore U1000 the matrix unit's assembly writes it
	block [32 * 32]float32
	tiles [64]byte // shapes of the unit's tiles
}

// halfKernels computes products in bfloat16.
type halfKernels struct {
	rows, pairs, transpose func(*halfArgs)
	block                  func(*unitArgs)
	low                    bool // whether a product is the sum of three products
}

// tileSize is the number of pairs in a tile.
const tileSize = 256

// halves is a matrix in tiles for the matrix unit. A strip is 16 rows (of A) or 16 columns (of B). It holds the chunks
// of 32 terms one after another, first the high parts, then at a fixed distance the low parts.
type halves struct {
	d              []uint32
	strips, chunks int
}

func newHalves(across, terms int) halves {
	h := halves{strips: (across + 31) / 32 * 2, chunks: (terms + 31) / 32}
	h.d = alignedWords(2 * h.words())
	return h
}

func (h *halves) words() int { return h.strips * h.chunks * tileSize }

// tile points to a tile's high and low parts.
func (h *halves) tile(strip, chunk int) (high, low *uint32) {
	at := (strip*h.chunks + chunk) * tileSize
	return &h.d[at], &h.d[h.words()+at]
}

// halfScratch holds the data of a worker's multiplication: the operands in tiles, and arguments.
type halfScratch struct {
	a, b []uint32
	cut  halfArgs
	unit unitArgs
}

func newHalfScratch(wordsA, wordsB int) *halfScratch {
	s := &halfScratch{a: alignedWords(wordsA), b: alignedWords(wordsB)}
	s.unit.tiles[0] = 1 // the palette
	for t := range 8 {
		s.unit.tiles[16+2*t] = 64 // bytes of a row
		s.unit.tiles[48+t] = 16   // rows
	}
	return s
}

// over returns a matrix in tiles that lies in the scratch d.
func over(d []uint32, across, terms int) halves {
	h := halves{strips: (across + 31) / 32 * 2, chunks: (terms + 31) / 32}
	h.d = d[:2*h.words()]
	return h
}

// cutRows cuts rows lo..hi-1 of m, lo a multiple of 16: rows become strips, columns terms.
func (h *halves) cutRows(k *halfKernels, c *halfArgs, m *mat, lo, hi int, transpose bool) {
	c.ld = int64(4 * m.ld)
	for r := lo; r < hi; r += 16 {
		c.rows = int64(min(16, hi-r))
		for j := 0; j < h.chunks; j++ {
			c.src = &m.d[r*m.ld+32*j]
			c.wide = 0
			if m.ld >= 32*j+32 {
				c.wide = 1
			}
			c.high, c.low = h.tile(r/16, j)
			k.rows(c)
			if transpose {
				k.transpose(c)
			}
		}
	}
}

// cutColumns cuts rows lo..hi-1 of m, lo a multiple of 32: columns become strips, rows terms.
func (h *halves) cutColumns(k *halfKernels, c *halfArgs, m *mat, lo, hi int, transpose bool) {
	c.ld = int64(4 * m.ld)
	for r := lo; r < hi; r += 32 {
		c.rows = int64(min(32, hi-r))
		for j := 0; j < m.ld; j += 16 {
			c.src = &m.d[r*m.ld+j]
			c.high, c.low = h.tile(j/16, r/32)
			k.pairs(c)
			if transpose {
				k.transpose(c)
			}
		}
	}
}

// inHalves computes all of C from operands in tiles.
func (p *product) inHalves(k *halfKernels, u *unitArgs, a, b *halves) {
	u.chunks, u.mode = int64(a.chunks), p.mode
	u.lowA, u.lowB = int64(4*a.words()), int64(4*b.words())
	if !k.low {
		u.lowB = 0
	}
	u.ldc = int64(4 * p.c.ld)
	for j := 0; j < p.c.ld; j += 32 {
		u.b0, _ = b.tile(j/16, 0)
		u.b1, _ = b.tile(j/16+1, 0)
		u.wide = 0
		if p.c.ld >= j+32 {
			u.wide = 1
		}
		for i := 0; i < p.c.rows; i += 32 {
			u.a0, _ = a.tile(i/16, 0)
			u.a1, _ = a.tile(i/16+1, 0)
			u.rows = int64(min(32, p.c.rows-i))
			at := i*p.c.ld + j
			u.c = &p.c.d[at]
			switch p.mode {
			case gemmBias, gemmBiasReLU:
				u.aux = floatAt(p.aux, j)
			case gemmMask:
				u.aux = floatAt(p.aux, at)
			default:
				u.aux = u.c
			}
			k.block(u)
		}
	}
}

func floatAt(p *float32, i int) *float32 { return at(p, int64(4*i)) }

// halfSize is the smallest number of rows, columns and terms of a product that is computed in bfloat16, if that
// precision is chosen.
const halfSize = 16

// rightHalves returns the parameter by which a product multiplies, or its transpose, in tiles. It returns nil if the
// product is not computed in bfloat16.
func (b *builder) rightHalves(in *instr, transposed bool, x, out operand) *halves {
	p := b.params[in.in[1]]
	if b.k.half == nil || p == nil || out.rows < halfSize || out.cols < halfSize || x.cols < halfSize {
		return nil
	}
	rows := out.rows
	if b.tiled {
		rows = out.perUnit * b.p.TileGroups
	}
	b.needHalfScratch(rows, 0, x.cols)
	return p.needHalves(b.k, transposed)
}

// needHalfScratch makes a worker's scratch large enough for operands with the given rows of A and columns of B.
func (b *builder) needHalfScratch(rows, cols, terms int) {
	words := func(across int) int {
		h := halves{strips: (across + 31) / 32 * 2, chunks: (terms + 31) / 32}
		return 2 * h.words()
	}
	b.halfA, b.halfB = max(b.halfA, words(rows)), max(b.halfB, words(cols))
}

// byHalves computes C = A·B, where B is in tiles.
func (p *product) byHalves(w *worker, a *mat, b *halves) {
	h := over(w.half.a, a.rows, a.cols)
	h.cutRows(w.k.half, &w.half.cut, a, 0, a.rows, false)
	p.inHalves(w.k.half, &w.half.unit, &h, b)
}

// contractHalves computes C = Aᵀ·B.
func (p *product) contractHalves(w *worker, a, b *mat) {
	x, y := over(w.half.a, a.cols, a.rows), over(w.half.b, b.cols, b.rows)
	x.cutColumns(w.k.half, &w.half.cut, a, 0, a.rows, true)
	y.cutColumns(w.k.half, &w.half.cut, b, 0, b.rows, false)
	p.inHalves(w.k.half, &w.half.unit, &x, &y)
}
