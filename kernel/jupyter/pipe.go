package jupyter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"nacre/kernel"
)

// MaxFrame is the size, in bytes, of the largest message that is passed on.
const MaxFrame = 128 << 20

// ErrTooLarge is the error for a message larger than MaxFrame.
var ErrTooLarge = fmt.Errorf("the message is larger than %d MiB", MaxFrame>>20)

// ErrGarbage is the error for bytes in the stream that no Writer has written. After them the beginnings of messages
// cannot be found.
var ErrGarbage = errors.New("bytes that are no message were written to the kernel's channel")

// mark begins every message in a stream. Without it, bytes that a cell writes to the stream's file descriptor would be
// read as the length of a message that never comes.
const mark = 0x4e435245

const headSize = 8

// Reader reads messages from a stream of v1 frames. Before each frame are a mark and its length, as little-endian
// 32-bit numbers.
type Reader struct{ r *bufio.Reader }

// NewReader reads from r.
func NewReader(r io.Reader) *Reader { return &Reader{bufio.NewReaderSize(r, 1<<16)} }

// Read returns the next message; io.EOF at the stream's end. ErrTooLarge skips a message, and reading can continue.
// After other errors it cannot.
func (r *Reader) Read() (*Message, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(head[:]) != mark {
		return nil, ErrGarbage
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > MaxFrame {
		if _, err := r.r.Discard(int(size)); err != nil {
			return nil, err
		}
		return nil, ErrTooLarge
	}
	b, err := r.body(int(size))
	if err != nil {
		return nil, err
	}
	m, err := DecodeV1(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGarbage, err)
	}
	return m, nil
}

// body reads a message of a given size, which is only believed as far as bytes arrive.
func (r *Reader) body(size int) ([]byte, error) {
	const believed = 1 << 20
	if size <= believed {
		b := make([]byte, size)
		_, err := io.ReadFull(r.r, b)
		return b, err
	}
	var b bytes.Buffer
	b.Grow(believed)
	if _, err := io.CopyN(&b, r.r, int64(size)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Writer writes what Reader reads. Its Write may be called from any goroutine.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes one message.
func (w *Writer) Write(m *Message) error {
	frame := EncodeV1(m)
	if len(frame) > MaxFrame {
		return ErrTooLarge
	}
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, headSize+len(frame)), mark)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(frame))), frame...)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(b)
	return err
}

// ServePipe runs a kernel with requests from r and messages to w. It returns when r ends, after a shutdown request, or
// when ctx is done. It does not close the session.
func ServePipe(ctx context.Context, s kernel.Session, r io.Reader, w io.Writer) error {
	out := NewWriter(w)
	broken := make(chan error, 2)
	k := NewKernel(s, func(m *Message) {
		err := out.Write(m)
		if errors.Is(err, ErrTooLarge) {
			err = out.Write(tooLarge(m))
		}
		if err != nil {
			select {
			case broken <- err:
			default:
			}
		}
	})
	defer k.Close()
	k.Announce()
	go func() {
		in := NewReader(r)
		for {
			m, err := in.Read()
			if err != nil {
				broken <- err
				return
			}
			k.Handle(m)
		}
	}()
	select {
	case err := <-broken:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-k.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tooLarge returns what is sent in place of m.
func tooLarge(m *Message) *Message {
	note := *m
	note.Buffers = nil
	if m.Channel != IOPub {
		note.Content = encode(failed("TooLarge", ErrTooLarge.Error()))
		return &note
	}
	h := m.Head()
	h.MsgType = "stream"
	note.Header = encode(h)
	note.Content = encode(map[string]string{"name": "stderr", "text": "[an output was left out: " +
		ErrTooLarge.Error() + "]\n"})
	return &note
}
