package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/kernel/jupyter"
	"nacre/kernel/kerneltest"
	"nacre/server/contents"
	"nacre/server/hub"
	"nacre/server/nbformat"
	"nacre/server/process"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if os.Getenv("HUB_TEST_KERNEL") != "" {
		_ = process.Serve(context.Background(), &kerneltest.Session{})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const file = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[
{"cell_type":"code","id":"a","metadata":{},"source":"","outputs":[],"execution_count":null},
{"cell_type":"code","id":"b","metadata":{},"source":"","outputs":[],"execution_count":null}]}`

// bench is a hub with one notebook and its kernel.
type bench struct {
	t     *testing.T
	h     *hub.Hub
	k     *hub.Kernel
	store *contents.Store
}

func newBench(t *testing.T) *bench { return benchOf(t, file, true) }

// benchOf serves the notebook with a text.
func benchOf(t *testing.T, file string, timing bool) *bench {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "n.ipynb"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := contents.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	h := hub.New(hub.Config{
		Spec: "test", Argv: []string{os.Args[0]}, Env: []string{"HUB_TEST_KERNEL=1"}, Store: store, Timing: timing,
		Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(h.Close)
	s, err := h.OpenSession("n.ipynb", "n", "notebook", "", "")
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, h, s.Kernel, store}
}

// tab is a browser's connection.
type tab struct {
	b *bench
	*hub.Client
}

func (b *bench) tab(session string, after uint64) tab {
	return tab{b, b.k.Connect(session, after, nil)}
}

func (x tab) send(cell, code string) *jupyter.Message {
	x.b.t.Helper()
	m := jupyter.NewMessage(jupyter.Shell, "execute_request", "browser", nil,
		jupyter.ExecuteRequest{Code: code, AllowStdin: true})
	m.Metadata, _ = json.Marshal(map[string]string{"cellId": cell})
	if err := x.b.k.Send(x.Client, m); err != nil {
		x.b.t.Fatal(err)
	}
	return m
}

// until reads messages up to the first that ok accepts.
func (x tab) until(what string, ok func(*jupyter.Message) bool) (list []*jupyter.Message) {
	x.b.t.Helper()
	stop := make(chan struct{})
	timer := time.AfterFunc(2*time.Minute, func() { close(stop) })
	defer timer.Stop()
	for {
		m := x.Next(stop)
		if m == nil {
			x.b.t.Fatalf("no %s; got %s", what, describe(list))
		}
		x.Sent(m)
		list = append(list, m)
		if ok(m) {
			return list
		}
	}
}

func describe(list []*jupyter.Message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "\n%s %s %s", m.Type(), m.Content, m.Metadata)
	}
	return b.String()
}

func idleOf(request *jupyter.Message) func(*jupyter.Message) bool {
	return func(m *jupyter.Message) bool {
		return m.Type() == "status" && strings.Contains(string(m.Content), "idle") &&
			string(m.Parent) == string(request.Header)
	}
}

func (x tab) run(cell, code string) []*jupyter.Message {
	x.b.t.Helper()
	return x.until("end of "+code, idleOf(x.send(cell, code)))
}

func streams(list []*jupyter.Message) string {
	var text string
	for _, m := range list {
		var c struct{ Text string }
		if m.Type() == "stream" && m.Decode(&c) == nil {
			text += c.Text
		}
	}
	return text
}

func seq(m *jupyter.Message) uint64 {
	var meta struct{ Seq uint64 }
	_ = json.Unmarshal(m.Metadata, &meta)
	return meta.Seq
}

// saved waits until the file on disk contains text.
func (b *bench) saved(text string) *nbformat.Notebook {
	b.t.Helper()
	var raw []byte
	for range 2000 {
		raw, _ = os.ReadFile(filepath.Join(b.store.Dir(), "n.ipynb"))
		if strings.Contains(string(raw), text) {
			nb, err := nbformat.Parse(raw)
			if err != nil {
				b.t.Fatal(err)
			}
			if err := nb.Validate(); err != nil {
				b.t.Fatal(err)
			}
			return nb
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("the file does not have %q:\n%s", text, raw)
	return nil
}

func TestMessagesAreNumberedAndKnowTheirCell(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", 0)
	last := uint64(0)
	for _, m := range x.run("a", "print hello\nlate 30 later") {
		if n := seq(m); m.Channel == jupyter.IOPub && n != last+1 {
			t.Errorf("%s has number %d after %d", m.Type(), n, last)
		}
		last = max(last, seq(m))
	}
	late := x.until("late text", func(m *jupyter.Message) bool { return m.Type() == "stream" })
	var meta struct {
		Cell string `json:"cell_id"`
	}
	if err := json.Unmarshal(late[len(late)-1].Metadata, &meta); err != nil || meta.Cell != "a" {
		t.Errorf("%s", late[len(late)-1].Metadata)
	}
}

// The reader's tab is closed while a cell runs; the file gets the whole output, and a new tab the rest as it comes.
func TestNothingIsLostWithoutABrowser(t *testing.T) {
	heavy.Skip(t, "waits for seconds")
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	request := x.send("a", "print one\ndisplay d first\nsleep 300\nprint two\nupdate d second\nvalue 42")
	x.send("b", "print from b")
	x.until("display", func(m *jupyter.Message) bool { return m.Type() == "display_data" })
	b.k.Disconnect(x.Client)

	nb, err := nbformat.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	live := b.k.Show(nb)
	if live.Cells["a"] != "busy" || live.Cells["b"] != "queued" || live.KernelID != b.k.ID {
		t.Errorf("%+v", live)
	}
	raw, _ := json.Marshal(nb.Cell("a")["outputs"])
	if !strings.Contains(string(raw), "one") || !strings.Contains(string(raw), `"transient":{"display_id":"d"}`) {
		t.Errorf("what a browser gets that opens the notebook now: %s", raw)
	}
	again := b.tab("another tab", live.Seq)
	list := again.until("end", idleOf(request))
	if streams(list) != "two\n" {
		t.Errorf("after message %d: %s", live.Seq, describe(list))
	}
	b.k.Disconnect(again.Client)

	saved := b.saved("from b")
	outputs, _ := json.Marshal(saved.Cell("a")["outputs"])
	want := `[{"name":"stdout","output_type":"stream","text":"one\n"},{"data":{"text/plain":"second"},"metadata":{},"output_type":"display_data"},` +
		`{"name":"stdout","output_type":"stream","text":"two\n"},{"data":{"text/plain":"42"},"execution_count":1,"metadata":{},"output_type":"execute_result"}]`
	if string(outputs) != want {
		t.Errorf("saved\n%s\nwant\n%s", outputs, want)
	}
	if execution, _ := saved.Cell("a").Metadata()["execution"].(map[string]any); execution["engine"] != "none" {
		t.Errorf("the engine that ran the cell: %v", execution)
	}
}

func TestReconnectReplaysWhatWasMissed(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	request := x.send("a", "print one\nsleep 150\nprint two\nprint three")
	x.until("text", func(m *jupyter.Message) bool { return m.Type() == "stream" })
	b.k.Disconnect(x.Client)
	time.Sleep(300 * time.Millisecond)
	back := b.tab("tab", hub.Fresh) // the same session, without saying where it was
	if list := back.until("end", idleOf(request)); streams(list) != "two\nthree\n" {
		t.Errorf("%s", describe(list))
	}
	// A new connection of the session takes the place of the old one.
	newer := b.tab("tab", hub.Fresh)
	if m := back.Next(nil); m != nil {
		t.Errorf("the old connection got %s", m.Type())
	}
	if list := newer.run("b", "print four"); streams(list) != "four\n" {
		t.Errorf("%s", describe(list))
	}
	// Numbers that are not kept any more, or from another life of the server.
	lost := b.tab("lost", 1<<40)
	if m := lost.Next(nil); m.Type() != "nacre_resync" {
		t.Errorf("%s", m.Type())
	}
}

// A tab that saves what it has does not take away what came after.
// TestReconnectWhileAMessageIsWritten: a browser that acts on a message by connecting again can be faster than the
// goroutine that has written it. It must not get the message twice: told twice of a kernel's end, Jupyter's client
// library drops what was to be run in between.
func TestReconnectWhileAMessageIsWritten(t *testing.T) {
	b := newBench(t)
	replaced := make(chan struct{})
	first := tab{b, b.k.Connect("s", hub.Fresh, func() { close(replaced) })}
	request := first.send("a", "print once")
	var written *jupyter.Message
	for written == nil {
		m := first.Next(nil)
		if m.Type() == "stream" {
			written = m
		} else {
			first.Sent(m)
		}
	}
	second := make(chan tab)
	go func() { second <- b.tab("s", hub.Fresh) }()
	<-replaced
	first.Sent(written)
	b.k.Disconnect(first.Client)
	if list := (<-second).until("end of the cell", idleOf(request)); streams(list) != "" {
		t.Errorf("came again: %s", describe(list))
	}
}

// Unless it is asked for, a file gets no times, and those of an earlier run go with its outputs.
// A browser is told them.
func TestTimesAreNotWritten(t *testing.T) {
	heavy.Skip(t, "waits for seconds")
	old := strings.Replace(file, `"id":"a","metadata":{}`, `"id":"a","metadata":{"execution": {"iopub.execute_input": "2020-01-01T00:00:00Z"}}`, 1)
	if old == file {
		t.Fatal("the notebook of this test has other text now")
	}
	b := benchOf(t, old, false)
	x := b.tab("tab", hub.Fresh)
	x.run("a", "print one")
	nb, _ := nbformat.Parse([]byte(old))
	live := b.k.Show(nb)
	if times := live.Times["a"]; times["iopub.execute_input"] == "" || times["shell.execute_reply"] == "" {
		t.Errorf("a browser is told %v", live.Times)
	}
	b.k.Disconnect(x.Client)
	saved := b.saved("one")
	if meta := saved.Cell("a").Metadata(); len(meta) > 0 {
		t.Errorf("the file has %v", meta)
	}
}

func TestLateSave(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	list := x.run("a", "print one")
	seen := seq(list[len(list)-1])
	x.run("b", "print two")
	mine, _ := nbformat.Parse([]byte(file))
	b.k.Saved(mine, &seen)()
	raw, _ := mine.MarshalJSON()
	if !strings.Contains(string(raw), `"two\n"`) || strings.Contains(string(raw), `"one\n"`) {
		t.Errorf("%s", raw) // the tab has seen and cleared the first output, and not seen the second
	}
	for _, key := range []string{"iopub.execute_input", "iopub.status.idle", "shell.execute_reply"} {
		if text := fmt.Sprint(mine.Cell("b").Metadata()["execution"]); !strings.Contains(text, key) {
			t.Errorf("the cell that was not seen has no %s: %s", key, text)
		}
	}
	mine, _ = nbformat.Parse([]byte(file))
	b.k.Show(mine)
	if raw, _ = mine.MarshalJSON(); strings.Contains(string(raw), `"one\n"`) {
		t.Errorf("the cleared output came back: %s", raw)
	}
}

// A save that was refused has written nothing, and a file that has an output already does not lose it by the save of a
// tab that has not seen it.
func TestSavesThatCross(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	list := x.run("a", "print one")
	early, late := seq(list[0])-1, seq(list[len(list)-1])
	has := func(what string, put func(nb *nbformat.Notebook)) {
		t.Helper()
		nb, err := nbformat.Parse([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		put(nb)
		if raw, _ := nb.MarshalJSON(); !strings.Contains(string(raw), "one") {
			t.Errorf("%s: %s", what, raw)
		}
	}
	has("saved and refused", func(nb *nbformat.Notebook) { b.k.Saved(nb, &early) })
	has("opened after that", func(nb *nbformat.Notebook) { b.k.Show(nb) })
	has("cleared by a tab whose save was refused", func(nb *nbformat.Notebook) {
		cleared, _ := nbformat.Parse([]byte(file))
		b.k.Saved(cleared, &late)
		b.k.Show(nb)
	})
	b.k.Flushed(late)
	has("saved when the file had it", func(nb *nbformat.Notebook) { b.k.Saved(nb, &early) })
}

func TestQuestionWaitsForAReader(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	request := x.send("a", "input who?")
	isQuestion := func(m *jupyter.Message) bool { return m.Type() == "input_request" }
	x.until("question", isQuestion)
	b.k.Disconnect(x.Client)
	y := b.tab("another", hub.Fresh)
	asked := y.until("question", isQuestion)
	answer := jupyter.NewMessage(jupyter.Stdin, "input_reply", "browser", asked[len(asked)-1],
		map[string]string{"value": "me"})
	if err := b.k.Send(y.Client, answer); err != nil {
		t.Fatal(err)
	}
	if list := y.until("end", idleOf(request)); streams(list) != "got me\n" {
		t.Errorf("%s", describe(list))
	}
}

// Who lost the connection sends what has no answer yet once more: each request runs once, and each answer counts once.
func TestSentAgain(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	again := func(m *jupyter.Message) {
		t.Helper()
		if err := b.k.Send(x.Client, m); err != nil {
			t.Fatal(err)
		}
	}
	request := x.send("a", "input who?\ninput and who?")
	again(request)
	for _, name := range []string{"me", "you"} {
		asked := x.until("question", func(m *jupyter.Message) bool { return m.Type() == "input_request" })
		question := asked[len(asked)-1]
		again(jupyter.NewMessage(jupyter.Stdin, "input_reply", "browser", question, map[string]string{"value": name}))
		again(jupyter.NewMessage(jupyter.Stdin, "input_reply", "browser", question,
			map[string]string{"value": "nobody"}))
	}
	next := x.send("b", "print next")
	if list := x.until("end", idleOf(next)); streams(list) != "got you\nnext\n" {
		t.Errorf("%s", describe(list))
	}
	again(request)
	if end := x.until("end of what is over", idleOf(request)); len(end) != 1 {
		t.Errorf("%s", describe(end))
	}
}

// What the process prints between cells belongs to the last one.
func TestPrintedBetweenCells(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	m := x.send("a", "native-late 50 afterwards")
	x.until("the line", func(got *jupyter.Message) bool {
		return got.Type() == "stream" && strings.Contains(string(got.Content), "afterwards") &&
			got.ParentHead().MsgID == m.Head().MsgID
	})
}

// A kernel that dies fails its cell with the reason, aborts those behind it, and a new one takes its place.
func TestDeath(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	x.send("a", "native the end is near\nsleep 30\nexit 7")
	second := x.send("b", "print never")
	list := x.until("end", idleOf(second))
	list = append(list, x.until("new kernel", func(m *jupyter.Message) bool {
		return m.Type() == "status" && string(m.Parent) == "{}" && strings.Contains(string(m.Content), "idle")
	})...)
	all := describe(list)
	for _, want := range []string{
		`error {"ename":"KernelDied","evalue":"the kernel ended with exit status 7"`, "the end is near",
		`"status":"aborted"`,
		`status {"execution_state":"restarting","reason":"the kernel ended with exit status 7"}`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in%s", want, all)
		}
	}
	if list := x.run("a", "print alive"); streams(list) != "alive\n" {
		t.Errorf("%s", describe(list))
	}
	if n := b.k.Model().ExecutionState; n != hub.Idle {
		t.Error(n)
	}
}

// A crash can print megabytes: of them the cell shows a part, and says where the rest is; then the kernel's end is told
// as always.
func TestLongCrash(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	dump := strings.Repeat("goroutine 1 [running]: main.main\n", 60_000) // 2 MB
	list := x.run("a", "native fatal error: all goroutines are asleep\nnative "+strings.ReplaceAll(dump, "\n", "|")+
		"\nsleep 300\nexit 2")
	text := streams(list)
	if len(text) > 300<<10 || !strings.Contains(text, "fatal error: all goroutines are asleep") {
		t.Errorf("%d bytes of the crash are shown, beginning with %.100q", len(text), text)
	}
	found := regexp.MustCompile(`is in (\S+) while the server runs`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no place of the rest in %.300q", text[max(0, len(text)-300):])
	}
	rest, err := os.ReadFile(found[1])
	if err != nil || len(rest) < len(dump)-300<<10 {
		t.Errorf("%d bytes in the file, %v", len(rest), err)
	}
	if all := describe(list[len(list)-10:]); !strings.Contains(all, "the kernel ended with exit status 2") {
		t.Errorf("%.2000s", all)
	}
}

func TestKernelThatKeepsDying(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	for range 5 {
		x.send("a", "exit 1")
		x.until("death", func(m *jupyter.Message) bool {
			return m.Type() == "status" && (strings.Contains(string(m.Content), "restarting") ||
				strings.Contains(string(m.Content), "dead"))
		})
	}
	if state := b.k.Model().ExecutionState; state != hub.Dead {
		t.Fatal(state)
	}
	if err := b.k.Send(x.Client, jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, nil)); err == nil {
		t.Error("a dead kernel takes requests")
	}
	if err := b.k.Restart(); err != nil {
		t.Fatal(err)
	}
	if list := x.run("a", "print back"); streams(list) != "back\n" {
		t.Errorf("%s", describe(list))
	}
}

func TestRestart(t *testing.T) {
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	x.run("b", "value 1")
	pid := b.k.PID()
	request := x.send("a", "spin")
	x.until("begin", func(m *jupyter.Message) bool { return m.Type() == "execute_input" })
	if err := b.k.Restart(); err != nil {
		t.Fatal(err)
	}
	list := x.until("end", idleOf(request))
	if all := describe(list); !strings.Contains(all, "the kernel was restarted") {
		t.Error(all)
	}
	if b.k.PID() == pid {
		t.Error("the same process")
	}
	if list := x.run("a", "value 1"); !strings.Contains(describe(list), `"execution_count":1`) {
		t.Errorf("%s", describe(list))
	}
}

func TestUnknownKernel(t *testing.T) {
	b := newBench(t)
	var unknown *hub.UnknownKernelError
	if _, err := b.h.StartKernel("python3", ""); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func TestMovedNotebook(t *testing.T) {
	heavy.Skip(t, "waits for seconds")
	b := newBench(t)
	x := b.tab("tab", hub.Fresh)
	if _, err := b.store.Rename("n.ipynb", "m.ipynb"); err != nil {
		t.Fatal(err)
	}
	b.h.Moved("n.ipynb", "m.ipynb")
	x.run("a", "print moved")
	b.k.Disconnect(x.Client)
	for range 2000 {
		if raw, _ := os.ReadFile(filepath.Join(b.store.Dir(), "m.ipynb")); strings.Contains(string(raw), "moved") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the output is not in the renamed file")
}
