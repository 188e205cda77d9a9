package zmtp_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"nacre/internal/loopback"
	"nacre/kernel/jupyter/zmtp"
)

func Example() {
	requests := make(chan [][]byte, 1)
	router, err := zmtp.Listen(zmtp.Router, loopback.Any(), func(m [][]byte) { requests <- m })
	if err != nil {
		panic(err)
	}
	defer router.Close()
	answers := make(chan [][]byte, 1)
	dealer, err := zmtp.Dial(zmtp.Dealer, router.Addr().String(), []byte("me"), func(m [][]byte) { answers <- m })
	if err != nil {
		panic(err)
	}
	defer dealer.Close()
	_ = dealer.Send([][]byte{[]byte("hello")})
	m := <-requests
	fmt.Printf("%s\n", m)
	_ = router.Send([][]byte{m[0], []byte("and"), []byte("back")})
	fmt.Printf("%s\n", <-answers)
	// Output:
	// [me hello]
	// [and back]
}

// peer speaks ZMTP by hand, from the specification.
type peer struct {
	t *testing.T
	net.Conn
}

func connect(t *testing.T, s *zmtp.Socket, kind string) *peer {
	nc, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	_ = nc.SetDeadline(time.Now().Add(2 * time.Minute))
	p := &peer{t, nc}
	greeting := make([]byte, 64)
	copy(greeting, "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x00NULL")
	p.write(greeting)
	if got := p.read(64); !bytes.HasPrefix(got, []byte("\xff")) || got[9] != 0x7f || got[10] != 3 ||
		!bytes.HasPrefix(got[12:], []byte("NULL\x00")) || got[32] != 0 {
		t.Fatalf("greeting %q", got)
	}
	ready := "\x05READY\x0bSocket-Type" + "\x00\x00\x00" + string(rune(len(kind))) + kind
	p.frame(4, []byte(ready))
	flags, body := p.next()
	if flags != 4 || !strings.HasPrefix(string(body), "\x05READY\x0bSocket-Type\x00\x00\x00") {
		t.Fatalf("%d %q", flags, body)
	}
	return p
}

func (p *peer) write(b []byte) {
	if _, err := p.Write(b); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) read(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(p, b); err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *peer) frame(flags byte, b []byte) { p.write(append([]byte{flags, byte(len(b))}, b...)) }

func (p *peer) next() (flags byte, body []byte) {
	flags = p.read(1)[0]
	if flags&2 != 0 {
		return flags, p.read(int(binary.BigEndian.Uint64(p.read(8))))
	}
	return flags, p.read(int(p.read(1)[0]))
}

func listen(t *testing.T, kind zmtp.Type, receive func([][]byte)) *zmtp.Socket {
	s, err := zmtp.Listen(kind, loopback.Any(), receive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestFraming(t *testing.T) {
	got := make(chan [][]byte, 1)
	s := listen(t, zmtp.Router, func(m [][]byte) { got <- m })
	p := connect(t, s, "DEALER")
	p.frame(1, nil)
	p.write(append([]byte{2, 0, 0, 0, 0, 0, 0, 1, 44}, bytes.Repeat([]byte("x"), 300)...))
	m := <-got
	if len(m) != 3 || len(m[0]) != 5 || m[0][0] != 0 || len(m[1]) != 0 || len(m[2]) != 300 {
		t.Fatalf("%d frames: %q", len(m), m)
	}
	_ = s.Send([][]byte{m[0], []byte("a"), bytes.Repeat([]byte("y"), 256)})
	if flags, b := p.next(); flags != 1 || string(b) != "a" {
		t.Errorf("%d %q", flags, b)
	}
	if flags, b := p.next(); flags != 2 || len(b) != 256 {
		t.Errorf("%d, %d bytes", flags, len(b))
	}
	p.frame(4, []byte("\x04PING\x00\x0actx"))
	if flags, b := p.next(); flags != 4 || string(b) != "\x04PONGctx" {
		t.Errorf("pong: %d %q", flags, b)
	}
}

func TestSubscriptions(t *testing.T) {
	s := listen(t, zmtp.XPub, nil)
	topics := make(chan string, 9)
	s.OnSubscribe(func(topic string) { topics <- topic })
	old, new := connect(t, s, "SUB"), connect(t, s, "SUB")
	old.frame(0, []byte("\x01a"))               // ZMTP 3.0: a message
	new.frame(4, []byte("\x09SUBSCRIBEstream")) // 3.1: a command
	if a, b := <-topics, <-topics; a+b != "astream" && a+b != "streama" {
		t.Fatal(a, b)
	}
	for _, topic := range []string{"stream", "apple", "other"} {
		_ = s.Send([][]byte{[]byte(topic), []byte("body")})
	}
	if _, b := old.next(); string(b) != "apple" {
		t.Errorf("%q", b)
	}
	if _, b := new.next(); string(b) != "stream" {
		t.Errorf("%q", b)
	}
}

func TestHeartbeat(t *testing.T) {
	p := connect(t, listen(t, zmtp.Rep, nil), "REQ")
	p.frame(1, nil)
	p.frame(0, []byte("ping"))
	if flags, b := p.next(); flags != 1 || len(b) != 0 {
		t.Errorf("%d %q", flags, b)
	}
	if flags, b := p.next(); flags != 0 || string(b) != "ping" {
		t.Errorf("%d %q", flags, b)
	}
}

// A subscriber that does not read must not hold up one that does.
func TestReaderThatStopped(t *testing.T) {
	s := listen(t, zmtp.XPub, nil)
	joined := make(chan string, 2)
	s.OnSubscribe(func(topic string) { joined <- topic })
	stuck := connect(t, s, "SUB")
	stuck.frame(0, []byte{1})
	<-joined
	const n = 300
	done := make(chan int)
	count := 0
	reader, err := zmtp.Dial(zmtp.Sub, s.Addr().String(), nil, func(m [][]byte) {
		if m == nil {
			return
		}
		if count++; count == n {
			done <- count
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	<-joined
	for range n {
		_ = s.Send([][]byte{[]byte("stream"), make([]byte, 100_000)})
	}
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("the reading subscriber got too little")
	}
}

func TestNewestConnectionHasTheIdentity(t *testing.T) {
	s := listen(t, zmtp.Router, func([][]byte) {})
	dial := func() (*zmtp.Socket, chan [][]byte) {
		got := make(chan [][]byte, 1)
		d, err := zmtp.Dial(zmtp.Dealer, s.Addr().String(), []byte("tab"), func(m [][]byte) { got <- m })
		if err != nil {
			t.Fatal(err)
		}
		return d, got
	}
	a, first := dial()
	defer a.Close()
	for range 20 {
		b, second := dial()
		defer b.Close()
		if m := <-first; m != nil { // the old connection is closed
			t.Fatalf("%q", m)
		}
		_ = s.Send([][]byte{[]byte("tab"), []byte("x")})
		if m := <-second; len(m) != 1 || string(m[0]) != "x" {
			t.Fatalf("%q", m)
		}
		first = second
	}
}

func TestGarbage(t *testing.T) {
	s := listen(t, zmtp.Router, func([][]byte) {})
	for _, b := range [][]byte{
		[]byte("GET / HTTP/1.1\r\n\r\n" + strings.Repeat("x", 100)), bytes.Repeat([]byte{0xff}, 200), make([]byte, 200),
	} {
		nc, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = nc.Write(b)
		_ = nc.SetDeadline(time.Now().Add(2 * time.Minute))
		if _, err := io.Copy(io.Discard, nc); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%.20q: the connection stays open", b)
		}
		nc.Close()
	}
	p := connect(t, s, "DEALER")
	p.write([]byte{2, 0xff, 0, 0, 0, 0, 0, 0, 0}) // a frame of 2⁶³ bytes
	if _, err := p.Conn.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("a huge frame: %v", err)
	}
}
