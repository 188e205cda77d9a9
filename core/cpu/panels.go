package cpu

// panels is a matrix B in the order in which a product reads it. The columns are cut into panels as wide as the
// kernels' blocks. The rows of each panel follow one another. Reading a panel is then one run through memory. The
// processor fetches it ahead, and it touches few pages.
type panels struct {
	mat  // ld is the ld of the matrix itself; the panel that begins at column j begins at d[j·rows]
	cuts []colCut
}

type colCut struct{ at, width int }

// newPanels returns panels of zeros for products by the kernels k.
func (k *kernels) newPanels(from *slab, rows, cols int) panels {
	p := panels{mat: from.mat(rows, cols)}
	for j := 0; j < p.ld; {
		c := colCut{j, k.panelWidth(p.ld - j)}
		p.cuts = append(p.cuts, c)
		j += c.width
	}
	return p
}

// panelWidth returns the width of the next panel. rest is the number of columns that remain.
func (k *kernels) panelWidth(rest int) int { return k.block(rest, panelRows).width }

// copyRows copies rows lo..hi-1 of m, which has the same shape.
func (p *panels) copyRows(m *mat, lo, hi int) {
	for _, c := range p.cuts {
		d := p.d[c.at*p.rows:]
		for i := lo; i < hi; i++ {
			copy(d[i*c.width:(i+1)*c.width], m.d[i*m.ld+c.at:])
		}
	}
}

// copyTransposed copies rows lo..hi-1 of m, lo a multiple of 16, to columns lo..hi-1.
func (p *panels) copyTransposed(k *kernels, a *transposeArgs, m *mat, lo, hi int) {
	for _, c := range p.cuts {
		from, to := max(lo, c.at), min(hi, c.at+c.width)
		d := p.d[c.at*p.rows:]
		for ; from < to; from += 16 {
			*a = transposeArgs{&m.d[from*m.ld], int64(4 * m.ld), &d[from-c.at], int64(4 * c.width), int64(p.rows),
				int64(min(16, to-from))}
			if a.rows == 16 {
				k.transpose(a)
			} else {
				transposeGo(a)
			}
		}
	}
}
