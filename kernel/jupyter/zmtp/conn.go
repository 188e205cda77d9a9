// Package zmtp is the part of ZeroMQ that a Jupyter kernel and its clients need: ZMTP 3.0
// (https://rfc.zeromq.org/spec/23) over TCP without encryption, with ROUTER, PUB, XPUB and REP sockets that bind and
// DEALER and SUB sockets that connect. It exists because the existing libraries either need libzmq, or let one client
// that has stopped reading block the whole kernel.
//
//	router, err := zmtp.Listen(zmtp.Router, "127.0.0.1:0", func(m [][]byte) { requests <- m })
//	dealer, err := zmtp.Dial(zmtp.Dealer, router.Addr().String(), nil, func(m [][]byte) { fmt.Printf("%s\n", m) })
//	err = dealer.Send([][]byte{[]byte("hello")})   // arrives as [identity, "hello"]
//	router.Send([][]byte{identity, []byte("and back")})
package zmtp

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Type is a kind of socket.
type Type string

// The kinds of sockets.
const (
	Router Type = "ROUTER"
	Pub    Type = "PUB"
	XPub   Type = "XPUB"
	Rep    Type = "REP" // answers every request with the request itself: a heartbeat
	Dealer Type = "DEALER"
	Sub    Type = "SUB"
)

const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4

	handshakeTime = 30 * time.Second
	// maxFrame and maxParts limit the messages of a peer.
	maxFrame = 256 << 20
	maxParts = 10_000
	// maxBacklog limits, in bytes, what waits for a peer that does not read. Beyond it the connection is closed.
	maxBacklog = 256 << 20
)

var errPeer = errors.New("zmtp: not a ZeroMQ peer")

// conn is one connection.
type conn struct {
	net  net.Conn
	r    *bufio.Reader
	id   []byte // the peer's identity, made up where it gave none
	subs map[string]int

	mu      sync.Mutex
	ready   *sync.Cond
	out     []outgoing
	bytes   int
	writing bool // a part of it is being written
	closed  bool
}

// newConn exchanges greetings.
func newConn(nc net.Conn) (*conn, error) {
	if err := nc.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return nil, err
	}
	c := &conn{net: nc, r: bufio.NewReaderSize(nc, 1<<16), subs: map[string]int{}}
	c.ready = sync.NewCond(&c.mu)
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	if _, err := nc.Write(greeting); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(c.r, greeting); err != nil {
		return nil, err
	}
	if greeting[0] != 0xff || greeting[9]&1 != 1 || greeting[10] < 3 ||
		!bytes.HasPrefix(greeting[12:], []byte("NULL\x00")) {
		return nil, errPeer
	}
	return c, nil
}

// sendReady tells the peer what kind of socket this is.
func (c *conn) sendReady(kind Type, identity []byte) error {
	body := property(append([]byte{5}, "READY"...), "Socket-Type", []byte(kind))
	if kind == Dealer || kind == Router {
		body = property(body, "Identity", identity)
	}
	return c.writeFrame(flagCommand, body)
}

// readReady takes the peer's kind and identity, and ends the time that a handshake may take.
func (c *conn) readReady() error {
	flags, body, err := c.readFrame()
	if err != nil {
		return err
	}
	if flags&flagCommand == 0 || !bytes.HasPrefix(body, []byte("\x05READY")) {
		return errPeer
	}
	if err := c.readProperties(body[6:]); err != nil {
		return err
	}
	return c.net.SetDeadline(time.Time{})
}

func property(b []byte, name string, value []byte) []byte {
	b = append(append(b, byte(len(name))), name...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return append(b, value...)
}

func (c *conn) readProperties(b []byte) error {
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < 5+n {
			return errPeer
		}
		name := string(b[1 : 1+n])
		size := uint64(binary.BigEndian.Uint32(b[1+n:]))
		b = b[5+n:]
		if uint64(len(b)) < size {
			return errPeer
		}
		if name == "Identity" && size <= 255 {
			c.id = bytes.Clone(b[:size])
		}
		b = b[size:]
	}
	if len(c.id) == 0 { // the first byte is 0, as no identity that a peer chooses may begin
		c.id = make([]byte, 5)
		if _, err := rand.Read(c.id[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeFrame(flags byte, b []byte) error {
	var head [9]byte
	header := head[:2]
	if len(b) > 255 {
		header = head[:9]
		header[0] = flags | flagLong
		binary.BigEndian.PutUint64(header[1:], uint64(len(b)))
	} else {
		header[0], header[1] = flags, byte(len(b))
	}
	buffers := net.Buffers{header, b}
	_, err := buffers.WriteTo(c.net)
	return err
}

func (c *conn) readFrame() (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err = io.ReadFull(c.r, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	size := uint64(head[1])
	if flags&flagLong != 0 {
		if _, err = io.ReadFull(c.r, head[2:9]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	if size > maxFrame {
		return 0, nil, fmt.Errorf("zmtp: a frame of %d bytes, expected at most %d", size, maxFrame)
	}
	// A frame's size is only believed as far as bytes arrive.
	var b bytes.Buffer
	if _, err = io.CopyN(&b, c.r, int64(size)); err != nil {
		return 0, nil, err
	}
	return flags, b.Bytes(), nil
}

// readMessage returns the next message, after acting on commands before it.
func (c *conn) readMessage(onCommand func([]byte)) ([][]byte, error) {
	var m [][]byte
	total := 0
	for {
		flags, b, err := c.readFrame()
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			onCommand(b)
			continue
		}
		m = append(m, b)
		if total += len(b); total > maxFrame || len(m) > maxParts {
			return nil, errors.New("zmtp: message too large")
		}
		if flags&flagMore == 0 {
			return m, nil
		}
	}
}

// queue leaves a message for the writer. A peer that does not read is cut off; it never delays the others.
func (c *conn) queue(m outgoing) {
	size := 64
	for _, b := range m.parts {
		size += len(b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.bytes+size > maxBacklog && c.bytes > 0 {
		c.closeLocked()
		return
	}
	c.out = append(c.out, m)
	c.bytes += size
	c.ready.Broadcast()
}

func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeLocked()
}

func (c *conn) closeLocked() {
	if !c.closed {
		c.closed, c.out = true, nil
		c.net.Close()
		c.ready.Broadcast()
	}
}

// write sends what is queued until the connection ends.
func (c *conn) write() {
	for {
		c.mu.Lock()
		for len(c.out) == 0 && !c.closed {
			c.ready.Wait()
		}
		if c.closed {
			c.mu.Unlock()
			return
		}
		list := c.out
		c.out, c.bytes, c.writing = nil, 0, true
		c.mu.Unlock()
		err := c.writeMessages(list)
		c.mu.Lock()
		c.writing = false
		c.ready.Broadcast()
		c.mu.Unlock()
		if err != nil {
			c.close()
			return
		}
	}
}

// outgoing is a message, or a ZMTP command, on its way.
type outgoing struct {
	parts   [][]byte
	command bool
}

func (c *conn) writeMessages(list []outgoing) error {
	for _, m := range list {
		for i, b := range m.parts {
			flags := byte(0)
			if m.command {
				flags = flagCommand
			} else if i < len(m.parts)-1 {
				flags = flagMore
			}
			if err := c.writeFrame(flags, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// lingerTime is how long a closing socket goes on sending.
const lingerTime = 500 * time.Millisecond

// linger closes the connection once everything is sent.
func (c *conn) linger() {
	_ = c.net.SetWriteDeadline(time.Now().Add(lingerTime))
	c.mu.Lock()
	for (len(c.out) > 0 || c.writing) && !c.closed {
		c.ready.Wait()
	}
	c.mu.Unlock()
	c.close()
}
