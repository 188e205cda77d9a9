package zmtp

import (
	"bytes"
	"errors"
	"net"
	"sync"
)

// Socket is a ZeroMQ socket with its connections.
type Socket struct {
	kind     Type
	listener net.Listener // nil of a socket that has connected
	receive  func([][]byte)
	joined   func(topic string)

	mu     sync.Mutex
	conns  map[*conn]bool
	closed bool
	loops  sync.WaitGroup
}

// Listen binds a Router, Pub, XPub or Rep socket to a TCP address. Receive gets the messages of a Router, each after
// the identity of its sender; it is called from a goroutine for each connection.
func Listen(kind Type, address string, receive func([][]byte)) (*Socket, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Socket{kind: kind, listener: l, receive: receive, conns: map[*conn]bool{}}
	s.loops.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go s.accept(nc)
		}
	})
	return s, nil
}

// OnSubscribe has f called whenever a subscriber subscribes to a topic.
func (s *Socket) OnSubscribe(f func(topic string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joined = f
}

// Dial connects a Dealer or Sub socket. Identity may be nil. A Sub socket subscribes to everything. Receive gets the
// messages, from one goroutine; nil as message says that the connection is lost.
func Dial(kind Type, address string, identity []byte, receive func([][]byte)) (*Socket, error) {
	nc, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	c, err := newConn(nc)
	if err == nil {
		err = errors.Join(c.sendReady(kind, identity), c.readReady())
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	s := &Socket{kind: kind, receive: receive, conns: map[*conn]bool{c: true}}
	if kind == Sub { // ZMTP 3.0 subscribes with a message
		c.queue(outgoing{parts: [][]byte{{1}}})
	}
	s.loops.Go(c.write)
	s.loops.Go(func() {
		s.serve(c)
		receive(nil)
	})
	return s, nil
}

// Addr is the address that a listening socket is bound to.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

// Port is the TCP port that a listening socket is bound to.
func (s *Socket) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// accept serves one connection. The peer is told that it is connected only when messages to it find it.
func (s *Socket) accept(nc net.Conn) {
	c, err := newConn(nc)
	if err == nil {
		err = c.readReady()
	}
	if err != nil {
		nc.Close()
		return
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		nc.Close()
		return
	}
	for old := range s.conns { // the newest connection has the identity
		if s.kind == Router && bytes.Equal(old.id, c.id) {
			delete(s.conns, old)
			old.close()
		}
	}
	s.conns[c] = true
	s.loops.Add(2)
	s.mu.Unlock()
	go func() {
		defer s.loops.Done()
		if c.sendReady(s.kind, nil) != nil {
			c.close()
		}
		c.write()
	}()
	defer s.loops.Done()
	s.serve(c)
}

// serve reads from a connection until it ends.
func (s *Socket) serve(c *conn) {
	defer func() {
		c.close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	for {
		m, err := c.readMessage(func(body []byte) { s.command(c, body) })
		if err != nil {
			return
		}
		switch s.kind {
		case Pub, XPub:
			if len(m[0]) > 0 && m[0][0] <= 1 {
				s.subscribe(c, string(m[0][1:]), m[0][0] == 1)
			}
		case Rep:
			c.queue(outgoing{parts: m})
		case Router:
			s.receive(append([][]byte{c.id}, m...))
		default:
			s.receive(m)
		}
	}
}

// command acts on a ZMTP command; 3.1 subscribes and pings by them.
func (s *Socket) command(c *conn, body []byte) {
	switch {
	case bytes.HasPrefix(body, []byte("\x09SUBSCRIBE")):
		s.subscribe(c, string(body[10:]), true)
	case bytes.HasPrefix(body, []byte("\x06CANCEL")):
		s.subscribe(c, string(body[7:]), false)
	case bytes.HasPrefix(body, []byte("\x04PING")) && len(body) >= 7:
		c.queue(outgoing{parts: [][]byte{append([]byte("\x04PONG"), body[7:]...)}, command: true})
	}
}

func (s *Socket) subscribe(c *conn, topic string, on bool) {
	s.mu.Lock()
	if on {
		c.subs[topic]++
	} else if c.subs[topic]--; c.subs[topic] <= 0 {
		delete(c.subs, topic)
	}
	joined := s.joined
	s.mu.Unlock()
	if on && joined != nil {
		joined(topic)
	}
}

// Send sends a message. A Router sends it to the connection whose identity is the first part. A publisher sends it to
// all who have subscribed to a prefix of the first part. Other sockets send it to their peer. Send does not wait for
// anybody to read.
func (s *Socket) Send(m [][]byte) error {
	if len(m) == 0 {
		return errors.New("zmtp: empty message")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || (s.listener == nil && len(s.conns) == 0) {
		return net.ErrClosed
	}
	for c := range s.conns {
		switch s.kind {
		case Router:
			if bytes.Equal(c.id, m[0]) {
				c.queue(outgoing{parts: m[1:]})
				return nil
			}
		case Pub, XPub:
			for topic := range c.subs {
				if bytes.HasPrefix(m[0], []byte(topic)) {
					c.queue(outgoing{parts: m})
					break
				}
			}
		default:
			c.queue(outgoing{parts: m})
		}
	}
	return nil
}

// Close closes the socket. What is queued is still sent, for a short time.
func (s *Socket) Close() {
	if s.listener != nil {
		s.listener.Close()
	}
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		go c.linger()
	}
	s.mu.Unlock()
	s.loops.Wait()
}
