package varibad

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
)

// trial is the episodes of one task joined, as the encoder sees them.
type trial struct {
	Len  int
	Rows []float32 // Len × Encoder.Width: (o, a, context reward, o')
}

// trials holds the latest trials, from which encoder and decoders learn. They stay valid when the policy changes, so
// they are kept for many iterations.
type trials struct {
	capacity, width int
	ring            []*trial
	next            int // place of the next one once the ring is full
}

// add puts a trial in the place of the oldest.
func (b *trials) add(t *trial) {
	if len(b.ring) < b.capacity {
		b.ring = append(b.ring, t)
		return
	}
	b.ring[b.next] = t
	b.next = (b.next + 1) % b.capacity
}

// draw returns n trials, drawn with replacement.
func (b *trials) draw(n int, r *rand.Rand) []*trial {
	out := make([]*trial, n)
	for i := range out {
		out[i] = b.ring[r.IntN(len(b.ring))]
	}
	return out
}

// Encode writes the content, little-endian: the number of trials, the next place, and each trial's length and rows.
func (b *trials) Encode(w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, []int64{int64(len(b.ring)), int64(b.next)}); err != nil {
		return err
	}
	for _, t := range b.ring {
		if err := binary.Write(w, binary.LittleEndian, int64(t.Len)); err != nil {
			return err
		}
		if err := binary.Write(w, binary.LittleEndian, t.Rows); err != nil {
			return err
		}
	}
	return nil
}

// Decode replaces the content by what Encode wrote for trials of at most longest transitions.
func (b *trials) Decode(r io.Reader, longest int) error {
	var head [2]int64
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return fmt.Errorf("varibad: trials: %w", err)
	}
	n, next := head[0], head[1]
	if n < 0 || n > int64(b.capacity) || next < 0 || next >= int64(b.capacity) {
		return fmt.Errorf("varibad: %d trials, the next at %d; want at most %d", n, next, b.capacity)
	}
	b.ring, b.next = make([]*trial, n), int(next)
	for i := range b.ring {
		var steps int64
		if err := binary.Read(r, binary.LittleEndian, &steps); err != nil {
			return fmt.Errorf("varibad: trial %d: %w", i, err)
		}
		if steps < 1 || steps > int64(longest) {
			return fmt.Errorf("varibad: trial %d has %d transitions, want 1 to %d", i, steps, longest)
		}
		b.ring[i] = &trial{int(steps), make([]float32, int(steps)*b.width)}
		if err := binary.Read(r, binary.LittleEndian, b.ring[i].Rows); err != nil {
			return fmt.Errorf("varibad: trial %d: %w", i, err)
		}
	}
	return nil
}
