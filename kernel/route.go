package kernel

import (
	"context"
	"os"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

//go:linkname runtimeProfLabel runtime/pprof.runtime_getProfLabel
func runtimeProfLabel() unsafe.Pointer

var (
	runs   sync.Map // label pointer to *run
	serial atomic.Int64
)

// enter makes the calling goroutine, and those it starts, belong to r.
func (r *run) enter() {
	labels := pprof.Labels("nacre cell", strconv.FormatInt(serial.Add(1), 10))
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
	r.label = runtimeProfLabel()
	runs.Store(r.label, r)
}

// leave forgets the runs of a session that is closed, and with them the session.
func (s *session) leave() {
	runs.Range(func(label, r any) bool {
		if r.(*run).session == s {
			runs.Delete(label)
		}
		return true
	})
}

// current is the run the calling goroutine belongs to, nil outside cells.
func current() *run {
	if r, ok := runs.Load(runtimeProfLabel()); ok {
		return r.(*run)
	}
	return nil
}

// sink is where what r displays goes: as owner says, but a picture that it draws again and again stays in its place.
func (r *run) sink() Output {
	if r.late.Load() && !r.cleared.Load() {
		return r.session.latest.Load().out
	}
	return r.out
}

// writer is a stream that belongs to the cell that writes to it.
type writer struct {
	session *session
	name    string
}

func (w writer) Write(p []byte) (int, error) {
	if w.session.files.Load() {
		w.session.streams.flush()
	}
	if r := w.session.owner(); r != nil {
		r.out.Stream(w.name, string(p))
	}
	return len(p), nil
}

// WriteString is a method of os.Stdout that packages look for.
func (w writer) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// Standard implements rt.Standin.
func (w writer) Standard() *os.File {
	if w.name == "stderr" {
		return w.session.streams.stderr
	}
	return w.session.streams.stdout
}

// owner is the run of this session that the calling goroutine belongs to. Where that has ended, or there is none, it is
// the latest: a client that runs a cell shows what comes for that cell, and may drop what comes for another.
func (s *session) owner() *run {
	if r := current(); r != nil && r.session == s && !r.late.Load() {
		return r
	}
	return s.latest.Load()
}
