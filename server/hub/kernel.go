// Package hub runs the kernels of a notebook server and stands between them and the browsers. It owns the outputs of a
// running notebook. Outputs are numbered, kept and added to the document whether or not a browser is connected. A
// browser that comes back gets the messages that it has missed.
//
//	h := hub.New(hub.Config{Argv: argv, Store: store, Log: slog.Default()})
//	defer h.Close()
//	session, err := h.OpenSession("quickstart.ipynb", "quickstart", "notebook", "", "")
//	client := session.Kernel.Connect("tab-1", hub.Fresh, nil)
//	err = session.Kernel.Send(client, message)
//	for m := client.Next(nil); m != nil; m = client.Next(nil) {
//		fmt.Println(m.Type())
//		client.Sent(m)
//	}
package hub

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"nacre/kernel/jupyter"
	"nacre/server/process"
)

// These are the states of a kernel, with Jupyter's names.
const (
	Starting   = "starting"
	Idle       = "idle"
	Busy       = "busy"
	Restarting = "restarting"
	Dead       = "dead"
)

// Kernel is one kernel. It runs as a child process, which is replaced by another if the kernel is restarted or the
// process ends by itself.
type Kernel struct {
	ID   string
	Name string

	start func(process.Handlers) (*process.Process, error)
	log   *slog.Logger
	touch func(*Kernel) // called, without the lock, when outputs have changed or a client came or went
	own   string        // this side's session identifier in messages

	mu         sync.Mutex
	child      *process.Process
	generation int // number of the child; messages and ends of earlier children are ignored
	state      string
	activity   time.Time
	deaths     []time.Time
	closed     bool
	clients    map[*Client]bool
	left       map[string]uint64   // client sessions that are gone → number of the last message they got
	requests   map[string]*request // open requests by message identifier
	asked      uint64              // number of requests so far
	latest     *request            // request of the cell that ended last in this child
	taken      recent              // identifiers of cells' requests; a request that comes again is not run again
	ring       ring
	runs       runs
	limit      limiter
}

// request is an open request of a client.
type request struct {
	message *jupyter.Message
	turn    uint64           // number of the request; requests are answered in order
	session string           // session of the client's connection
	cell    string           // cell of the notebook, "" if unknown
	ran     bool             // its execution has begun
	asked   *jupyter.Message // open question to the user
}

func newKernel(name string, start func(process.Handlers) (*process.Process, error), log *slog.Logger, o *overflow,
	touch func(*Kernel), timing bool) (*Kernel, error) {
	id := uuid.NewString()
	k := &Kernel{
		ID: id, Name: name, start: start, log: log.With("kernel", id), touch: touch, own: uuid.NewString(),
		state:    Starting,
		activity: time.Now(), clients: map[*Client]bool{}, left: map[string]uint64{}, requests: map[string]*request{},
		runs: newRuns(timing), limit: newLimiter(o),
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k, k.spawn()
}

// spawn starts a child. The lock is held.
func (k *Kernel) spawn() error {
	k.generation++
	k.latest = nil
	generation := k.generation
	child, err := k.start(process.Handlers{
		Message: func(m *jupyter.Message) { k.received(generation, m) },
		Output:  func(name, text string) { k.printed(generation, name, text) },
		Exit:    func(e process.Exit) { k.ended(generation, e) },
	})
	if err != nil {
		k.state = Dead
		return err
	}
	k.child, k.state = child, Starting
	k.log.Info("a kernel started", "pid", child.PID())
	return nil
}

// Send passes a client's request on to the kernel.
func (k *Kernel) Send(c *Client, m *jupyter.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m.Type() == "nacre_again" {
		return k.again(c, m)
	}
	k.activity = time.Now()
	if k.state == Dead || k.child == nil {
		return errors.New("the kernel has ended; restart it")
	}
	id := m.Head().MsgID
	switch {
	case m.Channel == jupyter.IOPub:
		return errors.New("clients do not send on iopub")
	case m.Channel == jupyter.Stdin:
		if !k.answered(m) {
			return nil // sent once more by who lost the connection, or too late
		}
	case m.Type() == "execute_request" && id != "" && !k.taken.add(id):
		// it is over: its messages are also replayed, unless some are not kept any more
		if k.requests[id] == nil {
			c.push(jupyter.NewMessage(jupyter.IOPub, "status", k.own, m, map[string]string{"execution_state": Idle}))
		}
		return nil
	case m.Type() == "shutdown_request":
		go k.shutdown()
		return nil
	default:
		k.asked++
		k.requests[id] = &request{message: m, turn: k.asked, session: c.session, cell: jupyter.CellID(m)}
	}
	if m.Type() == "execute_request" {
		k.runs.queue(m, k.ring.last)
	}
	return k.deliver(m)
}

// deliver hands a message to the child. The lock is held, which keeps the order.
func (k *Kernel) deliver(m *jupyter.Message) error {
	return k.child.Send(m)
}

// received takes a message of the child's.
func (k *Kernel) received(generation int, m *jupyter.Message) {
	k.mu.Lock()
	changed := false
	if generation == k.generation {
		changed = k.take(m)
	}
	k.mu.Unlock()
	if changed {
		k.touch(k)
	}
}

// take handles a message of the kernel's and reports whether the document has changed. The lock is held.
func (k *Kernel) take(m *jupyter.Message) bool {
	k.activity = time.Now()
	parent := m.ParentHead().MsgID
	if m.Channel != jupyter.IOPub {
		k.answer(parent, m)
		return false
	}
	return k.publishAll(parent, k.limit.pass(m, k.activity))
}

func (k *Kernel) publishAll(parent string, list []*jupyter.Message) bool {
	changed := false
	for _, m := range list {
		changed = k.publish(parent, m) || changed
	}
	return changed
}

// publish numbers, keeps and spreads a message on the iopub channel.
func (k *Kernel) publish(parent string, m *jupyter.Message) bool {
	changed := k.runs.apply(m, k.ring.last+1)
	if m.Type() == "status" {
		k.noteStatus(parent, m)
		changed = true
	}
	k.spread(k.ring.add(m, k.cellOf(parent)))
	return changed
}

// cellOf is the cell to whose run a message belongs, even after the run has ended.
func (k *Kernel) cellOf(parent string) string {
	if r := k.requests[parent]; r != nil {
		return r.cell
	}
	if r := k.runs.byMessage[parent]; r != nil {
		return r.cell
	}
	return ""
}

// answered notes that the user has answered a question, and reports whether there was one.
func (k *Kernel) answered(m *jupyter.Message) (open bool) {
	parent := m.ParentHead().MsgID
	for _, r := range k.requests {
		if r.asked != nil && (parent == "" || r.asked.Head().MsgID == parent) {
			r.asked, open = nil, true
		}
	}
	return open
}

// noteStatus follows the kernel's state: it is busy while a cell runs, whatever else it answers meanwhile.
func (k *Kernel) noteStatus(parent string, m *jupyter.Message) {
	var s struct {
		State string `json:"execution_state"`
	}
	if m.Decode(&s) != nil {
		return
	}
	r := k.requests[parent]
	switch {
	case parent == "":
		k.state = s.State
	case r != nil && r.message.Type() == "execute_request":
		k.state = s.State
		r.ran = true
	}
	if s.State == Idle && r != nil {
		delete(k.requests, parent)
		if r.message.Type() == "execute_request" {
			k.latest = r
		}
	}
}

// answer passes on a reply or a question to the client whose request it belongs to. When that client is gone, the ends
// of cells and questions to the user go to whoever is there.
func (k *Kernel) answer(parent string, m *jupyter.Message) {
	r := k.requests[parent]
	lasting := m.Type() == "execute_reply" || m.Type() == "input_request"
	if lasting {
		k.runs.reply(m, k.ring.last+1)
		m = k.ring.add(m, k.cellOf(parent))
	}
	if r != nil && lasting {
		r.asked = nil
		if m.Type() == "input_request" {
			r.asked = m
		}
	}
	var asker *Client
	for c := range k.clients {
		if r != nil && c.session == r.session {
			asker = c
		}
	}
	if asker == nil {
		if lasting {
			k.spread(m)
		}
		return
	}
	asker.push(m)
	if !lasting {
		return
	}
	for c := range k.clients {
		if c != asker {
			c.push(elsewhere(m))
		}
	}
}

func (k *Kernel) spread(m *jupyter.Message) {
	for c := range k.clients {
		c.push(m)
	}
}

// printed takes what the child prints itself, for example a C library's messages: it belongs to the running
// cell, or the last one. It may come before the message that says that the cell has begun.
func (k *Kernel) printed(generation int, name, text string) {
	k.mu.Lock()
	changed := false
	r := k.latest
	for _, q := range k.requests {
		if q.message.Type() == "execute_request" && (r == k.latest || q.turn < r.turn) {
			r = q
		}
	}
	if generation == k.generation && r != nil {
		m := jupyter.NewMessage(jupyter.IOPub, "stream", k.own, r.message,
			map[string]string{"name": name, "text": text})
		k.activity = time.Now()
		changed = k.publishAll(m.ParentHead().MsgID, k.limit.native(m, k.activity))
	}
	k.mu.Unlock()
	if changed {
		k.touch(k)
	} else {
		k.log.Debug("a kernel printed outside a cell", "stream", name, "text", text)
	}
}

// current is the request of the running cell, nil between cells.
func (k *Kernel) current() *request {
	for _, r := range k.requests {
		if r.ran && r.message.Type() == "execute_request" {
			return r
		}
	}
	return nil
}

// Interrupt stops the running cell.
func (k *Kernel) Interrupt() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child == nil || k.state == Dead {
		return errors.New("the kernel has ended; restart it")
	}
	return k.deliver(jupyter.NewMessage(jupyter.Control, "interrupt_request", k.own, nil, nil))
}

// Model describes the kernel as Jupyter's REST interface does.
type Model struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	LastActivity   time.Time `json:"last_activity"`
	ExecutionState string    `json:"execution_state"`
	Connections    int       `json:"connections"`
}

// Model describes the kernel.
func (k *Kernel) Model() Model {
	k.mu.Lock()
	defer k.mu.Unlock()
	return Model{k.ID, k.Name, k.activity.UTC(), k.state, len(k.clients)}
}

// PID is the process number of the present child.
func (k *Kernel) PID() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child == nil {
		return 0
	}
	return k.child.PID()
}

// say publishes a message of the server's own. The lock is held.
func (k *Kernel) say(parent *jupyter.Message, msgType string, content any) {
	m := jupyter.NewMessage(jupyter.IOPub, msgType, k.own, parent, content)
	k.publish(m.ParentHead().MsgID, m)
}

// sayState tells clients the kernel's state, and why.
func (k *Kernel) sayState(state, reason string) {
	k.say(nil, "status", map[string]string{"execution_state": state, "reason": reason})
	k.state = state
}
