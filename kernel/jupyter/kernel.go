package jupyter

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"nacre/kernel"
)

// Kernel answers Jupyter's requests with a kernel.Session. Cells run one after the other in the order of their
// requests. Other requests are answered at once, even while a cell runs.
type Kernel struct {
	session kernel.Session
	id      string // identifier of this kernel's session in messages
	send    func(*Message)

	cells    *queue // execute requests
	requests *queue // other requests of the shell channel
	history  history

	ctx    context.Context // ends with the kernel
	cancel context.CancelFunc
	done   chan struct{} // closed when a shutdown was answered
	once   sync.Once
	loops  sync.WaitGroup

	mu      sync.Mutex
	running *running // the cell being executed, nil between cells
	count   int      // count of the last cell
}

// running holds what an interrupt and an answer from the user need of the cell being executed.
type running struct {
	stopped chan struct{} // closed by an interrupt
	stop    sync.Once
	mu      sync.Mutex
	asked   string // msg_id of the open input request, "" for none
	answer  chan string
}

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

// Interrupt stops the running cell.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	r := k.running
	k.mu.Unlock()
	if r != nil {
		r.stop.Do(func() { close(r.stopped) })
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

type status struct {
	State string `json:"execution_state"`
}

func (k *Kernel) publish(parent *Message, msgType string, content any) {
	m := NewMessage(IOPub, msgType, k.id, parent, content)
	m.Route = nil
	k.send(m)
}

func (k *Kernel) reply(request *Message, msgType string, content any) {
	k.send(NewMessage(request.Channel, msgType, k.id, request, content))
}

// failure is the content of a reply that reports an error.
type failure struct {
	Status    string   `json:"status"` // "error" or "aborted"
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	Count     int      `json:"execution_count,omitempty"`
}

func failed(name, value string) failure {
	return failure{Status: "error", Name: name, Value: value, Traceback: []string{}}
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
		k.execute(m)
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
