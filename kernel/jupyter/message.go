package jupyter

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
)

// ProtocolVersion is the version of the messaging protocol.
const ProtocolVersion = "5.5"

// These are the channels on which a message travels.
const (
	Shell   = "shell"
	Control = "control"
	Stdin   = "stdin"
	IOPub   = "iopub"
)

// Message is one Jupyter message. Its dictionaries stay as they were sent, so a reply repeats the parent header
// exactly.
type Message struct {
	Channel  string
	Header   json.RawMessage
	Parent   json.RawMessage
	Metadata json.RawMessage
	Content  json.RawMessage
	Buffers  [][]byte
	Route    [][]byte // destination of a reply for transports that need it: ZeroMQ's identities
}

// Header names a message.
type Header struct {
	MsgID    string `json:"msg_id"`
	Username string `json:"username"`
	Session  string `json:"session"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
	Subshell string `json:"subshell_id,omitempty"`
}

var empty = json.RawMessage("{}")

// NewMessage makes a message of the given channel and type. The argument session identifies the sender. The message
// answers parent unless parent is nil. encoding/json must be able to encode content; nil is an empty dictionary.
func NewMessage(channel, msgType, session string, parent *Message, content any) *Message {
	h := Header{
		MsgID: uuid.NewString(), Username: "nacre", Session: session, MsgType: msgType, Version: ProtocolVersion,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
	}
	m := &Message{Channel: channel, Header: encode(h), Parent: empty, Metadata: empty, Content: empty}
	if content != nil {
		m.Content = encode(content)
	}
	if parent != nil {
		m.Parent, m.Route = parent.Header, parent.Route
	}
	return m
}

// encode is json.Marshal of values that are known to encode, without HTML's escapes.
func encode(v any) json.RawMessage {
	b, err := marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"status": "error", "ename": "EncodingError", "evalue": err.Error()})
	}
	return b
}

// Head is the message's header; the zero Header if it cannot be read.
func (m *Message) Head() Header { return head(m.Header) }

// ParentHead is the header of the message that m answers; the zero Header if there is none.
func (m *Message) ParentHead() Header { return head(m.Parent) }

// Type is the message's type.
func (m *Message) Type() string { return m.Head().MsgType }

func head(raw json.RawMessage) (h Header) {
	if json.Unmarshal(raw, &h) != nil {
		return Header{}
	}
	return h
}

// Decode reads the message's content into v.
func (m *Message) Decode(v any) error {
	if err := json.Unmarshal(m.Content, v); err != nil {
		return fmt.Errorf("content of a %s message: %w", m.Type(), err)
	}
	return nil
}

// Check checks the parts that every message must have. It replaces missing dictionaries by empty ones.
func (m *Message) Check() error {
	switch m.Channel {
	case Shell, Control, Stdin, IOPub:
	default:
		return fmt.Errorf("channel %.20q: expected shell, control, stdin or iopub", m.Channel)
	}
	var h Header
	if err := json.Unmarshal(m.Header, &h); err != nil {
		return fmt.Errorf("message header: %w", err)
	}
	if h.MsgID == "" || h.MsgType == "" {
		return fmt.Errorf("message header: msg_id and msg_type are needed")
	}
	for _, part := range []*json.RawMessage{&m.Parent, &m.Metadata, &m.Content} {
		if len(*part) == 0 || string(*part) == "null" {
			*part = empty
		}
		if !json.Valid(*part) || firstByte(*part) != '{' {
			return fmt.Errorf("%s message: parent_header, metadata and content must be dictionaries", h.MsgType)
		}
	}
	return nil
}

func firstByte(b []byte) byte {
	for _, c := range b {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// queue is a first-in first-out list of messages that grows as needed.
type queue struct {
	mu     sync.Mutex
	ready  chan struct{} // holds one value while the list is not empty
	list   []*Message
	closed bool
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

func (q *queue) push(m *Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.list = append(q.list, m)
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// drain empties the list.
func (q *queue) drain() []*Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	return list
}

// pop waits for the next message; it returns nil once the queue is closed.
func (q *queue) pop() *Message {
	for range q.ready {
		q.mu.Lock()
		if len(q.list) == 0 {
			q.mu.Unlock()
			continue
		}
		m := q.list[0]
		q.list = q.list[1:]
		if len(q.list) > 0 {
			select {
			case q.ready <- struct{}{}:
			default:
			}
		}
		q.mu.Unlock()
		return m
	}
	return nil
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed, q.list = true, nil
		close(q.ready)
	}
}
