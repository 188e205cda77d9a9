package pyfamily

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// printer shows what environments print: every line once, and no more than some.
type printer struct {
	mu    sync.Mutex
	out   *os.File
	shown map[string]bool
}

const shownLines = 20

func (p *printer) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown[text] || len(p.shown) > shownLines {
		return
	}
	p.shown[text] = true
	if len(p.shown) > shownLines {
		text = "(further lines that the environments print are not shown)"
	}
	fmt.Fprintln(p.out, text)
}

// tail keeps the last lines that a process printed.
type tail struct {
	mu    sync.Mutex
	rest  []byte   // of a line that is not complete
	lines []string // the last ones
	to    *printer // nil: nobody
}

const tailLines = 200

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, p...)
	for {
		k := slices.Index(t.rest, '\n')
		if k < 0 {
			break
		}
		line := strings.TrimRight(string(t.rest[:k]), "\r")
		t.rest = t.rest[k+1:]
		if t.lines = append(t.lines, line); len(t.lines) > tailLines {
			t.lines = t.lines[1:]
		}
		if t.to != nil && strings.TrimSpace(line) != "" {
			t.to.line(line)
		}
	}
	if len(t.rest) > 1<<16 {
		t.rest = nil
	}
	return len(p), nil
}

// quiet keeps what follows and shows none of it.
func (t *tail) quiet() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to, t.lines = nil, nil
}

func (t *tail) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}

var frame = regexp.MustCompile(`^  File "([^"]+)", line (\d+),? in (.*)$`)

// stuckAt is where the main thread of a process was, of what Python's faulthandler wrote: the innermost line that is
// the user's, or any.
func stuckAt(lines []string) string {
	var inside, first, users string
	for _, line := range lines {
		m := frame.FindStringSubmatch(line)
		switch {
		case strings.Contains(line, "most recent call first"):
			first, users = "", ""
		case m == nil:
		case m[1] == "<string>":
			if m[3] == "main" {
				inside = cmp.Or(users, first)
			}
		default:
			where := fmt.Sprintf("%s, line %s, in %s", unescaped(m[1]), m[2], unescaped(m[3]))
			first = cmp.Or(first, where)
			if !strings.Contains(m[1], "-packages") && !strings.Contains(m[1], "/lib/python") {
				users = cmp.Or(users, where)
			}
		}
	}
	return inside
}

var escape = regexp.MustCompile(`\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})`)

// unescaped is a name that faulthandler has written, which writes only ASCII.
func unescaped(name string) string {
	return escape.ReplaceAllStringFunc(name, func(s string) string {
		code, err := strconv.ParseUint(s[2:], 16, 32)
		if err != nil {
			return s
		}
		return string(rune(code))
	})
}
