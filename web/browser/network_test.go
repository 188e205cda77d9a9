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

	"nacre/server/servertest"
)

// stun counts the packets that reach a port: what a browser's WebRTC sends to find out its address.
func stun(t *testing.T) (address string, packets *atomic.Int64) {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
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

// A sandboxed output has no network, by WebRTC either, and neither have frames that it makes, which have constructors of
// their own: Chromium ends the process of a frame that calls one in spite of the header ("bad Mojo message: No binder found
// for interface network.mojom.MdnsResponder"), and with it what the frame was about to say. So the frame in the frame says
// that it runs and calls when it is told to; then either its beat stops or it says that the call has returned. That the
// script does reach a network where it may is seen on a page of the same server.
func TestSandboxHasNoWebRTC(t *testing.T) {
	direct, directly := stun(t)
	nested, within := stun(t)
	free, freely := stun(t)
	frame := `<iframe srcdoc="` + html.EscapeString(`<script>setInterval(() => parent.postMessage("beat", "*"), 50); addEventListener("message", () => { try { `+call(nested)+
		` } finally { parent.postMessage("called", "*") } })</script>`) + `"></iframe>`
	script := `<script>addEventListener("message", (e) => { if (e.data === "beat" || e.data === "called") parent.postMessage({ said: "nested " + e.data }, "*"); if (e.data === "call") frames[0].postMessage("call", "*") }); ` +
		`let said = "no constructor"; try { ` + call(direct) + ` said = "called" } catch (e) {} parent.postMessage({ said }, "*")</script>` + frame
	s := newSite(t, map[string]any{"a.ipynb": notebook("show text/html " + strings.ReplaceAll(script, "\n", " "))})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "window.said = []; addEventListener('message', e => { if (e.data?.said) { said.push(e.data.said); window.heard = performance.now() } })")
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
		if time.Since(began) > patience {
			t.Skip("this browser sends nothing by WebRTC where it may either")
		}
	}
	time.Sleep(time.Second) // what does not happen has no event to wait for
	if n, m := directly.Load(), within.Load(); n+m > 0 {
		t.Errorf("%d packets left the sandbox, %d a frame in it", n, m)
	}
}

// cutter stands between browser and server and breaks the connections to kernels off after a random number of bytes, while
// other requests pass.
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

// A page whose connection breaks off again and again while a cell prints shows all of it, once and in order.
func TestConnectionThatBreaksOff(t *testing.T) {
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
