package hub

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nacre/kernel/jupyter"
	"nacre/server/process"
)

const (
	// maxDeaths within deathWindow are the unexpected ends after which a kernel is no longer started again.
	maxDeaths   = 5
	deathWindow = time.Minute
	// grace is how long a kernel has to end when asked.
	grace = time.Second
)

// ended takes the end of a child. One that ended unasked is replaced, and the cell that ran says why.
func (k *Kernel) ended(generation int, e process.Exit) {
	k.mu.Lock()
	defer func() {
		k.mu.Unlock()
		k.touch(k)
	}()
	if generation != k.generation || k.closed {
		return
	}
	k.log.Warn("a kernel ended", "error", e.Reason, "stderr", e.Stderr)
	k.failRequests(e)
	now := time.Now()
	k.deaths = append(k.deaths, now)
	for len(k.deaths) > 0 && now.Sub(k.deaths[0]) > deathWindow {
		k.deaths = k.deaths[1:]
	}
	if len(k.deaths) >= maxDeaths {
		k.child = nil
		k.sayState(Dead, e.Reason+fmt.Sprintf("; it ended %d times in a row and is not started again", len(k.deaths)))
		return
	}
	k.sayState(Restarting, e.Reason)
	if err := k.spawn(); err != nil {
		k.log.Error("a kernel could not be started again", "error", err)
		k.sayState(Dead, err.Error())
	}
}

// failRequests answers everything that the kernel will not answer any more, in order. The running cell shows the reason
// and the last lines that the process printed; cells behind it were not run. Where none had begun the first one shows
// the reason of an end that nobody asked for: it was sent to a kernel that had ended, which was not known yet.
func (k *Kernel) failRequests(e process.Exit) {
	trace := []string{"\x1b[31m" + "KernelDied" + "\x1b[0m: " + e.Reason}
	if e.Stderr != "" && !e.Asked {
		trace = append(trace, strings.Split(e.Stderr, "\n")...)
	}
	trace = append(trace, "All variables are gone. The cells above can be run again.")
	said := e.Asked || k.current() != nil
	open := slices.SortedFunc(maps.Values(k.requests), func(a, b *request) int { return cmp.Compare(a.turn, b.turn) })
	for _, r := range open {
		id := r.message.Head().MsgID
		content := map[string]any{"status": "error", "ename": "KernelDied", "evalue": e.Reason, "traceback": trace}
		if r.message.Type() == "execute_request" {
			if r.ran || !said {
				said = true
				k.say(r.message, "error", map[string]any{"ename": "KernelDied", "evalue": e.Reason, "traceback": trace})
			} else {
				content["status"] = "aborted"
			}
		}
		name, isRequest := strings.CutSuffix(r.message.Type(), "_request")
		if isRequest {
			k.answer(id, jupyter.NewMessage(r.message.Channel, name+"_reply", k.own, r.message, content))
		}
		delete(k.requests, id)
		k.say(r.message, "status", map[string]string{"execution_state": Idle})
	}
}

// Restart replaces the child by a new one. What was asked of the old one is answered with an error.
func (k *Kernel) Restart() error {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return errors.New("the kernel was deleted")
	}
	old := k.child
	k.generation++
	k.child, k.deaths = nil, nil
	k.failRequests(process.Exit{Asked: true, Reason: "the kernel was restarted"})
	k.limit = newLimiter(k.limit.overflow)
	k.mu.Unlock()
	if old != nil {
		old.Stop(grace)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.child != nil { // deleted, or restarted by someone else meanwhile
		return nil
	}
	k.activity = time.Now()
	if err := k.spawn(); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}

// shutdown ends the kernel for good because a client asked for it in a message; its session stays until it is deleted.
func (k *Kernel) shutdown() {
	k.mu.Lock()
	old := k.child
	k.generation++
	k.child = nil
	k.failRequests(process.Exit{Asked: true, Reason: "the kernel was shut down"})
	k.sayState(Dead, "the kernel was shut down")
	k.mu.Unlock()
	if old != nil {
		old.Stop(grace)
	}
	k.touch(k)
}

// close ends the kernel and its connections.
func (k *Kernel) close() {
	k.mu.Lock()
	old := k.child
	k.generation++
	k.child, k.closed = nil, true
	k.failRequests(process.Exit{Asked: true, Reason: "the kernel was shut down"})
	k.sayState(Dead, "the kernel was shut down")
	for c := range k.clients {
		c.close()
	}
	k.clients = map[*Client]bool{}
	k.mu.Unlock()
	if old != nil {
		old.Stop(grace)
	}
}
