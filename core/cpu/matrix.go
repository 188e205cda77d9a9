package cpu

import "unsafe"

// mat is a matrix in memory: element (i, j) is d[i·ld + j]. ld is the number of columns rounded up to a multiple of
// 16, rows start at multiples of 64 bytes, and the padding is zero: kernels need no edge cases.
type mat struct {
	d              []float32
	rows, cols, ld int
}

// pad16 rounds n up to a multiple of 16.
func pad16(n int) int { return (n + 15) &^ 15 }

// alignedWords is aligned for data that are not floats.
func alignedWords(n int) []uint32 {
	f := aligned(max(n, 1))
	return unsafe.Slice((*uint32)(unsafe.Pointer(&f[0])), n)
}

func newMat(rows, cols int) mat {
	ld := pad16(cols)
	return mat{aligned(rows * ld), rows, cols, ld}
}

// row returns the elements of row i without the padding.
func (m *mat) row(i int) []float32 { return m.d[i*m.ld : i*m.ld+m.cols] }

// clearPad zeroes the padding of row i.
func (m *mat) clearPad(i int) { clear(m.d[i*m.ld+m.cols : (i+1)*m.ld]) }

// number is a type of values that the host writes and reads.
type number interface{ float32 | float64 }

// fill sets the elements from a row-major slice.
func fill[T number](m *mat, src []T) {
	for i := range m.rows {
		dst := m.row(i)
		for j, x := range src[i*m.cols : (i+1)*m.cols] {
			dst[j] = float32(x)
		}
		m.clearPad(i)
	}
}

// extract copies the elements to a row-major slice.
func extract[T number](dst []T, m *mat) {
	for i := range m.rows {
		d := dst[i*m.cols : (i+1)*m.cols]
		for j, x := range m.row(i) {
			d[j] = T(x)
		}
	}
}

// transposeInto writes the transpose of rows lo..hi-1 of m to columns lo..hi-1 of t.
func (m *mat) transposeInto(t *mat, lo, hi int) {
	for ; lo < hi; lo += 16 {
		transposeGo(&transposeArgs{&m.d[lo*m.ld], int64(4 * m.ld), &t.d[lo], int64(4 * t.ld), int64(m.cols),
			int64(min(16, hi-lo))})
	}
}
