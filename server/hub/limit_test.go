package hub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nacre/kernel/jupyter"
)

// More than a browser can take is left out, and one line says so; the last state of a display is shown all the same.
func TestLimiter(t *testing.T) {
	l := newLimiter()
	cell := jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil)
	now := time.Now()
	pass := func(msgType string, content any) []*jupyter.Message {
		return l.pass(jupyter.NewMessage(jupyter.IOPub, msgType, "k", cell, content), now)
	}
	update := func(id string, i int) []*jupyter.Message {
		return pass("update_display_data", map[string]any{"data": map[string]int{"text/plain": i}, "transient": map[string]string{"display_id": id}})
	}
	shown := 0
	for i := range limitMessages + 100 {
		shown += len(update("a", i)) + len(update("b", i))
	}
	if shown != limitMessages {
		t.Errorf("%d updates were shown", shown)
	}
	first := pass("stream", map[string]string{"name": "stdout", "text": "x"})
	if len(first) != 1 || !strings.Contains(string(first[0].Content), "[output left out:") || string(first[0].Parent) != string(cell.Header) {
		t.Errorf("no note: %v", first)
	}
	if again := pass("stream", map[string]string{"name": "stdout", "text": "x"}); len(again) != 0 {
		t.Errorf("%s", again[0].Content)
	}
	if e := pass("error", nil); len(e) != 1 || e[0].Type() != "error" {
		t.Error("an error is always shown")
	}
	end := pass("status", map[string]string{"execution_state": "idle"})
	if len(end) != 3 || end[2].Type() != "status" {
		t.Fatalf("%d messages at the end", len(end))
	}
	for i, id := range []string{"a", "b"} {
		if c := string(end[i].Content); !strings.Contains(c, fmt.Sprint(limitMessages+99)) || displayID(end[i]) != id {
			t.Errorf("the last state of %s: %s", id, c)
		}
	}
	now = now.Add(limitWindow + time.Millisecond)
	if m := update("a", 5); len(m) != 1 {
		t.Error("a new window has begun")
	}
	now = now.Add(limitWindow + time.Millisecond)
	big := strings.Repeat("x", 1<<20)
	shown = 0
	for range limitBytes>>20 + 10 {
		shown += len(pass("display_data", map[string]string{"text/plain": big}))
	}
	if shown != limitBytes>>20 { // the last of them is the note
		t.Errorf("%d of %d MiB were shown", shown, limitBytes>>20+10)
	}
}
