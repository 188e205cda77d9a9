//go:build !js

package kernel

import (
	"bufio"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// standardStreams are the files that os.Stdout and os.Stderr are in cells: pipes whose text goes to the running cell.
type standardStreams struct {
	say              func(name, text string) // passes on what a file's reader gets
	out, err, in     *os.File                // the variables, which a cell may set
	stdout, stderr   *os.File                // the pipes, which it may not
	outDone, errDone chan struct{}
	mu               sync.Mutex
	marks            map[string]chan struct{}
}

// mark frames a line that flush sends through a pipe to learn that all before it has arrived.
const mark = "\x00nacre mark "

func newStreams(say func(name, text string)) (*standardStreams, error) {
	st := &standardStreams{say: say, outDone: make(chan struct{}), errDone: make(chan struct{}),
		marks: map[string]chan struct{}{}}
	ro, wo, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	re, we, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if st.in, err = os.Open(os.DevNull); err != nil {
		return nil, err
	}
	st.stdout, st.stderr = wo, we
	st.out, st.err = wo, we
	go st.forward(ro, "stdout", st.outDone)
	go st.forward(re, "stderr", st.errDone)
	return st, nil
}

// forward passes on what is written to a pipe, in pieces as they arrive.
func (st *standardStreams) forward(r *os.File, name string, done chan struct{}) {
	defer close(done)
	defer r.Close()
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		if _, err := b.Peek(1); err != nil {
			return
		}
		buf := make([]byte, b.Buffered())
		if _, err := io.ReadFull(b, buf); err != nil {
			return
		}
		text := string(buf)
		for strings.Contains(text, mark) {
			before, rest, _ := strings.Cut(text, mark)
			for !strings.Contains(rest, "\n") {
				more, err := b.ReadString('\n')
				rest += more
				if err != nil {
					return
				}
			}
			id, after, _ := strings.Cut(rest, "\n")
			st.say(name, before)
			st.mu.Lock()
			if c := st.marks[id]; c != nil {
				close(c)
				delete(st.marks, id)
			}
			st.mu.Unlock()
			text = after
		}
		st.say(name, text)
	}
}

// flush returns when what the cell wrote to the files has been passed on, or after a moment.
func (st *standardStreams) flush() {
	for _, f := range []*os.File{st.stdout, st.stderr} {
		id := f.Name() + time.Now().String()
		c := make(chan struct{})
		st.mu.Lock()
		st.marks[id] = c
		st.mu.Unlock()
		f.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		_, err := f.WriteString(mark + id + "\n")
		f.SetWriteDeadline(time.Time{})
		if err != nil {
			continue
		}
		select {
		case <-c:
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (st *standardStreams) close() {
	st.stdout.Close()
	st.stderr.Close()
	st.in.Close()
}
