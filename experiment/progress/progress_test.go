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
load: 0s
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// screen returns what a terminal shows of a text: lines, and going back over some of them.
func screen(text string) (lines []string) {
	lines = []string{""}
	for len(text) > 0 {
		var n int
		switch {
		case strings.HasPrefix(text, "\n"):
			lines, text = append(lines, ""), text[1:]
		case strings.HasPrefix(text, "\r"):
			text = text[1:] // the cursor is at the beginning already where it is used
		case strings.HasPrefix(text, "\x1b[J"):
			text = text[3:]
		default:
			if _, err := fmt.Sscanf(text, "\x1b[%dF", &n); err == nil {
				lines = append(lines[:len(lines)-1-n], "") // what is below is cleared next
				text = text[strings.IndexByte(text, 'F')+1:]
				continue
			}
			r := []rune(text)[0]
			lines[len(lines)-1] += string(r)
			text = text[len(string(r)):]
		}
	}
	return lines
}

// Runs side by side have a line each, with what is left of their time; notes and what is done stand above.
func TestBars(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := &bars{out: &out, now: c.now, width: func() int { return 70 }}
	expect := func(want ...string) {
		t.Helper()
		if got := screen(out.String()); strings.Join(got, "\n") != strings.Join(append(want, ""), "\n") {
			t.Errorf("the terminal shows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	one, two := p.Stage("seed 1", 4), p.Stage("seed 2", 10)
	unknown := p.Stage(strings.Repeat("long ", 20), 0)
	c.t = c.t.Add(20 * time.Second)
	one.Add(1)
	c.t = c.t.Add(20 * time.Second)
	two.Describe("return -3")
	two.Add(5) // within the time of the last drawing
	p.Note("a note")
	expect("a note", "█████░░░░░░░░░░░░░░░ seed 1: 1 of 4, about 2m0s left",
		"██████████░░░░░░░░░░ seed 2: 5 of 10, return -3, about 40s left", strings.Repeat("long ", 13)+"lon…")
	unknown.Done()
	one.Done()
	two.Done()
	two.Add(1)
	p.Note("after")
	expect("a note", strings.Repeat("long ", 20)+": 40s", "seed 1: 1 of 4 in 40s", "seed 2: 5 of 10 in 40s, return -3",
		"after")
	for range 20 {
		p.Stage("many", 0)
	}
	if got := screen(out.String()); got[len(got)-2] != "and 4 more" || len(got) != 5+17+1 {
		t.Errorf("of 20 stages the terminal shows %q", got[5:])
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
