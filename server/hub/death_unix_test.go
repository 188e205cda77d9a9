//go:build unix

package hub_test

import (
	"strings"
	"syscall"
	"testing"

	"nacre/kernel/jupyter"
	"nacre/server/hub"
)

// A cell that was sent to a kernel whose end was not noticed yet says why it did not run; those behind it do not.
func TestDeathBetweenCells(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	x.run("a", "print 1")
	if err := syscall.Kill(b.k.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	first := x.send("a", "print 2")
	var last *jupyter.Message
	for range 8 {
		last = x.send("b", "print 3")
	}
	if err := syscall.Kill(b.k.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	list := x.until("end", idleOf(last))
	var failed, aborted []string
	for _, m := range list {
		switch {
		case m.Type() == "error":
			failed = append(failed, m.ParentHead().MsgID)
		case m.Type() == "execute_reply" && strings.Contains(string(m.Content), "aborted"):
			aborted = append(aborted, m.ParentHead().MsgID)
		}
	}
	if len(failed) != 1 || failed[0] != first.Head().MsgID || len(aborted) != 8 || aborted[7] != last.Head().MsgID {
		t.Errorf("failed %q, aborted %q: %s", failed, aborted, describe(list))
	}
}
