package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// ErrCorrupt is wrapped by the errors of decoding. The input is truncated, damaged, or belongs to another buffer.
var ErrCorrupt = errors.New("replay: damaged or foreign data")

// A task is written as little-endian numbers:
//
//	obs, act, capacity, rows, next id, trajectories   6 × uint64
//	per trajectory: id, length, end, final observation  3 × uint64, obs × float32
//	rows, oldest first: o, a, context reward, reward    rows × (obs+act+2) float32
//	CRC-32C of the above                                uint32
//
// Trajectories tile the rows; only the oldest may have lost some at its beginning. Where a row lies in the ring is not
// written: it has no influence on draws.

// Encode writes the content exactly. Equal contents give equal bytes.
func (t *Task) Encode(w io.Writer) error {
	e := newEncoder(w)
	for _, n := range []int64{
		int64(t.dims.Obs), int64(t.dims.Act), int64(t.capacity), int64(t.Len()), t.nextID, int64(len(t.trajs)),
	} {
		e.uint64(uint64(n))
	}
	for i := range t.trajs {
		tr := &t.trajs[i]
		_, end := t.row(tr.start + int64(tr.len) - 1)
		e.uint64(uint64(tr.id))
		e.uint64(uint64(tr.len))
		e.uint64(uint64(end))
		e.floats(tr.final)
	}
	for n := t.first; n < t.next; n++ {
		row, _ := t.row(n)
		e.floats(row)
	}
	return e.finish()
}

// Decode replaces the content by what Encode wrote and reads no further. The buffer must have been made for the same
// sizes and capacity. If it fails, the buffer keeps its content. The error is an ErrCorrupt unless reading failed.
func (t *Task) Decode(r io.Reader) error {
	d := newDecoder(r)
	var head [6]uint64
	d.expect(8 * int64(len(head)))
	for i := range head {
		head[i] = d.uint64()
	}
	if d.err != nil {
		return d.err
	}
	obs, act, capacity, rows, nextID, trajs := head[0], head[1], head[2], head[3], head[4], head[5]
	if obs != uint64(t.dims.Obs) || act != uint64(t.dims.Act) || capacity != uint64(t.capacity) {
		return fmt.Errorf("%w: observations of %d, actions of %d, capacity %d; expected %d, %d, %d",
			ErrCorrupt, obs, act, capacity, t.dims.Obs, t.dims.Act, t.capacity)
	}
	if rows > capacity || trajs > rows || (trajs == 0) != (rows == 0) || nextID < trajs || nextID > math.MaxInt64 {
		return fmt.Errorf("%w: %d transitions in %d trajectories, %d added, in a buffer for %d",
			ErrCorrupt, rows, trajs, nextID, capacity)
	}
	d.expect(int64(trajs)*(24+4*int64(obs)) + int64(rows)*4*int64(t.stride()) + 4)
	read := NewTask(t.dims, t.capacity)
	read.nextID = int64(nextID)
	ends, err := read.decodeTrajectories(d, int(trajs), int64(rows))
	if err != nil {
		return err
	}
	for i := range read.trajs {
		tr := &read.trajs[i]
		last := tr.start + int64(tr.len) - 1
		for n := max(tr.start, read.first); n <= last; n++ {
			row, end := read.grow(n)
			*end = inner
			if n == last {
				*end = ends[i]
			}
			if d.floats(row); d.err != nil {
				return d.err
			}
		}
	}
	if err := d.finish(); err != nil {
		return err
	}
	read.era = t.era + 1
	*t = *read
	return nil
}

// decodeTrajectories reads the boundaries, sets t.trajs, t.first and t.next, and returns how each trajectory ended.
// Memory grows with the data that were read, not with the header's claims.
func (t *Task) decodeTrajectories(d *decoder, trajs int, rows int64) (ends []uint8, err error) {
	var total int64
	for i := range trajs {
		id, n, end := d.uint64(), d.uint64(), d.uint64()
		final := make([]float32, t.dims.Obs)
		if d.floats(final); d.err != nil {
			return nil, d.err
		}
		if id >= uint64(t.nextID) || i > 0 && int64(id) <= t.trajs[i-1].id {
			return nil, fmt.Errorf("%w: trajectory %d has id %d", ErrCorrupt, i, id)
		}
		if n < 1 || n > math.MaxInt32 || end != uint64(limit) && end != uint64(terminal) {
			return nil, fmt.Errorf("%w: trajectory %d has length %d and end %d", ErrCorrupt, i, n, end)
		}
		t.trajs = append(t.trajs, traj{id: int64(id), start: total, len: int(n), final: final})
		ends = append(ends, uint8(end))
		total += int64(n)
	}
	lost := total - rows
	if lost < 0 || trajs > 0 && lost >= int64(t.trajs[0].len) {
		return nil, fmt.Errorf("%w: trajectories of %d transitions in all, %d kept", ErrCorrupt, total, rows)
	}
	t.first, t.next = lost, total
	return ends, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockBytes is how much is written or summed at a time.
const blockBytes = 32 << 10

// encoder writes numbers and their checksum in blocks. After an error it writes nothing more.
type encoder struct {
	w   io.Writer
	buf []byte
	crc uint32
	err error
}

func newEncoder(w io.Writer) *encoder { return &encoder{w: w, buf: make([]byte, 0, blockBytes)} }

func (e *encoder) uint64(x uint64) {
	if len(e.buf)+8 > cap(e.buf) {
		e.flush()
	}
	e.buf = binary.LittleEndian.AppendUint64(e.buf, x)
}

func (e *encoder) floats(x []float32) {
	for len(x) > 0 {
		n := min(len(x), (cap(e.buf)-len(e.buf))/4)
		for _, v := range x[:n] {
			e.buf = binary.LittleEndian.AppendUint32(e.buf, math.Float32bits(v))
		}
		if x = x[n:]; len(x) > 0 {
			e.flush()
		}
	}
}

func (e *encoder) flush() {
	e.crc = crc32.Update(e.crc, castagnoli, e.buf)
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

// finish writes the remaining data and the checksum.
func (e *encoder) finish() error {
	e.flush()
	e.buf = binary.LittleEndian.AppendUint32(e.buf, e.crc)
	e.flush()
	if e.err != nil {
		return fmt.Errorf("replay: encode: %w", e.err)
	}
	return nil
}

// decoder reads numbers and sums what it used. It takes from the reader in blocks, but never more than was
// announced by expect, since what follows is another's. After an error it returns zeros.
type decoder struct {
	r        io.Reader
	buf      []byte
	pos, end int
	left     int64 // announced and not yet taken from r
	crc      uint32
	err      error
}

func newDecoder(r io.Reader) *decoder { return &decoder{r: r, buf: make([]byte, blockBytes)} }

func (d *decoder) expect(bytes int64) { d.left += bytes }

// next returns up to n bytes, at least the given multiple of 4 or 8; nil after an error.
func (d *decoder) next(n, multiple int) []byte {
	if d.err != nil {
		return nil
	}
	if d.end-d.pos < multiple {
		rest := copy(d.buf, d.buf[d.pos:d.end])
		more := int(min(int64(len(d.buf)-rest), d.left))
		if _, err := io.ReadFull(d.r, d.buf[rest:rest+more]); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = fmt.Errorf("%w: it ends too early", ErrCorrupt)
			} else {
				err = fmt.Errorf("replay: decode: %w", err)
			}
			d.err = err
			return nil
		}
		d.left -= int64(more)
		d.pos, d.end = 0, rest+more
	}
	n = min(n, (d.end-d.pos)/multiple*multiple)
	b := d.buf[d.pos : d.pos+n]
	d.pos += n
	d.crc = crc32.Update(d.crc, castagnoli, b)
	return b
}

func (d *decoder) uint64() uint64 {
	if b := d.next(8, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) floats(x []float32) {
	for len(x) > 0 {
		b := d.next(4*len(x), 4)
		if b == nil {
			return
		}
		for i := range len(b) / 4 {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		x = x[len(b)/4:]
	}
}

// finish compares the checksum.
func (d *decoder) finish() error {
	sum := d.crc
	b := d.next(4, 4)
	if d.err != nil {
		return d.err
	}
	if got := binary.LittleEndian.Uint32(b); got != sum {
		return fmt.Errorf("%w: checksum %08x, computed %08x", ErrCorrupt, got, sum)
	}
	return nil
}
