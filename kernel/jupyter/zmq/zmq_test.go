package zmq

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/internal/bounded"
	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmtp"
	"nacre/kernel/kerneltest"
)

// The signature is RFC 4231's second test case: key "Jefe", data "what do ya want for nothing?" in four pieces.
func TestSignature(t *testing.T) {
	c := Connection{Key: "Jefe"}
	got := c.sign([]byte("what do ya "), []byte("want "), []byte("for "), []byte("nothing?"))
	if want := "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// patience is how long a test waits for what happens at once beside no load.
const patience = 2 * time.Minute

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func serve(t *testing.T) (Connection, chan error) {
	c, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { done <- Serve(ctx, c, &kerneltest.Session{}, slog.New(slog.DiscardHandler)) }()
	return c, done
}

func TestKernelOverSockets(t *testing.T) {
	c, done := serve(t)
	l, err := Dial(within(t, patience), c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.Input = func(string, bool) (string, error) { return "me", nil }
	ctx := within(t, patience)
	var text strings.Builder
	reply, err := l.Execute(ctx, jupyter.ExecuteRequest{Code: "print a\ninput who?", AllowStdin: true},
		func(m *jupyter.Message) {
			var s struct{ Text string }
			if m.Type() == "stream" && m.Decode(&s) == nil {
				text.WriteString(s.Text)
			}
		})
	if err != nil || reply.Status != "ok" || text.String() != "a\ngot me\n" {
		t.Errorf("%+v, %v, %q", reply, err, text.String())
	}
	if _, err := l.Request(ctx, jupyter.Control, "shutdown_request", map[string]bool{"restart": false},
		nil); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWrongSignatureIsDropped(t *testing.T) {
	c, _ := serve(t)
	wrong := c
	wrong.Key = "another"
	if l, err := Dial(within(t, 300*time.Millisecond), wrong); err == nil {
		l.Close()
		t.Error("a request with a wrong signature was answered")
	}
	right, err := Dial(within(t, patience), c)
	if err != nil {
		t.Fatal(err)
	}
	defer right.Close()
}

// Who records a signed request and sends it once more gets nothing run.
func TestReplayIsRefused(t *testing.T) {
	c, _ := serve(t)
	l, err := Dial(within(t, patience), c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	request := c.encode(jupyter.NewMessage(jupyter.Shell, "execute_request", "attacker", nil,
		jupyter.ExecuteRequest{Code: "value 1"}))
	answers := make(chan [][]byte, 9)
	raw, err := zmtp.Dial(zmtp.Dealer, c.address(c.ShellPort), []byte("attacker"), func(m [][]byte) { answers <- m })
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.Send(request); err != nil {
		t.Fatal(err)
	}
	<-answers
	if err := raw.Send(request); err != nil {
		t.Fatal(err)
	}
	// The shell channel answers in order: had it been run, it would count.
	reply, err := l.Execute(within(t, patience), jupyter.ExecuteRequest{Code: "value 2"}, nil)
	if err != nil || reply.Count != 2 {
		t.Errorf("%+v, %v: the recorded request ran again", reply, err)
	}
	if n := len(answers); n != 0 {
		t.Errorf("%d answers to the recorded request", n)
	}
}

func TestHistoryForgetsTheOldest(t *testing.T) {
	var h history
	for i := range remembered + 10 {
		if !h.first(fmt.Append(nil, i)) {
			t.Fatal(i)
		}
	}
	if len(h.known) != remembered || len(h.order) != remembered {
		t.Errorf("%d and %d are remembered", len(h.known), len(h.order))
	}
	if h.first(fmt.Append(nil, 10)) || !h.first(fmt.Append(nil, 9)) {
		t.Error("the last are remembered and the one before them is not")
	}
	for range 2 {
		if !h.first(nil) {
			t.Error("without a key nothing is a repetition")
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		ip, key string
		want    []string
	}{
		{"127.0.0.1", "k", nil}, {"localhost", "k", nil}, {"::1", "k", nil}, {"127.0.0.1", "", []string{"no key"}},
		{"0.0.0.0", "k", []string{"other machines"}}, {"::", "k", []string{"other machines"}},
		{"192.0.2.1", "k", []string{"other machines"}},
		{"0.0.0.0", "", []string{"no key", "other machines"}},
	} {
		var log bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := Connection{Transport: "tcp", IP: test.ip, Key: test.key}
		_ = Serve(ctx, c, &kerneltest.Session{}, slog.New(slog.NewTextHandler(&log, nil)))
		if n := strings.Count(log.String(), "level=WARN"); n != len(test.want) {
			t.Errorf("%s, key %q: %d warnings: %s", test.ip, test.key, n, &log)
		}
		for _, want := range test.want {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s, key %q: no %q in %s", test.ip, test.key, want, &log)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := Connection{Key: "key"}
	whole := c.encode(jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, jupyter.ExecuteRequest{Code: "x"}))
	f.Add(bytes.Join(append([][]byte{[]byte("route")}, whole...), []byte{0}))
	f.Add([]byte(delimiter))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer bounded.Input(t, len(b))()
		frames := bytes.Split(b, []byte{0})
		for _, c := range []Connection{c, {}} {
			m, err := c.decode(jupyter.Shell, frames, nil)
			if err != nil {
				continue
			}
			if again, err := c.decode(jupyter.Shell, append(slices.Clone(m.Route), c.encode(m)...), nil); err != nil ||
				again.Head() != m.Head() {
				t.Errorf("%q: %+v, then %+v, %v", b, m, again, err)
			}
		}
	})
}

func TestConnectionFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernel.json")
	c, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(file); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the key has mode %v", info.Mode())
	}
	if got, err := ReadConnection(file); err != nil || got != c {
		t.Errorf("%+v, %v, want %+v", got, err, c)
	}
	for _, text := range []string{`{`, `{"transport":"ipc"}`,
		`{"transport":"tcp","key":"k","signature_scheme":"hmac-md5"}`, `{"transport":"tcp","shell_port":70000}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadConnection(file); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestInstall(t *testing.T) {
	prefix := t.TempDir()
	dir, err := SpecDir(prefix)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Install(dir, "nacre", Spec{Argv: []string{"nacre", "kernel", "-f", "{connection_file}"},
		DisplayName: "Go", Language: "go"})
	if err != nil || file != filepath.Join(prefix, "share/jupyter/kernels/nacre/kernel.json") {
		t.Fatal(file, err)
	}
	b, _ := os.ReadFile(file)
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil || got["interrupt_mode"] != "message" || got["language"] != "go" {
		t.Errorf("%s, %v", b, err)
	}
}

func TestLargeInputs(t *testing.T) {
	c := Connection{Key: "key"}
	whole := c.encode(jupyter.NewMessage(jupyter.Shell, "execute_request", "s", nil, jupyter.ExecuteRequest{Code: "x"}))
	bounded.Large(t, func(b []byte) {
		for _, c := range []Connection{c, {}} {
			_, _ = c.decode(jupyter.Shell, bytes.Split(b, []byte{0}), nil)
		}
	}, bytes.Join(whole, []byte{0}))
}
