package zmtp

import (
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"nacre/internal/bounded"
)

// peerConn is a connection whose peer has sent bytes and then gone.
type peerConn struct {
	net.Conn
	from *bytes.Reader
}

func (c peerConn) Read(b []byte) (int, error)       { return c.from.Read(b) }
func (c peerConn) Write(b []byte) (int, error)      { return len(b), nil }
func (c peerConn) SetDeadline(time.Time) error      { return nil }
func (c peerConn) SetWriteDeadline(time.Time) error { return nil }
func (c peerConn) Close() error                     { return nil }

func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return slices.Clip(append(g, "\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"...))
}

// Whatever a peer sends, it costs about as much memory as it has sent, and ends in an error and not in a panic.
func FuzzPeer(f *testing.F) {
	hello := greeting()
	f.Add(hello)
	f.Add(append(hello, 0, 2, 'h', 'i'))
	f.Add(append(hello, 1, 0, 0, 2, 'h', 'i'))
	f.Add(append(hello, 2, 0, 0, 0, 0, 0x0f, 0xff, 0xff, 0xff, 'x')) // 256 MiB that do not come
	f.Add(append(hello, 2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
	f.Add(append(hello, "\x04\x0a\x09SUBSCRIBE"...))
	f.Add(append(hello, "\x04\x07\x06CANCEL\x04\x05\x04PING\x04\x07\x04PING\x00\x01"...))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		defer bounded.Input(t, len(sent))()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, kind := range []Type{Router, XPub, Rep} {
			took := 0
			s := &Socket{kind: kind, conns: map[*conn]bool{}, receive: func(m [][]byte) {
				for _, part := range m[1:] {
					took += len(part)
				}
			}}
			c, err := newConn(peerConn{from: bytes.NewReader(sent)})
			if err == nil {
				err = c.readReady()
			}
			if err == nil {
				s.serve(c)
				err = io.EOF
			}
			if took > len(sent) {
				t.Errorf("%d bytes sent, messages of %d received", len(sent), took)
			}
			if errors.Is(err, errPeer) && bytes.HasPrefix(sent, hello) {
				t.Errorf("a ZeroMQ peer is taken for another: %q", sent)
			}
		}
		runtime.ReadMemStats(&after)
		if used, may := after.TotalAlloc-before.TotalAlloc, uint64(8<<20+300*len(sent)); used > may {
			t.Errorf("%d bytes sent took %d bytes of memory", len(sent), used)
		}
	})
}
