package library_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/library/display"
)

// controlled is a session in which one cell with controls ran.
func controlled(t *testing.T, code string, kept map[string][]byte) (kernel.Session, *kerneltest.Output) {
	t.Helper()
	s := start(t)
	return s, again(t, s, code, kept)
}

func again(t *testing.T, s kernel.Session, code string, kept map[string][]byte) *kerneltest.Output {
	t.Helper()
	out := &kerneltest.Output{}
	if r := s.Execute(context.Background(), kernel.Request{Code: code, CellID: "a", Controls: kept},
		out); r.Error != nil {
		t.Fatal(kerneltest.Value(r))
	}
	return out
}

const knobs = `import "nacre/library/display"
speed, n, task, on, presses, note := 1.5, 3, "left", false, 0, ""
display.Slider("speed", &speed, 0, 5)
display.Slider("n", &n, 1, 9)
display.Select("task", &task, "left", "right")
display.Toggle("on", &on)
display.Button("go", &presses)
display.TextField("note", &note)`

// Moved, controls set their variables, show it, and make stale what reads them alone.
func TestControlsSetVariables(t *testing.T) {
	s, out := controlled(t, knobs, nil)
	cells := []kernel.Source{{ID: "a", Code: knobs}}
	for _, c := range []string{"speed", "n", "task", "on", "presses", "note"} {
		cells = append(cells, kernel.Source{ID: c, Code: c + ";" + c})
		s.Execute(context.Background(), kernel.Request{Code: c + ";" + c, CellID: c}, &kerneltest.Output{})
	}
	for _, c := range []struct{ label, value, name, shown string }{
		{"speed", "4.25", "speed", "4.25"}, {"n", "7", "n", "7"}, {"task", "1", "task", `"right"`},
		{"on", "true", "on", "true"},
		{"go", "2", "presses", "2"}, {"note", `"<b>"`, "note", `"<b>"`},
	} {
		if err := s.Move("control a/"+c.label, []byte(c.value)); err != nil {
			t.Error(err)
			continue
		}
		if r, _ := execute(s, c.name); kerneltest.Value(r) != c.shown {
			t.Errorf("%s is %s, want %s", c.name, kerneltest.Value(r), c.shown)
		}
		updates := out.Updates()
		last := updates[len(updates)-1]
		if last.ID != "control a/"+c.label || last.MIME[display.ControlMIME] == nil ||
			strings.Contains(last.MIME["text/html"].(string), "<b><b>") {
			t.Errorf("%s is shown as %v under %q", c.label, last.MIME["text/plain"], last.ID)
		}
		for k, x := range s.Stale(cells) {
			if want := cells[k].ID == c.name; (len(x.Because) > 0) != want {
				t.Errorf("after %s moved the cell %s is stale: %v, want %v", c.label, cells[k].ID, x.Because, want)
			}
		}
		s.Execute(context.Background(), kernel.Request{Code: c.name + ";" + c.name, CellID: c.name},
			&kerneltest.Output{})
	}
}

// Bad moves are one error each and change nothing.
func TestControlsRefuse(t *testing.T) {
	s, _ := controlled(t, knobs, nil)
	for _, c := range []struct{ label, value, want string }{
		{"speed", "7", "expected 0 to 5"}, {"speed", `"x"`, "a slider"}, {"speed", "null", "a slider"},
		{"speed", "{", "a slider"}, {"n", "2.5", "whole number"},
		{"task", "2", "expected 0 to 1"}, {"task", "-1", "expected 0 to 1"}, {"on", "1", "a toggle"},
		{"go", "-3", "a button"}, {"note", `"` + strings.Repeat("x", 20_000) + `"`, "at most"},
		{"none", "1", "run its cell"},
	} {
		if err := s.Move("control a/"+c.label, []byte(c.value)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s moved to %.20s: %v, want %q", c.label, c.value, err, c.want)
		}
	}
	if r, _ := execute(s, "import \"fmt\"\nfmt.Sprint(speed, n, task, on, presses, note)"); kerneltest.Value(
		r) != `"1.5 3leftfalse 0"` {
		t.Errorf("the variables are %s", kerneltest.Value(r))
	}
}

// A cell that runs again keeps where its controls were, until the code gives one another start or makes another of it.
func TestControlsAreKept(t *testing.T) {
	kept := func(kind, initial, value string) map[string][]byte {
		return map[string][]byte{"speed": fmt.Appendf(nil, `{"kind":%q,"initial":%s,"value":%s}`, kind, initial, value)}
	}
	for _, c := range []struct {
		kept map[string][]byte
		want string
	}{
		{nil, "1.5"}, {kept("slider", "1.5", "4"), "4"}, {kept("slider", "2", "4"), "1.5"},
		{kept("slider", "1.5", "9"), "1.5"},
		{kept("select", "1.5", "4"), "1.5"}, {map[string][]byte{"speed": []byte("[1")}, "1.5"},
		{map[string][]byte{"other": []byte("{}")}, "1.5"},
	} {
		s, _ := controlled(t, knobs, c.kept)
		if r, _ := execute(s, "speed"); kerneltest.Value(r) != c.want {
			t.Errorf("kept as %s the speed is %s, want %s", c.kept, kerneltest.Value(r), c.want)
		}
	}
}

// A cell that changes a control's variable changes the control; moves wait for the cell that runs.
func TestControlsFollow(t *testing.T) {
	s, out := controlled(t, knobs, nil)
	if r, _ := execute(s, "speed = 3"); r.Error != nil {
		t.Fatal(kerneltest.Value(r))
	}
	if u := out.Updates(); len(u) != 1 || u[0].MIME["text/plain"] != "speed: 3 (0 to 5)" {
		t.Errorf("the controls were shown anew as %v", u)
	}
	running, ended := make(chan struct{}), make(chan string)
	go func() {
		close(running)
		r, _ := execute(s, "import \"time\"\nbefore := speed\ntime.Sleep(200 * time.Millisecond)\nspeed == before")
		ended <- kerneltest.Value(r)
	}()
	<-running
	if err := s.Move("control a/speed", []byte("1")); err != nil {
		t.Error(err)
	}
	if got := <-ended; got != "true" {
		t.Errorf("the variable changed while a cell ran: %s", got)
	}
}
