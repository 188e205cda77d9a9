//go:build linux || darwin

package lockfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Environment variables of the processes that these tests start: what flock answers, another machine's name, and in
// milliseconds how often a holder shows that it lives and after how long it is dead.
const (
	answers = "LOCKFILE_TEST_FLOCK"
	where   = "LOCKFILE_TEST_MACHINE"
	beats   = "LOCKFILE_TEST_BEAT"
	quiets  = "LOCKFILE_TEST_QUIET"
	works   = "works"
)

func TestMain(m *testing.M) {
	if os.Getenv(answers) == "" {
		os.Exit(m.Run())
	}
	poll = 5 * time.Millisecond
	for name, to := range map[string]*time.Duration{beats: &beat, quiets: &quiet} {
		if ms, err := strconv.Atoi(os.Getenv(name)); err == nil {
			*to = time.Duration(ms) * time.Millisecond
		}
	}
	if here := os.Getenv(where); here != "" {
		machine = func() string { return here }
	}
	if err, ok := without[os.Getenv(answers)]; ok {
		flock = func(int, int) error { return err }
	}
	writer()
}

var without = map[string]error{"ENOSYS": unix.ENOSYS, "ENOLCK": unix.ENOLCK, "EOPNOTSUPP": unix.EOPNOTSUPP}

// writer takes and gives back locks as its standard input says.
func writer() {
	var lock *Lock
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		order, path, _ := strings.Cut(in.Text(), " ")
		var err error
		switch order {
		case "take":
			lock, err = Take(path)
		case "check":
			if err = errors.New("none"); lock != nil {
				err = lock.Check()
			}
		case "drop":
			if lock != nil {
				err = lock.Close()
			}
			lock = nil
		}
		switch _, held := errors.AsType[*HeldError](err); {
		case err == nil:
			fmt.Println("ok")
		case held:
			fmt.Println("held")
		default:
			fmt.Println("error", err)
		}
	}
}

// peer is a process that takes locks.
type peer struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, env ...string) *peer {
	t.Helper()
	return startBy(t, exec.Command(os.Args[0]), env...)
}

func startBy(t *testing.T, cmd *exec.Cmd, env ...string) *peer {
	t.Helper()
	p := &peer{Cmd: cmd}
	p.Env = append(os.Environ(), env...)
	p.Stderr = os.Stderr
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	return p
}

func (p *peer) tell(order string) { fmt.Fprintln(p.in, order) }

func (p *peer) hear() string {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "error " + err.Error()
	}
	return strings.TrimSpace(line)
}

func (p *peer) do(order string) string { p.tell(order); return p.hear() }

// at is a lock in a new folder.
func at(t *testing.T) string { return filepath.Join(t.TempDir(), ".lock") }

// race lets two processes take a lock at the same time and returns how many have it, asked after both answered: a
// holder that was silent for long under load may have been given up by then, and knows it.
func race(t *testing.T, path string, peers ...*peer) (holders int) {
	t.Helper()
	var said []string
	for _, p := range peers {
		p.tell("take " + path)
	}
	for _, p := range peers {
		said = append(said, p.hear())
	}
	for i, p := range peers {
		if strings.HasPrefix(said[i], "error") {
			t.Fatal(said[i])
		}
		if said[i] == "ok" && p.do("check") == "ok" {
			holders++
		}
	}
	for _, p := range peers {
		if answer := p.do("drop"); answer != "ok" {
			t.Fatal(answer)
		}
	}
	return holders
}

// gone is the number of a process that has ended.
func gone(t *testing.T) int {
	t.Helper()
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid
}

// leave makes the lock of a process that ended without a word.
func leave(t *testing.T, path string, o owner) (token string) {
	t.Helper()
	if err := os.Mkdir(folder(path), 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(folder(path))
	if err != nil {
		t.Fatal(err)
	}
	o.inode, o.nonce, o.host = inode(info), "LEFT", "node.example"
	token = filepath.Join(folder(path), o.named(held))
	if err := os.WriteFile(token, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return token
}

// Two processes race a thousand times for a lock, for each of the answers of a file system without flock: for one that
// nobody has made, that was given back, that a dead process has. One of them has it, never both.
func TestRaces(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 150
	}
	for answer := range without {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			a, b := start(t, answers+"="+answer), start(t, answers+"="+answer)
			dead := gone(t)
			path := ""
			for i := range rounds {
				switch i % 4 {
				case 0:
					path = at(t)
				case 2:
					path = at(t)
					leave(t, path, owner{pid: dead, start: 1, machine: machine()})
				}
				if n := race(t, path, a, b); n != 1 {
					t.Fatalf("round %d: %d processes have the lock", i, n)
				}
			}
		})
	}
}

// The same with the system's own answer, as a tracer gives it.
func TestRacesUnderStrace(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace to take flock away: apt-get install strace brings it")
	}
	if err := exec.Command(strace, "-o", os.DevNull, "true").Run(); err != nil {
		t.Skipf("strace may not watch a process here (%v): run where ptrace is allowed", err)
	}
	rounds := 1000
	if testing.Short() {
		rounds = 40
	}
	for answer := range without {
		trace := func() *peer {
			return startBy(t, exec.Command(strace, "-f", "-o", os.DevNull, "-e", "trace=flock", "-e",
				"inject=flock:error="+answer, os.Args[0]), answers+"="+works)
		}
		a, b := trace(), trace()
		path := ""
		for i := range rounds {
			if i%2 == 0 {
				path = at(t)
			}
			if n := race(t, path, a, b); n != 1 {
				t.Fatalf("%s, round %d: %d processes have the lock", answer, i, n)
			}
			if !there(path) {
				t.Fatalf("%s, round %d: flock was not taken away", answer, i)
			}
		}
	}
}

// The same between machines of which one has flock and the other has not: both may be refused, never is none.
func TestRacesBesideFlock(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	has := start(t, answers+"="+works, where+"=aa", beats+"=10")
	has2 := start(t, answers+"="+works, where+"=aa", beats+"=10")
	lacks := start(t, answers+"=ENOLCK", where+"=bb", beats+"=10")
	path := at(t)
	for i := range rounds {
		if i%2 == 0 {
			path = at(t)
		}
		if n := race(t, path, has, lacks, has2); n > 1 {
			t.Fatalf("round %d: %d processes have the lock", i, n)
		}
	}
	// Who came first has it.
	for _, order := range [][]*peer{{has, lacks}, {lacks, has}, {has, has2}} {
		path := at(t)
		if first, second := order[0].do("take "+path), order[1].do("take "+path); first != "ok" || second != "held" {
			t.Errorf("one after the other: %s, %s", first, second)
		}
		if order[0].do("check") != "ok" || order[0].do("drop") != "ok" || order[1].do("take "+path) != "ok" ||
			order[1].do("drop") != "ok" {
			t.Error("the lock does not change hands")
		}
	}
}

// Two machines take over the lock of a third that died, again and again; the winner of each round is alone.
func TestDeadElsewhere(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	fast := []string{answers + "=ENOSYS", beats + "=10", quiets + "=300"}
	a, b := start(t, append(fast, where+"=aa")...), start(t, append(fast, where+"=bb")...)
	for i := range rounds {
		path := at(t)
		leave(t, path, owner{pid: os.Getpid(), start: 1, machine: "cc"})
		if n := race(t, path, a, b); n > 1 {
			t.Fatalf("round %d: %d processes have the lock", i, n)
		}
	}
}

// Two machines whose clocks are five minutes apart leave files dated in each other's past and future. A holder that
// lives is kept whatever the date, and one that is dead is not.
func TestClocksApart(t *testing.T) {
	for _, apart := range []time.Duration{-5 * time.Minute, 5 * time.Minute, -24 * time.Hour, 24 * time.Hour} {
		far := time.Now().Add(apart)
		dated := func(path string) {
			for _, file := range []string{path, folder(path)} {
				os.Chtimes(file, far, far)
			}
			names, _ := tokens(path)
			for _, name := range names { // may have been renamed meanwhile
				os.Chtimes(filepath.Join(folder(path), name), far, far)
			}
		}
		path := at(t)
		holder := start(t, answers+"=ENOSYS", where+"=aa", beats+"=10")
		other := start(t, answers+"=ENOSYS", where+"=bb", beats+"=10", quiets+"=30000")
		if said := holder.do("take " + path); said != "ok" {
			t.Fatal(said)
		}
		dated(path)
		if said := other.do("take " + path); said != "held" || holder.do("check") != "ok" {
			t.Errorf("%v apart, a holder that lives: %s", apart, said)
		}
		path = at(t)
		leave(t, path, owner{pid: 1, start: 1, machine: "cc"})
		dated(path)
		taker := start(t, answers+"=ENOSYS", where+"=bb", quiets+"=200")
		if said := taker.do("take " + path); said != "ok" {
			t.Errorf("%v apart, a dead holder: %s", apart, said)
		}
	}
}

// A process that was stopped so long that another machine gave it up knows it when it goes on.
func TestStoppedTooLong(t *testing.T) {
	path := at(t)
	holder := start(t, answers+"=EOPNOTSUPP", where+"=aa")
	if said := holder.do("take " + path); said != "ok" {
		t.Fatal(said)
	}
	holder.Process.Signal(unix.SIGSTOP)
	same := start(t, answers+"=EOPNOTSUPP", where+"=aa", quiets+"=200")
	if said := same.do("take " + path); said != "held" {
		t.Errorf("on its own machine a stopped process loses its lock: %s", said)
	}
	other := start(t, answers+"=EOPNOTSUPP", where+"=bb", quiets+"=200")
	if said := other.do("take " + path); said != "ok" {
		t.Fatalf("another machine: %s", said)
	}
	holder.Process.Signal(unix.SIGCONT)
	if said := holder.do("check"); !strings.Contains(said, fmt.Sprintf("process %d on ", other.Process.Pid)) {
		t.Errorf("when it goes on: %q", said)
	}
	if holder.do("drop") != "ok" || other.do("check") != "ok" {
		t.Error("giving back what was lost disturbed the new holder")
	}
}

// A holder by flock that is killed is given up by a machine without flock, and a lock of files by one with it.
func TestKilledBesideFlock(t *testing.T) {
	for _, c := range [][2]string{{works, "ENOSYS"}, {"ENOSYS", works}} {
		path := at(t)
		holder := start(t, answers+"="+c[0], where+"=aa")
		if said := holder.do("take " + path); said != "ok" {
			t.Fatal(said)
		}
		holder.Process.Kill()
		holder.Wait()
		taker := start(t, answers+"="+c[1], where+"=bb", quiets+"=200")
		if said := taker.do("take " + path); said != "ok" {
			t.Errorf("%v: %s", c, said)
		}
	}
}
