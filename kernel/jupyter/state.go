package jupyter

import (
	"context"
	"sync"

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
	stopped string   // the last run of several cells that one of them ended
}

// running holds what an interrupt and an answer from the user need of the cell being executed.
type running struct {
	ctx    context.Context // ends with the cell, by an interrupt or with the kernel
	stop   context.CancelFunc
	mu     sync.Mutex
	asked  string // msg_id of the open input request, "" for none
	answer chan string
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
