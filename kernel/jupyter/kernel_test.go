package jupyter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"nacre/kernel/jupyter"
	"nacre/kernel/kerneltest"
)

// pair is a kernel and a client of it that records everything.
type pair struct {
	*jupyter.Client
	k   *jupyter.Kernel
	mu  sync.Mutex
	all []*jupyter.Message
}

func newPair(t *testing.T) *pair {
	p := &pair{}
	p.k = jupyter.NewKernel(&kerneltest.Session{}, func(m *jupyter.Message) {
		p.mu.Lock()
		p.all = append(p.all, m)
		p.mu.Unlock()
		p.Deliver(m)
	})
	p.Client = jupyter.NewClient(func(m *jupyter.Message) error { p.k.Handle(m); return nil })
	t.Cleanup(p.k.Close)
	return p
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ask sends a request on the shell channel and returns the content of its reply.
func (p *pair) ask(t *testing.T, msgType string, content any) map[string]any {
	t.Helper()
	m, err := p.Request(within(t), jupyter.Shell, msgType, content, nil)
	if err != nil {
		t.Fatalf("%s: %v", msgType, err)
	}
	var c map[string]any
	if err := m.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *pair) run(t *testing.T, code string) (jupyter.ExecuteReply, []string) {
	t.Helper()
	var shown []string
	reply, err := p.Execute(within(t), jupyter.ExecuteRequest{Code: code, AllowStdin: p.Input != nil},
		func(m *jupyter.Message) {
			if m.Type() != "status" && m.Type() != "execute_input" {
				shown = append(shown, m.Type()+" "+string(m.Content))
			}
		})
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return reply, shown
}

func TestExecute(t *testing.T) {
	p := newPair(t)
	reply, shown := p.run(t, "print a\nprint b\nerror-print c\ndisplay d1 one\nupdate d1 two\nclear wait\nvalue 42")
	want := []string{
		`stream {"name":"stdout","text":"a\nb\n"}`, `stream {"name":"stderr","text":"c\n"}`,
		`display_data {"data":{"text/plain":"one"},"metadata":{},"transient":{"display_id":"d1"}}`,
		`update_display_data {"data":{"text/plain":"two"},"metadata":{},"transient":{"display_id":"d1"}}`,
		`clear_output {"wait":true}`,
		`execute_result {"data":{"text/plain":"42"},"execution_count":1,"metadata":{},"transient":{}}`,
	}
	if !reflect.DeepEqual(shown, want) || reply.Status != "ok" || reply.Count != 1 {
		t.Errorf("%+v\n%s", reply, strings.Join(shown, "\n"))
	}
	reply, shown = p.run(t, "fail Boom it broke")
	if reply.Status != "error" || reply.Name != "Boom" || reply.Value != "it broke" || reply.Count != 2 ||
		len(shown) != 1 ||
		!strings.HasPrefix(shown[0], `error {"ename":"Boom","evalue":"it broke"`) {
		t.Errorf("%+v %v", reply, shown)
	}
	silent, err := p.Execute(within(t), jupyter.ExecuteRequest{Code: "value 1", Silent: true}, nil)
	if err != nil || silent.Count != 2 {
		t.Errorf("a silent cell: %+v, %v", silent, err)
	}
}

// Every request is answered between a busy and an idle status with the request's header as parent.
func TestBusyAndIdleAroundEveryRequest(t *testing.T) {
	p := newPair(t)
	for msgType, channel := range map[string]string{
		"execute_request": "shell", "kernel_info_request": "shell", "complete_request": "shell",
		"inspect_request":     "shell",
		"is_complete_request": "shell", "history_request": "shell", "comm_info_request": "shell",
		"variables_request": "shell",
		"interrupt_request": "control", "debug_request": "control",
	} {
		var states []string
		m := jupyter.NewMessage(channel, msgType, "me", nil, map[string]any{"code": ""})
		reply, err := p.Do(within(t), m, func(m *jupyter.Message) {
			if m.Type() == "status" {
				states = append(states, string(m.Content))
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", msgType, err)
		}
		if fmt.Sprint(states) != `[{"execution_state":"busy"} {"execution_state":"idle"}]` ||
			reply.Channel != channel ||
			reply.Type() != strings.Replace(msgType, "request", "reply", 1) ||
			string(reply.Parent) != string(m.Header) {
			t.Errorf("%s: %v, reply %s on %s to %s", msgType, states, reply.Type(), reply.Channel, reply.Parent)
		}
	}
}

func TestStopOnError(t *testing.T) {
	p := newPair(t)
	statuses := make([]string, 3)
	var wg sync.WaitGroup
	send := func(i int, code string) {
		m := jupyter.NewMessage(jupyter.Shell, "execute_request", "me", nil, jupyter.ExecuteRequest{Code: code})
		begun := make(chan struct{})
		var once sync.Once
		wg.Go(func() {
			reply, err := p.Do(within(t), m, func(*jupyter.Message) { once.Do(func() { close(begun) }) })
			if err != nil {
				t.Error(err)
				return
			}
			var r jupyter.ExecuteReply
			_ = reply.Decode(&r)
			statuses[i] = r.Status
		})
		if i == 0 {
			<-begun
		}
	}
	send(0, "sleep 200\nfail A b")
	send(1, "print never")
	send(2, "print never")
	wg.Wait()
	if fmt.Sprint(statuses) != "[error aborted aborted]" {
		t.Error(statuses)
	}
	if reply, _ := p.run(t, "value 1"); reply.Status != "ok" || reply.Count != 2 {
		t.Errorf("after it: %+v", reply)
	}
}

// Of a run of several cells those do not run that arrive only after one of them has failed, unless it may fail.
func TestRunEndsWithError(t *testing.T) {
	p := newPair(t)
	yes, no := true, false
	for _, c := range []struct {
		run, code string
		stop      *bool
		want      string
	}{
		{"a", "value 1", nil, "ok"}, {"a", "fail A b", &no, "error"}, {"a", "value 1", nil, "ok"},
		{"a", "fail A b", &yes, "error"}, {"a", "value 1", nil, "aborted"}, {"a", "value 1", &no, "aborted"},
		{"b", "value 1", nil, "ok"}, {"", "fail A b", nil, "error"}, {"", "value 1", nil, "ok"},
		{"b", "fail A b", nil, "error"}, {"b", "value 1", nil, "aborted"},
	} {
		m := jupyter.NewMessage(jupyter.Shell, "execute_request", "me", nil,
			jupyter.ExecuteRequest{Code: c.code, StopOnError: c.stop})
		if c.run != "" {
			m.Metadata, _ = json.Marshal(map[string]string{"run": c.run})
		}
		reply, err := p.Do(within(t), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		var r jupyter.ExecuteReply
		if _ = reply.Decode(&r); r.Status != c.want {
			t.Errorf("run %q, %s: %s, want %s", c.run, c.code, r.Status, c.want)
		}
	}
}

func TestAnswersWhileACellRuns(t *testing.T) {
	p := newPair(t)
	done := make(chan jupyter.ExecuteReply)
	begun := make(chan struct{}, 10)
	go func() {
		reply, _ := p.Execute(within(t), jupyter.ExecuteRequest{Code: "spin"}, func(*jupyter.Message) {
			begun <- struct{}{}
		})
		done <- reply
	}()
	<-begun
	<-begun
	c := p.ask(t, "complete_request", map[string]any{"code": "prin", "cursor_pos": 4})
	if fmt.Sprint(c["matches"]) != "[print]" || c["cursor_start"] != 0.0 || c["cursor_end"] != 4.0 {
		t.Error(c)
	}
	if _, err := p.Request(within(t), jupyter.Control, "interrupt_request", nil, nil); err != nil {
		t.Fatal(err)
	}
	if reply := <-done; reply.Name != "Interrupted" {
		t.Errorf("%+v", reply)
	}
}

// An interrupt that comes when a cell has been taken and does not run yet stops it all the same.
func TestInterruptBeforeTheCellRuns(t *testing.T) {
	p := newPair(t)
	reply, err := p.Execute(within(t), jupyter.ExecuteRequest{Code: "spin"}, func(m *jupyter.Message) {
		if m.Type() == "execute_input" {
			p.k.Interrupt()
		}
	})
	if err != nil || reply.Name != "Interrupted" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestInput(t *testing.T) {
	p := newPair(t)
	p.Input = func(prompt string, password bool) (string, error) {
		return fmt.Sprintf("<%s %v>", prompt, password), nil
	}
	_, shown := p.run(t, "print before\ninput name?\npassword secret?")
	want := []string{`stream {"name":"stdout","text":"before\n"}`,
		`stream {"name":"stdout","text":"got <name? false>\n"}`,
		`stream {"name":"stdout","text":"got <secret? true>\n"}`}
	if !reflect.DeepEqual(shown, want) {
		t.Error(shown)
	}
	p.Input = nil
	if reply, _ := p.run(t, "input x"); reply.Name != "InputRefused" {
		t.Errorf("without stdin: %+v", reply)
	}
}

func TestInterruptWhileWaitingForInput(t *testing.T) {
	p := newPair(t)
	asked := make(chan struct{})
	p.Input = func(string, bool) (string, error) { close(asked); return "", io.EOF }
	go func() {
		<-asked
		p.k.Interrupt()
	}()
	if reply, _ := p.run(t, "input x"); reply.Name != "Interrupted" {
		t.Errorf("%+v", reply)
	}
}

// What a goroutine writes after its cell has ended belongs to that cell.
func TestLateOutput(t *testing.T) {
	p := newPair(t)
	late := make(chan *jupyter.Message, 1)
	p.Stray = func(m *jupyter.Message) {
		if m.Type() == "stream" {
			late <- m
		}
	}
	m := jupyter.NewMessage(jupyter.Shell, "execute_request", "me", nil, jupyter.ExecuteRequest{Code: "late 60 hello"})
	if _, err := p.Do(within(t), m, nil); err != nil {
		t.Fatal(err)
	}
	p.run(t, "print other")
	if got := <-late; string(got.Parent) != string(m.Header) || !strings.Contains(string(got.Content), "hello") {
		t.Errorf("%s %s", got.Parent, got.Content)
	}
}

func TestHistory(t *testing.T) {
	p := newPair(t)
	for _, code := range []string{"value 1", "value 2", "print x", "value 1"} {
		p.run(t, code)
	}
	for _, test := range []struct {
		request map[string]any
		want    string
	}{
		{map[string]any{"hist_access_type": "tail", "n": 2}, `[[1,3,"print x"],[1,4,"value 1"]]`},
		{map[string]any{"hist_access_type": "tail", "n": 1, "output": true}, `[[1,4,["value 1","1"]]]`},
		{map[string]any{"hist_access_type": "range", "session": 0, "start": 2, "stop": 4},
			`[[1,2,"value 2"],[1,3,"print x"]]`},
		{map[string]any{"hist_access_type": "range", "session": -1, "start": 1}, `[]`},
		{map[string]any{"hist_access_type": "search", "pattern": "value*"},
			`[[1,1,"value 1"],[1,2,"value 2"],[1,4,"value 1"]]`},
		{map[string]any{"hist_access_type": "search", "pattern": "value*", "unique": true, "n": 2},
			`[[1,2,"value 2"],[1,4,"value 1"]]`},
		{map[string]any{"hist_access_type": "search", "pattern": "?rint*x"}, `[[1,3,"print x"]]`},
	} {
		got, _ := json.Marshal(p.ask(t, "history_request", test.request)["history"])
		if string(got) != test.want {
			t.Errorf("%v: got %s, want %s", test.request, got, test.want)
		}
	}
}

func TestRequests(t *testing.T) {
	p := newPair(t)
	info := p.ask(t, "kernel_info_request", nil)
	language := info["language_info"].(map[string]any)
	if info["protocol_version"] != "5.5" || info["status"] != "ok" || language["name"] != "go" ||
		language["file_extension"] != ".go" {
		t.Error(info)
	}
	for code, want := range map[string]string{"a": "complete", "f {": "incomplete", ")": "invalid"} {
		if got := p.ask(t, "is_complete_request", map[string]any{"code": code}); got["status"] != want {
			t.Errorf("%s: %v", code, got)
		}
	}
	found := p.ask(t, "inspect_request", map[string]any{"code": "print", "cursor_pos": 99, "detail_level": 0})
	if found["found"] != true || fmt.Sprint(found["data"]) != "map[text/plain:command print]" {
		t.Error(found)
	}
	// A cursor counts code points, not bytes.
	c := p.ask(t, "complete_request", map[string]any{"code": "é prin", "cursor_pos": 6})
	if c["cursor_start"] != 2.0 || c["cursor_end"] != 6.0 {
		t.Error(c)
	}
	if v := p.ask(t, "variables_request", nil); fmt.Sprint(v["variables"]) != "[map[name:cells parts:0 size:-1 "+
		"type:int value:0]]" {
		t.Error(v)
	}
	bad := p.ask(t, "complete_request", map[string]any{"code": 5})
	if bad["status"] != "error" || bad["ename"] != "BadRequest" {
		t.Error(bad)
	}
	if other := p.ask(t, "telepathy_request", nil); other["status"] != "error" || other["ename"] != "NotOffered" {
		t.Error(other)
	}
	p.run(t, "next print 1")
	reply, _ := p.run(t, "page some text")
	if fmt.Sprint(reply.Payload) != "[map[data:map[text/plain:some text] source:page start:0]]" {
		t.Error(reply.Payload)
	}
}

func TestShutdownOverPipes(t *testing.T) {
	requests, in := io.Pipe()
	out, messages := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- jupyter.ServePipe(t.Context(), &kerneltest.Session{}, requests, messages) }()
	w := jupyter.NewWriter(in)
	c := jupyter.NewClient(w.Write)
	go func() {
		r := jupyter.NewReader(out)
		for {
			m, err := r.Read()
			if err != nil {
				c.Lost(err)
				return
			}
			c.Deliver(m)
		}
	}()
	if reply, err := c.Execute(within(t), jupyter.ExecuteRequest{Code: "value 1"}, nil); err != nil ||
		reply.Status != "ok" {
		t.Fatal(reply, err)
	}
	reply, err := c.Request(within(t), jupyter.Control, "shutdown_request", map[string]bool{"restart": false}, nil)
	if err != nil || !strings.Contains(string(reply.Content), `"status":"ok"`) {
		t.Error(reply, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
