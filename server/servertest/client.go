package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"nacre/kernel/jupyter"
)

// Client is a client of a kernel. It reconnects whenever its connection breaks.
type Client struct {
	Host    string // host:port of the server, where cells are sent
	Through string // host:port at which messages are read, such as a Cutter's; "" is Host
	Token   string
	Kernel  string // identifier of the kernel
	Session string // session of the client: a new connection replaces an older one of the same session
	// whether the client sends its last message number when it reconnects, as the page does; else it sends only the
	// session
	After bool

	Last      uint64 // number of the last message
	Messages  int    // number of messages received, each counted once
	Sent      int    // number of cells sent
	Twice     int    // number of messages received again
	Missing   int    // number of messages that never came, found by their numbers
	Forgotten int    // number of times the server said that it no longer has the missed messages
	Cuts      int    // number of times the connection broke
}

// Cell holds what a client received from the run of a cell.
type Cell struct {
	Text  string   // printed text of both streams
	Shown []string // text/plain of the displays
	Error string   // "Name: value"; "aborted" if the cell was not run; "" if there was no error
	Cuts  int      // number of times the connection broke during the run
}

// Dial makes a connection.
func (c *Client) Dial(ctx context.Context, host string) (*websocket.Conn, error) {
	address := fmt.Sprintf("ws://%s/api/kernels/%s/channels?session_id=%s", host, c.Kernel, c.Session)
	if c.After && c.Last > 0 {
		address += fmt.Sprint("&after=", c.Last)
	}
	d := websocket.Dialer{Subprotocols: []string{jupyter.SubprotocolV1}}
	for {
		ws, _, err := d.DialContext(ctx, address, http.Header{"Authorization": {"token " + c.Token}})
		if err == nil {
			if end, ok := ctx.Deadline(); ok {
				_ = ws.SetReadDeadline(end)
			}
			return ws, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("the server does not take the client back: %w", err)
		}
		time.Sleep(5 * time.Millisecond) // cut while the connection was made
	}
}

// Run runs a cell and reads its messages to the end, through all cuts. The argument cell is the cell's identifier in
// the notebook of the kernel's session, or "". The cell is sent over a connection to Host, and its first message is
// read there. If Through is set, this connection is then cut too.
func (c *Client) Run(ctx context.Context, code, cell string) (Cell, error) {
	ws, err := c.Dial(ctx, c.Host)
	if err != nil {
		return Cell{}, err
	}
	defer func() { ws.Close() }()
	request := jupyter.NewMessage(jupyter.Shell, "execute_request", c.Session, nil, jupyter.ExecuteRequest{Code: code})
	if cell != "" {
		request.Metadata, _ = json.Marshal(map[string]string{"cellId": cell})
	}
	if err := ws.WriteMessage(websocket.BinaryMessage, jupyter.EncodeV1(request)); err != nil {
		return Cell{}, err
	}
	c.Sent++
	var seen Cell
	host, moved := c.Host, c.Through == ""
	for {
		_, b, err := ws.ReadMessage()
		if err != nil {
			ws.Close()
			if ctx.Err() != nil || strings.Contains(err.Error(), "timeout") {
				return seen, fmt.Errorf("the end of the cell did not come, after %d cuts: %w", seen.Cuts, err)
			}
			c.Cuts++
			seen.Cuts++
			if ws, err = c.Dial(ctx, host); err != nil {
				return seen, err
			}
			continue
		}
		m, err := jupyter.DecodeV1(b)
		if err != nil {
			return seen, err
		}
		mine := string(m.Parent) == string(request.Header)
		if c.count(m) && mine && seen.add(m) {
			return seen, nil
		}
		if mine && !moved {
			_ = ws.NetConn().(*net.TCPConn).SetLinger(0)
			ws.Close()
			host, moved = c.Through, true
		}
	}
}

// count notes a message's number and reports whether it is new.
func (c *Client) count(m *jupyter.Message) bool {
	if m.Type() == "nacre_resync" {
		c.Forgotten++
		return false
	}
	var meta struct{ Seq uint64 }
	_ = json.Unmarshal(m.Metadata, &meta)
	if meta.Seq == 0 {
		return false
	}
	if meta.Seq <= c.Last {
		c.Twice++
		return false
	}
	if c.Last > 0 {
		c.Missing += int(meta.Seq - c.Last - 1)
	}
	c.Last = meta.Seq
	c.Messages++
	return true
}

// add notes what a message of the cell's shows and reports whether it was the last.
func (s *Cell) add(m *jupyter.Message) (end bool) {
	var c struct {
		Text   string            `json:"text"`
		Data   map[string]string `json:"data"`
		Name   string            `json:"ename"`
		Value  string            `json:"evalue"`
		State  string            `json:"execution_state"`
		Status string            `json:"status"`
	}
	if json.Unmarshal(m.Content, &c) != nil && m.Type() != "display_data" {
		return false
	}
	switch m.Type() {
	case "stream":
		s.Text += c.Text
	case "display_data":
		s.Shown = append(s.Shown, c.Data["text/plain"])
	case "error":
		s.Error = c.Name + ": " + c.Value
	case "status":
		return c.State == "idle"
	case "execute_reply":
		if c.Status == "aborted" {
			s.Error = "aborted"
		}
	}
	return false
}
