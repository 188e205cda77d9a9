package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/websocket"

	"nacre/internal/loopback"
	"nacre/kernel/jupyter"
	"nacre/kernel/kerneltest"
	"nacre/server/process"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if os.Getenv("SERVER_TEST_KERNEL") != "" {
		_ = process.Serve(context.Background(), &kerneltest.Session{})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long an answer may take on the busiest machine: only a fault takes longer.
const patience = 2 * time.Minute

const (
	testToken = "0123456789abcdef-secret"
	testFile  = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"x","outputs":[],"execution_count":null}]}`
)

var front = fstest.MapFS{
	"index.html":        {Data: []byte("<!doctype html>front")},
	"static/app.js":     {Data: []byte("app()")},
	"static/frame.html": {Data: []byte("frame")},
}

// rig is a running server with everything it logs.
type rig struct {
	t      *testing.T
	s      *Server
	base   string // http://127.0.0.1:port
	host   string
	log    *syncBuffer
	prefix string // the base path without its last slash
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newRig(t *testing.T) *rig { return newRigAt(t, behind) }

// behind is the base path of servers in the tests that TestBehindAPrefix calls; all others have none.
var behind string

func newRigAt(t *testing.T, base string) *rig {
	dir := t.TempDir()
	for name, text := range map[string]string{"n.ipynb": testFile, "page.html": "<script>alert(1)</script>",
		".secret": "hidden"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	log := &syncBuffer{}
	s, err := New(Config{
		Dir: dir, Token: testToken, Kernel: []string{os.Args[0]}, Env: []string{"SERVER_TEST_KERNEL=1"}, Static: front,
		Base: base,
		Log:  slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := loopback.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &rig{t, s, "http://" + l.Addr().String(), l.Addr().String(), log, strings.TrimSuffix(base, "/")}
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

// call sends a request with headers given as "Name: value".
func (r *rig) call(method, path, body string, headers ...string) answer {
	r.t.Helper()
	return r.with(http.DefaultTransport, method, path, body, headers...)
}

func (r *rig) with(transport http.RoundTripper, method, path, body string, headers ...string) answer {
	r.t.Helper()
	request, err := http.NewRequest(method, r.base+r.prefix+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			request.Host = value
		}
		request.Header.Add(name, value)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.unprefixed(response)
	return answer{response, string(b)}
}

// unprefixed takes the prefix off an answer's addresses, where it has to be.
func (r *rig) unprefixed(a *http.Response) {
	if r.prefix == "" {
		return
	}
	if to := a.Header.Get("Location"); to != "" {
		rest, ok := strings.CutPrefix(to, r.prefix)
		if !ok {
			r.t.Errorf("%s leads to %s, outside of %s", a.Request.URL, to, r.prefix)
		}
		a.Header.Set("Location", rest)
	}
	for _, c := range a.Header["Set-Cookie"] {
		if !strings.Contains(c, "; Path="+r.prefix+"/") {
			r.t.Errorf("%s sets a cookie of other paths: %s", a.Request.URL, c)
		}
	}
	a.Request.URL.Path = strings.TrimPrefix(a.Request.URL.Path, r.prefix)
}

const authorized = "Authorization: token " + testToken

// api sends an authorized request and decodes the answer.
func (r *rig) api(method, path string, body any, status int) map[string]any {
	r.t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	a := r.call(method, path, string(text), authorized)
	if a.StatusCode != status {
		r.t.Fatalf("%s %s: status %d, want %d: %s", method, path, a.StatusCode, status, a.body)
	}
	var v map[string]any
	_ = json.Unmarshal([]byte(a.body), &v)
	return v
}

func TestContentsInterface(t *testing.T) {
	r := newRig(t)
	m := r.api("GET", "/api/contents/n.ipynb?content=1&hash=1", nil, 200)
	if m["type"] != "notebook" || m["format"] != "json" || m["live"] != nil || m["hash_algorithm"] != "sha256" {
		t.Error(m)
	}
	save := map[string]any{"type": "notebook", "content": m["content"], "hash": m["hash"]}
	saved := r.api("PUT", "/api/contents/n.ipynb", save, 200)
	if saved["content"] != nil || saved["hash"] != m["hash"] { // nothing has changed
		t.Error(saved)
	}
	if err := os.WriteFile(filepath.Join(r.s.config.Dir, "n.ipynb"), []byte(testFile+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	save["hash"] = saved["hash"]
	if c := r.api("PUT", "/api/contents/n.ipynb", save, 409); c["reason"] != "conflict" || c["model"] == nil {
		t.Error(c)
	}
	r.api("PUT", "/api/contents/new.ipynb", map[string]any{"type": "notebook", "content": m["content"]}, 201)
	r.api("PUT", "/api/contents/dir", map[string]any{"type": "directory"}, 201)
	if u := r.api("POST", "/api/contents/dir", map[string]any{"type": "notebook"},
		201); u["path"] != "dir/Untitled.ipynb" {
		t.Error(u)
	}
	if u := r.api("POST", "/api/contents/dir", map[string]any{"copy_from": "n.ipynb"},
		201); u["path"] != "dir/n-Copy1.ipynb" {
		t.Error(u)
	}
	if u := r.api("PATCH", "/api/contents/new.ipynb", map[string]any{"path": "dir/moved.ipynb"},
		200); u["path"] != "dir/moved.ipynb" {
		t.Error(u)
	}
	c := r.api("POST", "/api/contents/n.ipynb/checkpoints", nil, 201)
	if list := r.call("GET", "/api/contents/n.ipynb/checkpoints", "", authorized); !strings.Contains(list.body,
		fmt.Sprint(c["id"])) {
		t.Error(list.body)
	}
	r.api("POST", "/api/contents/n.ipynb/checkpoints/"+fmt.Sprint(c["id"]), nil, 204)
	r.api("DELETE", "/api/contents/n.ipynb/checkpoints/"+fmt.Sprint(c["id"]), nil, 204)
	r.api("DELETE", "/api/contents/dir/moved.ipynb", nil, 204)
	r.api("GET", "/api/contents/none.ipynb", nil, 404)
	r.api("PUT", "/api/contents/x.ipynb",
		map[string]any{"type": "notebook", "content": map[string]any{"nbformat": 7, "cells": []any{}}}, 400)
	if a := r.call("GET", "/files/page.html", "", authorized); a.body != "<script>alert(1)</script>" ||
		!strings.HasPrefix(a.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v %s", a.Header, a.body)
	}
	if a := r.call("GET", "/files/page.html?download=1", "",
		authorized); a.Header.Get("Content-Disposition") != "attachment; filename=page.html" {
		t.Error(a.Header)
	}
}

func TestSessionsAndKernels(t *testing.T) {
	r := newRig(t)
	if specs := r.api("GET", "/api/kernelspecs", nil, 200); specs["default"] != "nacre" {
		t.Error(specs)
	}
	r.api("GET", "/api/kernelspecs/nacre", nil, 200)
	r.api("GET", "/api/kernelspecs/python3", nil, 404)
	s := r.api("POST", "/api/sessions", map[string]any{"path": "n.ipynb", "name": "n", "type": "notebook",
		"kernel": map[string]any{"name": "nacre"}}, 201)
	again := r.api("POST", "/api/sessions", map[string]any{"path": "n.ipynb", "name": "n", "type": "notebook",
		"kernel": map[string]any{"name": "nacre"}}, 201)
	if s["id"] != again["id"] {
		t.Error("a second session for the same notebook")
	}
	kernel := s["kernel"].(map[string]any)
	id := fmt.Sprint(kernel["id"])
	for _, field := range []string{"id", "name", "last_activity", "execution_state", "connections"} {
		if _, ok := kernel[field]; !ok {
			t.Errorf("the kernel has no %s", field)
		}
	}
	r.api("POST", "/api/sessions", map[string]any{"path": "other.ipynb", "kernel": map[string]any{"name": "python3"}},
		501)
	r.api("POST", "/api/sessions", map[string]any{"name": "no path"}, 400)
	if m := r.api("PATCH", "/api/sessions/"+fmt.Sprint(s["id"]), map[string]any{"path": "m.ipynb"},
		200); m["path"] != "m.ipynb" {
		t.Error(m)
	}
	r.api("POST", "/api/kernels/"+id+"/interrupt", nil, 204)
	if m := r.api("POST", "/api/kernels/"+id+"/restart", nil, 200); m["id"] != id {
		t.Error(m)
	}
	if st := r.api("GET", "/api/status", nil, 200); st["kernels"] != 1.0 {
		t.Error(st)
	}
	r.api("DELETE", "/api/sessions/"+fmt.Sprint(s["id"]), nil, 204)
	r.api("GET", "/api/kernels/"+id, nil, 404)
	k := r.api("POST", "/api/kernels", map[string]any{"name": "nacre"}, 201)
	r.api("DELETE", "/api/kernels/"+fmt.Sprint(k["id"]), nil, 204)
	r.api("DELETE", "/api/kernels/"+fmt.Sprint(k["id"]), nil, 404)
}

// socket is a WebSocket client of a kernel.
type socket struct {
	*jupyter.Client
	ws *websocket.Conn
}

func (r *rig) socket(kernel, query, protocol string) *socket {
	r.t.Helper()
	d := websocket.Dialer{}
	if protocol != "" {
		d.Subprotocols = []string{protocol}
	}
	ws, _, err := d.Dial("ws://"+r.host+"/api/kernels/"+kernel+"/channels?"+query,
		http.Header{"Authorization": {"token " + testToken}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { ws.Close() })
	var mu sync.Mutex
	x := &socket{ws: ws}
	x.Client = jupyter.NewClient(func(m *jupyter.Message) error {
		mu.Lock()
		defer mu.Unlock()
		if ws.Subprotocol() == jupyter.SubprotocolV1 {
			return ws.WriteMessage(websocket.BinaryMessage, jupyter.EncodeV1(m))
		}
		b, isBinary := jupyter.EncodeLegacy(m)
		if isBinary {
			return ws.WriteMessage(websocket.BinaryMessage, b)
		}
		return ws.WriteMessage(websocket.TextMessage, b)
	})
	go func() {
		for {
			kind, b, err := ws.ReadMessage()
			if err != nil {
				x.Lost(err)
				return
			}
			var m *jupyter.Message
			if ws.Subprotocol() == jupyter.SubprotocolV1 {
				m, err = jupyter.DecodeV1(b)
			} else {
				m, err = jupyter.DecodeLegacy(b, kind == websocket.BinaryMessage)
			}
			if err != nil {
				r.t.Errorf("from the server: %v", err)
				return
			}
			x.Deliver(m)
		}
	}()
	return x
}

func (r *rig) kernel() string {
	r.t.Helper()
	return fmt.Sprint(r.api("POST", "/api/kernels", map[string]any{}, 201)["id"])
}

func (x *socket) run(t *testing.T, code string) (jupyter.ExecuteReply, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	text := ""
	reply, err := x.Execute(ctx, jupyter.ExecuteRequest{Code: code, AllowStdin: true}, func(m *jupyter.Message) {
		var c struct{ Text string }
		if m.Type() == "stream" && m.Decode(&c) == nil {
			text += c.Text
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return reply, text
}

func TestBothFramings(t *testing.T) {
	r := newRig(t)
	id := r.kernel()
	for _, protocol := range []string{jupyter.SubprotocolV1, ""} {
		x := r.socket(id, "session_id=s"+protocol, protocol)
		if x.ws.Subprotocol() != protocol {
			t.Errorf("asked for %q, got %q", protocol, x.ws.Subprotocol())
		}
		x.Input = func(string, bool) (string, error) { return "é", nil }
		if reply, text := x.run(t, "print a\ninput who"); reply.Status != "ok" || text != "a\ngot é\n" {
			t.Errorf("%q: %+v %q", protocol, reply, text)
		}
	}
}

func TestInterruptOverREST(t *testing.T) {
	r := newRig(t)
	id := r.kernel()
	x := r.socket(id, "", jupyter.SubprotocolV1)
	begun, interrupted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(interrupted)
		<-begun
		r.call("POST", "/api/kernels/"+id+"/interrupt", "", authorized)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	reply, err := x.Execute(ctx, jupyter.ExecuteRequest{Code: "print begun\nspin"}, func(m *jupyter.Message) {
		if m.Type() == "stream" {
			close(begun)
		}
	})
	if err != nil || reply.Name != "Interrupted" {
		t.Fatalf("%+v, %v", reply, err)
	}
	<-interrupted
}

// Malformed frames do no harm: the connection and the kernel go on.
func TestFrameFuzz(t *testing.T) {
	r := newRig(t)
	id := r.kernel()
	x := r.socket(id, "", jupyter.SubprotocolV1)
	legacy := r.socket(id, "", "")
	good := jupyter.EncodeV1(jupyter.NewMessage(jupyter.Shell, "kernel_info_request", "s", nil, nil))
	for i := range 300 {
		b := bytes.Clone(good)
		b[(i*7)%len(b)] ^= byte(1 << (i % 8))
		if i%3 == 0 {
			b = b[:(i*13)%len(b)]
		}
		if err := x.ws.WriteMessage(websocket.BinaryMessage, b); err != nil {
			t.Fatal(err)
		}
		if err := legacy.ws.WriteMessage([]int{websocket.BinaryMessage, websocket.TextMessage}[i%2], b); err != nil &&
			i%2 == 0 {
			t.Fatal(err)
		}
	}
	if reply, _ := x.run(t, "value 1"); reply.Status != "ok" {
		t.Errorf("%+v", reply)
	}
}

func TestPages(t *testing.T) {
	r := newRig(t)
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	get := func(path string) (int, string, string) {
		response, err := browser.Get(r.base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		b, _ := io.ReadAll(response.Body)
		return response.StatusCode, response.Request.URL.RequestURI(), string(b)
	}
	if status, at, body := get("/notebooks/n.ipynb"); status != 200 || at != "/login?next=%2Fnotebooks%2Fn.ipynb" ||
		!strings.Contains(body, "Token") {
		t.Error(status, at, body)
	}
	status, at, body := get("/notebooks/n.ipynb?token=" + testToken)
	// the token is gone from the address
	if status != 200 || at != "/notebooks/n.ipynb" || !strings.Contains(body, "front") {
		t.Error(status, at, body)
	}
	if status, at, _ := get("/"); status != 200 || at != "/tree" {
		t.Error(status, at)
	}
	// the page's proof is missing
	if status, _, body := get("/api/contents/n.ipynb"); status != 403 || strings.Contains(body, "cells") {
		t.Error(status, body)
	}
	for _, path := range []string{"/static/", "/static/none.js", "/index.html", "/static/../index.html"} {
		if status, _, body := get(path); status == 200 {
			t.Error(path, status, body)
		}
	}
	u, _ := url.Parse(r.base)
	for _, c := range jar.Cookies(u) {
		if strings.Contains(c.Value, testToken) {
			t.Errorf("the token is in cookie %s", c.Name)
		}
	}
}
