// Package process runs a notebook kernel as a child process. Messages travel over two inherited pipes. The output that
// the process itself prints is collected, and its memory is limited. Its end is reported in one sentence, whatever the
// cause.
//
//	p, err := process.Start(process.Config{Argv: []string{"nacre", "kernel", "--pipe"}}, process.Handlers{
//		Message: func(m *jupyter.Message) { client.Deliver(m) },
//		Exit:    func(e process.Exit) { client.Lost(e) },
//	})
//	err = p.Send(message)
package process

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/kernel/jupyter"
)

// MemoryVariable is the environment variable in which the child finds its limit, in bytes.
const MemoryVariable = "NACRE_KERNEL_MEMORY"

// TokenVariable is the environment variable in which a server may find its token. A child does not get it.
const TokenVariable = "NACRE_TOKEN"

// Config describes the process to start.
type Config struct {
	Argv   []string
	Dir    string   // working directory
	Env    []string // added to this process's environment, without the server's token
	Memory int64    // limit in bytes, 0 for none
}

// Handlers are called when the child does something. Message and Exit are called from one goroutine each. Text that the
// process printed before it sent a message goes to Output before this message goes to Message.
type Handlers struct {
	Message func(*jupyter.Message)
	Output  func(name, text string) // gets text that the process itself prints, not a cell; may be nil
	Exit    func(Exit)              // called once, after the last Message and Output
}

// Process is a running child.
type Process struct {
	cmd    *exec.Cmd
	out    outbox
	pipe   *os.File
	prints []*printed
	tail   tail
	mu     sync.Mutex
	killed string // the reason why this side ended it, "" if it did not
	done   chan struct{}
}

// Exit says how a child ended. It is an error: open requests to the kernel fail with it.
type Exit struct {
	Code   int    // exit status, -1 after a signal
	Signal string // name of the signal, such as "killed"; "" for none
	Stderr string // the last lines that the process printed
	Asked  bool   // whether it ended because it was asked to
	Reason string // the reason in one sentence
}

func (e Exit) Error() string { return e.Reason }

// Start starts the child.
func Start(c Config, h Handlers) (*Process, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("no command for the kernel")
	}
	requests, requestsIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	messagesOut, messages, err := os.Pipe()
	if err != nil {
		closeAll(requests, requestsIn)
		return nil, err
	}
	p := &Process{cmd: exec.Command(c.Argv[0], c.Argv[1:]...), pipe: requestsIn, done: make(chan struct{})}
	p.cmd.Dir = c.Dir
	p.cmd.Env = append(withoutSecret(os.Environ()), c.Env...)
	if c.Memory > 0 {
		p.cmd.Env = append(p.cmd.Env, MemoryVariable+"="+strconv.FormatInt(c.Memory, 10))
	}
	p.cmd.ExtraFiles = []*os.File{requests, messages}
	p.cmd.SysProcAttr = ownGroup()
	stdout, err := p.printed("stdout", h.Output)
	if err == nil {
		p.cmd.Stdout = stdout
		p.cmd.Stderr, err = p.printed("stderr", h.Output)
	}
	if err == nil {
		err = startOnThread(p.cmd, p.done)
	}
	closeAll(requests, messages)
	for _, w := range p.prints {
		w.theirs.Close()
	}
	if err != nil {
		closeAll(requestsIn, messagesOut)
		for _, w := range p.prints {
			w.r.Close()
		}
		return nil, fmt.Errorf("start the kernel %s: %w", c.Argv[0], err)
	}
	for _, w := range p.prints {
		go w.follow()
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(messagesOut, h.Message)
	}()
	p.out.ready = make(chan struct{}, 1)
	go p.out.write(jupyter.NewWriter(requestsIn), p.done)
	go p.wait(read, messagesOut, h.Exit)
	return p, nil
}

// withoutSecret returns an environment without the server's token, because cells and processes that they start do not
// need it.
func withoutSecret(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, TokenVariable+"=") })
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// read hands on the child's messages until its end of the pipe is closed.
func (p *Process) read(r io.ReadCloser, on func(*jupyter.Message)) {
	in := jupyter.NewReader(r)
	for {
		m, err := in.Read()
		switch {
		case errors.Is(err, jupyter.ErrTooLarge):
		case err != nil:
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
				p.Kill(err.Error())
			}
			return
		default:
			for _, w := range p.prints {
				w.drain()
			}
			on(m)
		}
	}
}

// wait reports the child's end. It does not wait for other processes, which the child started and which may hold the
// pipe open.
func (p *Process) wait(read chan struct{}, messages *os.File, on func(Exit)) {
	err := p.cmd.Wait()
	p.pipe.Close()
	late := time.After(2 * time.Second)
	select {
	case <-read:
	case <-late:
	}
	messages.Close()
	<-read
	for _, w := range p.prints {
		select {
		case <-w.done:
		case <-late:
			w.drain()
		}
		w.r.Close()
		<-w.done
	}
	close(p.done)
	on(p.exit(err))
}

// Send sends a message to the child. It does not wait until the child reads it.
func (p *Process) Send(m *jupyter.Message) error { return p.out.add(m) }

// maxWaiting is the largest number of messages that wait for the child to read them.
const maxWaiting = 100_000

// outbox holds the messages that go to the child.
type outbox struct {
	mu    sync.Mutex
	list  []*jupyter.Message
	ready chan struct{}
}

func (o *outbox) add(m *jupyter.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.list) >= maxWaiting {
		return fmt.Errorf("the kernel does not read its messages: %d wait", len(o.list))
	}
	o.list = append(o.list, m)
	select {
	case o.ready <- struct{}{}:
	default:
	}
	return nil
}

// write writes messages until the child is gone. Other code notices that it is gone.
func (o *outbox) write(w *jupyter.Writer, done <-chan struct{}) {
	for {
		select {
		case <-o.ready:
		case <-done:
			return
		}
		o.mu.Lock()
		list := o.list
		o.list = nil
		o.mu.Unlock()
		for _, m := range list {
			if w.Write(m) != nil {
				return
			}
		}
	}
}

// PID is the child's process number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill immediately ends the child and all processes that it has started. The argument reason may be empty; otherwise it
// completes the sentence "the kernel was ended because".
func (p *Process) Kill(reason string) {
	p.mu.Lock()
	p.killed = cmp.Or(p.killed, reason)
	p.mu.Unlock()
	killGroup(p.cmd.Process)
}

// Stop asks the child to end. If the child has not ended after the time grace, Stop kills it.
func (p *Process) Stop(grace time.Duration) {
	const asked = "asked"
	p.mu.Lock()
	p.killed = cmp.Or(p.killed, asked)
	p.mu.Unlock()
	go func() {
		_ = p.Send(jupyter.NewMessage(jupyter.Control, "shutdown_request", "server", nil,
			map[string]bool{"restart": false}))
	}()
	select {
	case <-p.done:
		return
	case <-time.After(grace):
	}
	p.Kill(asked)
	<-p.done
}

// exit describes the end of the child.
func (p *Process) exit(err error) Exit {
	p.mu.Lock()
	killed := p.killed
	p.mu.Unlock()
	state := p.cmd.ProcessState
	e := Exit{Code: state.ExitCode(), Signal: signalName(state), Stderr: p.tail.String(), Asked: killed == "asked"}
	switch {
	case e.Asked:
		e.Reason = "the kernel was shut down"
	case killed != "":
		e.Reason = "the kernel was ended because " + killed
	case outOfMemory(e):
		e.Reason = "the kernel ended because it needed more memory than it may use"
	case e.Signal == "killed":
		e.Reason = "the kernel was killed from outside (by hand, or by the system when memory ran out)"
	case e.Signal != "":
		e.Reason = "the kernel crashed: " + e.Signal
	case e.Code == 0:
		e.Reason = "the kernel ended by itself (exit status 0)"
	default:
		e.Reason = fmt.Sprintf("the kernel ended with exit status %d", e.Code)
	}
	if err != nil && state == nil {
		e.Reason += ": " + err.Error()
	}
	return e
}

// outOfMemory recognises the messages of the Go runtime and of C++ when the system refuses memory.
func outOfMemory(e Exit) bool {
	for _, sign := range []string{
		"out of memory", "cannot allocate memory", "std::bad_alloc",
		// No room for a thread's stack, in Go and in C.
		"failed to create new OS thread", "pthread_create failed",
		// Go's collector does not look whether its queues could grow, and ends with a nil pointer.
		"runtime.(*spanQueue)",
	} {
		if strings.Contains(e.Stderr, sign) {
			return true
		}
	}
	return false
}

// printed reads the text that the process prints to one of its standard files.
type printed struct {
	p         *Process
	name      string
	on        func(name, text string)
	r, theirs *os.File // the ends of a pipe
	done      chan struct{}

	mu  sync.Mutex // held while text is read and passed on, which keeps its order
	buf [32 << 10]byte
}

// printed returns the file that becomes the child's standard file of a name.
func (p *Process) printed(name string, on func(name, text string)) (*os.File, error) {
	r, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.prints = append(p.prints, &printed{p: p, name: name, on: on, r: r, theirs: theirs, done: make(chan struct{})})
	return theirs, nil
}

func (w *printed) take(b []byte) {
	w.p.tail.write(b)
	if w.on != nil {
		w.on(w.name, string(b))
	}
}

// tailBytes is the number of bytes that are kept of a process's own output.
const tailBytes = 8 << 10

// tail keeps the first and the last part of a process's output, because a crash of a Go program first gives the reason
// and then lists every goroutine.
type tail struct {
	mu   sync.Mutex
	head []byte // from the last line that looks like the beginning of a crash
	last []byte
}

func (t *tail) write(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	for _, sign := range []string{"fatal error: ", "panic: ", "SIGSEGV", "SIGBUS", "unexpected fault address",
		"runtime: "} {
		if i := strings.LastIndex(string(t.last), sign); i >= 0 && len(t.head) == 0 {
			t.head = append(t.head, t.last[i:]...)
			t.last = nil
			return
		}
	}
	if len(t.head) > 0 && len(t.head) < tailBytes {
		t.head = append(t.head, t.last...)
		t.last = nil
		return
	}
	if len(t.last) > 2*tailBytes {
		t.last = append([]byte(nil), t.last[len(t.last)-tailBytes:]...)
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.last
	if len(t.head) > 0 {
		b = t.head[:min(len(t.head), tailBytes)]
	}
	if len(b) > tailBytes {
		b = b[len(b)-tailBytes:]
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(b)), "\uFFFD")
}
