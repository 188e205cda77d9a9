package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Messages is a log that writes each record to w as one sentence for people:
//
//	a message was dropped (channel shell): its signature is wrong
//
// The record's attribute "error" follows the colon, other attributes stand in parentheses, empty ones are left out.
// Records below level are not written.
func Messages(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(&messages{mu: &sync.Mutex{}, w: w, level: level})
}

type messages struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
	with  []slog.Attr
}

func (m *messages) Enabled(_ context.Context, l slog.Level) bool { return l >= m.level }

func (m *messages) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *m
	c.with = append(c.with[:len(c.with):len(c.with)], attrs...)
	return &c
}

// WithGroup keeps the names of attributes as they are: no message has two of one name.
func (m *messages) WithGroup(string) slog.Handler { return m }

func (m *messages) Handle(_ context.Context, r slog.Record) error {
	var about []string
	reason := ""
	add := func(a slog.Attr) bool {
		switch text := OneLine(a.Value.Resolve().String()); {
		case a.Key == "error":
			reason = ": " + text
		case text != "":
			about = append(about, a.Key+" "+text)
		}
		return true
	}
	for _, a := range m.with {
		add(a)
	}
	r.Attrs(add)
	line := OneLine(r.Message)
	if len(about) > 0 {
		line += " (" + strings.Join(about, ", ") + ")"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := fmt.Fprintln(m.w, line+reason)
	return err
}

// OneLine joins the lines of a text for a terminal. It replaces control characters by Go's escapes, so that a terminal
// does not act on them.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "; ") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
