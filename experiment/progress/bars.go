package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Bars draws on a terminal a line for every stage under way, below the notes. It is written here because the libraries
// for progress bars draw only one bar, or want to control the whole terminal.
func Bars(w io.Writer) Progress { return &bars{out: w, now: time.Now, width: widthOf(w)} }

// widthOf returns a function for a terminal's present width; 100 if w is not a terminal.
func widthOf(w io.Writer) func() int {
	return func() int {
		if f, ok := w.(*os.File); ok {
			if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
				return n
			}
		}
		return 100
	}
}

// barWidth is the width of a bar. At most mostBars are shown at a time. redrawEvery bounds how often they are drawn.
const (
	barWidth    = 20
	mostBars    = 16
	redrawEvery = 100 * time.Millisecond
)

type bars struct {
	mu     sync.Mutex
	out    io.Writer
	now    func() time.Time
	width  func() int
	active []*barStage
	lines  int // lines on the terminal
	drawn  time.Time
}

type barStage struct {
	tally
	bars *bars
	over bool
}

func (b *bars) Note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw(text)
}

// draw shows the lines anew, below a note if there is one. The caller holds the lock.
func (b *bars) draw(note string) {
	var text strings.Builder
	if b.lines > 0 {
		// to the beginning of the first line, then clear everything below
		fmt.Fprintf(&text, "\x1b[%dF\x1b[J\r", b.lines)
	}
	if note != "" {
		text.WriteString(note + "\n")
	}
	now, width := b.now(), b.width()
	b.lines, b.drawn = 0, now
	for i, s := range b.active {
		line := s.line(now)
		if i == mostBars {
			line = fmt.Sprintf("and %d more", len(b.active)-i)
		}
		text.WriteString(cut(line, width-1) + "\n")
		if b.lines++; i == mostBars {
			break
		}
	}
	_, _ = io.WriteString(b.out, text.String())
}

// cut shortens a line to so many letters.
func cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:max(0, width-1)]) + "…"
}

// line is a bar and the state in words.
func (s *barStage) line(now time.Time) string {
	bar := ""
	if s.total > 0 {
		full := min(barWidth, s.done*barWidth/s.total)
		bar = strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + " "
	}
	return bar + s.state(now)
}

func (b *bars) Stage(name string, total int) Stage {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &barStage{tally: tally{name: name, total: total, start: b.now()}, bars: b}
	b.active = append(b.active, s)
	b.draw("")
	return s
}

// change changes a stage, and shows it if it was last shown long enough ago.
func (s *barStage) change(f func()) {
	s.bars.mu.Lock()
	defer s.bars.mu.Unlock()
	if s.over {
		return
	}
	f()
	if s.bars.now().Sub(s.bars.drawn) >= redrawEvery {
		s.bars.draw("")
	}
}

func (s *barStage) Add(n int) { s.change(func() { s.done += n }) }

func (s *barStage) Describe(text string) { s.change(func() { s.text = text }) }

func (s *barStage) Done() {
	s.bars.mu.Lock()
	defer s.bars.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	for i, a := range s.bars.active {
		if a == s {
			s.bars.active = append(s.bars.active[:i], s.bars.active[i+1:]...)
			break
		}
	}
	s.bars.draw(s.summary(s.bars.now()))
}
