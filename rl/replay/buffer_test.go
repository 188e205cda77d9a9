package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/sim"
)

// collected makes a buffer in the middle of training: some tasks collected twice, some RL rings overwritten.
func collected(t *testing.T) *Buffer {
	t.Helper()
	b, err := NewBuffer(dims, 3, 40)
	if err != nil {
		t.Fatal(err)
	}
	for task, lengths := range [][]int{{10, 9}, {20, 3, 30}, {4}} {
		h := &history{task: task + 1}
		for i, n := range lengths {
			if err := b.AddBoth(task, h.trajectory(n, i == 1)); err != nil {
				t.Fatal(err)
			}
		}
		if task == 1 {
			if err := b.ClearEnc(task); err != nil {
				t.Fatal(err)
			}
			if err := b.AddRL(task, h.trajectory(8, true)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

func encoded(t *testing.T, b *Buffer) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEncoderBufferIsClearedAtRecollection(t *testing.T) {
	b, err := NewBuffer(dims, 3, 100)
	if err != nil {
		t.Fatal(err)
	}
	hs := []*history{{task: 1}, {task: 2}, {task: 3}}
	for task, h := range hs {
		if err := b.AddBoth(task, h.trajectory(10, false)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.ClearEnc(1); err != nil {
		t.Fatal(err)
	}
	if err := b.AddBoth(1, hs[1].trajectory(6, true)); err != nil {
		t.Fatal(err)
	}
	if err := b.AddRL(1, hs[1].trajectory(5, false)); err != nil {
		t.Fatal(err)
	}
	for task, h := range hs {
		checkContent(t, b.RL[task], h.steps)
		want := h.steps
		if task == 1 {
			want = h.steps[10:16]
		}
		checkContent(t, b.Enc[task], want)
	}
}

func TestContextsNeverMixTasks(t *testing.T) {
	b := collected(t)
	c, k := dims.NewContext(50, true), dims.NewContext(50, true)
	rows := dims.NewRows(50)
	for task := range b.RL {
		for _, ring := range []*Task{b.RL[task], b.Enc[task]} {
			if ring.Len() == 0 {
				continue
			}
			_, err := ring.WindowPair(rng.New(1), feed.Draw{N: 50, Pair: feed.SameTask}, true, c, k)
			check := func(what string, c Context) {
				for i, w := range c.Weights {
					if w == 1 && (c.Rows[9*i+1] != float32(task+1) || c.Rows[9*i+7] != float32(task+1)) {
						t.Errorf("%s of task %d holds %v", what, task, c.Rows[9*i:9*i+9])
					}
				}
			}
			check("query", c)
			check("key", k)
			if err := errors.Join(err, ring.Context(rng.New(2), 50, true, c),
				ring.Transitions(rng.New(3), 50, rows)); err != nil {
				t.Fatal(err)
			}
			check("context", c)
			for i := range 50 {
				if rows.Obs[3*i+1] != float32(task+1) || rows.NextObs[3*i+1] != float32(task+1) {
					t.Errorf("batch of task %d holds %v", task, rows.Obs[3*i:3*i+3])
				}
			}
		}
	}
}

func TestUnknownTask(t *testing.T) {
	b := collected(t)
	tr := (&history{}).trajectory(2, false)
	for _, task := range []int{-1, 3} {
		for _, err := range []error{b.AddBoth(task, tr), b.AddRL(task, tr), b.ClearEnc(task)} {
			if err == nil {
				t.Errorf("task %d: no error", task)
			}
		}
	}
	for _, c := range []struct {
		d               Dims
		tasks, capacity int
	}{{Dims{0, 1}, 1, 1}, {Dims{1, 0}, 1, 1}, {dims, 0, 1}, {dims, 1, 0}} {
		if _, err := NewBuffer(c.d, c.tasks, c.capacity); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestBytesAddsUp(t *testing.T) {
	b := collected(t)
	var want int64
	for i := range b.RL {
		want += b.RL[i].Bytes() + b.Enc[i].Bytes()
	}
	// 5 of the 6 rings hold 40 rows of 29 bytes; Enc[1] was cleared and keeps its memory.
	if got := b.Bytes(); got != want || got < 6*40*29 {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

func TestEncodeDecode(t *testing.T) {
	b := collected(t)
	data := encoded(t, b)
	got, _ := NewBuffer(dims, 3, 40)
	rest := bytes.NewReader(append(bytes.Clone(data), "next part"...))
	if err := got.Decode(iotest.OneByteReader(rest)); err != nil {
		t.Fatal(err)
	}
	if tail, _ := io.ReadAll(rest); string(tail) != "next part" {
		t.Errorf("decoding left %q", tail)
	}
	if !bytes.Equal(encoded(t, got), data) {
		t.Error("encoding what was decoded gives other bytes")
	}
	// Both go on alike: the same draws, the same overwriting.
	for round := range 5 {
		for task := range b.RL {
			for _, pair := range [][2]*Task{{b.RL[task], got.RL[task]}, {b.Enc[task], got.Enc[task]}} {
				h := &history{task: round}
				tr := h.trajectory(7+round, round%2 == 0)
				if err := errors.Join(pair[0].Add(tr), pair[1].Add(tr)); err != nil {
					t.Fatal(err)
				}
				a, c := draw(t, pair[0]), draw(t, pair[1])
				if a != c {
					t.Fatalf("round %d task %d: draws differ:\n%s\n%s", round, task, a, c)
				}
			}
		}
	}
	if !bytes.Equal(encoded(t, b), encoded(t, got)) {
		t.Error("contents differ after going on")
	}
}

// draw prints what a fixed stream draws.
func draw(t *testing.T, task *Task) string {
	t.Helper()
	r := rng.New(9)
	rows, q, k := dims.NewRows(20), dims.NewContext(12, true), dims.NewContext(12, true)
	p, err := task.WindowPair(r, feed.Draw{N: 12, Pair: feed.SameTask}, true, q, k)
	if err := errors.Join(err, task.Transitions(r, 20, rows)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(p, q, k, rows)
}

func TestEncodeIsIndependentOfThePlaceInTheRing(t *testing.T) {
	a, b := NewTask(dims, 16), NewTask(dims, 16)
	h := &history{}
	trs := []*sim.Trajectory{h.trajectory(11, false), h.trajectory(9, true), h.trajectory(4, false)}
	for _, tr := range trs {
		if err := a.Add(tr); err != nil {
			t.Fatal(err)
		}
	}
	var first, second bytes.Buffer
	if err := a.Encode(&first); err != nil {
		t.Fatal(err)
	}
	if err := b.Decode(bytes.NewReader(first.Bytes())); err != nil {
		t.Fatal(err)
	}
	checkContent(t, b, h.kept(16))
	if err := b.Encode(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("bytes differ, error %v", err)
	}
}

func TestLargeTaskRoundTrip(t *testing.T) {
	d := Dims{Obs: 9000, Act: 1} // a row is longer than a block
	a, b := NewTask(d, 10), NewTask(d, 10)
	tr := &sim.Trajectory{Len: 3, Obs: make([]float32, 4*9000), Act: make([]float32, 3), Reward: make([]float32, 3),
		CtxReward: make([]float32, 3)}
	for i := range tr.Obs {
		tr.Obs[i] = float32(i)
	}
	if err := a.Add(tr); err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := errors.Join(a.Encode(&data), b.Decode(&data)); err != nil {
		t.Fatal(err)
	}
	c := d.NewContext(3, true)
	if err := b.TrajectoryContext(0, 0, 3, true, c); err != nil {
		t.Fatal(err)
	}
	for i := range 9000 {
		if c.Rows[2*18002+i] != float32(2*9000+i) || c.Rows[2*18002+9002+i] != float32(3*9000+i) {
			t.Fatalf("observation value %d: %v", i, c.Rows[2*18002+i])
		}
	}
}

func TestTruncatedInput(t *testing.T) {
	data := encoded(t, collected(t))
	b := collected(t)
	before := encoded(t, b)
	for n := range len(data) {
		if err := b.Decode(bytes.NewReader(data[:n])); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("first %d of %d bytes: %v", n, len(data), err)
		}
	}
	if !bytes.Equal(before, encoded(t, b)) {
		t.Error("a failed Decode changed the buffer")
	}
}

func TestDamagedInput(t *testing.T) {
	data := encoded(t, collected(t))
	b, _ := NewBuffer(dims, 3, 40)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		if err := b.Decode(bytes.NewReader(bad)); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("byte %d of %d changed: %v", i, len(data), err)
		}
	}
}

func TestForeignInput(t *testing.T) {
	data := encoded(t, collected(t))
	for _, c := range []struct {
		d               Dims
		tasks, capacity int
	}{{Dims{4, 2}, 3, 40}, {Dims{3, 1}, 3, 40}, {dims, 2, 40}, {dims, 3, 41}} {
		b, err := NewBuffer(c.d, c.tasks, c.capacity)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Decode(bytes.NewReader(data)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestFailingReaderAndWriter(t *testing.T) {
	b := collected(t)
	broken := errors.New("the disk is full")
	if err := b.Encode(failingWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("encode: %v", err)
	}
	if err := b.Decode(iotest.ErrReader(broken)); !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
		t.Errorf("decode: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
