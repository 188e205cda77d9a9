package lab

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/library/cell"
	"nacre/library/display"
	"nacre/rl"
)

// watch shows runs during training: a curve for each run, and a line with their progress. It shows nothing if it is
// quiet.
type watch struct {
	curves *display.Curves // nil until a training begins
	small  []*display.Curves
	drawn  map[*Run]*trace
	line   *display.Handle
	device string // device of the present run
	runs   Runs
	there  Runs // runs that were trained already
	began  time.Time
	quiet  bool
	look   *look // nil if there is nothing to do during training

	mu    sync.Mutex
	at    int // index of the present run in runs
	done  int // updates made by the present run
	total int
	made  int     // updates that the present run had made before
	first bool    // whether a training has begun
	base  float64 // share of the work that was done then
	said  time.Time
	uses  resources
}

// pause is the time between two looks at a run.
const pause = 250 * time.Millisecond

// look holds what is done with a run each time its weights were written.
type look struct {
	do   func(*Run) error
	last time.Time
}

// at looks at a run if its weights are newer than those looked at before.
func (l *look) at(r *Run) error {
	if l == nil {
		return nil
	}
	weights, err := os.Stat(filepath.Join(r.Dir, experiment.WeightsFile))
	if err != nil || !weights.ModTime().After(l.last) {
		return nil // none yet, or no newer ones
	}
	l.last = weights.ModTime()
	return l.do(r)
}

func newWatch(runs Runs, quiet bool, l *look) *watch {
	return &watch{runs: runs, began: time.Now(), quiet: quiet, look: l}
}

// progress takes what the training tells of how far it is.
func (w *watch) progress() progress.Progress {
	if w.quiet {
		return nil
	}
	return w
}

// begin shows the curves of all runs, also of those that exist already. It says if a run trains on another device than
// the one asked for first.
func (w *watch) begin(t *experiment.Training) {
	w.device = t.Device()
	if w.quiet {
		return
	}
	w.mu.Lock()
	w.made = int(t.Updates())
	w.mu.Unlock()
	if w.curves == nil {
		w.start("preparing on " + w.device)
	}
	for _, n := range t.Notices() {
		w.Note(n)
	}
}

// start shows the curves, so far of the runs that exist already, with a line below them.
func (w *watch) start(line string) {
	w.curves = display.NewCurves("return on unseen tasks after adaptation", "environment steps", "return").Live()
	for _, p := range panels {
		w.small = append(w.small, w.curves.Panel(p.title))
	}
	w.line = display.Updating(display.Text(line))
	for _, r := range w.there {
		w.draw(r)
	}
}

// follow draws a run's evaluations and looks at it until stop is closed, once more then. An error of looking ends only
// that.
func (w *watch) follow(r *Run, stop chan struct{}) (failed error) {
	for last := false; !last; {
		select {
		case <-stop:
			last = true
		case <-time.After(pause):
		}
		if !w.quiet {
			w.draw(r)
		}
		if failed == nil {
			failed = w.look.at(r)
		}
	}
	return failed
}

// draw draws what was added to a run's tables since it was drawn last.
func (w *watch) draw(r *Run) {
	name := rl.Title(r.cfg.Algorithm)
	if len(w.runs) > 1 {
		name = r.among()
	}
	if w.drawn[r] == nil {
		if w.drawn == nil {
			w.drawn = map[*Run]*trace{}
		}
		w.drawn[r] = newTrace(r.Dir)
	}
	t := w.drawn[r]
	if !t.read() {
		return
	}
	if returns := t.columns["adapted_return"]; returns != nil {
		w.curves.Group(name, r.arm()).Set(name, t.columns["env_steps"], returns)
	}
	for i, p := range panels {
		if y := p.values(t); y != nil {
			w.small[i].Set(name, t.columns["env_steps"][:len(y)], y)
		}
	}
}

// end leaves the curves as they are and says how long it took, or where it was interrupted. If there was nothing to
// train, it shows what the runs hold, and says that they were found.
func (w *watch) end(err error) {
	if w.curves == nil && err == nil && !w.quiet {
		w.start("")
		w.curves.Flush()
		w.line.Update(display.Text(w.foundOnly()))
		return
	}
	if w.curves == nil {
		return
	}
	w.curves.Flush()
	w.line.Update(w.summary(err != nil && cell.Context().Err() != nil))
}

// foundOnly returns what is said of runs that were all there.
func (w *watch) foundOnly() string {
	if len(w.there) == 1 {
		return fmt.Sprintf("found finished in %s: nothing to train", w.there[0].Dir)
	}
	return fmt.Sprintf("all %d runs were found finished in %s: nothing to train", len(w.there),
		filepath.Dir(w.there[0].Dir))
}

// summary returns what is said at the end.
func (w *watch) summary(interrupted bool) display.Renderer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if interrupted && w.at < len(w.runs) {
		text := fmt.Sprintf("interrupted in run %d of %d, update %d of %d, which is kept in %s: run the cell again to "+
			"go on",
			w.at+1, len(w.runs), w.done, w.total, w.runs[w.at].Dir)
		return line{Bundle: display.Text(text), share: w.share(), paused: true}
	}
	return display.Text(fmt.Sprintf("%d of %d runs in %s on %s", w.at, len(w.runs),
		time.Since(w.began).Round(100*time.Millisecond), w.device))
}

// Stage, Note, Add, Describe and Done make w a progress.Progress with the one stage that training has.
func (w *watch) Stage(_ string, total int) progress.Stage {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done, w.total = 0, total
	if total > 0 {
		w.done, w.total = w.made, total+w.made
	}
	if !w.first {
		w.first, w.base, w.began = true, w.share(), time.Now()
	}
	return w
}

func (w *watch) Note(text string) { display.Show(display.Text(text)) }

func (w *watch) Add(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += n
	if time.Since(w.said) < pause || w.total == 0 {
		return
	}
	w.said = time.Now()
	text := fmt.Sprintf("run %d of %d on %s, update %d of %d", w.at+1, len(w.runs), w.device, w.done, w.total)
	l := line{share: w.share()}
	if here := l.share - w.base; here*float64(len(w.runs)) > 0.02 {
		left := time.Duration(float64(time.Since(w.began)) * (1 - l.share) / here)
		l.left = left.Seconds()
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	if l.uses = w.uses.now(w.runs[w.at].Dir); l.uses != "" {
		text += "; " + l.uses
	}
	l.Bundle = display.Text(text)
	w.line.Update(l)
}

// share is the part of the work of all runs that is done. The lock is held.
func (w *watch) share() float64 {
	done := float64(w.at)
	if w.total > 0 {
		done += float64(w.done) / float64(w.total)
	}
	return min(1, done/float64(len(w.runs)))
}

// line is a line of progress. The page shows the share, from 0 to 1, above the notebook with the seconds that are left
// and with what the training uses. It also says the share if the kernel ends before the training does.
type line struct {
	display.Bundle
	share, left float64
	uses        string
	paused      bool
}

// Metadata is what outputs in a notebook carry of it.
func (l line) Metadata() map[string]any {
	m := map[string]any{"share": l.share}
	if l.left > 0 {
		m["left"] = math.Round(l.left)
	}
	if l.uses != "" {
		m["uses"] = l.uses
	}
	if l.paused {
		m["paused"] = true
	}
	return map[string]any{"nacre": m}
}

func (w *watch) Describe(string) {}

func (w *watch) Done() {}

// found counts a run that was there already, and draws it beside others that are trained.
func (w *watch) found(r *Run) {
	w.there = append(w.there, r)
	if w.curves != nil {
		w.draw(r)
	}
	w.finished()
}

// finished counts a run that is trained to its end.
func (w *watch) finished() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at++
}
