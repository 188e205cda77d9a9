package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"nacre/kernel/jupyter"
	"nacre/server/hub"
)

const (
	// pingEvery keeps idle connections open through proxies and notices dead ones: without an answer for two pings the
	// connection is closed.
	pingEvery = 30 * time.Second
	// writeWait is how long a message may take to be written.
	writeWait = 30 * time.Second
	// askEvery is the most messages that are written after a ping before the next.
	askEvery = 32
	// closeWait is how long a client has to answer a goodbye.
	closeWait = 500 * time.Millisecond
	// maxIncoming is the size, in bytes, of the largest message a client may send.
	maxIncoming = 64 << 20
)

// upgrader makes WebSockets. Where a request comes from was checked by then.
var upgrader = websocket.Upgrader{
	Subprotocols: []string{jupyter.SubprotocolV1}, ReadBufferSize: 1 << 14, WriteBufferSize: 1 << 16,
	CheckOrigin: func(*http.Request) bool { return true },
}

// channels connects a client with a kernel. A parameter "after" is the number of the last message it has seen.
func (s *Server) channels(w http.ResponseWriter, r *http.Request) {
	k := s.find(w, r)
	if k == nil {
		return
	}
	after := hub.Fresh
	if text := r.URL.Query().Get("after"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			refuse(w, http.StatusBadRequest, "after="+text+": expected a message's number")
			return
		}
		after = n
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer ws.Close()
	x := &wire{Server: s, ws: ws, ponged: make(chan struct{}, 1), over: make(chan struct{})}
	x.client = k.Connect(r.URL.Query().Get("session_id"), after, x.end)
	defer k.Disconnect(x.client)
	loggedOut := context.AfterFunc(s.auth.until(r), x.end)
	defer loggedOut()
	written := make(chan struct{})
	go func() {
		defer close(written)
		x.write()
	}()
	clean := x.read(k)
	close(x.over)
	ws.Close() // ends writing
	<-written
	if !clean {
		x.client.Lost()
	}
}

// wire is the WebSocket of a client. What the client has received is known from its pongs, which every WebSocket sends
// by itself: a ping carries the number of the last message before it, and what arrives is in order.
type wire struct {
	*Server
	ws     *websocket.Conn
	client *hub.Client
	ending atomic.Bool
	ponged chan struct{} // holds a value after a pong
	over   chan struct{} // closed when reading has ended
}

// end closes the connection from this side. The client's answer, if it comes in time, says that it has received
// everything.
func (x *wire) end() {
	x.ending.Store(true)
	goodbye(x.ws)
	_ = x.ws.SetReadDeadline(time.Now().Add(closeWait))
}

// read hands a client's messages to the kernel until the connection ends, and reports whether the client has closed it.
// A message that cannot be read is skipped.
func (x *wire) read(k *hub.Kernel) (clean bool) {
	x.ws.SetReadLimit(maxIncoming)
	alive := func() {
		if !x.ending.Load() {
			_ = x.ws.SetReadDeadline(time.Now().Add(2*pingEvery + writeWait))
		}
		if x.ending.Load() { // since then
			_ = x.ws.SetReadDeadline(time.Now().Add(closeWait))
		}
	}
	alive()
	x.ws.SetPongHandler(func(text string) error {
		alive()
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			x.client.Acknowledge(n)
		}
		select {
		case x.ponged <- struct{}{}:
		default:
		}
		return nil
	})
	v1 := x.ws.Subprotocol() == jupyter.SubprotocolV1
	for {
		kind, frame, err := x.ws.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			return errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure
		}
		alive()
		var m *jupyter.Message
		if v1 {
			m, err = jupyter.DecodeV1(frame)
		} else {
			m, err = jupyter.DecodeLegacy(frame, kind == websocket.BinaryMessage)
		}
		if err == nil {
			err = k.Send(x.client, m)
		}
		if err != nil {
			x.log.Warn("a message was not passed on", "kernel", k.ID, "error", err)
		}
	}
}

// write sends the kernel's messages and pings until the connection ends, and then ends reading.
func (x *wire) write() {
	messages := make(chan *jupyter.Message)
	go func() {
		defer close(messages)
		for {
			m := x.client.Next(x.over)
			if m == nil {
				return
			}
			select {
			case messages <- m:
			case <-x.over:
				return
			}
		}
	}()
	asked, since := false, 0 // a ping is on its way, and how many messages after it
	ask := func() error {
		last, _ := x.client.Unacknowledged()
		asked, since = true, 0
		return x.ws.WriteControl(websocket.PingMessage, strconv.AppendUint(nil, last, 10), time.Now().Add(writeWait))
	}
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case m, ok := <-messages:
			if !ok {
				x.end()
				return
			}
			if err = send(x.ws, m); err == nil {
				x.client.Sent(m)
				since++
			}
		case <-x.ponged:
			asked = false
		case <-ping.C:
			err = ask()
		case <-x.ctx.Done():
			goodbye(x.ws)
			x.ws.Close()
			return
		case <-x.over:
			return
		}
		if _, waiting := x.client.Unacknowledged(); err == nil && waiting && (!asked || since >= askEvery) {
			err = ask()
		}
		if errors.Is(err, websocket.ErrCloseSent) {
			return // this side has said goodbye; reading ends with the answer
		}
		if err != nil {
			x.ws.Close()
			return
		}
	}
}

func goodbye(ws *websocket.Conn) {
	text := websocket.FormatCloseMessage(websocket.CloseGoingAway, "")
	_ = ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second))
}

func send(ws *websocket.Conn, m *jupyter.Message) error {
	kind, frame := websocket.BinaryMessage, []byte(nil)
	if ws.Subprotocol() == jupyter.SubprotocolV1 {
		frame = jupyter.EncodeV1(m)
	} else {
		var isBinary bool
		if frame, isBinary = jupyter.EncodeLegacy(m); !isBinary {
			kind = websocket.TextMessage
		}
	}
	if err := ws.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	return ws.WriteMessage(kind, frame)
}

// events is a connection on which nothing is ever sent: JupyterLab's front end asks for it again and again otherwise.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	for _, ctx := range []context.Context{s.ctx, s.auth.until(r)} {
		over := context.AfterFunc(ctx, func() { ws.Close() })
		defer over()
	}
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
	}
}
