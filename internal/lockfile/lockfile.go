// Package lockfile lets one process at a time write in a place, even if several machines share this place. It takes
// flock (on Windows LockFileEx), which the system gives back when a process dies. If a file system has no flock (Lustre
// without its option, NFS without a lock daemon), it uses files alone:
//
//	lock, err := lockfile.Take("run/.lock") // a *HeldError while another process has it
//	if err != nil {
//		return err
//	}
//	defer lock.Close()
//	for _, line := range lock.Notices { // for instance that there is no flock
//		log.Print(line)
//	}
//	err = lock.Check() // before something is written that a second writer would spoil
//
// A lock of files is a folder, run/.lock.d, which appears in one step and then always holds one empty file, the token.
// The token's name says who has the lock, or "free". Every change is one rename of the token from the name that was
// seen last: if two processes try, the file system lets one succeed and tells the other that there is no such file. A
// holder renames the token every five seconds. If the holder has lost the lock, it learns this when it renames.
//
// A process that finds a holder on its own machine asks the system whether this holder is alive. A holder on another
// machine counts as dead after the process has seen the same name for 25 seconds of its own monotonic clock. Clocks of
// two machines are never compared, and dates of files are never read.
//
// On a shared folder some machines may have flock and others not. If the folder exists, a process with flock also takes
// the token. If it does not exist, a process without flock makes it. If a holder by flock has left its name in the
// lock's file, this process then waits 25 seconds, because such a holder looks for the folder every five seconds and
// claims the token.
package lockfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/internal/plainfile"
)

// How often a holder shows that it lives, after how long without that it counts as dead, and how often is looked.
var beat, quiet, poll = 5 * time.Second, 25 * time.Second, 250 * time.Millisecond

// HeldError says that another process has the lock.
type HeldError struct {
	Path string
	PID  int    // 0 if it is not known
	Host string // the holder's machine

	unsure bool // whether the holder, of another machine, lives is not known yet
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return e.Path + " is held by another process"
	}
	return fmt.Sprintf("%s is held by process %d on %s", e.Path, e.PID, e.Host)
}

// Lock is a lock that this process has.
type Lock struct {
	// Notices are lines for the user about this lock: that there is no flock, or that a holder on another machine
	// counts as dead.
	Notices []string

	path string
	file *os.File // locked by the system, nil where that cannot be
	stop chan struct{}

	before owner // holder whose token was taken over, zero if there was none

	mu     sync.Mutex
	me     owner
	token  string // its name, empty where the system's lock is enough
	maybe  string // its name, if a rename that failed took place all the same
	lost   error
	closed bool
}

// Take takes the lock at a path. It makes the lock's file; the folder must exist. If another process has the lock, the
// error is a *HeldError. This error comes at once, with one exception: the holder is on another machine, and the file
// system has no flock. Then it takes up to 25 seconds to find out whether the holder is alive.
func Take(path string) (*Lock, error) {
	for {
		l, err := try(path)
		if held, ok := errors.AsType[*HeldError](err); !ok || !held.unsure {
			return l, err
		}
		time.Sleep(poll)
	}
}

func try(path string) (*Lock, error) {
	f, err := plainfile.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	l := &Lock{path: path, me: self(), stop: make(chan struct{})}
	switch err = system(f); {
	case err == nil:
		l.file = f
		err = l.besideFlock()
	case errors.Is(err, errTaken):
		err = written(path, f)
	case missing(err):
		l.Notices = append(l.Notices,
			fmt.Sprintf("flock is not there on this file system (%v): who writes is told by the files in %s", err,
				folder(path)))
		err = l.withoutFlock(f)
	default:
		err = fmt.Errorf("locking %s: %w", path, err)
	}
	if err != nil {
		l.giveBack()
	}
	if l.file == nil {
		f.Close()
	}
	if err != nil {
		return nil, err
	}
	if !alone {
		go l.keep()
	}
	return l, nil
}

// besideFlock leaves this process's name, and takes the token where other machines have needed one.
func (l *Lock) besideFlock() error {
	err := l.file.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(l.file, "%d %s\n", l.me.pid, l.me.host)
	}
	if err != nil || alone {
		return err
	}
	l.file.Sync() // other machines must see the name; where that cannot be they have no lock to share either
	if !there(l.path) {
		return nil
	}
	return l.acquire(held)
}

// withoutFlock takes the token. A name in the lock's file may be that of a holder by flock on another machine.
func (l *Lock) withoutFlock(f *os.File) error {
	if err := l.acquire(asked); err != nil {
		return err
	}
	by := written(l.path, f)
	if by.PID == l.before.pid && by.Host == l.before.host {
		by.PID = 0 // its token has told that it is dead
	}
	for began := time.Now(); by.PID > 0 && time.Since(began) < quiet; by = written(l.path, f) {
		time.Sleep(poll)
		if l.Check() != nil {
			return by
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.renew(held) != nil {
		return by
	}
	if by.PID > 0 {
		l.Notices = append(l.Notices,
			fmt.Sprintf("process %d on %s, which wrote here by flock, did not answer for %.0f s: it was given up",
				by.PID, by.Host, quiet.Seconds()))
	}
	return f.Truncate(0)
}

// written is the holder by flock that has left its name in the lock's file.
func written(path string, f *os.File) *HeldError {
	e := &HeldError{Path: path}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<10))
	if err != nil {
		return e
	}
	number, host, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if pid, err := strconv.Atoi(number); err == nil && pid > 0 {
		e.PID, e.Host = pid, host
	}
	return e
}

// keep shows that this process lives until the lock is given back.
func (l *Lock) keep() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		if l.token == "" {
			l.join()
		} else {
			l.renew(held)
		}
		l.mu.Unlock()
	}
}

// Check returns nil if this process has the lock. Otherwise the error says who has taken it, or why this is not known.
func (l *Lock) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == "" {
		return l.lost
	}
	return l.renew(l.kind())
}

// Close gives the lock back. If the lock was lost before, Close does nothing.
func (l *Lock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	close(l.stop)
	return l.giveBack()
}

// giveBack lets others have the lock, and takes the name away that makes one without flock wait. l is locked or not
// shared.
func (l *Lock) giveBack() error {
	l.free()
	if l.file == nil {
		return nil
	}
	l.file.Truncate(0) // where that cannot be they wait
	return l.file.Close()
}

// Peek returns the holder of the lock at a path; nil if there is none. It never waits. A holder on another machine,
// without flock, counts as a holder until this process has watched it for 25 seconds. A holder by flock is seen only if
// flock works here too.
func Peek(path string) (*HeldError, error) {
	f, err := plainfile.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // which gives the lock back
	switch err := system(f); {
	case errors.Is(err, errTaken):
		return written(path, f), nil
	case err != nil && !missing(err):
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if alone || !there(path) {
		return nil, nil
	}
	return look(path)
}
