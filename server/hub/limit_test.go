package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/kernel/jupyter"
)

// More than a browser can take is left out, and one line says so; the last state of a display is shown all the same.
func TestLimiter(t *testing.T) {
	l := newLimiter(&overflow{})
	defer l.overflow.close()
	cell := jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil)
	now := time.Now()
	pass := func(msgType string, content any) []*jupyter.Message {
		return l.pass(jupyter.NewMessage(jupyter.IOPub, msgType, "k", cell, content), now)
	}
	update := func(id string, i int) []*jupyter.Message {
		return pass("update_display_data", map[string]any{"data": map[string]int{"text/plain": i},
			"transient": map[string]string{"display_id": id}})
	}
	shown := 0
	for i := range limitMessages + 100 {
		shown += len(update("a", i)) + len(update("b", i))
	}
	if shown != limitMessages {
		t.Errorf("%d updates were shown", shown)
	}
	first := pass("stream", map[string]string{"name": "stdout", "text": "x"})
	if len(first) != 1 || !strings.Contains(string(first[0].Content), "[output left out:") ||
		string(first[0].Parent) != string(cell.Header) {
		t.Errorf("no note: %v", first)
	}
	if again := pass("stream", map[string]string{"name": "stdout", "text": "x"}); len(again) != 0 {
		t.Errorf("%s", again[0].Content)
	}
	if e := pass("error", nil); len(e) != 1 || e[0].Type() != "error" {
		t.Error("an error is always shown")
	}
	other := jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil)
	if m := l.pass(jupyter.NewMessage(jupyter.IOPub, "stream", "k", other,
		map[string]string{"name": "stdout", "text": "x"}), now); len(m) != 1 ||
		strings.Contains(string(m[0].Content), "left out") {
		t.Error("what the next cell says first is shown, whatever the one before has shown")
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
		shown += len(pass("comm_msg", map[string]string{"text/plain": big}))
	}
	if shown != limitBytes>>20 { // the last of them is the note
		t.Errorf("%d of %d MiB were shown", shown, limitBytes>>20+10)
	}
}

// One cell shows so much and no more, however slowly it comes. The rest of its text is in a file, whole and in order,
// and another cell begins anew.
func TestCellLimits(t *testing.T) {
	heavy.Skip(t, "shows tens of megabytes")
	l := newLimiter(&overflow{})
	now := time.Now()
	cell := jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil)
	content := func(m *jupyter.Message) (text string) {
		var c struct{ Text string }
		_ = m.Decode(&c)
		return c.Text
	}
	place := regexp.MustCompile(`is in (\S+) while`)
	for _, kind := range []struct {
		name  string
		pass  func(*jupyter.Message, time.Time) []*jupyter.Message
		limit int
	}{{"printed", l.pass, cellText}, {"the process's own", l.native, cellNative}} {
		shown, all, file := "", "", ""
		notes := 0
		for i := 0; len(all) < kind.limit*5/4; i++ {
			now = now.Add(limitWindow + time.Millisecond)
			text := fmt.Sprintf("line %d é\n", i) + strings.Repeat(string(rune('a'+i%26)), 10_000) + "\n"
			all += text
			for _, m := range kind.pass(jupyter.NewMessage(jupyter.IOPub, "stream", "k", cell,
				map[string]string{"name": "stdout", "text": text}), now) {
				if found := place.FindStringSubmatch(content(m)); found != nil {
					file = found[1]
					notes++
					continue
				}
				shown += content(m)
			}
		}
		rest, err := os.ReadFile(file)
		if err != nil || notes != 1 {
			t.Fatalf("%s: %d notes, %v", kind.name, notes, err)
		}
		if len(shown) > kind.limit || len(shown) < kind.limit*9/10 || shown+string(rest) != all {
			t.Errorf("%s: %d bytes shown and %d in the file, of %d", kind.name, len(shown), len(rest), len(all))
		}
		cell = jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil)
	}
	display := func() int {
		now = now.Add(limitWindow + time.Millisecond)
		return len(l.pass(jupyter.NewMessage(jupyter.IOPub, "display_data", "k", cell,
			map[string]string{"text/plain": strings.Repeat("x", 1<<20)}), now))
	}
	shown := 0
	for range cellDisplays>>20 + 10 {
		shown += display()
	}
	if shown != cellDisplays>>20 { // the last of them is the note
		t.Errorf("%d displays of 1 MiB", shown)
	}
	if l.pass(jupyter.NewMessage(jupyter.IOPub, "clear_output", "k", cell, map[string]bool{"wait": false}),
		now); display() != 1 {
		t.Error("a cell that clears what it shows may show something new")
	}
	cell, shown = jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil), 0
	for range cellShown + 10 {
		now = now.Add(time.Millisecond)
		shown += len(l.pass(jupyter.NewMessage(jupyter.IOPub, "display_data", "k", cell,
			map[string]string{"text/plain": "x"}), now))
	}
	if shown != cellShown+1 { // the last of them is the note
		t.Errorf("%d small displays", shown)
	}
	dir := l.overflow.dir
	l.overflow.close()
	if _, err := os.Stat(dir); dir == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder %q is left: %v", dir, err)
	}
}
