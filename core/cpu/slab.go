package cpu

import "unsafe"

// Memory for matrices is allocated in pieces. They grow from pieceFrom to pieceTo bytes, so that most of the memory
// lies in whole large pages.
const (
	largePage = 2 << 20
	pieceFrom = 64 << 10
	pieceTo   = 8 << 20
)

// slab allocates memory for matrices. All matrices of a slab are freed together. A program goes through tens of
// megabytes, more than the processor's table of small pages covers, so pieces ask for large pages.
type slab struct {
	rest []float32
	size int // bytes of the piece that contains rest
}

// floats returns n zeros that start at a multiple of 64 bytes.
func (s *slab) floats(n int) []float32 {
	n = pad16(n)
	if n > len(s.rest) {
		s.size = max(pieceFrom, min(2*s.size, pieceTo), 4*n)
		if s.size >= largePage {
			s.size = (s.size + largePage - 1) &^ (largePage - 1)
			s.rest = alignedTo(largePage, s.size/4)
			inLargePages(s.rest)
		} else {
			s.rest = aligned(s.size / 4)
		}
	}
	b := s.rest[:n:n]
	s.rest = s.rest[n:]
	return b
}

func (s *slab) mat(rows, cols int) mat {
	ld := pad16(cols)
	return mat{s.floats(rows * ld), rows, cols, ld}
}

// aligned makes n zeros that start at a multiple of 64 bytes.
func aligned(n int) []float32 { return alignedTo(64, n) }

// alignedTo makes n zeros that start at a multiple of a power of two.
func alignedTo(bytes, n int) []float32 {
	b := make([]float32, n+bytes/4-1)
	skip := 0
	if r := int(uintptr(unsafe.Pointer(&b[0]))) & (bytes - 1); r != 0 {
		skip = (bytes - r) / 4
	}
	return b[skip : skip+n : skip+n]
}
