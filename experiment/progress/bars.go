//go:build !js

package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bars draws a progress bar on a terminal.
func Bars(w io.Writer) Progress { return &bars{out: w, now: time.Now} }

type bars struct {
	mu     sync.Mutex
	out    io.Writer
	now    func() time.Time
	active []*barStage
}

type barStage struct {
	tally
	bars *bars
	bar  *progressbar.ProgressBar
	over bool
}

func (b *bars) Note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.print(text)
}

// print writes a line above the bar. The caller holds the lock.
func (b *bars) print(text string) {
	if n := len(b.active); n > 0 {
		b.active[n-1].bar.Clear()
	}
	fmt.Fprintln(b.out, text)
	if n := len(b.active); n > 0 {
		b.active[n-1].bar.RenderBlank()
	}
}

func (b *bars) Stage(name string, total int) Stage {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.active); n > 0 {
		b.active[n-1].bar.Clear()
	}
	limit := total
	if total <= 0 {
		limit = -1
	}
	bar := progressbar.NewOptions(limit,
		progressbar.OptionSetWriter(b.out),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)
	s := &barStage{tally: tally{name: name, total: total, start: b.now()}, bars: b, bar: bar}
	b.active = append(b.active, s)
	return s
}

// shown says whether the stage is the one the bar shows. The caller holds the lock.
func (s *barStage) shown() bool {
	n := len(s.bars.active)
	return n > 0 && s.bars.active[n-1] == s
}

func (s *barStage) Add(n int) {
	s.bars.mu.Lock()
	defer s.bars.mu.Unlock()
	if s.over {
		return
	}
	s.done += n
	if s.shown() {
		s.bar.Set(s.done)
	}
}

func (s *barStage) Describe(text string) {
	s.bars.mu.Lock()
	defer s.bars.mu.Unlock()
	s.text = text
	if !s.over && s.shown() {
		s.bar.Describe(s.name + " (" + text + ")")
	}
}

func (s *barStage) Done() {
	s.bars.mu.Lock()
	defer s.bars.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	if s.shown() {
		s.bar.Clear()
	}
	for i, a := range s.bars.active {
		if a == s {
			s.bars.active = append(s.bars.active[:i], s.bars.active[i+1:]...)
			break
		}
	}
	s.bars.print(s.summary(s.bars.now()))
}
