package server

import (
	"context"
	"net/http"
	"strconv"
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
	c := k.Connect(r.URL.Query().Get("session_id"), after, func() {
		goodbye(ws)
		ws.Close()
	})
	defer k.Disconnect(c)
	over, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		s.write(ws, c, over)
		ws.Close() // ends reading
	}()
	s.read(ws, k, c)
	close(over)
	ws.Close() // ends writing
	<-written
}

// read hands a client's messages to the kernel until the connection ends. One that cannot be read is skipped.
func (s *Server) read(ws *websocket.Conn, k *hub.Kernel, c *hub.Client) {
	ws.SetReadLimit(maxIncoming)
	alive := func(string) error { return ws.SetReadDeadline(time.Now().Add(2*pingEvery + writeWait)) }
	_ = alive("")
	ws.SetPongHandler(alive)
	v1 := ws.Subprotocol() == jupyter.SubprotocolV1
	for {
		kind, frame, err := ws.ReadMessage()
		if err != nil {
			return
		}
		_ = alive("")
		var m *jupyter.Message
		if v1 {
			m, err = jupyter.DecodeV1(frame)
		} else {
			m, err = jupyter.DecodeLegacy(frame, kind == websocket.BinaryMessage)
		}
		if err == nil {
			err = k.Send(c, m)
		}
		if err != nil {
			s.log.Warn("message not passed on", "kernel", k.ID, "error", err)
		}
	}
}

// write sends the kernel's messages and pings until the connection ends.
func (s *Server) write(ws *websocket.Conn, c *hub.Client, over <-chan struct{}) {
	messages := make(chan *jupyter.Message)
	go func() {
		defer close(messages)
		for {
			m := c.Next(over)
			if m == nil {
				return
			}
			select {
			case messages <- m:
			case <-over:
				return
			}
		}
	}()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case m, ok := <-messages:
			if !ok {
				goodbye(ws)
				return
			}
			if send(ws, m) != nil {
				return
			}
			c.Sent(m)
		case <-ping.C:
			if ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait)) != nil {
				return
			}
		case <-s.ctx.Done():
			goodbye(ws)
			return
		case <-over:
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
	over := context.AfterFunc(s.ctx, func() { ws.Close() })
	defer over()
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
	}
}
