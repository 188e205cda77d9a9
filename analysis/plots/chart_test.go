package plots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/analysis/stats"
)

func measured() *frame.Frame {
	return frame.New(
		frame.Texts("arm", []string{"a", "a", "a", "b", "b", "a"}),
		frame.Texts("family", []string{"push", "push", "push", "push", "reach", "reach"}),
		frame.Numbers("steps", []float64{10, 1, 10, 1, 1, 1}),
		frame.Numbers("return", []float64{5, 2, 8, 4, -1, math.NaN()}),
	)
}

// told returns a chart's marks in words.
func told(c *Chart) string {
	if c.err != nil {
		return c.err.Error()
	}
	var out []string
	for _, p := range c.Panels {
		for _, m := range p.Marks {
			s := fmt.Sprintf("%s%s/%s x%.4g y%.4g", p.Title, m.Kind, c.Names[m.Series], m.X, m.Y)
			for name, v := range map[string][]float64{"q1": m.Q1, "q3": m.Q3, "to": m.X1} {
				if v != nil && name != "to" {
					s += fmt.Sprintf(" %s%.4g", name, v)
				}
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

func TestCharts(t *testing.T) {
	f := measured()
	spread := frame.New(frame.Numbers("v", []float64{1, 2, 3, 4, 100}),
		frame.Texts("k", slices.Repeat([]string{"x"}, 5)))
	for name, c := range map[string]struct {
		chart *Chart
		want  string
	}{
		"line": {Line(f, "steps", "return", By("arm"), Panels("family")),
			"pushline/a x[1 10] y[2 6.5]; pushline/b x[1] y[4]; pushdots/b x[1] y[4]; reachline/b x[1] y[-1]; " +
				"reachdots/b x[1] y[-1]"},
		"scatter":   {Scatter(f, "steps", "return", By("steps")), "dots/1 x[1 1 1] y[2 4 -1]; dots/10 x[10 10] y[5 8]"},
		"bar":       {Bar(f, "arm", "return"), "bars/ x[-0.38 0.62] y[5 1.5]"},
		"bars":      {Bar(f, "arm", "return", By("family")), "bars/push x[-0.38 0.62] y[5 4]; bars/reach x[1] y[-1]"},
		"histogram": {Histogram(f, "return", Bins(3)), "bars/ x[-1 2 5] y[1 2 2]"},
		"counts": {Histogram(f, "return", Bins(3), By("arm")),
			"bars/a x[-1 2 5] y[0 1 2]; bars/b x[-1 2 5] y[1 1 0]"},
		"box":       {Box(spread, "k", "v"), "boxes/ x[-0.38] y[3] "},
		"heat":      {Heat(f, "arm", "family", "return"), "cells/ x[-0.5 0.5 0.5] y[-0.5 -0.5 0.5]"},
		"unknown":   {Line(f, "step", "return"), `frame: there is no column "step"; did you mean "steps"?`},
		"text":      {Scatter(f, "arm", "return"), `column "arm" holds text`},
		"by none":   {Line(f, "steps", "return", By("seed")), `there is no column "seed"`},
		"negative":  {Line(f, "steps", "return", LogY()), `column "return" has the value -1; expected a positive one`},
		"empty":     {Line(f.Is("arm", "z"), "steps", "return"), "no row of 0 has values"},
		"bins":      {Histogram(f, "return", Bins(-2)), "-2 bins; expected 1 to 1000"},
		"log names": {Bar(f, "arm", "return", LogX()), "cannot be logarithmic"},
		"crowded": {Line(frame.New(frame.Numbers("x", make([]float64, 20)), frame.Numbers("k", indices(20))), "x",
			"x", By("k")),
			`column "k" has 20 different values; at most 10`},
	} {
		if got := told(c.chart); !strings.HasPrefix(got, c.want) &&
			!(c.chart.err != nil && strings.Contains(got, c.want)) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		b, err := c.chart.MIMEBundle()
		if (err == nil) != (c.chart.err == nil) {
			t.Errorf("%s: shown with error %v", name, err)
		}
		if err != nil {
			continue
		}
		if _, err := json.Marshal(b[ChartMIME]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := png.Decode(bytes.NewReader(b["image/png"].([]byte))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func indices(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// Bands are Student's t intervals of equal x, or the columns that frame's Mean makes of them: the same figure.
func TestBands(t *testing.T) {
	f := measured().Is("arm", "a")
	c := Line(f, "steps", "return")
	want := stats.MeanInterval([]float64{5, 8})
	m := c.Panels[0].Marks[0]
	if m.Lo[1] != want.Lo || m.Hi[1] != want.Hi || !math.IsNaN(m.Lo[0]) {
		t.Errorf("band %v to %v, want %v", m.Lo, m.Hi, want)
	}
	again := Line(f.Group("steps").Mean("return"), "steps", "return").Panels[0].Marks[0]
	if again.Lo[1] != want.Lo || again.Hi[1] != want.Hi || !math.IsNaN(again.Lo[0]) {
		t.Errorf("band %v to %v from a summary, want %v", again.Lo, again.Hi, want)
	}
}

// logs are those of seeds below each other, as reading files and Append make them; without a column that tells them
// apart where named is empty.
func logs(named string, seeds ...[2][]float64) *frame.Frame {
	var x, y, k []float64
	for i, s := range seeds {
		x, y = append(x, s[0]...), append(y, s[1]...)
		k = append(k, slices.Repeat([]float64{float64(i)}, len(s[0]))...)
	}
	f := frame.New(frame.Numbers("step", x), frame.Numbers("return", y))
	if named != "" {
		f = f.With(frame.Numbers(named, k))
	}
	return f
}

// Lines of seeds are averaged by one rule, whatever tells them apart; the sawtooth between two logs that log at other
// steps is gone.
func TestLineOverSeeds(t *testing.T) {
	a, b := [2][]float64{{0, 1000, 2000}, {-100, -100, -100}}, [2][]float64{{500, 1500, 2500}, {-160, -160, -160}}
	c := [2][]float64{{0, 1000}, {-130, -130}}
	same := [2][]float64{{0, 1000, 2000}, {-160, -160, -160}}
	t4 := 4.302652729749464
	half := t4 * 30 / math.Sqrt(3) // −100, −160 and −130
	for name, v := range map[string]struct {
		f            *frame.Frame
		x, y, lo, hi []float64
		notes        string
	}{
		"order tells": {logs("", a, b), []float64{500, 1000, 1500, 2000}, []float64{-130, -130, -130, -130},
			[]float64{-160, -160, -160, -160}, []float64{-100, -100, -100, -100}, "values of 1 of 2 seeds from 0 " +
				"step on are not drawn before 500; values of 1 of 2 seeds up to 2500 step are not drawn"},
		"a seed tells": {logs("seed", a, b), []float64{500, 1000, 1500, 2000}, []float64{-130, -130, -130, -130},
			[]float64{-160, -160, -160, -160}, []float64{-100, -100, -100, -100}, "values of 1 of 2 seeds from 0 " +
				"step on are not drawn before 500; values of 1 of 2 seeds up to 2500 step are not drawn"},
		"a run tells": {logs("run", a, b, c), []float64{0, 500, 1000, 1500, 2000},
			[]float64{-115, -130, -130, -130, -130}, []float64{-130, -130 - half, -130 - half, -160, -160},
			[]float64{-100, -130 + half, -130 + half, -100, -100}, "the mean begins at 0 step with 2 of 3 seeds; the " +
				"mean ends at 2000 step with 2 of 3 seeds; values of 1 of 3 seeds up to 2500 step are not drawn"},
		"equal steps": {logs("", a, same), a[0], []float64{-130, -130, -130}, same[1], a[1], ""},
		"no overlap": {logs("seed", [2][]float64{{1}, {1}}, [2][]float64{{2}, {2}}), nil, nil, nil, nil,
			"no mean is drawn: no place has values of 2 of the 2 seeds"},
		"one seed": {logs("seed", a), a[0], a[1], nil, nil, ""},
	} {
		chart := Line(v.f, "step", "return")
		if chart.Err() != nil {
			t.Errorf("%s: %v", name, chart.Err())
			continue
		}
		if got := strings.Join(chart.Notes, "|"); got != v.notes {
			t.Errorf("%s: said %q, want %q", name, got, v.notes)
		}
		if v.notes != "" && !strings.HasSuffix(chart.String(), v.notes) {
			t.Errorf("%s: the text says nothing of it: %s", name, chart)
		}
		if v.x == nil {
			if len(chart.Panels[0].Marks) != 0 {
				t.Errorf("%s: drawn are %+v", name, chart.Panels[0].Marks)
			}
			continue
		}
		m := chart.Panels[0].Marks[0]
		for what, pair := range map[string][2][]float64{"x": {m.X, v.x}, "y": {m.Y, v.y}, "lo": {m.Lo, v.lo},
			"hi": {m.Hi, v.hi}} {
			if !slices.EqualFunc(pair[0], pair[1], func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
				t.Errorf("%s: %s is %v, want %v", name, what, pair[0], pair[1])
			}
		}
	}
}

// Rows of one seed at one x, such as its tasks', count once: three tasks of two seeds are two values.
func TestLineCountsSeedsOnce(t *testing.T) {
	var x, y, seed []float64
	for s := range 2 {
		for task := range 3 {
			for k := range 4 {
				x, y, seed = append(x, float64(k)), append(y, float64(10*s+task)), append(seed, float64(s))
			}
		}
	}
	f := frame.New(frame.Numbers("trajectory", x), frame.Numbers("return", y), frame.Numbers("seed", seed))
	m := Line(f, "trajectory", "return").Panels[0].Marks[0]
	if len(m.X) != 4 || m.Y[0] != 6 || m.Lo[0] != 1 || m.Hi[0] != 11 {
		t.Errorf("mean %v, range %v to %v; want 6, the range 1 to 11 of the seeds' means", m.Y, m.Lo, m.Hi)
	}
	if m := Line(f.Is("seed", 0), "trajectory", "return").Panels[0].Marks[0]; m.Y[0] != 1 || m.Lo != nil {
		t.Errorf("one seed: mean %v, band %v", m.Y, m.Lo)
	}
}

// A mean with a gap is drawn in two pieces, in one colour.
func TestLineBreaks(t *testing.T) {
	near, far := [2][]float64{{0, 1}, {0, 0}}, [2][]float64{{5, 6}, {2, 2}}
	c := Line(logs("seed", near, near, far, far), "step", "return")
	if n := len(c.Panels[0].Marks); n != 2 || c.Panels[0].Marks[1].X[0] != 5 || len(c.Notes) != 1 {
		t.Errorf("%d marks, said %q", n, c.Notes)
	}
	s := Series{Name: "a", X: []float64{0, 1, 5, 6}, Y: []float64{0, 0, 2, 2}, Breaks: []int{2}}
	var stretches [][2]int
	s.runs(func(lo, hi int) { stretches = append(stretches, [2]int{lo, hi}) })
	if !slices.Equal(stretches, [][2]int{{0, 2}, {2, 4}}) {
		t.Errorf("stretches %v", stretches)
	}
}

// On a logarithmic axis there is a place for every mark, also for empty bins and intervals that reach below zero.
func TestLogarithmicAxes(t *testing.T) {
	f := frame.New(frame.Numbers("x", []float64{1, 1, 2, 2, 40}), frame.Numbers("y", []float64{1, 9, 100, 200, 50}))
	for name, c := range map[string]*Chart{
		"band": Line(f, "x", "y", LogY()), "both": Line(f, "x", "y", LogX(), LogY()), "bars": Bar(f, "x", "y", LogY()),
		"bins": Histogram(f, "x", Bins(9), LogY()),
	} {
		if c.Err() != nil {
			t.Fatal(name, c.Err())
		}
		l, err := newLayout(c, onScreen)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, m := range c.Panels[0].Marks {
			below := 0
			for k, values := range [][]float64{m.Y, m.Lo, m.Hi} {
				for _, v := range values {
					band := k > 0 && m.Kind == LineMark // it does not set the axis
					if at := l.y.share(v); !math.IsNaN(v) && !(at >= 0 && (at <= 1 || band)) {
						t.Errorf("%s: %v is at %v of the axis", name, v, at)
					} else if v <= 0 {
						below++
					}
				}
			}
			if name != "both" && below == 0 {
				t.Errorf("%s: nothing is below the axis: the test shows nothing", name)
			}
		}
	}
	if c := Line(f, "x", "y", LogY(), At("zero", 0)); c.Err() == nil ||
		!strings.Contains(c.Err().Error(), `the line "zero" is at 0`) {
		t.Errorf("a line at zero of a logarithmic axis: %v", c.Err())
	}
}

// Quartiles and whiskers of 1, 2, 3, 4, 100, as Tukey draws them: the last is beyond.
func TestBoxes(t *testing.T) {
	f := frame.New(frame.Numbers("v", []float64{4, 100, 2, 3, 1}), frame.Texts("k", slices.Repeat([]string{"x"}, 5)))
	marks := Box(f, "k", "v").Panels[0].Marks
	if box := marks[0]; box.Y[0] != 3 || box.Lo[0] != 1 || box.Hi[0] != 4 || box.Q1[0] >= 3 || box.Q3[0] <= 3 {
		t.Errorf("box %+v", box)
	}
	if dots := marks[1]; !slices.Equal(dots.Y, []float64{100}) {
		t.Errorf("beyond it %v", dots.Y)
	}
}

// Every value is in one bin, whatever the scale and the number of bins.
func TestBinsHoldEverything(t *testing.T) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = math.Exp(math.Sin(float64(i)*12.9898) * 3)
	}
	f := frame.New(frame.Numbers("x", x))
	for _, opts := range [][]Option{nil, {LogX()}, {Bins(1)}, {Bins(7), LogX()}, {Bins(1000)}} {
		m := Histogram(f, "x", opts...).Panels[0].Marks[0]
		sum := 0.0
		for _, n := range m.Y {
			sum += n
		}
		if sum != 1000 || m.X[0] > slices.Min(x)*(1+1e-12) || m.X1[len(m.X1)-1] < slices.Max(x)*(1-1e-12) {
			t.Errorf("%v values in bins from %v to %v", sum, m.X[0], m.X1[len(m.X1)-1])
		}
	}
	if m := Histogram(frame.New(frame.Numbers("x", []float64{3, 3})), "x").Panels[0].Marks[0]; slices.Max(m.Y) != 2 {
		t.Errorf("equal values are counted %v", m.Y)
	}
}

func TestLogTicks(t *testing.T) {
	for want, at := range map[string][2]float64{
		"1 2 5 10 20 50": {1, 60}, "0.001 0.01 0.1 1 10 100 1000": {0.001, 1000},
		"1e−09 1e−06 0.001 1 1000 1e+06 1e+09": {1e-9, 1e9},
	} {
		r := newRuler(Scale{Log: true}, at[0], at[1], 5, false)
		var got []string
		for _, t := range r.ticks {
			got = append(got, t.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("ticks of %v: %v, want %s", at, got, want)
		}
	}
}

// An axis of a single value, or of values that only rounding tells apart, has it inside, between ticks of different
// texts.
func TestAxesOfASingleValue(t *testing.T) {
	for _, lo := range []float64{0, 1, 0.3, -3.5, 2e-9, -0.004, 12000, 1234567, 20000, 1e17} {
		for _, hi := range []float64{lo, math.Nextafter(lo, math.Inf(1))} {
			if hi == lo || lo != 0 {
				around(t, newRuler(Scale{}, lo, hi, 5, false), lo)
			}
			if lo > 0 {
				around(t, newRuler(Scale{Log: true}, lo, hi, 5, false), math.Log10(lo))
			}
		}
		a, err := newAxis(CurvePanel{Series: []Series{{X: []float64{lo}, Y: []float64{lo}}}}, onScreen)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []ruler{{lo: a.xlo, hi: a.xhi, ticks: written(a.xticks, a.xdecimals)},
			{lo: a.ylo, hi: a.yhi, ticks: written(a.yticks, a.ydecimals)}} {
			around(t, r, lo)
		}
	}
	f := frame.New(frame.Numbers("x", []float64{0.3, 0.1 + 0.2, 1}), frame.Numbers("y", []float64{7, 7, 7}),
		frame.Numbers("seven", []float64{-7.5, -7.5, -7.5}))
	figure, err := Heat(f, "x", "y", "seven").Figure()
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, figure); !slices.Contains(got, "−7.5") {
		t.Errorf("the scale of one colour does not say its value: %q", got)
	}
	if at, _ := ticks(-math.MaxFloat64, math.MaxFloat64, 5, false); len(at) != 0 {
		t.Errorf("%d ticks on an axis that float64 cannot count", len(at))
	}
}

func written(at []float64, decimals int) (list []tick) {
	for _, v := range at {
		list = append(list, tick{v, number(v, decimals)})
	}
	return list
}

func around(t *testing.T, r ruler, v float64) {
	t.Helper()
	if room := r.hi - r.lo; !(v-r.lo > 0.2*room && r.hi-v > 0.2*room) {
		t.Errorf("%v lies at the edge of [%v, %v]", v, r.lo, r.hi)
	}
	seen := map[string]bool{}
	for _, tick := range r.ticks {
		seen[tick.text] = true
	}
	if len(seen) < 2 || len(seen) != len(r.ticks) {
		t.Errorf("ticks around %v: %v", v, r.ticks)
	}
}
