package core

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Entries lists what Memory holds for a parameter: its value, Adam's moments and step count.
func (p ParamSpec) Entries() []ParamSpec {
	return []ParamSpec{p, {p.Name + ".m", p.Rows, p.Cols}, {p.Name + ".v", p.Rows, p.Cols}, {p.Name + ".t", 1, 1}}
}

// Snapshot writes every entry of m, exactly: in float32 where no entry's value needs more, in float64 otherwise.
// The layout is, per entry in the order of Params, the width of a number in bytes (uint32: 4 or 8) and the numbers,
// little-endian.
func Snapshot(w io.Writer, m Memory) error {
	b := bufio.NewWriterSize(w, 1<<16)
	for _, p := range m.Params() {
		for _, e := range p.Entries() {
			x := make([]float64, e.Rows*e.Cols)
			if err := m.Read(e.Name, x); err != nil {
				return err
			}
			if err := writeNumbers(b, x); err != nil {
				return fmt.Errorf("core: snapshot of %s: %w", e.Name, err)
			}
		}
	}
	return b.Flush()
}

func writeNumbers(b *bufio.Writer, x []float64) error {
	width := uint32(4)
	for _, v := range x {
		if float64(float32(v)) != v && !math.IsNaN(v) {
			width = 8
			break
		}
	}
	var buf [8]byte
	binary.LittleEndian.PutUint32(buf[:], width)
	b.Write(buf[:4])
	for _, v := range x {
		if width == 4 {
			binary.LittleEndian.PutUint32(buf[:], math.Float32bits(float32(v)))
		} else {
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(v))
		}
		if _, err := b.Write(buf[:width]); err != nil {
			return err
		}
	}
	return nil
}

// Restore sets every entry of m to what Snapshot wrote from a memory of the same parameters.
func Restore(r io.Reader, m Memory) error {
	b := bufio.NewReaderSize(r, 1<<16)
	for _, p := range m.Params() {
		for _, e := range p.Entries() {
			x := make([]float64, e.Rows*e.Cols)
			if err := readNumbers(b, x); err != nil {
				return fmt.Errorf("core: restore of %s: %w", e.Name, err)
			}
			if err := m.Write(e.Name, x); err != nil {
				return err
			}
		}
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return fmt.Errorf("core: restore: more numbers than %d parameters hold", len(m.Params()))
	}
	return nil
}

func readNumbers(b *bufio.Reader, x []float64) error {
	var buf [8]byte
	if _, err := io.ReadFull(b, buf[:4]); err != nil {
		return err
	}
	width := binary.LittleEndian.Uint32(buf[:])
	if width != 4 && width != 8 {
		return fmt.Errorf("numbers of %d bytes, want 4 or 8", width)
	}
	for i := range x {
		if _, err := io.ReadFull(b, buf[:width]); err != nil {
			return err
		}
		if width == 4 {
			x[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(buf[:])))
		} else {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(buf[:]))
		}
	}
	return nil
}
