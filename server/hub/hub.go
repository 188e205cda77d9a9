package hub

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"nacre/server/contents"
	"nacre/server/nbformat"
	"nacre/server/process"
)

// Config says how kernels run.
type Config struct {
	Spec   string   // name of the one kernel that is offered
	Argv   []string // command of a kernel's process
	Env    []string // variables added to the process's environment
	Memory int64    // memory limit of the process in bytes, 0 for none
	Timing bool     // notebooks' files get the times of their cells' runs
	Store  *contents.Store
	Log    *slog.Logger
}

// flushDelay is how long outputs may be newer than the file while no browser is connected.
const flushDelay = 2 * time.Second

// Hub holds the kernels and sessions of a server.
type Hub struct {
	config   Config
	overflow overflow

	mu       sync.Mutex
	kernels  map[string]*Kernel
	sessions map[string]*Session
	timers   map[*Kernel]*time.Timer // timers for files that are to be written
	closed   bool
}

// Session ties a notebook's path to a kernel.
type Session struct {
	ID, Path, Name, Type string
	Kernel               *Kernel
}

// New makes a hub without kernels.
func New(c Config) *Hub {
	return &Hub{config: c, kernels: map[string]*Kernel{}, sessions: map[string]*Session{},
		timers: map[*Kernel]*time.Timer{}}
}

// UnknownKernelError says that there is no kernel called Name, and names the kernel that is offered.
type UnknownKernelError struct{ Name, Offered string }

func (e *UnknownKernelError) Error() string {
	return fmt.Sprintf("no kernel is named %.80q; this server has %q", e.Name, e.Offered)
}

// StartKernel starts a kernel for a file of the store; its folder is the working directory.
func (h *Hub) StartKernel(name, file string) (*Kernel, error) {
	name = cmp.Or(name, h.config.Spec)
	if name != h.config.Spec {
		return nil, &UnknownKernelError{name, h.config.Spec}
	}
	dir := h.workingDir(file)
	k, err := newKernel(name, func(on process.Handlers) (*process.Process, error) {
		return process.Start(process.Config{Argv: h.config.Argv, Dir: dir, Env: h.config.Env, Memory: h.config.Memory},
			on)
	}, h.config.Log, &h.overflow, h.touched, h.config.Timing)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		go k.close()
		return nil, fmt.Errorf("the server is shutting down")
	}
	h.kernels[k.ID] = k
	return k, nil
}

// workingDir is the folder of a notebook, or the served folder if the notebook's folder does not exist.
func (h *Hub) workingDir(file string) string {
	if m, err := h.config.Store.Get(path.Dir("/"+file), contents.GetOptions{}); err == nil && m.Type == "directory" {
		dir := filepath.Join(h.config.Store.Dir(), filepath.FromSlash(m.Path))
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return h.config.Store.Dir()
}

// Kernel finds a kernel; nil if there is none.
func (h *Hub) Kernel(id string) *Kernel {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kernels[id]
}

// Kernels returns all kernels.
func (h *Hub) Kernels() []*Kernel {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := slices.AppendSeq([]*Kernel{}, maps.Values(h.kernels))
	slices.SortFunc(list, func(a, b *Kernel) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// DeleteKernel ends a kernel and its sessions. Outputs that the file does not have are written first.
func (h *Hub) DeleteKernel(id string) bool {
	h.mu.Lock()
	k := h.kernels[id]
	delete(h.kernels, id)
	h.mu.Unlock()
	if k == nil {
		return false
	}
	k.close()
	h.flush(k)
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, s := range h.sessions {
		if s.Kernel == k {
			delete(h.sessions, id)
		}
	}
	if t := h.timers[k]; t != nil {
		t.Stop()
		delete(h.timers, k)
	}
	return true
}

// OpenSession returns the session of a path. If there is none, it makes one, with the kernel kernelID. For an empty
// kernelID it starts a new kernel.
func (h *Hub) OpenSession(file, name, kind, kernelID, kernelName string) (*Session, error) {
	if s := h.SessionAt(file); s != nil && file != "" {
		return s, nil
	}
	k := h.Kernel(kernelID)
	if k == nil {
		if kernelID != "" {
			return nil, &UnknownKernelError{kernelID, h.config.Spec}
		}
		var err error
		if k, err = h.StartKernel(kernelName, file); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	for _, s := range h.sessions {
		if s.Path == file && file != "" { // another request was faster
			h.mu.Unlock()
			if kernelID == "" {
				h.DeleteKernel(k.ID)
			}
			return s, nil
		}
	}
	defer h.mu.Unlock()
	s := &Session{ID: uuid.NewString(), Path: file, Name: name, Type: kind, Kernel: k}
	h.sessions[s.ID] = s
	return s, nil
}

// Session returns a copy of a session; nil if there is none.
func (h *Hub) Session(id string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return new(*s)
	}
	return nil
}

// SessionAt returns a copy of the session of a path; nil if there is none.
func (h *Hub) SessionAt(file string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.Path == file {
			return new(*s)
		}
	}
	return nil
}

// Sessions returns copies of all sessions.
func (h *Hub) Sessions() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := []*Session{}
	for _, s := range h.sessions {
		list = append(list, new(*s))
	}
	slices.SortFunc(list, func(a, b *Session) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// ChangeSession applies change to a session. A kernel that loses its last session is ended.
func (h *Hub) ChangeSession(id string, change func(*Session)) *Session {
	h.mu.Lock()
	s := h.sessions[id]
	if s == nil {
		h.mu.Unlock()
		return nil
	}
	old := s.Kernel
	change(s)
	changed := new(*s)
	used := false
	for _, other := range h.sessions {
		used = used || other.Kernel == old
	}
	h.mu.Unlock()
	if !used {
		h.DeleteKernel(old.ID)
	}
	return changed
}

// DeleteSession ends a session and its kernel.
func (h *Hub) DeleteSession(id string) bool {
	s := h.Session(id)
	if s == nil {
		return false
	}
	h.DeleteKernel(s.Kernel.ID)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, id)
	return true
}

// Moved tells sessions that a file, or a folder with files, has a new path.
func (h *Hub) Moved(from, to string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.Path == from {
			s.Path, s.Name = to, path.Base(to)
		} else if len(s.Path) > len(from) && s.Path[:len(from)+1] == from+"/" {
			s.Path = to + s.Path[len(from):]
		}
	}
}

// Busy is the number of kernels that run a cell.
func (h *Hub) Busy() int {
	n := 0
	for _, k := range h.Kernels() {
		if k.Model().ExecutionState == Busy {
			n++
		}
	}
	return n
}

// touched schedules the writing of a notebook's file if no browser is connected, which would write it.
func (h *Hub) touched(k *Kernel) {
	if k.Clients() > 0 {
		return
	}
	if _, dirty := k.Dirty(); !dirty {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.timers[k] != nil {
		return
	}
	h.timers[k] = time.AfterFunc(flushDelay, func() {
		h.mu.Lock()
		delete(h.timers, k)
		h.mu.Unlock()
		if k.Clients() == 0 {
			h.flush(k)
		}
	})
}

// flush writes the outputs that the file does not have. If they cannot be written, the kernel keeps them.
func (h *Hub) flush(k *Kernel) {
	n, dirty := k.Dirty()
	if !dirty {
		return
	}
	for _, s := range h.Sessions() {
		if s.Kernel != k || path.Ext(s.Path) != ".ipynb" {
			continue
		}
		err := h.config.Store.Update(s.Path, func(nb *nbformat.Notebook) bool { return k.Merge(nb) })
		if err != nil {
			h.config.Log.Warn("outputs could not be added to the notebook; they are kept while the kernel runs", "path",
				s.Path, "error", err)
			continue
		}
		k.Flushed(n)
	}
}

// Close writes the outputs that are not written yet and ends all kernels.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for _, t := range h.timers {
		t.Stop()
	}
	h.mu.Unlock()
	var wait sync.WaitGroup
	for _, k := range h.Kernels() {
		wait.Go(func() { h.DeleteKernel(k.ID) })
	}
	wait.Wait()
	h.overflow.close()
}
