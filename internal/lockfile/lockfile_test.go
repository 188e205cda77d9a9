//go:build linux || darwin

package lockfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// noFlock lets flock answer as a file system without it does.
func noFlock(t *testing.T, answer error) {
	t.Helper()
	before, wait := flock, quiet
	flock = func(int, int) error { return answer }
	t.Cleanup(func() { flock, quiet = before, wait })
}

func take(t *testing.T, path string) *Lock {
	t.Helper()
	l, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Where flock works there is no folder, nothing is said, and the file has the process's number as ever.
func TestFlockAlone(t *testing.T) {
	path := at(t)
	l := take(t, path)
	entries, _ := os.ReadDir(filepath.Dir(path))
	text, _ := os.ReadFile(path)
	host, _ := os.Hostname()
	if len(entries) != 1 || len(l.Notices) != 0 || !strings.HasSuffix(string(text), " "+host+"\n") {
		t.Errorf("files %v, notices %v, text %q", entries, l.Notices, text)
	}
	by, err := Peek(path)
	if err != nil || by == nil || by.PID != os.Getpid() || by.Host != host {
		t.Errorf("held by %v, %v", by, err)
	}
	l.Close()
	if by, err := Peek(path); by != nil || err != nil {
		t.Errorf("given back: %v, %v", by, err)
	}
}

func TestWithoutFlock(t *testing.T) {
	for _, answer := range without {
		noFlock(t, answer)
		path := at(t)
		l := take(t, path)
		if len(l.Notices) != 1 || !strings.Contains(l.Notices[0], answer.Error()) ||
			!strings.Contains(l.Notices[0], folder(path)) {
			t.Errorf("notices %q", l.Notices)
		}
		_, err := Take(path)
		if held, ok := errors.AsType[*HeldError](err); !ok || held.PID != os.Getpid() {
			t.Errorf("a second time: %v", err)
		}
		if by, err := Peek(path); err != nil || by == nil || by.PID != os.Getpid() {
			t.Errorf("held by %v, %v", by, err)
		}
		l.Close()
		if by, err := Peek(path); by != nil || err != nil {
			t.Errorf("given back: %v, %v", by, err)
		}
		take(t, path)
	}
	// An error that does not mean that flock is missing is one.
	noFlock(t, unix.EIO)
	if _, err := Take(at(t)); !errors.Is(err, unix.EIO) {
		t.Errorf("a broken disk: %v", err)
	}
}

// What else a lock's folder may hold.
func TestFolders(t *testing.T) {
	noFlock(t, unix.ENOSYS)
	quiet = 100 * time.Millisecond
	for name, make := range map[string]func(path string){
		"nothing, of a crash": func(path string) { os.Mkdir(folder(path), 0o755) },
		"half made elsewhere": func(path string) { os.MkdirAll(folder(path)+".new-OLD", 0o755) },
		"a recycled number": func(path string) {
			leave(t, path, owner{pid: os.Getpid(), start: 1, machine: machine()})
		},
		"a dead process": func(path string) { leave(t, path, owner{pid: gone(t), start: 1, machine: machine()}) },
		"before a restart": func(path string) {
			leave(t, path, owner{pid: os.Getpid(), start: 1, machine: "before"})
		},
		"no machine known":     func(path string) { leave(t, path, owner{pid: os.Getpid(), start: 1}) },
		"a name of old flock":  func(path string) { os.WriteFile(path, []byte("4711 node.example\n"), 0o644) },
		"a name of older ones": func(path string) { os.WriteFile(path, []byte("what\x00ever"), 0o644) },
		"copied twice while held": func(path string) {
			from := at(t)
			l := take(t, from)
			os.Mkdir(folder(path), 0o755)
			for range 2 {
				l.Check()
				if err := os.WriteFile(filepath.Join(folder(path), l.token), nil, 0o644); err != nil {
					t.Error(err)
				}
			}
		},
	} {
		path := at(t)
		make(path)
		l, err := Take(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		names, err := tokens(path)
		if err != nil || len(names) != 1 || names[0] != l.token {
			t.Errorf("%s: tokens %v, %v", name, names, err)
		}
		entries, _ := os.ReadDir(filepath.Dir(path))
		for _, e := range entries {
			if !Makes(".lock", e.Name()) || strings.Contains(e.Name(), "OLD") {
				t.Errorf("%s: %s was left", name, e.Name())
			}
		}
		l.Close()
	}
	path := at(t)
	os.Mkdir(folder(path), 0o755)
	os.WriteFile(filepath.Join(folder(path), "thesis.tex"), nil, 0o644)
	if _, err := Take(path); err == nil || !strings.Contains(err.Error(), "thesis.tex") ||
		!strings.Contains(err.Error(), "remove") {
		t.Errorf("somebody's files: %v", err)
	}
	os.RemoveAll(folder(path))
	os.WriteFile(folder(path), nil, 0o644)
	if _, err := Take(path); err == nil || !strings.Contains(err.Error(), folder(path)) {
		t.Errorf("a file in the folder's place: %v", err)
	}
}

// A holder whose folder is moved away or removed knows that it has no lock.
func TestFolderGone(t *testing.T) {
	noFlock(t, unix.ENOLCK)
	path := at(t)
	l := take(t, path)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder(path), folder(path)+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := l.Check(); err == nil || !strings.Contains(err.Error(), "moved or removed") {
		t.Errorf("error %v", err)
	}
}

// Names of machines that a file's name could not hold, or that look like a token's own parts.
func TestNames(t *testing.T) {
	for _, host := range []string{"", "node-1", "node.example.org", "a/b", "ä ö", strings.Repeat("x", 300), "free",
		"held.1.2.3"} {
		o := owner{count: 18446744073709551615, pid: 4194304, start: 7, machine: "ab", inode: 1 << 63, nonce: "N",
			host: plain(host)}
		name := o.named(held)
		if back, ok := parse(name); !ok || back != o || strings.ContainsAny(name, "/\x00") || len(name) > 255 {
			t.Errorf("%q: %q, %+v", host, name, back)
		}
	}
	for _, name := range []string{"", free, "held", "held.x.1.1.a.1.N.h", "other.1.1.1.a.1.N.h", ".DS_Store",
		"held.1.1.1.a.1.N"} {
		if _, ok := parse(name); ok {
			t.Errorf("%q is a token", name)
		}
	}
}
