package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nacre/kernel"
	"nacre/kernel/jupyter"
	"nacre/kernel/kerneltest"
	"nacre/server/process"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if os.Getenv("PROCESS_TEST_KERNEL") != "" {
		if err := process.Serve(context.Background(), &session{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// session has commands for what a cell may do to its own process.
type session struct{ kerneltest.Session }

func (s *session) Execute(ctx context.Context, r kernel.Request, out kernel.Output) kernel.Reply {
	word, rest, _ := strings.Cut(r.Code, " ")
	switch word {
	case "garble": // write to a file descriptor
		for fd := range strings.FieldsSeq(rest) {
			n, _ := strconv.Atoi(fd)
			_, _ = syscall.Write(n, []byte("garbage\n"))
		}
	case "garble-pipes": // and to the very channel, wherever it is
		files, _ := os.ReadDir("/proc/self/fd")
		for _, f := range files {
			n, _ := strconv.Atoi(f.Name())
			if to, _ := os.Readlink("/proc/self/fd/" + f.Name()); n > 2 && strings.HasPrefix(to, "pipe:") {
				_, _ = syscall.Write(n, []byte("garbage\n"))
			}
		}
	case "environment":
		out.Stream("stdout", strings.Join(os.Environ(), "\n"))
	default:
		return s.Session.Execute(ctx, r, out)
	}
	return kernel.Reply{}
}

type child struct {
	*process.Process
	*jupyter.Client
	exit chan process.Exit
}

func start(t *testing.T, memory int64) *child {
	t.Helper()
	c := &child{exit: make(chan process.Exit, 1)}
	ready := make(chan struct{})
	c.Client = jupyter.NewClient(func(m *jupyter.Message) error { return c.Process.Send(m) })
	p, err := process.Start(process.Config{Argv: []string{os.Args[0]}, Env: []string{"PROCESS_TEST_KERNEL=1"},
		Memory: memory}, process.Handlers{
		Message: func(m *jupyter.Message) { <-ready; c.Deliver(m) },
		Exit:    func(e process.Exit) { c.Lost(e); c.exit <- e },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Process = p
	close(ready)
	t.Cleanup(func() { p.Kill("the test is over") })
	return c
}

// patience is how long a kernel may take on the busiest machine: only a fault takes longer.
const patience = 2 * time.Minute

func (c *child) run(t *testing.T, code string) (jupyter.ExecuteReply, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return c.Execute(ctx, jupyter.ExecuteRequest{Code: code}, nil)
}

// A cell that writes to the numbers at which the kernel's channel was inherited does no harm; one that finds the
// channel itself ends its kernel, in a sentence, and does not leave it busy for good.
func TestGarbageInTheChannel(t *testing.T) {
	c := start(t, 0)
	for range 3 {
		if reply, err := c.run(t, "garble 3 4"); err != nil || reply.Status != "ok" {
			t.Fatal(reply, err)
		}
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no list of open files on this system")
	}
	_, err := c.run(t, "garble-pipes")
	var e process.Exit
	if !errors.As(err, &e) || !strings.Contains(e.Reason, "no message were written to the kernel's channel") {
		t.Errorf("%v", err)
	}
}

// What the process prints comes before the message that it sends next.
func TestPrintedComesInOrder(t *testing.T) {
	var got []string
	ready, last := make(chan struct{}), make(chan struct{})
	var c *jupyter.Client
	var p *process.Process
	c = jupyter.NewClient(func(m *jupyter.Message) error { return p.Send(m) })
	var mu sync.Mutex
	note := func(text string) {
		mu.Lock()
		got = append(got, text)
		mu.Unlock()
	}
	p, err := process.Start(process.Config{Argv: []string{os.Args[0]}, Env: []string{"PROCESS_TEST_KERNEL=1"}},
		process.Handlers{
			Message: func(m *jupyter.Message) {
				<-ready
				if m.Type() == "execute_reply" {
					note("reply")
				}
				c.Deliver(m)
			},
			Output: func(_, text string) { note(strings.TrimSpace(text)) },
			Exit:   func(e process.Exit) { c.Lost(e); close(last) },
		})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var want []string
	for k := range 50 {
		if _, err := c.Execute(ctx, jupyter.ExecuteRequest{Code: fmt.Sprint("native ", k)}, nil); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(k), "reply")
	}
	p.Stop(patience)
	<-last
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// Cells do not find the server's token in their environment, and everything else that is there.
func TestTheTokenIsNotPassedOn(t *testing.T) {
	t.Setenv(process.TokenVariable, "0123456789abcdef-secret")
	t.Setenv("NACRE_TOKEN_FILE", "kept")
	c := start(t, 0)
	text := ""
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := c.Execute(ctx, jupyter.ExecuteRequest{Code: "environment"}, func(m *jupyter.Message) {
		var s struct{ Text string }
		if m.Type() == "stream" && m.Decode(&s) == nil {
			text += s.Text
		}
	})
	if err != nil || strings.Contains(text, "0123456789abcdef-secret") ||
		!strings.Contains(text, "NACRE_TOKEN_FILE=kept") {
		t.Errorf("%v, %s", err, text)
	}
}

func TestRunAndStop(t *testing.T) {
	c := start(t, 0)
	if reply, err := c.run(t, "value 1"); err != nil || reply.Status != "ok" {
		t.Fatal(reply, err)
	}
	c.Stop(patience)
	if e := <-c.exit; !e.Asked || e.Code != 0 || e.Reason != "the kernel was shut down" {
		t.Errorf("%+v", e)
	}
}

// However a kernel ends, the cell fails with one sentence that says how.
func TestEnds(t *testing.T) {
	for code, want := range map[string]struct{ reason, stderr string }{
		"exit 3":                  {"the kernel ended with exit status 3", ""},
		"exit 0":                  {"the kernel ended by itself (exit status 0)", ""},
		"panic oh dear":           {"the kernel ended with exit status 2", "panic: oh dear"},
		"native look out\nexit 1": {"the kernel ended with exit status 1", "look out"},
		"eat 400000000":           {"the kernel ended because it needed more memory than it may use", ""},
	} {
		limit := int64(0)
		if strings.HasPrefix(code, "eat") {
			limit = 200 << 20
		}
		c := start(t, limit)
		_, err := c.run(t, code)
		var e process.Exit
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", code, err)
			continue
		}
		if e.Reason != want.reason || !strings.Contains(e.Stderr, want.stderr) || e.Asked {
			t.Errorf("%s: %s, asked %v, stderr %q", code, e.Reason, e.Asked, e.Stderr)
		}
	}
}

func TestKilledFromOutside(t *testing.T) {
	c := start(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := c.Execute(ctx, jupyter.ExecuteRequest{Code: "print begun\nspin"}, func(m *jupyter.Message) {
		if m.Type() == "stream" {
			_ = syscall.Kill(c.PID(), syscall.SIGKILL)
		}
	})
	var e process.Exit
	if !errors.As(err, &e) || e.Signal != "killed" || !strings.Contains(e.Reason, "killed from outside") {
		t.Errorf("%v", err)
	}
}

func TestStopOfAKernelThatDoesNotAnswer(t *testing.T) {
	c := start(t, 0)
	if _, err := c.run(t, "value 1"); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(c.PID(), syscall.SIGSTOP)
	c.Stop(100 * time.Millisecond)
	if e := <-c.exit; !e.Asked || e.Signal != "killed" {
		t.Errorf("%+v", e)
	}
}

func TestStartFails(t *testing.T) {
	if _, err := process.Start(process.Config{Argv: []string{"/no/such/program"}}, process.Handlers{}); err == nil ||
		!strings.Contains(err.Error(), "/no/such/program") {
		t.Error(err)
	}
}

// Who asks a relay gets what the child prints too, and the reason of its end.
func TestRelay(t *testing.T) {
	got := make(chan *jupyter.Message, 100)
	r, err := process.NewRelay(process.Config{Argv: []string{os.Args[0]}, Env: []string{"PROCESS_TEST_KERNEL=1"}},
		func(m *jupyter.Message) { got <- m })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ask := func(code string) *jupyter.Message {
		m := jupyter.NewMessage(jupyter.Shell, "execute_request", "client", nil, jupyter.ExecuteRequest{Code: code})
		m.Route = [][]byte{[]byte("client")}
		r.Handle(m)
		return m
	}
	idle := func(of *jupyter.Message) (text string) {
		for {
			select {
			case m := <-got:
				if m.ParentHead().MsgID != of.Head().MsgID {
					continue
				}
				if m.Channel == jupyter.Shell && string(m.Route[0]) != "client" {
					t.Errorf("a reply goes to %q", m.Route)
				}
				text += m.Type() + string(m.Content) + "\n"
				if m.Type() == "status" && strings.Contains(string(m.Content), "idle") {
					return text
				}
			case <-time.After(patience):
				t.Fatal("nothing comes after ", text)
			}
		}
	}
	if text := idle(ask("print one\nnative two")); !strings.Contains(text, "one") || !strings.Contains(text, "two") ||
		!strings.Contains(text, `execute_reply{"status":"ok"`) {
		t.Error(text)
	}
	m := ask("spin")
	time.AfterFunc(100*time.Millisecond, r.Interrupt)
	if text := idle(m); !strings.Contains(text, "Interrupted") {
		t.Error(text)
	}
	first, second := ask("native the end\nexit 3"), ask("print never")
	if text := idle(first); !strings.Contains(text, "the end") ||
		!strings.Contains(text, `error{"ename":"KernelDied","evalue":"the kernel ended with exit status 3"`) {
		t.Error(text)
	}
	if text := idle(second); !strings.Contains(text, `"status":"aborted"`) {
		t.Error(text)
	}
	<-r.Done()
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}
