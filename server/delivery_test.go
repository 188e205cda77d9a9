package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"nacre/kernel/jupyter"
	"nacre/server/servertest"
)

// However often and wherever a connection breaks off, the client gets every message, in order: each once if it says
// where it was, and else some of them twice, since nobody knows whether they came.
func TestNothingIsLostThroughCuts(t *testing.T) {
	const displays = 800
	for _, after := range []bool{true, false} {
		r := newRig(t)
		random := rand.New(rand.NewPCG(1, 2))
		cut, err := servertest.Cut(r.host, func(string) int64 { return 2000 + random.Int64N(100_000) })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cut.Close() })
		c := r.follower()
		c.Through, c.After = cut.Host(), after
		var code strings.Builder
		for i := range displays {
			fmt.Fprintf(&code, "display d%d %d\n", i, i)
			if i%20 == 0 {
				code.WriteString("sleep 1\n") // cuts come while the cell runs
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		seen, err := c.Run(ctx, code.String(), "")
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if len(seen.Shown) != displays || c.Missing+c.Forgotten > 0 {
			t.Errorf("after %v: %d of %d displays, %d messages missing", after, len(seen.Shown), displays, c.Missing)
		}
		for i, text := range seen.Shown {
			if text != fmt.Sprint(i) {
				t.Errorf("after %v: display %d is %s", after, i, text)
				break
			}
		}
		if c.Cuts < 3 || after && c.Twice > 0 {
			t.Errorf("after %v: %d cuts, %d messages twice", after, c.Cuts, c.Twice)
		}
		t.Logf("after %v: %d cuts, %d messages twice", after, c.Cuts, c.Twice)
	}
}

// follower is a client of a new kernel.
func (r *rig) follower() *servertest.Client {
	return &servertest.Client{Host: r.host, Token: testToken, Kernel: r.kernel(), Session: "tab"}
}

// A client that notices a gap gets what it lacks on the connection it has; what is no longer kept is said.
func TestGapIsFilled(t *testing.T) {
	r := newRig(t)
	c := r.follower()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.Run(ctx, "display a 1\ndisplay b 2\nsleep 20\ndisplay c 3", ""); err != nil {
		t.Fatal(err)
	}
	ws := dial(t, ctx, c)
	send := func(m *jupyter.Message) *jupyter.Message {
		if err := ws.WriteMessage(websocket.BinaryMessage, jupyter.EncodeV1(m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	send(jupyter.NewMessage(jupyter.Control, "nacre_again", "tab", nil, map[string]uint64{"after": 0}))
	end := send(jupyter.NewMessage(jupyter.Shell, "execute_request", "tab", nil,
		jupyter.ExecuteRequest{Code: "display d 4"}))
	shown := map[string]bool{}
	for over := false; !over; {
		_, b, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		m, _ := jupyter.DecodeV1(b)
		var d struct{ Data map[string]string }
		if m.Type() == "display_data" && m.Decode(&d) == nil {
			shown[d.Data["text/plain"]] = true
		}
		over = m.Type() == "status" && strings.Contains(string(m.Content), "idle") &&
			string(m.Parent) == string(end.Header)
	}
	if len(shown) != 4 {
		t.Errorf("shown: %v", shown)
	}
	ws = dial(t, ctx, c)
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
			if m.Decode(&cut) != nil || cut.Seq <= c.Last || cut.Kept != 1 {
				t.Errorf("%s", m.Content)
			}
			return
		}
	}
}

func dial(t *testing.T, ctx context.Context, c *servertest.Client) *websocket.Conn {
	t.Helper()
	ws, err := c.Dial(ctx, c.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}
