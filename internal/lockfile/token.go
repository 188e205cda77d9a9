package lockfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What a token says.
const (
	free  = "free"
	held  = "held"
	asked = "asked" // by one without flock, until it is sure that nobody holds by flock
)

// owner is a process that has a token.
type owner struct {
	count   uint64 // grows with every rename
	pid     int
	start   uint64 // when the process began, as its machine's system counts
	machine string // told from others, until it is started again; empty where that cannot be
	inode   uint64 // of the lock's folder: a copy of it has another
	nonce   string // told from other locks of the process
	host    string // for people
}

func self() owner {
	host, _ := os.Hostname()
	o := owner{pid: os.Getpid(), machine: machine(), nonce: rand.Text(), host: plain(host)}
	o.start, _, _ = started(o.pid)
	return o
}

// plain is a name without what a file's name could not hold.
func plain(host string) string {
	host = strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, host)
	return host[:min(len(host), 64)]
}

// named is the name of a token.
func (o owner) named(kind string) string {
	return fmt.Sprintf("%s.%d.%d.%x.%s.%x.%s.%s", kind, o.count, o.pid, o.start, o.machine, o.inode, o.nonce, o.host)
}

func parse(name string) (o owner, ok bool) {
	part := strings.SplitN(name, ".", 8)
	if len(part) != 8 || part[0] != held && part[0] != asked {
		return o, false
	}
	var errs [4]error
	o.count, errs[0] = strconv.ParseUint(part[1], 10, 64)
	o.pid, errs[1] = strconv.Atoi(part[2])
	o.start, errs[2] = strconv.ParseUint(part[3], 16, 64)
	o.machine = part[4]
	o.inode, errs[3] = strconv.ParseUint(part[5], 16, 64)
	o.nonce, o.host = part[6], part[7]
	return o, errors.Join(errs[:]...) == nil
}

// folder is where the token lies.
func folder(path string) string { return path + ".d" }

// Makes reports whether the file or folder called name belongs to the lock beside it, which is called lock.
func Makes(lock, name string) bool { return name == lock || strings.HasPrefix(name, folder(lock)) }

// there reports whether a lock has a folder. To open the folder around it makes NFS look.
func there(path string) bool {
	if f, err := os.Open(filepath.Dir(path)); err == nil {
		f.Close()
	}
	_, err := os.Lstat(folder(path))
	return err == nil
}

// tokens lists the names in a lock's folder that are tokens: one, or more in a copy of a lock that was held.
func tokens(path string) ([]string, error) {
	entries, err := os.ReadDir(folder(path))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, ok := parse(e.Name()); ok || e.Name() == free {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 && len(entries) > 0 {
		return nil, fmt.Errorf("%s has no token of a lock, but %s: remove that folder if no process writes in %s",
			folder(path), entries[0].Name(), filepath.Dir(path))
	}
	return names, nil
}

// acquire takes the token, and makes the folder if there is none; l is not shared yet.
func (l *Lock) acquire(kind string) error {
	for {
		names, err := tokens(l.path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
			if err == nil {
				os.Remove(folder(l.path)) // of nothing; where it has something by now it stays
			}
			if done, err := l.found(kind); done || err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		by := judge(l.path, names)
		if by != nil {
			return by
		}
		info, err := os.Stat(folder(l.path))
		if err != nil {
			return err
		}
		l.me.inode, l.me.count = inode(info), 0
		l.token = names[0]
		switch err = l.renew(kind); {
		case err == nil:
			l.tookOver(names)
			return nil
		case l.lost == nil:
			return err
		}
		l.token, l.lost = "", nil // another process was faster
	}
}

// tookOver says of whom, and removes what a copied folder has too many.
func (l *Lock) tookOver(names []string) {
	for _, name := range names[1:] {
		os.Remove(filepath.Join(folder(l.path), name))
	}
	o, ok := parse(names[0])
	l.before = o
	if ok && o.machine != l.me.machine {
		l.Notices = append(l.Notices,
			fmt.Sprintf("the lock of process %d on %s, which did not show that it lives for %.0f s, was taken over",
				o.pid, o.host, quiet.Seconds()))
	}
}

// found makes the folder with the token in it, in one step; done is false if another process has made it.
func (l *Lock) found(kind string) (done bool, err error) {
	fresh := folder(l.path) + ".new-" + l.me.nonce
	defer os.RemoveAll(fresh)
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return false, err
	}
	info, err := os.Stat(fresh)
	if err == nil {
		l.me.inode = inode(info)
		err = os.WriteFile(filepath.Join(fresh, l.me.named(kind)), nil, 0o666)
	}
	if err == nil {
		err = os.Rename(fresh, folder(l.path)) // not onto a folder that holds something
	}
	if err != nil {
		if there(l.path) || errors.Is(err, fs.ErrNotExist) { // or has removed fresh
			return false, nil
		}
		return false, err
	}
	l.token = l.me.named(kind)
	entries, _ := os.ReadDir(filepath.Dir(l.path))
	for _, e := range entries { // what processes left that were killed here
		if strings.HasPrefix(e.Name(), filepath.Base(folder(l.path))+".new-") {
			os.RemoveAll(filepath.Join(filepath.Dir(l.path), e.Name()))
		}
	}
	return true, nil
}

func (l *Lock) kind() string {
	kind, _, _ := strings.Cut(l.token, ".")
	return kind
}

// renew gives the token its next name. When it is not under its last one somebody else has it: l.lost. l is locked.
func (l *Lock) renew(kind string) error {
	if l.lost != nil || l.closed {
		return l.lost
	}
	l.me.count++
	next := l.me.named(kind)
	err := l.rename(next)
	switch {
	case err == nil:
		l.token, l.maybe = next, ""
	case errors.Is(err, fs.ErrNotExist):
		l.lost = errors.New(l.whoHas())
		return l.lost
	default:
		l.maybe = next
		return fmt.Errorf("whether %s is still held is not known: %w", l.path, err)
	}
	return nil
}

// rename renames the token. A network's file system may have done so although it reported an error.
func (l *Lock) rename(next string) (err error) {
	in := func(name string) string { return filepath.Join(folder(l.path), name) }
	for _, from := range []string{l.token, l.maybe} {
		if from == "" {
			continue
		}
		if err = os.Rename(in(from), in(next)); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, there := os.Lstat(in(next)); there == nil {
		return nil
	}
	return err
}

// whoHas says who has a token that was lost, or why this is not known.
func (l *Lock) whoHas() string {
	names, err := tokens(l.path)
	if err != nil || len(names) == 0 {
		return folder(l.path) + " is gone, the lock of this process: the folder was moved or removed"
	}
	if o, ok := parse(names[0]); ok {
		return fmt.Sprintf("process %d on %s has taken %s over, since this one did not show that it lives", o.pid,
			o.host, l.path)
	}
	return "another process has taken " + l.path + " over, since this one did not show that it lives"
}

// join takes the token for a holder by flock, once another machine has made a folder for it. l is locked.
func (l *Lock) join() {
	if !there(l.path) || l.lost != nil || l.closed {
		return
	}
	names, err := tokens(l.path)
	if err != nil || len(names) == 0 {
		return // it is looked at again
	}
	if strings.HasPrefix(names[0], held) {
		l.lost = errors.New(l.whoHas())
		return
	}
	info, err := os.Stat(folder(l.path))
	if err != nil {
		return
	}
	l.me.inode, l.token = inode(info), names[0]
	if l.renew(held) != nil {
		l.token, l.lost = "", nil
	}
}

// free lets others have the token. l is locked.
func (l *Lock) free() {
	if l.token != "" && l.lost == nil {
		l.rename(free)
	}
}

// look returns the holder of the token of a lock whose folder exists.
func look(path string) (*HeldError, error) {
	names, err := tokens(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return judge(path, names), nil
}

// judge returns the holder of a token, nil if no living process has it.
func judge(path string, names []string) *HeldError {
	inside := uint64(0)
	if info, err := os.Stat(folder(path)); err == nil {
		inside = inode(info)
	}
	here := machine()
	var by *HeldError
	for _, name := range names {
		o, ok := parse(name)
		if !ok {
			continue // free
		}
		if o.machine == here && here != "" {
			lives, known := alive(o.pid, o.start)
			if known && !lives {
				continue
			}
			if known && o.inode == inside {
				return &HeldError{Path: path, PID: o.pid, Host: o.host}
			}
		}
		by = &HeldError{Path: path, PID: o.pid, Host: o.host}
	}
	if by == nil {
		forget(path)
		return nil
	}
	switch seen(path, strings.Join(names, "/")) {
	case changing:
		return by
	case dead:
		return nil
	}
	by.unsure = true
	return by
}

// sighting holds what this process has seen of another machine's token.
type sighting struct {
	name  string
	since time.Time // first seen, by this machine's monotonic clock
	moved bool      // it had another name before
}

var sightings = struct {
	sync.Mutex
	of map[string]sighting
}{of: map[string]sighting{}}

// What is known of a token on another machine.
type verdict int

const (
	unsure verdict = iota
	changing
	dead
)

// seen notes that the tokens of a lock have a name now, and says what follows.
func seen(path, name string) verdict {
	sightings.Lock()
	defer sightings.Unlock()
	path, _ = filepath.Abs(path)
	s, known := sightings.of[path]
	if !known || s.name != name {
		s = sighting{name, time.Now(), known}
		sightings.of[path] = s
	}
	switch {
	case time.Since(s.since) >= quiet:
		return dead
	case s.moved:
		return changing
	}
	return unsure
}

func forget(path string) {
	sightings.Lock()
	defer sightings.Unlock()
	path, _ = filepath.Abs(path)
	delete(sightings.of, path)
}
