package jupyter

import (
	"errors"
	"strings"
	"sync"
	"time"

	"nacre/kernel"
)

// These are errors of Output.Input.
var (
	ErrNoInput     = errors.New("this client cannot be asked for input")
	ErrInterrupted = errors.New("interrupted while waiting for input")
)

const (
	// streamDelay is how long text waits for more text to travel with it.
	streamDelay = 10 * time.Millisecond
	// streamChunk is the length of text, in bytes, that does not wait.
	streamChunk = 1 << 16
)

// output turns what a cell shows into messages with the cell's request as their parent, also after the cell has ended.
type output struct {
	k          *Kernel
	parent     *Message
	run        *running
	allowStdin bool

	mu    sync.Mutex // held while sending, so that messages keep their order
	name  string     // name of the stream of text
	text  strings.Builder
	timer *time.Timer // sends text when it fires; nil if no text waits
}

func newOutput(k *Kernel, parent *Message, run *running, allowStdin bool) *output {
	return &output{k: k, parent: parent, run: run, allowStdin: allowStdin}
}

// Stream implements kernel.Output. Text is sent together with the text that follows within 10 ms.
func (o *output) Stream(name, text string) {
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.name != name {
		o.flushLocked()
		o.name = name
	}
	o.text.WriteString(text)
	if o.text.Len() >= streamChunk {
		o.flushLocked()
	} else if o.timer == nil {
		o.timer = time.AfterFunc(streamDelay, o.flush)
	}
}

func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
}

func (o *output) flushLocked() {
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	if o.text.Len() == 0 {
		return
	}
	text := o.text.String()
	o.text.Reset()
	o.k.publish(o.parent, "stream", map[string]string{"name": o.name, "text": strings.ToValidUTF8(text, "\uFFFD")})
}

func (o *output) publish(msgType string, content any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	o.k.publish(o.parent, msgType, content)
}

// Display implements kernel.Output.
func (o *output) Display(d kernel.Data) { o.display("display_data", d) }

// Update implements kernel.Output.
func (o *output) Update(d kernel.Data) { o.display("update_display_data", d) }

func (o *output) display(msgType string, d kernel.Data) {
	data, metadata := bundle(d)
	transient := map[string]any{}
	if d.ID != "" {
		transient["display_id"] = d.ID
	}
	o.publish(msgType, map[string]any{"data": data, "metadata": metadata, "transient": transient})
}

// Clear implements kernel.Output.
func (o *output) Clear(wait bool) { o.publish("clear_output", map[string]bool{"wait": wait}) }

func (o *output) result(d kernel.Data, count int) {
	data, metadata := bundle(d)
	transient := map[string]any{}
	if d.ID != "" {
		transient["display_id"] = d.ID
	}
	o.publish("execute_result", map[string]any{"execution_count": count, "data": data, "metadata": metadata,
		"transient": transient})
}

func (o *output) failed(e *kernel.Error) {
	o.publish("error", map[string]any{"ename": e.Name, "evalue": e.Message, "traceback": traceback(e)})
}

// Input implements kernel.Output.
func (o *output) Input(prompt string, password bool) (string, error) {
	if !o.allowStdin {
		return "", ErrNoInput
	}
	o.flush()
	request := NewMessage(Stdin, "input_request", o.k.id, o.parent,
		map[string]any{"prompt": prompt, "password": password})
	o.run.mu.Lock()
	o.run.asked = request.Head().MsgID
	o.run.mu.Unlock()
	o.k.send(request)
	select {
	case text := <-o.run.answer:
		return text, nil
	case <-o.run.ctx.Done():
	}
	o.run.mu.Lock()
	o.run.asked = ""
	o.run.mu.Unlock()
	return "", ErrInterrupted
}

// answered hands the user's answer to the cell that asked. An answer to something else is dropped.
func (k *Kernel) answered(m *Message) {
	k.mu.Lock()
	run := k.running
	k.mu.Unlock()
	var c struct {
		Value string `json:"value"`
	}
	if run == nil || m.Type() != "input_reply" || m.Decode(&c) != nil {
		return
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	if parent := m.ParentHead().MsgID; run.asked == "" || (parent != "" && parent != run.asked) {
		return
	}
	run.asked = ""
	run.answer <- c.Value
}

func traceback(e *kernel.Error) []string {
	if len(e.Traceback) == 0 {
		return []string{e.Name + ": " + e.Message}
	}
	return e.Traceback
}
