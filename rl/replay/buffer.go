package replay

import (
	"fmt"
	"io"

	"nacre/sim"
)

// Buffer is the replay of a run. For each train task it has one buffer for reinforcement learning and one for the
// encoder.
type Buffer struct {
	RL  []*Task // everything collected
	Enc []*Task // the most recent collection only; see ClearEnc
}

// NewBuffer makes empty buffers for a number of tasks, each with the given capacity in transitions.
func NewBuffer(d Dims, tasks, capacity int) (*Buffer, error) {
	switch {
	case d.Obs < 1 || d.Act < 1:
		return nil, fmt.Errorf("replay: observations of %d and actions of %d numbers: both must be at least 1",
			d.Obs, d.Act)
	case tasks < 1:
		return nil, fmt.Errorf("replay: %d tasks: must be at least 1", tasks)
	case capacity < 1:
		return nil, fmt.Errorf("replay: capacity %d: must be at least 1 transition", capacity)
	}
	b := &Buffer{}
	for range tasks {
		b.RL = append(b.RL, NewTask(d, capacity))
		b.Enc = append(b.Enc, NewTask(d, capacity))
	}
	return b, nil
}

// AddBoth adds a trajectory to both buffers of a task.
func (b *Buffer) AddBoth(task int, tr *sim.Trajectory) error {
	if err := b.AddRL(task, tr); err != nil {
		return err
	}
	return b.Enc[task].Add(tr)
}

// AddRL adds a trajectory to the RL buffer of a task only.
func (b *Buffer) AddRL(task int, tr *sim.Trajectory) error {
	if err := b.check(task); err != nil {
		return err
	}
	return b.RL[task].Add(tr)
}

// ClearEnc empties the encoder buffer of a task, which is done just before the task is collected again. Tasks that are
// not collected again keep their old context.
func (b *Buffer) ClearEnc(task int) error {
	if err := b.check(task); err != nil {
		return err
	}
	b.Enc[task].Clear()
	return nil
}

func (b *Buffer) check(task int) error {
	if task < 0 || task >= len(b.RL) {
		return fmt.Errorf("replay: task %d: there are %d, counted from 0", task, len(b.RL))
	}
	return nil
}

// Bytes is the memory held by all buffers, in bytes.
func (b *Buffer) Bytes() int64 {
	var n int64
	for i := range b.RL {
		n += b.RL[i].Bytes() + b.Enc[i].Bytes()
	}
	return n
}

// Encode writes the content of all buffers. Equal contents give equal bytes.
func (b *Buffer) Encode(w io.Writer) error {
	e := newEncoder(w)
	e.uint64(uint64(len(b.RL)))
	if err := e.finish(); err != nil {
		return err
	}
	for i := range b.RL {
		if err := b.RL[i].Encode(w); err != nil {
			return err
		}
		if err := b.Enc[i].Encode(w); err != nil {
			return err
		}
	}
	return nil
}

// Decode replaces the content by what Encode wrote and reads no further. The buffer must have been made for the same
// number of tasks, sizes and capacity. If it fails, the buffer keeps its content. The error is an ErrCorrupt unless
// reading failed.
func (b *Buffer) Decode(r io.Reader) error {
	d := newDecoder(r)
	d.expect(8 + 4)
	n := d.uint64()
	if err := d.finish(); err != nil {
		return err
	}
	if n != uint64(len(b.RL)) {
		return fmt.Errorf("%w: %d tasks, expected %d", ErrCorrupt, n, len(b.RL))
	}
	var read Buffer
	for i := range b.RL {
		rl := NewTask(b.RL[i].dims, b.RL[i].capacity)
		if err := rl.Decode(r); err != nil {
			return fmt.Errorf("RL buffer of task %d: %w", i, err)
		}
		enc := NewTask(b.Enc[i].dims, b.Enc[i].capacity)
		if err := enc.Decode(r); err != nil {
			return fmt.Errorf("encoder buffer of task %d: %w", i, err)
		}
		read.RL, read.Enc = append(read.RL, rl), append(read.Enc, enc)
	}
	*b = read
	return nil
}
