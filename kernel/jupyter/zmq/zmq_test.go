package zmq

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/kernel/jupyter"
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
	l, err := Dial(within(t, 5*time.Second), c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.Input = func(string, bool) (string, error) { return "me", nil }
	ctx := within(t, 10*time.Second)
	var text strings.Builder
	reply, err := l.Execute(ctx, jupyter.ExecuteRequest{Code: "print a\ninput who?", AllowStdin: true}, func(m *jupyter.Message) {
		var s struct{ Text string }
		if m.Type() == "stream" && m.Decode(&s) == nil {
			text.WriteString(s.Text)
		}
	})
	if err != nil || reply.Status != "ok" || text.String() != "a\ngot me\n" {
		t.Errorf("%+v, %v, %q", reply, err, text.String())
	}
	if _, err := l.Request(ctx, jupyter.Control, "shutdown_request", map[string]bool{"restart": false}, nil); err != nil {
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
	right, err := Dial(within(t, 5*time.Second), c)
	if err != nil {
		t.Fatal(err)
	}
	defer right.Close()
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
	for _, text := range []string{`{`, `{"transport":"ipc"}`, `{"transport":"tcp","key":"k","signature_scheme":"hmac-md5"}`, `{"transport":"tcp","shell_port":70000}`} {
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
	file, err := Install(dir, "nacre", Spec{Argv: []string{"nacre", "kernel", "-f", "{connection_file}"}, DisplayName: "Go", Language: "go"})
	if err != nil || file != filepath.Join(prefix, "share/jupyter/kernels/nacre/kernel.json") {
		t.Fatal(file, err)
	}
	b, _ := os.ReadFile(file)
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil || got["interrupt_mode"] != "message" || got["language"] != "go" {
		t.Errorf("%s, %v", b, err)
	}
}
