package hub

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/google/uuid"

	"nacre/kernel/jupyter"
)

// Fresh is the position of a client that has seen no message. A new session then gets only new messages; a known
// session continues where it stopped.
const Fresh = ^uint64(0)

// maxBacklog is the largest size, in bytes, of the messages that wait for a client. If there are more, the connection
// is closed; the client comes back and gets the rest.
const maxBacklog = 64 << 20

// Client is one connection to a kernel.
type Client struct {
	session string

	mu     sync.Mutex
	list   []*jupyter.Message
	bytes  int
	sent   uint64 // number of the last message written
	had    uint64 // number of the last message that it has acknowledged
	ready  chan struct{}
	closed bool

	replaced func()        // asks the writer of the connection to end it
	over     chan struct{} // closed when the connection has ended
}

// Connect adds a client. The argument after is the number of the last message that the client has seen. With Fresh, a
// known session continues where its connection ended; if the connection broke off, it continues after the last
// acknowledged message. A new session begins with the next message.
//
// An earlier connection of the same session is closed. Connect waits until nothing is being written to it, so that no
// message comes twice. If a later connection of the session replaces this client, replaced is called. The writer of
// this client must then stop and call Disconnect. The argument replaced may be nil if no writer can be at work when
// this client is replaced.
func (k *Kernel) Connect(session string, after uint64, replaced func()) *Client {
	if session == "" {
		session = uuid.NewString()
	}
	c := &Client{session: session, ready: make(chan struct{}, 1), replaced: replaced, over: make(chan struct{})}
	k.replace(session)
	k.mu.Lock()
	for old := range k.clients {
		if old.session == session {
			k.remove(old)
		}
	}
	if after == Fresh {
		if last, ok := k.left[session]; ok {
			after = last
		} else {
			after = k.ring.last
		}
	}
	delete(k.left, session)
	c.sent, c.had = after, after
	k.replay(c, after)
	for _, r := range k.requests { // a question waits for a client that can answer it
		if r.asked != nil && number(r.asked) <= after {
			c.push(r.asked)
		}
	}
	k.clients[c] = true
	k.runs.alone(connected)
	k.mu.Unlock()
	k.touch(k)
	return c
}

// replay queues the messages after a number. If some of them are not kept any more, the client is told to read the
// document again, which has their outputs. The lock is held.
func (k *Kernel) replay(c *Client, after uint64) {
	missed, complete := k.ring.after(after)
	if !complete {
		k.log.Warn("a client missed more messages than are kept; it reads the notebook again", "after", after,
			"kept from", k.ring.first(), "last", k.ring.last)
		c.push(jupyter.NewMessage(jupyter.IOPub, "nacre_resync", k.own, nil,
			map[string]uint64{"seq": k.ring.last, "after": after, "kept_from": k.ring.first()}))
	}
	for _, m := range missed {
		c.push(m)
	}
}

// again handles a message from a client that has everything up to a number and then noticed a gap. The lock is held.
func (k *Kernel) again(c *Client, m *jupyter.Message) error {
	var gap struct {
		After uint64 `json:"after"`
	}
	if err := m.Decode(&gap); err != nil {
		return err
	}
	c.unqueue()
	k.replay(c, gap.After)
	return nil
}

// elsewhere tells a client the number of a message for another client, so that the missing number does not look like a
// gap.
func elsewhere(m *jupyter.Message) *jupyter.Message {
	mark := *m
	mark.Channel, mark.Content, mark.Buffers = jupyter.IOPub, []byte("{}"), nil
	h := m.Head()
	h.MsgType = "nacre_elsewhere"
	mark.Header, _ = json.Marshal(h)
	return &mark
}

// replace ends the connections of a session and waits until their last written messages are known.
func (k *Kernel) replace(session string) {
	k.mu.Lock()
	var old []*Client
	for c := range k.clients {
		if c.session == session && c.replaced != nil {
			old = append(old, c)
		}
	}
	k.mu.Unlock()
	for _, c := range old {
		c.replaced()
		<-c.over
	}
}

// Disconnect removes a client. Nothing may be written to it any more.
func (k *Kernel) Disconnect(c *Client) {
	k.mu.Lock()
	if k.clients[c] {
		k.remove(c)
	}
	k.mu.Unlock()
	close(c.over)
	k.touch(k)
}

// maxLeft is the largest number of lost sessions that are remembered.
const maxLeft = 1000

// remove takes a client away and remembers how far it got. The lock is held.
func (k *Kernel) remove(c *Client) {
	delete(k.clients, c)
	last := c.close()
	if len(k.left) >= maxLeft {
		clear(k.left)
	}
	k.left[c.session] = last
	if len(k.clients) == 0 {
		k.runs.alone(last)
	}
}

// push queues a message.
func (c *Client) push(m *jupyter.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.list = append(c.list, m)
	c.bytes += size(m)
	if c.bytes > maxBacklog {
		c.closed, c.list = true, nil
	}
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// Next waits for the next message. It returns nil once the connection is over or stop is closed.
func (c *Client) Next(stop <-chan struct{}) *jupyter.Message {
	for {
		c.mu.Lock()
		if len(c.list) > 0 {
			m := c.list[0]
			c.list = c.list[1:]
			c.bytes -= size(m)
			c.mu.Unlock()
			return m
		}
		closed := c.closed
		c.mu.Unlock()
		if closed {
			return nil
		}
		select {
		case <-c.ready:
		case <-stop:
			return nil
		}
	}
}

// unqueue takes back the numbered messages that wait.
func (c *Client) unqueue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(m *jupyter.Message) bool {
		if number(m) == 0 {
			return false
		}
		c.bytes -= size(m)
		return true
	})
}

// Acknowledge notes that the client has everything up to a number.
func (c *Client) Acknowledge(n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n <= c.sent {
		c.had = max(c.had, n)
	}
}

// Unacknowledged is the number of the last message written, and whether the client has not acknowledged it.
func (c *Client) Unacknowledged() (last uint64, waiting bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent, c.sent > c.had
}

// Lost notes that the connection broke off. Messages that were written but not acknowledged may not have arrived.
func (c *Client) Lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = c.had
}

// Sent notes that a message was written to the connection.
func (c *Client) Sent(m *jupyter.Message) {
	if n := number(m); n > 0 {
		c.mu.Lock()
		c.sent = n
		c.mu.Unlock()
	}
}

// close ends the connection and returns the number of the last message that left on it.
func (c *Client) close() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	select {
	case c.ready <- struct{}{}:
	default:
	}
	return c.sent
}

// Clients is the number of connections.
func (k *Kernel) Clients() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.clients)
}

// recent remembers the last identifiers of many.
type recent struct {
	known map[string]bool
	order []string
}

const maxRecent = 10_000

// add notes an identifier and reports whether it is a new one.
func (r *recent) add(id string) bool {
	if r.known[id] {
		return false
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	if len(r.order) == maxRecent {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
	r.known[id], r.order = true, append(r.order, id)
	return true
}
