package zmq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"nacre/kernel"
	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmtp"
)

// Backend is what answers requests: a jupyter.Kernel, or a process that has one.
type Backend interface {
	Handle(*jupyter.Message)
	Done() <-chan struct{} // closed when it has ended
	Close()
}

// Serve runs a kernel on the sockets of a connection until a shutdown is asked for or ctx is done. It does not close
// the session. A message is dropped, with a line in the log, if it is malformed, has a wrong signature or was already
// received. At its start Serve also logs a line if the connection has no key, or if other machines can reach it.
func Serve(ctx context.Context, c Connection, s kernel.Session, log *slog.Logger) error {
	return Carry(ctx, c, func(send func(*jupyter.Message)) (Backend, error) {
		k := jupyter.NewKernel(s, send)
		k.Announce()
		return k, nil
	}, log)
}

// Carry does what Serve does, for another backend. It calls the function start, which makes the backend, when the
// sockets are open. Messages that the backend sends before start returns are carried too.
func Carry(ctx context.Context, c Connection, start func(send func(*jupyter.Message)) (Backend, error),
	log *slog.Logger) error {
	for _, w := range c.warnings() {
		log.Warn(w)
	}
	var sockets sockets
	var seen history
	own := uuid.NewString()
	defer sockets.close()
	streams := bundler{send: func(m *jupyter.Message) {
		if err := sockets.send(c, m); err != nil && !errors.Is(err, context.Canceled) {
			log.Warn("a message was not sent", "error", err)
		}
	}}
	var k Backend
	started := make(chan struct{})
	receive := func(channel string) func([][]byte) {
		return func(frames [][]byte) {
			m, err := c.decode(channel, frames, &seen)
			if err != nil {
				log.Warn("a message was dropped", "channel", channel, "error", err)
				return
			}
			<-started
			k.Handle(m)
		}
	}
	if err := sockets.bind(c, receive); err != nil {
		return err
	}
	sockets.iopub.OnSubscribe(func(topic string) {
		streams.add(jupyter.NewMessage(jupyter.IOPub, "iopub_welcome", own, nil,
			map[string]string{"subscription": topic}))
	})
	var err error
	if k, err = start(streams.add); err != nil {
		return err
	}
	defer streams.flush()
	defer k.Close()
	close(started)
	select {
	case <-k.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// bundleTime is for how long a stream's text waits for more of it. Clients put a stream's messages into a notebook one
// by one; ipykernel waits as long.
const bundleTime = 200 * time.Millisecond

// bundler sends messages on, those of one cell's stream that follow each other as one.
type bundler struct {
	send func(*jupyter.Message)

	mu      sync.Mutex
	waiting *jupyter.Message // the first of them, nil where there is none
	name    string
	text    strings.Builder
	timer   *time.Timer
}

func (b *bundler) add(m *jupyter.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var s struct{ Name, Text string }
	stream := m.Type() == "stream" && m.Decode(&s) == nil
	if b.waiting != nil && !(stream && s.Name == b.name && bytes.Equal(m.Parent, b.waiting.Parent)) {
		b.flushLocked()
	}
	if !stream {
		b.send(m)
		return
	}
	if b.waiting == nil {
		b.waiting, b.name = m, s.Name
		b.timer = time.AfterFunc(bundleTime, b.flush)
	}
	b.text.WriteString(s.Text)
}

func (b *bundler) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
}

func (b *bundler) flushLocked() {
	if b.waiting == nil {
		return
	}
	b.timer.Stop()
	b.waiting.Content, _ = json.Marshal(map[string]string{"name": b.name, "text": b.text.String()})
	b.send(b.waiting)
	b.waiting = nil
	b.text.Reset()
}

// sockets are a kernel's five.
type sockets struct {
	shell, control, stdin, iopub, heartbeat *zmtp.Socket
}

func (s *sockets) bind(c Connection, receive func(channel string) func([][]byte)) (err error) {
	for _, b := range []struct {
		socket **zmtp.Socket
		kind   zmtp.Type
		port   int
		on     func([][]byte)
	}{
		{&s.iopub, zmtp.XPub, c.IOPubPort, nil}, {&s.heartbeat, zmtp.Rep, c.Heartbeat, nil},
		{&s.stdin, zmtp.Router, c.StdinPort, receive(jupyter.Stdin)},
		{&s.control, zmtp.Router, c.Control, receive(jupyter.Control)},
		{&s.shell, zmtp.Router, c.ShellPort, receive(jupyter.Shell)},
	} {
		if *b.socket, err = zmtp.Listen(b.kind, c.address(b.port), b.on); err != nil {
			return err
		}
	}
	return nil
}

func (s *sockets) send(c Connection, m *jupyter.Message) error {
	frames := c.encode(m)
	switch m.Channel {
	case jupyter.IOPub:
		return s.iopub.Send(append([][]byte{[]byte(m.Type())}, frames...))
	case jupyter.Stdin:
		return s.stdin.Send(append(m.Route, frames...))
	case jupyter.Control:
		return s.control.Send(append(m.Route, frames...))
	}
	return s.shell.Send(append(m.Route, frames...))
}

func (s *sockets) close() {
	for _, socket := range []*zmtp.Socket{s.shell, s.control, s.stdin, s.iopub, s.heartbeat} {
		if socket != nil {
			socket.Close()
		}
	}
}
