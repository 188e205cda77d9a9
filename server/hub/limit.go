package hub

import (
	"encoding/json"
	"fmt"
	"time"

	"nacre/kernel/jupyter"
)

// The most that a kernel may show within limitWindow. What exceeds it is left out, and a visible note says so.
const (
	limitWindow   = 3 * time.Second
	limitMessages = 6000
	limitBytes    = 60 << 20
)

// limiter keeps a kernel from flooding its readers.
type limiter struct {
	since    time.Time
	messages int
	bytes    int
	told     string                      // parent that was told of this window's excess
	held     map[string]*jupyter.Message // newest update left out, by display id
	order    []string
}

func newLimiter() limiter { return limiter{held: map[string]*jupyter.Message{}} }

// pass returns what is to be shown for a message: itself, something else or nothing. The last state of a display that is
// updated too often is shown when the cell ends.
func (l *limiter) pass(m *jupyter.Message, now time.Time) []*jupyter.Message {
	if now.Sub(l.since) > limitWindow {
		l.since, l.messages, l.bytes, l.told = now, 0, 0, ""
	}
	msgType := m.Type()
	switch msgType {
	case "stream", "display_data", "update_display_data", "execute_result", "comm_msg":
	case "status":
		return append(l.release(), m)
	default:
		return []*jupyter.Message{m}
	}
	l.messages++
	l.bytes += size(m)
	if l.messages <= limitMessages && l.bytes <= limitBytes {
		if msgType == "update_display_data" {
			delete(l.held, displayID(m))
		}
		return []*jupyter.Message{m}
	}
	if msgType == "update_display_data" {
		id := displayID(m)
		if l.held[id] == nil {
			l.order = append(l.order, id)
		}
		l.held[id] = m
		return nil
	}
	if parent := m.ParentHead().MsgID; l.told != parent {
		l.told = parent
		return []*jupyter.Message{note(m)}
	}
	return nil
}

// release returns the updates held back, in the order of their first.
func (l *limiter) release() []*jupyter.Message {
	var list []*jupyter.Message
	for _, id := range l.order {
		if m := l.held[id]; m != nil {
			list = append(list, m)
		}
	}
	if len(l.order) > 0 {
		l.order = nil
		clear(l.held)
	}
	return list
}

// note tells the reader that something is missing.
func note(m *jupyter.Message) *jupyter.Message {
	h := m.Head()
	n := *m
	n.Buffers = nil
	h.MsgType = "stream"
	n.Header, _ = json.Marshal(h)
	n.Content, _ = json.Marshal(map[string]string{"name": "stderr", "text": fmt.Sprintf(
		"[output left out: the cell shows more than %d messages or %d MiB in %v]\n", limitMessages, limitBytes>>20, limitWindow)})
	return &n
}

func displayID(m *jupyter.Message) string {
	var c struct {
		Transient struct {
			ID string `json:"display_id"`
		} `json:"transient"`
	}
	if m.Decode(&c) != nil {
		return ""
	}
	return c.Transient.ID
}
