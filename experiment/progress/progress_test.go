package progress

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func Example() {
	p := Lines(os.Stdout, time.Hour)
	p.Note("training on cpu/avx2")
	stage := p.Stage("PEARL, seed 1", 500)
	for range 3 {
		stage.Describe("return -12.3")
		stage.Add(1)
	}
	// Output:
	// training on cpu/avx2
	// PEARL, seed 1: 0 of 500
}

// clock is moved by hand.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestLines(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := &lines{out: &out, interval: 5 * time.Second, now: c.now}
	s := p.Stage("train", 100)
	for range 25 { // one unit a second
		c.t = c.t.Add(time.Second)
		s.Describe(fmt.Sprintf("loss %d", c.t.Unix()))
		s.Add(1)
	}
	s.Done()
	s.Done()
	s.Add(1)
	p.Stage("load", 0).Done()
	want := `train: 0 of 100
train: 5 of 100, loss 5, about 1m35s left
train: 10 of 100, loss 10, about 1m30s left
train: 15 of 100, loss 15, about 1m25s left
train: 20 of 100, loss 20, about 1m20s left
train: 25 of 100, loss 25, about 1m15s left
train: 25 of 100 in 25s, loss 25
load
load: 0 in 0s
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestBars(t *testing.T) {
	var out bytes.Buffer
	p := Bars(&out)
	outer := p.Stage("outer", 4)
	outer.Add(1)
	inner := p.Stage("inner", 2)
	inner.Describe("loss 3")
	outer.Add(1) // hidden while the inner stage is shown
	p.Note("a note")
	inner.Add(2)
	inner.Done()
	outer.Done()
	p.Note("after")
	text := out.String()
	for _, want := range []string{"outer", "inner (loss 3)", "a note\n", "inner: 2 in 0s, loss 3\n", "outer: 2 of 4 in 0s\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if !strings.HasSuffix(text, "after\n") {
		t.Errorf("bar drawn after the last stage: %q", text)
	}
	for _, line := range strings.Split(text, "\n") {
		// What stays on a terminal's line is what follows the last return; a note must start on a clean one.
		visible := line[strings.LastIndex(line, "\r")+1:]
		if strings.Contains(line, "a note") && visible != "a note" {
			t.Errorf("note shares its line with a bar: %q", line)
		}
	}
}

func TestSilentAndAuto(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range []Progress{Silent(), Auto(f, true)} {
		p.Note("x")
		s := p.Stage("y", 3)
		s.Add(1)
		s.Describe("z")
		s.Done()
	}
	if text, _ := os.ReadFile(f.Name()); len(text) != 0 {
		t.Errorf("quiet wrote %q", text)
	}
	Auto(f, false).Note("line")
	if text, _ := os.ReadFile(f.Name()); string(text) != "line\n" {
		t.Errorf("a file got %q, want a plain line", text)
	}
}

func TestLineWriter(t *testing.T) {
	var out bytes.Buffer
	w := LineWriter(Lines(&out, time.Hour))
	for _, part := range []string{"one\ntw", "o\n", "unfinished"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("Write(%q) = %d, %v", part, n, err)
		}
	}
	if out.String() != "one\ntwo\n" {
		t.Errorf("got %q", out.String())
	}
}

func TestConcurrentUse(t *testing.T) {
	for _, p := range []Progress{Bars(&bytes.Buffer{}), Lines(&bytes.Buffer{}, 0)} {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				s := p.Stage(fmt.Sprint(i), 20)
				for range 20 {
					s.Describe("x")
					s.Add(1)
				}
				s.Done()
			})
		}
		wg.Wait()
	}
}
