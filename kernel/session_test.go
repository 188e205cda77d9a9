package kernel

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// collect is an Output that keeps what it gets.
type collect struct {
	mu       sync.Mutex
	out, err strings.Builder
	shown    []Data
	updates  []Data
	answers  []string
}

func (c *collect) Stream(name, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "stderr" {
		c.err.WriteString(text)
	} else {
		c.out.WriteString(text)
	}
}
func (c *collect) Display(d Data) { c.mu.Lock(); c.shown = append(c.shown, d); c.mu.Unlock() }
func (c *collect) Update(d Data)  { c.mu.Lock(); c.updates = append(c.updates, d); c.mu.Unlock() }
func (c *collect) Clear(bool)     {}
func (c *collect) Input(string, bool) (string, error) {
	if len(c.answers) == 0 {
		return "", errInputRefused
	}
	a := c.answers[0]
	c.answers = c.answers[1:]
	return a, nil
}
func (c *collect) stdout() string { c.mu.Lock(); defer c.mu.Unlock(); return c.out.String() }
func (c *collect) stderr() string { c.mu.Lock(); defer c.mu.Unlock(); return c.err.String() }

func start(t testing.TB) Session { return startOn(t, Yaegi) }

func startOn(t testing.TB, engine Engine) Session {
	t.Helper()
	if raced {
		t.Skip("cells do not run under the race detector")
	}
	s, err := New(Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func execute(s Session, code string) (Reply, *collect) {
	out := &collect{}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return s.Execute(ctx, Request{Code: code, StoreHistory: true}, out), out
}

// value is the text of a reply: what it shows, or its error.
func value(r Reply) string {
	if r.Error != nil {
		return r.Error.Name + ": " + r.Error.Message
	}
	if r.Value == nil {
		return ""
	}
	return r.Value.MIME["text/plain"].(string)
}

// cellsTest runs cells one after another, each with what it must print followed by what it must show.
func cellsTest(t *testing.T, steps [][2]string) {
	t.Helper()
	s := start(t)
	for k, step := range steps {
		r, out := execute(s, step[0])
		if got := out.stdout() + value(r); got != step[1] {
			t.Errorf("cell %d\n%s\ngave %q\nwant %q (stderr %q)", k+1, step[0], got, step[1], out.stderr())
		}
	}
}

func TestMixedCells(t *testing.T) {
	cellsTest(t, [][2]string{
		{`1 + 2`, "3"},
		{"x := 4\ny := x * 2", ""},
		{`x + y`, "12"},
		{`import "fmt"
fmt.Println("hi", x)`, "hi 4\n"},
		{`func double(n int) int { return 2 * n }
double(x)`, "8"},
		{`type T struct { A int; b string }
func (t T) String() string { return fmt.Sprintf("T<%d>", t.A) }
t := T{1, "q"}
fmt.Println(t, []T{{2, "r"}})
t`, "T<1> [T<2>]\nT<1>"},
		{`func double(n int) int { return 3 * n }`, ""},
		{`func quad(n int) int { return double(double(n)) }
quad(1)`, "9"},
		{`func double(n int) int { return 10 * n }`, ""},
		{`quad(1)`, "100"},
		{`x := "text"`, ""},
		{`x`, `"text"`},
	})
}

// The tables of packages are made on one system and used on others.
func TestCellsKnowTheirSystem(t *testing.T) {
	s := start(t)
	defer s.Close()
	out := &collect{}
	s.Execute(context.Background(), Request{Code: "import (\n\t\"fmt\"\n\t\"runtime\"\n)\nfmt.Print(runtime.GOOS, runtime.GOARCH, runtime.NumGoroutine() > 0)"}, out)
	if want := runtime.GOOS + runtime.GOARCH + "true"; out.stdout() != want {
		t.Errorf("a cell finds itself on %q, want %q", out.stdout(), want)
	}
}
