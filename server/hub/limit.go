package hub

import (
	"encoding/json"
	"fmt"
	"time"

	"nacre/kernel/jupyter"
	"nacre/server/nbformat"
)

// The most that a kernel may show within limitWindow. What exceeds it is left out, and a visible note says so.
const (
	limitWindow   = 3 * time.Second
	limitMessages = 6000
	limitBytes    = 60 << 20
)

// What a cell shows first is shown however much the cells before it have shown: so many messages of so many bytes.
const (
	alwaysMessages = 100
	alwaysBytes    = 64 << 10
)

// The most, in bytes if nothing else is said, that one cell may show until it clears its output.
const (
	cellText     = nbformat.MaxText // of text it prints
	cellNative   = 256 << 10        // of text that its process prints itself, such as the dump of a crash
	cellDisplays = 64 << 20         // of displays
	cellShown    = 10_000           // displays, not bytes
	// maxCells is how many cells' amounts are remembered.
	maxCells = 1000
)

// limiter keeps a kernel from flooding its readers. Text that it leaves out goes to a file.
type limiter struct {
	since    time.Time
	messages int
	bytes    int
	told     string                      // parent that was told of this window's excess
	held     map[string]*jupyter.Message // newest update left out, by display id
	order    []string
	cells    map[string]*amount // by parent
	overflow *overflow
}

// amount counts what one run of a cell has shown.
type amount struct {
	text, native, displays int             // bytes
	shown                  int             // displays
	messages               int             // of all kinds
	told                   map[string]bool // which limits the reader knows of
	rest                   rest
}

func newLimiter(o *overflow) limiter {
	return limiter{held: map[string]*jupyter.Message{}, cells: map[string]*amount{}, overflow: o}
}

// native is pass for text that the kernel's process has printed itself.
func (l *limiter) native(m *jupyter.Message, now time.Time) []*jupyter.Message {
	a := l.amountOf(m)
	if a.native += len(m.Content); a.native > cellNative {
		return l.keep(a, m, fmt.Sprintf("the kernel's process printed more than %d KiB", cellNative>>10))
	}
	return l.pass(m, now)
}

func (l *limiter) amountOf(m *jupyter.Message) *amount {
	parent := m.ParentHead().MsgID
	a := l.cells[parent]
	if a == nil {
		if len(l.cells) >= maxCells {
			clear(l.cells)
		}
		a = &amount{told: map[string]bool{}}
		l.cells[parent] = a
	}
	return a
}

// keep writes text that is not shown to the cell's file. The first time it tells the reader why, and where the file is.
func (l *limiter) keep(a *amount, m *jupyter.Message, why string) []*jupyter.Message {
	place := l.overflow.add(&a.rest, m)
	if a.told[why] {
		return nil
	}
	a.told[why] = true
	return []*jupyter.Message{note(m, why+"; "+place)}
}

// within counts the output of a message towards its cell's limit. It is false if the limit is reached.
func (l *limiter) within(a *amount, m *jupyter.Message, msgType string) (shown []*jupyter.Message, ok bool) {
	switch msgType {
	case "clear_output":
		a.text, a.displays, a.shown = 0, 0, 0
	case "stream":
		if a.text += len(m.Content); a.text > cellText {
			return l.keep(a, m, fmt.Sprintf("the cell printed more than %d MiB", cellText>>20)), false
		}
	case "display_data", "execute_result":
		a.displays += size(m)
		a.shown++
		why := ""
		switch {
		case a.displays > cellDisplays:
			why = fmt.Sprintf("the cell shows more than %d MiB", cellDisplays>>20)
		case a.shown > cellShown:
			why = fmt.Sprintf("the cell shows more than %d things", cellShown)
		}
		if why != "" {
			if a.told[why] {
				return nil, false
			}
			a.told[why] = true
			return []*jupyter.Message{note(m, why)}, false
		}
	}
	return nil, true
}

// pass returns what is to be shown for a message: itself, something else or nothing. The last state of a display that
// is updated too often is shown when the cell ends.
func (l *limiter) pass(m *jupyter.Message, now time.Time) []*jupyter.Message {
	if now.Sub(l.since) > limitWindow {
		l.since, l.messages, l.bytes, l.told = now, 0, 0, ""
	}
	msgType := m.Type()
	switch msgType {
	case "stream", "display_data", "update_display_data", "execute_result", "comm_msg", "clear_output":
		if shown, ok := l.within(l.amountOf(m), m, msgType); !ok {
			return shown
		}
		if msgType == "clear_output" {
			return []*jupyter.Message{m}
		}
	case "status":
		return append(l.release(), m)
	default:
		return []*jupyter.Message{m}
	}
	l.messages++
	l.bytes += size(m)
	a := l.amountOf(m)
	a.messages++
	small := a.messages <= alwaysMessages && size(m) <= alwaysBytes
	if small || l.messages <= limitMessages && l.bytes <= limitBytes {
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
	const why = "the cell shows more than %d messages or %d MiB in %v"
	place := ""
	if msgType == "stream" {
		place = "; " + l.overflow.add(&a.rest, m)
	}
	if parent := m.ParentHead().MsgID; l.told != parent {
		l.told = parent
		return []*jupyter.Message{note(m, fmt.Sprintf(why, limitMessages, limitBytes>>20, limitWindow)+place)}
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
func note(m *jupyter.Message, why string) *jupyter.Message {
	h := m.Head()
	n := *m
	n.Buffers = nil
	h.MsgType = "stream"
	n.Header, _ = json.Marshal(h)
	n.Content, _ = json.Marshal(map[string]string{"name": "stderr", "text": "[output left out: " + why + "]\n"})
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
