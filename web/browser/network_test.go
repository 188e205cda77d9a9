package browser

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/loopback"
	"nacre/server/servertest"
)

// stun counts the packets that reach a port: what a browser's WebRTC sends to find out its address.
func stun(t *testing.T) (address string, packets *atomic.Int64) {
	t.Helper()
	c, err := net.ListenPacket("udp", loopback.Any())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	packets = new(atomic.Int64)
	go func() {
		b := make([]byte, 2048)
		for {
			if _, _, err := c.ReadFrom(b); err != nil {
				return
			}
			packets.Add(1)
		}
	}()
	return c.LocalAddr().String(), packets
}

// call is a script that sends packets to an address by WebRTC.
func call(address string) string {
	return fmt.Sprintf(`const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:%s" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o));`, address)
}

// A sandboxed output has no network, by WebRTC either, and neither have frames that it makes, which have constructors
// of their own: Chromium ends the process of a frame that calls one in spite of the header ("bad Mojo message: No
// binder found for interface network.mojom.MdnsResponder"), and with it what the frame was about to say. So the frame
// in the frame says that it runs and calls when it is told to; then either its beat stops or it says that the call has
// returned. That the script does reach a network where it may is seen on a page of the same server.
func TestSandboxHasNoWebRTC(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	direct, directly := stun(t)
	nested, within := stun(t)
	free, freely := stun(t)
	frame := `<iframe srcdoc="` +
		html.EscapeString(`<script>setInterval(() => parent.postMessage("beat", "*"), 50); addEventListener("message", () => { try { `+call(nested)+
			` } finally { parent.postMessage("called", "*") } })</script>`) + `"></iframe>`
	script := `<script>addEventListener("message", (e) => { if (e.data === "beat" || e.data === "called") parent.postMessage({ said: "nested " + e.data }, "*"); if (e.data === "call") frames[0].postMessage("call", "*") }); ` +
		`let said = "no constructor"; try { ` + call(direct) +
		` said = "called" } catch (e) {} parent.postMessage({ said }, "*")</script>` + frame
	s := newSite(t, map[string]any{"a.ipynb": notebook("show text/html " + strings.ReplaceAll(script, "\n", " "))})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "window.said = []; addEventListener('message', e => { if (e.data?.said) { said.push(e.data.said); "+
		"window.heard = performance.now() } })")
	p.press("Ctrl-Enter")
	p.idle()
	p.await("said.includes('nested beat')")
	eval[any](p, "document.querySelector('iframe.sandboxed').contentWindow.postMessage('call', '*')")
	p.await("said.includes('nested called') || performance.now() - heard > 2000")
	if !eval[bool](p, "said.includes('no constructor')") {
		t.Error("the sandbox has WebRTC's constructors")
	}
	q := s.open("/tree")
	eval[any](q, "(() => { "+call(free)+" window.keep = c })()")
	for began := time.Now(); freely.Load() == 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Skip("this browser sends nothing by WebRTC where it may either")
		}
	}
	time.Sleep(time.Second) // what does not happen has no event to wait for
	if n, m := directly.Load(), within.Load(); n+m > 0 {
		t.Errorf("%d packets left the sandbox, %d a frame in it", n, m)
	}
}

// cutter stands between browser and server and breaks the connections to kernels off after a random number of bytes,
// while other requests pass.
func cutter(t *testing.T, s *site) *servertest.Cutter {
	t.Helper()
	cut, err := servertest.Cut(strings.TrimPrefix(s.url, "http://"), func(request string) int64 {
		if !strings.Contains(request, "/channels?") {
			return -1
		}
		return 2000 + rand.Int64N(8000)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cut.Close() })
	s.url = "http://" + cut.Host()
	return cut
}

// What a page sends while its connection breaks off is sent once more: each cell runs once, in order.
func TestRequestsThatAreLost(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	cells := make([]string, 12)
	for i := range cells {
		cells[i] = fmt.Sprintf("print cell %d", i+1)
	}
	s := newSite(t, map[string]any{"a.ipynb": notebook(cells...)})
	cut, err := servertest.CutRequests(strings.TrimPrefix(s.url, "http://"), func(request string) int64 {
		if !strings.Contains(request, "/channels?") {
			return -1
		}
		return 1500 + rand.Int64N(3000)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cut.Close() })
	s.url = "http://" + cut.Host()
	p := s.open("/notebooks/a.ipynb")
	for range cells {
		p.press("Shift-Enter")
	}
	p.await("nacre.notebook.cells.slice(0, 12).every(c => c.state === 'idle' && c.outputs.length > 0)")
	for i := range cells {
		got := eval[string](p, fmt.Sprintf(
			"nacre.notebook.cells[%d].count + ' ' + nacre.notebook.cells[%[1]d].outputs.map(o => o.text).join('')", i))
		if want := fmt.Sprintf("%d cell %[1]d\n", i+1); got != want {
			t.Errorf("after %d cuts cell %d shows %q", cut.Cuts(), i+1, got)
		}
	}
	if cut.Cuts() < 1 {
		t.Error("no cut")
	}
}

// A page whose connection breaks off again and again while a cell prints shows all of it, once and in order.
func TestConnectionThatBreaksOff(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("count 150 10", "print last")})
	cut := cutter(t, s)
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Ctrl-Enter")
	p.await("nacre.notebook.cells[1].outputs[0]?.text.startsWith('last')")
	got := strings.Fields(eval[string](p, "nacre.notebook.cells[0].outputs.map(o => o.text).join('')"))
	if want := strings.Fields(lines(1, 150)); !slices.Equal(got, want) {
		t.Errorf("after %d cuts the page has %d lines: %q", cut.Cuts(), len(got), got)
	}
	if cut.Cuts() < 3 {
		t.Errorf("%d cuts", cut.Cuts())
	}
}

// trains is a cell that trains a small agent and counts meanwhile.
const trains = `import ("fmt"; "os"; "path/filepath"; "time"; "nacre/experiment"; "nacre/experiment/progress"; "nacre/library/cell")
func must[T any](v T, err error) T { if err != nil { panic(err) }; return v }
dir := must(os.MkdirTemp("", "nacre-training-"))
cfg := must(experiment.Preset("quick/point-goal"))
must(0, experiment.Change(&cfg, "pearl.iterations=3", "pearl.hidden=16", "pearl.encoder_hidden=16", "pearl.meta_batch=4", "pearl.batch=16",
	"pearl.updates_per_iteration=40", "pearl.initial_steps=40", "pearl.tasks_per_iteration=3", "train_tasks=6", "test_tasks=4", "evaluation.every=2"))
training := must(experiment.Start(filepath.Join(dir, "run"), cfg, experiment.Host{}))
done := make(chan error)
go func() { done <- training.Train(cell.Context(), progress.Silent()) }()
for i, over := 0, false; !over || i < 100; i++ {
	select {
	case err := <-done:
		must(0, err)
		over = true
	case <-time.After(10 * time.Millisecond):
	}
	fmt.Println("count", i)
}
fmt.Println("updates", training.Updates())
training.Close()
os.RemoveAll(dir)`

// The same while a cell trains in the kernel that runs Go: the page has every line, and so has the file.
func TestTrainingWhoseConnectionBreaksOff(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(trains)})
	cut := cutter(t, s)
	p := s.open("/notebooks/a.ipynb")
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[0].outputs.map(o => o.text ?? o.traceback).join('').includes('updates') || " +
		"nacre.notebook.cells[0].outputs.some(o => o.ename)")
	p.idle()
	text := eval[string](p, "nacre.notebook.cells[0].outputs.map(o => o.text ?? o.traceback).join('')")
	got := strings.Split(strings.TrimSpace(text), "\n")
	if len(got) < 101 || got[len(got)-1] != "updates 120" {
		t.Fatalf("after %d cuts the page has %d lines: %q", cut.Cuts(), len(got), text)
	}
	for i, line := range got[:len(got)-1] {
		if line != fmt.Sprint("count ", i) {
			t.Fatalf("after %d cuts line %d is %q", cut.Cuts(), i, line)
		}
	}
	if cut.Cuts() < 3 {
		t.Errorf("%d cuts", cut.Cuts())
	}
}
