package jupyter

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
)

// Client is the side that sends requests. It matches replies and outputs to requests. The caller gives it the
// transport.
type Client struct {
	// Session identifies the client in its messages.
	Session string
	// Input answers a cell's question; if it is nil, all questions are refused.
	Input func(prompt string, password bool) (string, error)
	// Stray gets the messages that answer none of the open requests; it may be nil.
	Stray func(*Message)

	send func(*Message) error
	mu   sync.Mutex
	open map[string]*call
	err  error // set once the connection is lost
}

// call is an open request.
type call struct {
	on    func(*Message)
	reply *Message
	idle  bool
	done  chan struct{} // closed when both have come, or the connection is lost
}

// NewClient makes a client that sends its requests by the function send. The reader of the other direction calls
// Deliver.
func NewClient(send func(*Message) error) *Client {
	return &Client{Session: uuid.NewString(), send: send, open: map[string]*call{}}
}

// Deliver takes a message of the kernel. Messages must come in the order of their arrival.
func (c *Client) Deliver(m *Message) {
	parent := m.ParentHead().MsgID
	c.mu.Lock()
	open := c.open[parent]
	c.mu.Unlock()
	if open == nil {
		if c.Stray != nil {
			c.Stray(m)
		}
		return
	}
	switch {
	case m.Type() == "input_request":
		go c.ask(m)
		return
	case m.Channel != IOPub:
		c.settle(parent, open, func() { open.reply = m })
		return
	}
	if open.on != nil {
		open.on(m)
	}
	var s status
	if m.Type() == "status" && m.Decode(&s) == nil && s.State == "idle" {
		c.settle(parent, open, func() { open.idle = true })
	}
}

func (c *Client) settle(id string, open *call, change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	if open.reply != nil && open.idle && c.open[id] == open {
		delete(c.open, id)
		close(open.done)
	}
}

func (c *Client) ask(m *Message) {
	var q struct {
		Prompt   string `json:"prompt"`
		Password bool   `json:"password"`
	}
	if m.Decode(&q) != nil || c.Input == nil {
		return
	}
	if text, err := c.Input(q.Prompt, q.Password); err == nil {
		_ = c.send(NewMessage(Stdin, "input_reply", c.Session, m, map[string]string{"status": "ok", "value": text}))
	}
}

// Lost ends all open requests with err. It is called if the kernel, or the connection to it, is lost.
func (c *Client) Lost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	for id, open := range c.open {
		delete(c.open, id)
		close(open.done)
	}
}

// Request sends a request and waits for its reply and the idle status that ends it. The function on gets, in order, the
// messages of the iopub channel that belong to the request.
func (c *Client) Request(ctx context.Context, channel, msgType string, content any,
	on func(*Message)) (*Message, error) {
	return c.Do(ctx, NewMessage(channel, msgType, c.Session, nil, content), on)
}

// Do is Request with a message made by the caller.
func (c *Client) Do(ctx context.Context, m *Message, on func(*Message)) (*Message, error) {
	open := &call{on: on, done: make(chan struct{})}
	id := m.Head().MsgID
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, c.err
	}
	c.open[id] = open
	c.mu.Unlock()
	if err := c.send(m); err != nil {
		c.forget(id)
		return nil, err
	}
	select {
	case <-open.done:
	case <-ctx.Done():
		c.forget(id)
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if open.reply == nil || !open.idle {
		return open.reply, errors.Join(errors.New("the kernel ended before it answered"), c.err)
	}
	return open.reply, nil
}

func (c *Client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
}

// Execute runs a cell and waits until it has ended. It sends every field of the request, because some kernels cannot
// handle a missing field.
func (c *Client) Execute(ctx context.Context, r ExecuteRequest, on func(*Message)) (ExecuteReply, error) {
	var reply ExecuteReply
	if r.StoreHistory == nil {
		r.StoreHistory = new(!r.Silent)
	}
	if r.StopOnError == nil {
		r.StopOnError = new(true)
	}
	if r.UserExpressions == nil {
		r.UserExpressions = map[string]string{}
	}
	m, err := c.Request(ctx, Shell, "execute_request", r, on)
	if err != nil {
		return reply, err
	}
	if err := m.Decode(&reply); err != nil {
		return reply, fmt.Errorf("execute_reply: %w", err)
	}
	return reply, nil
}
