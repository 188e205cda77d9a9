package zmq

import (
	"context"
	"errors"
	"log/slog"

	"nacre/kernel"
	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmtp"
)

// Serve runs a kernel on the sockets of a connection until a shutdown is asked for or ctx is done. It does not close
// the session. Messages that are malformed, wrongly signed or came before are dropped, with a line in the log. When it
// starts, it also logs a line if the connection has no key, or if other machines can reach it.
func Serve(ctx context.Context, c Connection, s kernel.Session, log *slog.Logger) error {
	for _, w := range c.warnings() {
		log.Warn(w)
	}
	var sockets sockets
	var seen history
	defer sockets.close()
	k := jupyter.NewKernel(s, func(m *jupyter.Message) {
		if err := sockets.send(c, m); err != nil && !errors.Is(err, context.Canceled) {
			log.Warn("message not sent", "error", err)
		}
	})
	receive := func(channel string) func([][]byte) {
		return func(frames [][]byte) {
			m, err := c.decode(channel, frames, &seen)
			if err != nil {
				log.Warn("message dropped", "channel", channel, "error", err)
				return
			}
			k.Handle(m)
		}
	}
	defer k.Close()
	if err := sockets.bind(c, receive); err != nil {
		return err
	}
	sockets.iopub.OnSubscribe(func(topic string) {
		k.Welcome(topic)
	})
	k.Announce()
	select {
	case <-k.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
