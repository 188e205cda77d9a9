package checkpoint

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Element is the type of the elements that slices of a checkpoint may hold.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool
}

// chunk is the number of elements encoded at a time, which bounds the memory a slice of any length needs.
const chunk = 1 << 14

// WriteSlice writes x little-endian, without its length.
func WriteSlice[T Element](w io.Writer, x []T) error {
	buffer := make([]byte, 0, chunk*8)
	for len(x) > 0 {
		n := min(chunk, len(x))
		b, err := binary.Append(buffer[:0], binary.LittleEndian, x[:n])
		if err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		x = x[n:]
	}
	return nil
}

// ReadSlice fills dst with numbers that WriteSlice wrote. If there are too few bytes, the error is io.ErrUnexpectedEOF.
func ReadSlice[T Element](r io.Reader, dst []T) error {
	size := binary.Size(*new(T))
	buffer := make([]byte, chunk*size)
	for len(dst) > 0 {
		n := min(chunk, len(dst))
		b := buffer[:n*size]
		if _, err := io.ReadFull(r, b); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if _, err := binary.Decode(b, binary.LittleEndian, dst[:n]); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// Put adds a slice as a section.
func Put[T Element](w *Writer, name string, x []T) error {
	return w.add(name, typeName[T](), func(out io.Writer) error { return WriteSlice(out, x) })
}

// Get fills dst from a section written by Put, which must hold the same number of elements of the same type.
func Get[T Element](r *Reader, name string, dst []T) error {
	n, err := length[T](r, name)
	if err != nil {
		return err
	}
	if n != int64(len(dst)) {
		return fmt.Errorf("section %s has %d values; expected %d", name, n, len(dst))
	}
	in, err := r.Section(name)
	if err != nil {
		return err
	}
	if err := ReadSlice(in, dst); err != nil {
		return fmt.Errorf("section %s: %w", name, err)
	}
	return nil
}

// GetAll returns a section written by Put, of any length.
func GetAll[T Element](r *Reader, name string) ([]T, error) {
	n, err := length[T](r, name)
	if err != nil {
		return nil, err
	}
	x := make([]T, n)
	return x, Get(r, name, x)
}

// length is the number of elements of a section written by Put.
func length[T Element](r *Reader, name string) (int64, error) {
	s, err := r.find(name)
	if err != nil {
		return 0, err
	}
	if want := typeName[T](); s.Type != want {
		return 0, fmt.Errorf("section %s holds %s; expected %s", name, s.Type, want)
	}
	size := int64(binary.Size(*new(T)))
	if s.Size%size != 0 {
		return 0, &CorruptError{name, fmt.Sprintf("%d bytes are not whole values of %d", s.Size, size)}
	}
	return s.Size / size, nil
}

func typeName[T Element]() string { return fmt.Sprintf("%T", *new(T)) }
