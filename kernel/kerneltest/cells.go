package kerneltest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"nacre/kernel"
)

// Output is a kernel.Output that keeps all output. Its zero value is ready and has no answers.
type Output struct {
	Answers []string // answers to the questions of cells, in order

	mu             sync.Mutex
	out, err       strings.Builder
	shown, updates []kernel.Data
}

// Stream implements kernel.Output.
func (o *Output) Stream(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if name == "stderr" {
		o.err.WriteString(text)
	} else {
		o.out.WriteString(text)
	}
}

// Display implements kernel.Output.
func (o *Output) Display(d kernel.Data) { o.mu.Lock(); o.shown = append(o.shown, d); o.mu.Unlock() }

// Update implements kernel.Output.
func (o *Output) Update(d kernel.Data) { o.mu.Lock(); o.updates = append(o.updates, d); o.mu.Unlock() }

// Clear implements kernel.Output.
func (o *Output) Clear(bool) {}

// Input implements kernel.Output.
func (o *Output) Input(string, bool) (string, error) {
	if len(o.Answers) == 0 {
		return "", errors.New("kerneltest: no answer is left")
	}
	a := o.Answers[0]
	o.Answers = o.Answers[1:]
	return a, nil
}

// Stdout returns what was printed so far.
func (o *Output) Stdout() string { o.mu.Lock(); defer o.mu.Unlock(); return o.out.String() }

// Stderr returns what was printed to standard error so far.
func (o *Output) Stderr() string { o.mu.Lock(); defer o.mu.Unlock(); return o.err.String() }

// Shown returns what was displayed so far.
func (o *Output) Shown() []kernel.Data { o.mu.Lock(); defer o.mu.Unlock(); return o.shown }

// Updates returns the updates of displayed outputs.
func (o *Output) Updates() []kernel.Data { o.mu.Lock(); defer o.mu.Unlock(); return o.updates }

// Execute runs a cell, for at most ten minutes. On a new machine the first cell of the engine "go" takes long, because
// the packages that it imports are compiled first.
func Execute(s kernel.Session, code string) (kernel.Reply, *Output) {
	out := &Output{}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	return s.Execute(ctx, kernel.Request{Code: code, StoreHistory: true}, out), out
}

// Value is the text of a reply: what it shows, or its error.
func Value(r kernel.Reply) string {
	if r.Error != nil {
		return r.Error.Name + ": " + r.Error.Message
	}
	if r.Value == nil {
		return ""
	}
	return r.Value.MIME["text/plain"].(string)
}

// Cells runs cells one after another. Each step has a cell, and then the text that it must print followed by the value
// that it must show.
func Cells(t testing.TB, s kernel.Session, steps [][2]string) {
	t.Helper()
	for k, step := range steps {
		r, out := Execute(s, step[0])
		if got := out.Stdout() + Value(r); got != step[1] {
			t.Errorf("cell %d\n%s\ngave %q\nwant %q (stderr %q)", k+1, step[0], got, step[1], out.Stderr())
		}
	}
}
