// Package numpy reads the arrays of NumPy's files without believing them: npyio, which does the reading, takes a header's
// word for how much there is, and fails in its own way on one that is damaged. Here what a header claims is compared with
// the bytes that are there, and what an archive unpacks to with its size, before anything of that size is made.
//
//	left := numpy.Unpacked(size) // of the whole archive
//	raw, err := numpy.ReadAll(file, &left)
//	r, data, n, err := numpy.Open(raw)
//	values := make([]float64, n)
//	err = r.Read(&values)
package numpy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/sbinet/npyio/npy"
)

// Open reads the header of an array's file and returns a reader of its n elements, and the bytes after the header.
func Open(raw []byte) (r *npy.Reader, data []byte, n int, err error) {
	r, data, err = header(raw)
	if err != nil {
		return nil, nil, 0, err
	}
	n, err = elements(r.Header.Descr.Shape, len(data))
	return r, data, n, err
}

// MaxHeader is as much of a file, in bytes, as Shape may need.
const MaxHeader = 1 << 16

// Shape is the shape that the header at the beginning of a file tells.
func Shape(beginning []byte) ([]int, error) {
	r, _, err := header(beginning)
	if err != nil {
		return nil, err
	}
	return r.Header.Descr.Shape, nil
}

// header checks that there is a whole one before it is read.
func header(raw []byte) (r *npy.Reader, data []byte, err error) {
	at, size := 10, 0
	switch {
	case len(raw) < 12 || !bytes.HasPrefix(raw, npy.Magic[:]):
		return nil, nil, errors.New("it does not begin as a NumPy array does")
	case raw[6] == 1:
		size = int(binary.LittleEndian.Uint16(raw[8:]))
	default: // which npyio checks
		at, size = 12, int(binary.LittleEndian.Uint32(raw[8:]))
	}
	if size > len(raw)-at {
		return nil, nil, fmt.Errorf("a header of %d bytes in %d", size, len(raw))
	}
	defer func() {
		if p := recover(); p != nil { // npyio cuts the header at signs that it supposes to be there
			r, data, err = nil, nil, errors.New("its header is damaged")
		}
	}()
	in := bytes.NewReader(raw)
	r, err = npy.NewReader(in)
	return r, raw[len(raw)-in.Len():], err
}

// An archive may unpack to this many bytes, and to so many times its size: far more than numbers do, far less than a bomb.
const (
	mayUnpack   = 64 << 20
	unpackRatio = 100
)

// Unpacked is the most, in bytes, that an archive of the given size may unpack to.
func Unpacked(size int64) int64 { return mayUnpack + unpackRatio*size }

// ReadAll reads r to its end and takes what it has read from left, in bytes. It fails where that is not enough.
func ReadAll(r io.Reader, left *int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, *left+1))
	if err == nil && int64(len(b)) > *left {
		err = fmt.Errorf("the archive unpacks to more than %d MiB and %d times its size", mayUnpack>>20, unpackRatio)
	}
	*left -= int64(len(b))
	return b, err
}

// elements is the number of elements of a shape, which a header may claim at will. There is at most one for each of the size
// bytes that are there, since none takes less.
func elements(shape []int, size int) (int, error) {
	n := 1
	for _, s := range shape {
		if s < 0 {
			return 0, fmt.Errorf("its shape is %v; no side of an array is negative", shape)
		}
		if s > 0 && n > size/s {
			return 0, fmt.Errorf("its shape is %v; there are %d bytes for it", shape, size)
		}
		n *= s
	}
	return n, nil
}
