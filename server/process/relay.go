package process

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"nacre/kernel/jupyter"
)

// Relay lets a child answer the requests that this process gets. Text that the child prints itself becomes output of
// the running cell or of the last one. If the child ends, open requests are answered with the reason.
type Relay struct {
	child *Process
	send  func(*jupyter.Message)
	own   string // this side's session identifier in messages
	done  chan struct{}

	mu     sync.Mutex
	open   map[string]*asked // by the identifiers of their messages
	turns  int
	latest *asked // the cell that ended last
	exit   Exit
}

// asked is a request that is open.
type asked struct {
	message *jupyter.Message
	turn    int
	begun   bool
}

// NewRelay starts the child. The function send gets the child's messages.
func NewRelay(c Config, send func(*jupyter.Message)) (*Relay, error) {
	r := &Relay{send: send, own: uuid.NewString(), done: make(chan struct{}), open: map[string]*asked{}}
	child, err := Start(c, Handlers{Message: r.message, Output: r.printed, Exit: r.ended})
	r.child = child
	return r, err
}

// Handle passes a request on.
func (r *Relay) Handle(m *jupyter.Message) {
	if m.Channel != jupyter.Stdin {
		r.mu.Lock()
		r.turns++
		r.open[m.Head().MsgID] = &asked{message: m, turn: r.turns}
		r.mu.Unlock()
	}
	_ = r.child.Send(m)
}

// Interrupt stops the running cell.
func (r *Relay) Interrupt() {
	_ = r.child.Send(jupyter.NewMessage(jupyter.Control, "interrupt_request", r.own, nil, nil))
}

// Done is closed once the child has ended.
func (r *Relay) Done() <-chan struct{} { return r.done }

// Err says why the child has ended. It is nil if the child was asked to end.
func (r *Relay) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exit.Asked || r.exit.Code == 0 {
		return nil
	}
	return r.exit
}

// Close ends the child.
func (r *Relay) Close() {
	r.child.Stop(time.Second)
	<-r.done
}

// message passes on one of the child's, to where its request came from.
func (r *Relay) message(m *jupyter.Message) {
	r.mu.Lock()
	a := r.open[m.ParentHead().MsgID]
	if a != nil {
		m.Route = a.message.Route
		var s struct {
			State string `json:"execution_state"`
		}
		switch {
		case m.Type() == "execute_input":
			a.begun = true
		case m.Type() == "status" && m.Decode(&s) == nil && s.State == "idle":
			delete(r.open, m.ParentHead().MsgID)
			if a.message.Type() == "execute_request" {
				r.latest = a
			}
		}
	}
	r.mu.Unlock()
	if a != nil || m.Channel == jupyter.IOPub {
		r.send(m)
	}
}

// printed passes on the text that the child prints itself. It may come before the message that says that a cell has
// begun.
func (r *Relay) printed(name, text string) {
	r.mu.Lock()
	a := r.latest
	for _, b := range r.open {
		if b.message.Type() == "execute_request" && (a == r.latest || b.turn < a.turn) {
			a = b
		}
	}
	r.mu.Unlock()
	if a != nil {
		r.send(jupyter.NewMessage(jupyter.IOPub, "stream", r.own, a.message,
			map[string]string{"name": name, "text": strings.ToValidUTF8(text, "\uFFFD")}))
	}
}

// ended answers the requests that the child can no longer answer. The cell that ran says why; the cells after it were
// not run.
func (r *Relay) ended(e Exit) {
	r.mu.Lock()
	r.exit = e
	open := slices.SortedFunc(maps.Values(r.open), func(a, b *asked) int { return cmp.Compare(a.turn, b.turn) })
	r.mu.Unlock()
	reason := map[string]any{"ename": "KernelDied", "evalue": e.Reason,
		"traceback": []string{"KernelDied: " + e.Reason, "All variables are gone. The cells above can be run again."}}
	for _, a := range open {
		reply := maps.Clone(reason)
		reply["status"] = "error"
		switch {
		case a.message.Type() != "execute_request":
		case a.begun:
			r.send(jupyter.NewMessage(jupyter.IOPub, "error", r.own, a.message, reason))
		default:
			reply["status"] = "aborted"
		}
		r.send(jupyter.NewMessage(a.message.Channel, strings.TrimSuffix(a.message.Type(), "_request")+"_reply", r.own,
			a.message, reply))
		r.send(jupyter.NewMessage(jupyter.IOPub, "status", r.own, a.message,
			map[string]string{"execution_state": "idle"}))
	}
	close(r.done)
}
