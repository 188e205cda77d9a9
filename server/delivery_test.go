package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"nacre/kernel/jupyter"
)

// cutter is a proxy whose connections break off in the direction of the client after a number of bytes. It goes on taking
// what the server sends for a while: a server that counts what it has written as received loses that.
type cutter struct {
	net.Listener
	bytes func() int64
}

func newCutter(t *testing.T, to string, bytes func() int64) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &cutter{l, bytes}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				return
			}
			go io.Copy(server, client)
			go func() {
				defer server.Close()
				_, _ = io.CopyN(client, server, c.bytes())
				_ = client.(*net.TCPConn).SetLinger(0)
				client.Close()
				_ = server.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
				_, _ = io.Copy(io.Discard, server)
			}()
		}
	}()
	return c
}

// follower is a client that comes back whenever its connection breaks off.
type follower struct {
	t       *testing.T
	address string // of channels, with the session
	after   bool   // say the last number at each return, as the page does
	last    uint64
	cuts    int
	shown   []string // texts of displays, in order
	again   int      // messages that came twice
}

func (f *follower) dial() *websocket.Conn {
	address := f.address
	if f.after && f.last > 0 {
		address += fmt.Sprint("&after=", f.last)
	}
	d := websocket.Dialer{Subprotocols: []string{jupyter.SubprotocolV1}}
	for range 200 {
		ws, _, err := d.Dial(address, http.Header{"Authorization": {"token " + testToken}})
		if err == nil {
			_ = ws.SetReadDeadline(time.Now().Add(20 * time.Second))
			return ws
		}
		time.Sleep(5 * time.Millisecond) // cut while the connection was made
	}
	f.t.Fatal("the server does not take the client back")
	return nil
}

// follow reads until the end of the cell, through all cuts.
func (f *follower) follow(ws *websocket.Conn, request *jupyter.Message) {
	defer func() { ws.Close() }()
	for {
		_, b, err := ws.ReadMessage()
		if err != nil {
			if strings.Contains(err.Error(), "timeout") {
				f.t.Fatalf("the end of the cell did not come; %d displays after %d cuts", len(f.shown), f.cuts)
			}
			ws.Close()
			f.cuts++
			ws = f.dial()
			continue
		}
		m, err := jupyter.DecodeV1(b)
		if err != nil {
			f.t.Fatal(err)
		}
		if m.Type() == "nacre_resync" {
			f.t.Fatalf("%s", m.Content)
		}
		var meta struct{ Seq uint64 }
		_ = json.Unmarshal(m.Metadata, &meta)
		if meta.Seq == 0 {
			continue
		}
		if meta.Seq <= f.last {
			f.again++
			continue
		}
		if f.last > 0 && meta.Seq != f.last+1 {
			f.t.Errorf("number %d after %d: lost at cut %d", meta.Seq, f.last, f.cuts)
		}
		f.last = meta.Seq
		var c struct{ Data map[string]string }
		if m.Type() == "display_data" && m.Decode(&c) == nil {
			f.shown = append(f.shown, c.Data["text/plain"])
		}
		if m.Type() == "status" && strings.Contains(string(m.Content), "idle") && string(m.Parent) == string(request.Header) {
			return
		}
	}
}

// However often and wherever a connection breaks off, the client gets every message, in order: each once if it says where it
// was, and else some of them twice, since nobody knows whether they came.
func TestNothingIsLostThroughCuts(t *testing.T) {
	const displays = 800
	for _, after := range []bool{true, false} {
		r := newRig(t)
		kernel := r.kernel()
		random := rand.New(rand.NewPCG(1, 2))
		cut := newCutter(t, r.host, func() int64 { return 2000 + random.Int64N(100_000) })
		address := func(host string) string {
			return "ws://" + host + "/api/kernels/" + kernel + "/channels?session_id=tab"
		}
		f := &follower{t: t, address: address(r.host), after: after}
		ws := f.dial()
		f.address = address(cut.Addr().String())
		var code strings.Builder
		for i := range displays {
			fmt.Fprintf(&code, "display d%d %d\n", i, i)
			if i%20 == 0 {
				code.WriteString("sleep 1\n") // cuts come while the cell runs
			}
		}
		request := jupyter.NewMessage(jupyter.Shell, "execute_request", "tab", nil, jupyter.ExecuteRequest{Code: code.String()})
		if err := ws.WriteMessage(websocket.BinaryMessage, jupyter.EncodeV1(request)); err != nil {
			t.Fatal(err)
		}
		for f.last == 0 { // the first messages come over a sound connection, which then breaks off too
			_, b, err := ws.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			m, _ := jupyter.DecodeV1(b)
			var meta struct{ Seq uint64 }
			_ = json.Unmarshal(m.Metadata, &meta)
			f.last = meta.Seq
		}
		_ = ws.NetConn().(*net.TCPConn).SetLinger(0)
		ws.Close()
		f.follow(f.dial(), request)
		if len(f.shown) != displays {
			t.Errorf("after %v: %d of %d displays", after, len(f.shown), displays)
		}
		for i, text := range f.shown {
			if text != fmt.Sprint(i) {
				t.Errorf("after %v: display %d is %s", after, i, text)
				break
			}
		}
		if f.cuts < 3 || after && f.again > 0 {
			t.Errorf("after %v: %d cuts, %d messages twice", after, f.cuts, f.again)
		}
		t.Logf("after %v: %d cuts, %d messages twice", after, f.cuts, f.again)
	}
}

// A client that notices a gap gets what it lacks on the connection it has; what is no longer kept is said.
func TestGapIsFilled(t *testing.T) {
	r := newRig(t)
	kernel := r.kernel()
	f := &follower{t: t, address: "ws://" + r.host + "/api/kernels/" + kernel + "/channels?session_id=tab"}
	ws := f.dial()
	send := func(m *jupyter.Message) *jupyter.Message {
		if err := ws.WriteMessage(websocket.BinaryMessage, jupyter.EncodeV1(m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	f.follow(ws, send(jupyter.NewMessage(jupyter.Shell, "execute_request", "tab", nil, jupyter.ExecuteRequest{Code: "display a 1\ndisplay b 2\nsleep 20\ndisplay c 3"})))
	ws = f.dial()
	send(jupyter.NewMessage(jupyter.Control, "nacre_again", "tab", nil, map[string]uint64{"after": 0}))
	end := send(jupyter.NewMessage(jupyter.Shell, "execute_request", "tab", nil, jupyter.ExecuteRequest{Code: "display d 4"}))
	shown := map[string]bool{}
	for over := false; !over; {
		_, b, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		m, _ := jupyter.DecodeV1(b)
		var c struct{ Data map[string]string }
		if m.Type() == "display_data" && m.Decode(&c) == nil {
			shown[c.Data["text/plain"]] = true
		}
		over = m.Type() == "status" && strings.Contains(string(m.Content), "idle") && string(m.Parent) == string(end.Header)
	}
	if len(shown) != 4 {
		t.Errorf("shown: %v", shown)
	}
	ws = f.dial()
	send(jupyter.NewMessage(jupyter.Control, "nacre_again", "tab", nil, map[string]uint64{"after": 1 << 40}))
	for {
		_, b, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		m, _ := jupyter.DecodeV1(b)
		var cut struct {
			Seq  uint64 `json:"seq"`
			Kept uint64 `json:"kept_from"`
		}
		if m.Type() == "nacre_resync" {
			if m.Decode(&cut) != nil || cut.Seq <= f.last || cut.Kept != 1 {
				t.Errorf("%s", m.Content)
			}
			return
		}
	}
}
