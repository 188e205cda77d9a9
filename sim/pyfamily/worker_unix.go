//go:build unix

package pyfamily

import (
	"cmp"
	_ "embed" // of the worker's program
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"nacre/internal/python"
)

//go:embed worker.py
var program string

// available reports what a system lacks for processes of Python.
func available() error { return nil }

// worker is a process of Python. One goroutine at a time asks it.
type worker struct {
	cmd     *exec.Cmd
	to      *os.File // requests
	from    *os.File // answers
	life    *os.File // open as long as this program lives
	shared  *os.File // memory, of which no name is left
	printed *tail
	gone    chan struct{} // closed when the process has ended
	silence time.Duration
	began   bool     // it has opened its class, which may take longer
	pending []string // requests whose answers were not read

	mem              []byte
	beat             *uint64
	act, obs, reward []float64
	active, done     []byte
	cut, success     []byte
	one, stepping    [1]byte
}

// beginning is how long a process may at least be silent while it begins: an import takes what it takes.
var beginning = time.Minute

// patience is how long the process may be silent now.
func (w *worker) patience() time.Duration {
	if w.began {
		return w.silence
	}
	return max(w.silence, beginning)
}

// start starts a process that knows nothing yet.
func (f *Family) start(p python.Python) (w *worker, err error) {
	w = &worker{printed: &tail{to: f.print}, gone: make(chan struct{}), silence: f.target.silence,
		stepping: [1]byte{'s'}}
	var theirs []*os.File
	defer func() {
		for _, file := range theirs {
			file.Close()
		}
		if err != nil {
			w.closeFiles()
			err = fmt.Errorf("%s cannot be started: %w", p, err)
		}
	}()
	requests, to, err := os.Pipe()
	if err != nil {
		return w, err
	}
	theirs, w.to = append(theirs, requests), to
	from, answers, err := os.Pipe()
	if err != nil {
		return w, err
	}
	theirs, w.from = append(theirs, answers), from
	if w.shared, err = nameless(); err != nil {
		return w, err
	}
	lives, life, err := os.Pipe()
	if err != nil {
		return w, err
	}
	theirs, w.life = append(theirs, lives), life
	w.cmd = exec.Command(p.Path, "-c", program)
	w.cmd.Env = append(os.Environ(), "PYTHONHASHSEED=0")
	for _, threads := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		if os.Getenv(threads) == "" {
			w.cmd.Env = append(w.cmd.Env, threads+"=1")
		}
	}
	w.cmd.ExtraFiles = []*os.File{requests, answers, w.shared, lives}
	w.cmd.Stdout, w.cmd.Stderr = w.printed, w.printed
	w.cmd.WaitDelay = time.Second
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		return w, err
	}
	if err := w.from.SetReadDeadline(time.Now().Add(w.patience() / 8)); err != nil {
		return w, errors.Join(err, w.cmd.Process.Kill())
	}
	go func() {
		_ = w.cmd.Wait() // how it ended is in ProcessState
		w.killAll()      // what it started
		close(w.gone)
	}()
	return w, nil
}

// nameless is a file in memory, where there is one, that ends with those who have it open.
func nameless() (*os.File, error) {
	folder := "/dev/shm"
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		folder = ""
	}
	file, err := os.CreateTemp(folder, "nacre-")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}

// killAll ends the process and all it started in its group.
func (w *worker) killAll() { _ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) }

// post sends a request whose answer ask reads before its own.
func (w *worker) post(q request) error {
	w.pending = append(w.pending, q.Op)
	return w.send(q)
}

func (w *worker) send(q request) error {
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	text := binary.LittleEndian.AppendUint32([]byte{'j'}, uint32(len(body)))
	if _, err := w.to.Write(append(text, body...)); err != nil {
		return w.ended(err)
	}
	return nil
}

// ask sends a request and reads its answer into v, which may be nil. An answer that is an error is a *problem; after
// any other error the process has ended.
func (w *worker) ask(q request, v any) error {
	for len(w.pending) > 0 {
		w.pending = w.pending[1:]
		if err := w.hear(nil); err != nil {
			var p *problem
			if errors.As(err, &p) { // what follows rests on it
				w.killAll()
				return fmt.Errorf("a process of Python could not begin: %w", errors.New(p.Error()))
			}
			return err
		}
	}
	w.began = q.Op != "open"
	if err := w.send(q); err != nil {
		return err
	}
	return w.hear(v)
}

// hear reads an answer.
func (w *worker) hear(v any) error {
	var head [4]byte
	if err := w.read(head[:]); err != nil {
		return err
	}
	body := make([]byte, binary.LittleEndian.Uint32(head[:]))
	if err := w.read(body); err != nil {
		return err
	}
	p := new(problem)
	if err := json.Unmarshal(body, p); err == nil && p.What != "" {
		return p
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(body, v)
}

// share makes the memory of n environments and asks for them.
func (w *worker) share(n, act, obs int) error {
	size := 8*(1+n*act+n*obs+n) + 4*n
	if err := w.shared.Truncate(int64(size)); err != nil {
		return err
	}
	mem, err := syscall.Mmap(int(w.shared.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	w.mem = mem
	at := 0
	numbers := func(k int) []float64 {
		at += 8 * k
		return unsafe.Slice((*float64)(unsafe.Pointer(&mem[at-8*k])), k)
	}
	flags := func() []byte {
		at += n
		return mem[at-n : at : at]
	}
	w.beat = (*uint64)(unsafe.Pointer(&numbers(1)[0]))
	w.act, w.obs, w.reward = numbers(n*act), numbers(n*obs), numbers(n)
	w.active, w.done, w.cut, w.success = flags(), flags(), flags(), flags()
	return w.post(request{Op: "memory", N: n, Size: size})
}

// step steps the active environments.
func (w *worker) step() error {
	if _, err := w.to.Write(w.stepping[:]); err != nil {
		return w.ended(err)
	}
	if err := w.read(w.one[:]); err != nil {
		return err
	}
	if w.one[0] == '.' {
		return nil
	}
	return w.hear(nil)
}

// read fills b. It is an error if the process ends, or if it neither answers nor goes on to another environment for
// longer than it may be silent: then it is ended.
func (w *worker) read(b []byte) error {
	var since time.Time
	var beat uint64
	for len(b) > 0 {
		n, err := w.from.Read(b)
		if b = b[n:]; err == nil {
			continue
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return w.ended(err)
		}
		now := time.Now() // the deadline may be of an earlier call
		if at := w.beats(); since.IsZero() || at != beat {
			since, beat = now, at
		}
		if now.Sub(since) >= w.patience() {
			return w.silent()
		}
		if err := w.from.SetReadDeadline(now.Add(w.patience()/8 + 10*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) beats() uint64 {
	if w.beat == nil {
		return 0
	}
	return atomic.LoadUint64(w.beat)
}

// silent ends a process that does not answer, and says where it was.
func (w *worker) silent() error {
	w.printed.quiet()
	_ = w.cmd.Process.Signal(syscall.SIGUSR1) // Python's faulthandler then writes where every thread is
	var where string
	for range 20 {
		if where = stuckAt(w.printed.all()); where != "" {
			where = " at " + where
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.killAll()
	return fmt.Errorf("Python was silent for %v%s and was ended; the option seconds=… after the name waits longer",
		w.patience(), where)
}

// ended says how a process came to its end.
func (w *worker) ended(err error) error {
	select {
	case <-w.gone:
	case <-time.After(5 * time.Second):
		w.killAll()
		return fmt.Errorf("the process of Python closed its pipes: %w", err)
	}
	text := "the process of Python ended: " + w.cmd.ProcessState.String()
	if lines := w.printed.all(); len(lines) > 0 {
		text += "; its last line was " + strings.TrimSpace(lines[len(lines)-1])
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, syscall.EPIPE) {
		text += " (" + err.Error() + ")"
	}
	return errors.New(text)
}

// close lets the process close its environments, and ends it if it does not within some seconds.
func (w *worker) close() {
	w.to.Close()
	select {
	case <-w.gone:
	case <-time.After(cmp.Or(min(w.silence, 5*time.Second), time.Second)):
		w.killAll()
		<-w.gone
	}
	w.closeFiles()
	if w.mem != nil {
		_ = syscall.Munmap(w.mem)
		w.mem, w.beat = nil, nil
	}
}

func (w *worker) closeFiles() {
	for _, f := range []*os.File{w.to, w.from, w.life, w.shared} {
		if f != nil {
			f.Close()
		}
	}
}
