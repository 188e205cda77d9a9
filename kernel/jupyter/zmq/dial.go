package zmq

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmtp"
)

// Link is a connection to a running kernel.
type Link struct {
	*jupyter.Client
	c       Connection
	sockets map[string]*zmtp.Socket
	over    atomic.Int32 // how many of them are closed
}

// Dial connects to a kernel. It waits for the kernel's sockets and its first answer, at most until ctx ends.
func Dial(ctx context.Context, c Connection) (*Link, error) {
	l := &Link{c: c, sockets: map[string]*zmtp.Socket{}}
	l.Client = jupyter.NewClient(l.send)
	for _, s := range []struct {
		channel string
		kind    zmtp.Type
		port    int
	}{
		{jupyter.IOPub, zmtp.Sub, c.IOPubPort}, {jupyter.Shell, zmtp.Dealer, c.ShellPort},
		{jupyter.Control, zmtp.Dealer, c.Control}, {jupyter.Stdin, zmtp.Dealer, c.StdinPort},
	} {
		receive := func(frames [][]byte) { l.receive(s.channel, frames) }
		socket, err := zmtp.Dial(s.kind, c.address(s.port), []byte(l.Session), receive)
		for err != nil && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
			socket, err = zmtp.Dial(s.kind, c.address(s.port), []byte(l.Session), receive)
		}
		if err != nil {
			l.Close()
			return nil, err
		}
		l.sockets[s.channel] = socket
	}
	return l, l.greet(ctx)
}

// greet asks for the kernel's name until the answer comes on the iopub channel too: a subscription takes effect some
// time after the connection is there, and what is published before is lost.
func (l *Link) greet(ctx context.Context) error {
	for {
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		_, err := l.Request(short, jupyter.Shell, "kernel_info_request", nil, nil)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			l.Close()
			return fmt.Errorf("the kernel does not answer: %w", err)
		}
	}
}

func (l *Link) send(m *jupyter.Message) error { return l.sockets[m.Channel].Send(l.c.encode(m)) }

func (l *Link) receive(channel string, frames [][]byte) {
	if frames == nil {
		// The others may still have something to say.
		if l.over.Add(1) == 4 {
			l.Lost(errors.New("the kernel closed its sockets"))
		}
		return
	}
	if m, err := l.c.decode(channel, frames, nil); err == nil {
		l.Deliver(m)
	}
}

// Close ends the connection, not the kernel.
func (l *Link) Close() {
	for _, s := range l.sockets {
		s.Close()
	}
}
