package jupyter

import (
	"context"

	"github.com/google/uuid"

	"nacre/kernel"
)

// NewKernel starts answering requests. The function send transports its messages. Several goroutines call it, but the
// messages of one parent come one at a time. It may block to slow the kernel down.
func NewKernel(s kernel.Session, send func(*Message)) *Kernel {
	ctx, cancel := context.WithCancel(context.Background())
	k := &Kernel{
		session: s, id: uuid.NewString(), send: send, cells: newQueue(), requests: newQueue(),
		ctx: ctx, cancel: cancel, done: make(chan struct{}),
	}
	k.loops.Add(2)
	go k.serve(k.cells)
	go k.serve(k.requests)
	return k
}

// Announce tells listeners that the kernel has started.
func (k *Kernel) Announce() {
	k.publish(nil, "status", status{"starting"})
	k.publish(nil, "status", status{"idle"})
}

// Handle takes one request. It never blocks on a cell.
func (k *Kernel) Handle(m *Message) {
	switch {
	case m.Channel == Stdin:
		k.answered(m)
	case m.Channel == Control:
		k.dispatch(m)
	case m.Type() == "execute_request" || m.Type() == "control_request": // a control is moved between cells
		k.cells.push(m)
	default:
		k.requests.push(m)
	}
}

// Done is closed when a shutdown request has been answered.
func (k *Kernel) Done() <-chan struct{} { return k.done }

// Interrupt stops the running cell, also one that was taken and does not run yet.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	r := k.running
	k.mu.Unlock()
	if r != nil {
		r.stop()
	}
	k.session.Interrupt()
}

// Close stops answering, interrupts the running cell and waits for it. The session stays open.
func (k *Kernel) Close() {
	k.cells.close()
	k.requests.close()
	k.cancel()
	k.Interrupt()
	k.loops.Wait()
}

func (k *Kernel) serve(q *queue) {
	defer k.loops.Done()
	for {
		m := q.pop()
		if m == nil {
			return
		}
		k.dispatch(m)
	}
}

// dispatch answers one request, with busy before and idle after it.
func (k *Kernel) dispatch(m *Message) {
	k.publish(m, "status", status{"busy"})
	end := k.respond(m)
	k.publish(m, "status", status{"idle"})
	if end {
		k.once.Do(func() { close(k.done) })
	}
}

// respond answers one request and reports whether the kernel is to end.
func (k *Kernel) respond(m *Message) (end bool) {
	switch msgType := m.Type(); msgType {
	case "execute_request":
		run := runID(m)
		k.mu.Lock()
		over := run != "" && run == k.stopped
		k.mu.Unlock()
		if over {
			k.reply(m, "execute_reply", aborted)
		} else if k.execute(m) {
			k.mu.Lock()
			k.stopped = run
			k.mu.Unlock()
			k.abort()
		}
	case "kernel_info_request":
		k.reply(m, "kernel_info_reply", k.info())
	case "complete_request":
		k.complete(m)
	case "inspect_request":
		k.inspect(m)
	case "signature_request":
		k.signature(m)
	case "problems_request":
		k.problems(m)
	case "format_request":
		k.format(m)
	case "definition_request":
		k.definition(m)
	case "rename_request":
		k.rename(m)
	case "stale_request":
		k.stale(m)
	case "control_request":
		k.move(m)
	case "search_request":
		k.search(m)
	case "is_complete_request":
		k.isComplete(m)
	case "history_request":
		k.recall(m)
	case "variables_request":
		k.variables(m)
	case "program_request":
		k.program(m)
	case "comm_info_request":
		k.reply(m, "comm_info_reply", map[string]any{"status": "ok", "comms": map[string]any{}})
	case "comm_open":
		k.refuseComm(m)
	case "comm_msg", "comm_close":
	case "interrupt_request":
		k.Interrupt()
		k.reply(m, "interrupt_reply", map[string]any{"status": "ok"})
	case "shutdown_request":
		return k.shutdown(m)
	default:
		if name, ok := replyName(msgType); ok {
			k.reply(m, name, failed("NotOffered", "this kernel does not answer "+msgType))
		}
	}
	return false
}

func (k *Kernel) shutdown(m *Message) bool {
	var c struct {
		Restart bool `json:"restart"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "shutdown_reply", failed("BadRequest", err.Error()))
		return false
	}
	k.Interrupt()
	k.reply(m, "shutdown_reply", map[string]any{"status": "ok", "restart": c.Restart})
	k.publish(m, "shutdown_reply", map[string]any{"status": "ok", "restart": c.Restart})
	return true
}

// abort answers the cells that wait behind a cell that failed. Controls are still moved.
func (k *Kernel) abort() {
	for _, m := range k.cells.drain() {
		if m.Type() != "execute_request" {
			k.dispatch(m)
			continue
		}
		k.publish(m, "status", status{"busy"})
		k.reply(m, "execute_reply", aborted)
		k.publish(m, "status", status{"idle"})
	}
}

// aborted answers a cell that does not run because one before it has failed.
var aborted = failure{Status: "aborted", Traceback: []string{}}
