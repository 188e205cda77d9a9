package browser

import (
	"fmt"
	"html"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
// their own. That the script does reach a network where it may is seen on a page of the same server.
func TestSandboxHasNoWebRTC(t *testing.T) {
	direct, directly := stun(t)
	nested, within := stun(t)
	free, freely := stun(t)
	frame := `<iframe srcdoc="` + html.EscapeString(`<script>`+call(nested)+`parent.postMessage("ran", "*")</script>`) + `"></iframe>`
	script := `<script>addEventListener("message", (e) => { if (e.data === "ran") parent.postMessage({ said: "nested ran" }, "*") }); ` +
		`let said = "no constructor"; try { ` + call(direct) + ` said = "called" } catch (e) {} parent.postMessage({ said }, "*")</script>` + frame
	s := newSite(t, map[string]any{"a.ipynb": notebook("show text/html " + strings.ReplaceAll(script, "\n", " "))})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "addEventListener('message', e => { if (e.data?.said) (window.said ??= []).push(e.data.said) })")
	p.press("Ctrl-Enter")
	p.idle()
	p.await("window.said?.includes('nested ran') && window.said.length >= 2")
	if !eval[bool](p, "window.said.includes('no constructor')") {
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
