package host_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/gpu/host"
	"nacre/core/op"
	"nacre/core/ref"
)

// Where the parameters of a small layer lie, with room for whole fours of rows, and what an entry of the memory is.
func Example() {
	m, err := host.New("cuda", []core.ParamSpec{{Name: "w", Rows: 5, Cols: 20}, {Name: "b", Rows: 1, Cols: 3}})
	fmt.Println(m.Offset, m.Total, err)
	i, part, err := m.Entry("b.v", 3)
	fmt.Println(m.Specs[i].Name, part == host.Second, err)
	_, _, err = m.Entry("b.w", 3)
	fmt.Println(err)
	// Output:
	// [0 192] 256 <nil>
	// b true <nil>
	// cuda: no entry "b.w" in memory
}

func TestEntry(t *testing.T) {
	m, err := host.New("x", []core.ParamSpec{{Name: "a.m", Rows: 2, Cols: 2}, {Name: "a", Rows: 1, Cols: 4}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		n, i int
		part host.Part
		says string
	}{
		{"a.m", 4, 0, host.Weights, ""}, // a parameter's own name comes before another's moment
		{"a", 4, 1, host.Weights, ""},
		{"a.v", 4, 1, host.Second, ""},
		{"a.t", 1, 1, host.Count, ""},
		{"a.m.m", 4, 0, host.First, ""},
		{"a.", 4, 0, 0, `no entry "a."`},
		{"a.mv", 4, 0, 0, `no entry "a.mv"`},
		{".m", 4, 0, 0, `no entry ".m"`},
		{"a.t", 4, 0, 0, "holds 1 numbers, got a slice of 4"},
	} {
		i, part, err := m.Entry(c.name, c.n)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q of %d: error %v, want %q in it", c.name, c.n, err, c.says)
			}
		} else if err != nil || i != c.i || part != c.part {
			t.Errorf("%q of %d: parameter %d, part %d, error %v", c.name, c.n, i, part, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, specs := range [][]core.ParamSpec{{{Rows: 1, Cols: 1}}, {{Name: "w", Rows: 0, Cols: 1}},
		{{Name: "w", Rows: 1, Cols: 1}, {Name: "w", Rows: 1, Cols: 1}}} {
		if _, err := host.New("x", specs); err == nil || !strings.HasPrefix(err.Error(), "x: ") {
			t.Errorf("%v: error %v", specs, err)
		}
	}
}

// A small program on the host sees the parameters as they are when it runs, and asks for them only where they may have
// changed.
func TestLoad(t *testing.T) {
	b := core.NewBuilder("act", 1)
	s := b.Stage("act")
	s.Output("y", s.Dense(s.Input("x", 1, 2), s.Param("w", 2, 3), s.Param("c", 1, 3), op.Linear))
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if !host.Small(p) || host.Steps(p) {
		t.Fatal("the program steps nothing and is small")
	}
	m, err := host.New("x", p.ParamSpecs())
	if err != nil {
		t.Fatal(err)
	}
	all, asked := make([]float32, m.Total), 0
	run, err := m.Load(p, ref.Device, func() ([]float32, error) { asked++; return all, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	check := func(want float64, times int) {
		t.Helper()
		y := make([]float64, 3)
		if err := run.Write64("x", []float64{1, 2}); err != nil {
			t.Fatal(err)
		}
		if err := run.Run(); err != nil {
			t.Fatal(err)
		}
		if err := run.Read64("y", y); err != nil {
			t.Fatal(err)
		}
		if y[2] != want || asked != times {
			t.Errorf("output %g after asking %d times, want %g after %d", y[2], asked, want, times)
		}
	}
	check(0, 1)
	check(0, 1)
	w, _, err := m.Entry("w", 6)
	if err != nil {
		t.Fatal(err)
	}
	m.Changed()
	host.Scatter(all[m.Offset[w]:], []float64{0, 0, 3, 0, 0, 4}, 3)
	check(11, 2)
}

func TestScatterGather(t *testing.T) {
	for _, cols := range []int{1, 3, 4, 5, 33} {
		x := make([]float64, 7*cols)
		for i := range x {
			x[i] = float64(i)
		}
		padded, back := make([]float32, host.Size(7, cols)), make([]float64, len(x))
		host.Scatter(padded, x, cols)
		host.Gather(back, padded, cols)
		for i := range x {
			if back[i] != x[i] {
				t.Fatalf("%d columns: number %d is %g", cols, i, back[i])
			}
		}
	}
}
