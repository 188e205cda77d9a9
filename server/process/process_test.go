package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/kernel/jupyter"
	"nacre/kernel/kerneltest"
	"nacre/server/process"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if os.Getenv("PROCESS_TEST_KERNEL") != "" {
		if err := process.Serve(context.Background(), &kerneltest.Session{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
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
	p, err := process.Start(process.Config{Argv: []string{os.Args[0]}, Env: []string{"PROCESS_TEST_KERNEL=1"}, Memory: memory}, process.Handlers{
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

func (c *child) run(t *testing.T, code string) (jupyter.ExecuteReply, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return c.Execute(ctx, jupyter.ExecuteRequest{Code: code}, nil)
}

func TestRunAndStop(t *testing.T) {
	c := start(t, 0)
	if reply, err := c.run(t, "value 1"); err != nil || reply.Status != "ok" {
		t.Fatal(reply, err)
	}
	c.Stop(5 * time.Second)
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
		"eat 400000000":           {"the kernel ended because it needed more memory than it may use", "memory"},
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
			t.Errorf("%s: %+v", code, e)
		}
	}
}

func TestKilledFromOutside(t *testing.T) {
	c := start(t, 0)
	time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(c.PID(), syscall.SIGKILL) })
	_, err := c.run(t, "spin")
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
	if _, err := process.Start(process.Config{Argv: []string{"/no/such/program"}}, process.Handlers{}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Error(err)
	}
}
