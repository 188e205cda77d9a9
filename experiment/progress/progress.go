// Package progress shows what a long command is doing: a bar on a terminal, a plain line every few seconds anywhere
// else, or nothing if quiet. Callers only report what happens; they do not know which of the three forms is used.
//
//	p := progress.Auto(os.Stderr, quiet)
//	stage := p.Stage("PEARL, seed 1", 500)
//	for i := range 500 {
//		train(i)
//		stage.Describe("return -12.3")
//		stage.Add(1)
//	}
//	stage.Done()
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress receives a command's reports. Its methods and those of its stages may be called from any goroutine.
type Progress interface {
	// Stage begins a stage of total units of work; total 0 means that the number is unknown. Stages may overlap: a bar
	// shows the latest one that is not done.
	Stage(name string, total int) Stage
	// Note shows one line that stays, above the bar if there is one.
	Note(text string)
}

// Stage is a piece of work under way.
type Stage interface {
	// Add reports that n more units are done; 0 only reports that the work goes on.
	Add(n int)
	// Describe sets a short text shown beside the stage: the latest loss or return.
	Describe(text string)
	// Done ends the stage, even if some of its units were not done. Later calls do nothing.
	Done()
}

// Auto returns a bar if f is a terminal and plain lines if it is not. With quiet it returns Silent.
func Auto(f *os.File, quiet bool) Progress {
	switch {
	case quiet:
		return Silent()
	case term.IsTerminal(int(f.Fd())):
		return Bars(f)
	}
	return Lines(f, 5*time.Second)
}

// Silent shows nothing.
func Silent() Progress { return silent{} }

type silent struct{}

func (silent) Stage(string, int) Stage { return silent{} }
func (silent) Note(string)             {}
func (silent) Add(int)                 {}
func (silent) Describe(string)         {}
func (silent) Done()                   {}

// LineWriter turns text written to it into notes, line by line, so that log output does not break a bar.
func LineWriter(p Progress) io.Writer { return &lineWriter{p: p} }

type lineWriter struct {
	mu   sync.Mutex
	p    Progress
	rest string
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(w.rest+string(b), "\n")
	w.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		w.p.Note(line)
	}
	return len(b), nil
}

// Lines writes plain lines to w: one when a stage begins, one at most every interval while it goes on, one when it
// is done.
func Lines(w io.Writer, interval time.Duration) Progress {
	return &lines{out: w, interval: interval, now: time.Now}
}

type lines struct {
	mu       sync.Mutex
	out      io.Writer
	interval time.Duration
	now      func() time.Time
}

func (l *lines) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, text)
}

func (l *lines) Stage(name string, total int) Stage {
	s := &lineStage{lines: l, tally: tally{name: name, total: total, start: l.now()}}
	s.printed = s.start
	if total > 0 {
		l.Note(fmt.Sprintf("%s: 0 of %d", name, total))
	} else {
		l.Note(name)
	}
	return s
}

type lineStage struct {
	tally
	lines   *lines
	printed time.Time
	over    bool
}

func (s *lineStage) Add(n int) {
	s.lines.mu.Lock()
	defer s.lines.mu.Unlock()
	s.done += n
	now := s.lines.now()
	if s.over || now.Sub(s.printed) < s.lines.interval {
		return
	}
	s.printed = now
	fmt.Fprintln(s.lines.out, s.state(now))
}

func (s *lineStage) Describe(text string) {
	s.lines.mu.Lock()
	defer s.lines.mu.Unlock()
	s.text = text
}

func (s *lineStage) Done() {
	s.lines.mu.Lock()
	defer s.lines.mu.Unlock()
	if !s.over {
		s.over = true
		fmt.Fprintln(s.lines.out, s.summary(s.lines.now()))
	}
}

// tally counts a stage's work and puts it into words.
type tally struct {
	name, text  string
	done, total int
	start       time.Time
}

// state is the line while the stage goes on.
func (t *tally) state(now time.Time) string {
	line := fmt.Sprintf("%s: %d", t.name, t.done)
	switch {
	case t.total > 0:
		line += fmt.Sprintf(" of %d", t.total)
	case t.done == 0: // nothing is counted
		line = fmt.Sprintf("%s: %s", t.name, round(now.Sub(t.start)))
	}
	if t.text != "" {
		line += ", " + t.text
	}
	if t.total > 0 && t.done > 0 && t.done < t.total {
		left := now.Sub(t.start) * time.Duration(t.total-t.done) / time.Duration(t.done)
		line += fmt.Sprintf(", about %s left", round(left))
	}
	return line
}

// summary is the line when it is done.
func (t *tally) summary(now time.Time) string {
	line := t.name + ": "
	if t.total > 0 || t.done > 0 {
		line += fmt.Sprint(t.done)
		if t.total > 0 && t.done != t.total {
			line += fmt.Sprintf(" of %d", t.total)
		}
		line += " in "
	}
	line += round(now.Sub(t.start)).String()
	if t.text != "" {
		line += ", " + t.text
	}
	return line
}

// round keeps durations readable: tenths below ten seconds, whole seconds above.
func round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
