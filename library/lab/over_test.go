package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/tsne"
)

// Over crosses values with algorithms and seeds, and the runs say which they have.
func TestOver(t *testing.T) {
	t.Chdir(t.TempDir())
	runs, err := Compare("quick/point-goal", nil, []int{1, 2}, small, Iterations(1), Quiet(), Over("latent", 2, 3),
		Over("pearl.kl_weight", 0.5))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.among())
	}
	if all := len(names); len(slices.Compact(slices.Sorted(slices.Values(names)))) != all ||
		!strings.Contains(names[0], "latent 2, pearl.kl_weight 0.5, seed 1") {
		t.Errorf("the curves of %d runs are called %q", all, names)
	}
	got, err := runs.Metrics().Group("latent", "pearl.kl_weight", "seed").Count().CSV()
	if want := "latent,pearl.kl_weight,seed,n\n2,0.5,1,1\n2,0.5,2,1\n3,0.5,1,1\n3,0.5,2,1\n"; err != nil ||
		string(got) != want {
		t.Errorf("runs of\n%s (%v), want\n%s", got, err, want)
	}
	if c := runs.Curve(); c.Err() != nil || strings.Join(c.Names, " ") != "2 3" {
		t.Errorf("curves of %q, %v", c.Names, c.Err())
	}
	if texts, err := runs.Configs().Texts("setting"); err != nil || strings.Join(texts, " ") != "pearl.latent seed" {
		t.Errorf("the runs differ in %q, %v", texts, err)
	}
	for want, options := range map[string][]Option{
		"several values of latent in Train": {Over("latent", 2, 3)},
		`has no setting "latnt"`: {Set("x=1"), func(p *plan) {
			p.pairs = nil
		}, func(p *plan) { p.named = append(p.named, setting{"latnt", "2"}) }},
		"lab.Set pearl.latnt=7: unknown key pearl.latnt; the nearest is pearl.latent": {Set("pearl.latnt=7")},
		"lab.Set pearl.latent=many: ":          {Set("pearl.latent=many")},
		"lab.Latent pearl.latent=0: ":          {Latent(0)},
		"lab.Iterations pearl.iterations=-1: ": {Iterations(-1)},
	} {
		if _, err := Train("quick/point-goal", options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Compare("quick/point-goal", nil, nil, Over("tcl.windw", 2)); err == nil ||
		!strings.HasPrefix(err.Error(), "lab.Over tcl.windw=2: unknown key tcl.windw; the nearest is tcl.window") {
		t.Errorf("a setting that is not there: %v", err)
	}
}

// Any table is laid out: its numbers, with text left aside.
func TestLayOut(t *testing.T) {
	var a, b, c []float64
	var kind, note []string
	for i := range 30 {
		a, b, c = append(a, float64(10*(i%3))), append(b, float64(i%5)), append(c, float64(i%7))
		kind, note = append(kind, string(rune('x'+i%3))), append(note, "text")
	}
	f := frame.New(frame.Numbers("a", a), frame.Texts("kind", kind), frame.Numbers("b", b), frame.Texts("note", note),
		frame.Numbers("c", c))
	l, err := LayOut(f, "kind")
	if err != nil {
		t.Fatal(err)
	}
	if l.Mean.Cols != 3 || l.Names[2] != "z" || l.Label[4] != 1 || l.Latent.Ratio < 1 {
		t.Errorf("%d dimensions, labels %v, ratio %v", l.Mean.Cols, l.Names, l.Latent.Ratio)
	}
	if got := strings.Join(l.Points().Names(), " "); got != "a kind b note c x y" {
		t.Errorf("points have %s", got)
	}
	plain, err := LayOut(f, "")
	if err != nil || plain.Figures().Len() != 0 {
		t.Errorf("without labels: %v, %v", plain, err)
	}
	if b, err := plain.MIMEBundle(); err != nil || b["image/png"] == nil {
		t.Errorf("shown: %v", err)
	}
	byValue, err := LayOut(f.Compute("value", func(r frame.Row) float64 { return r.Number("a") / 7 }), "value")
	if err != nil || byValue.Mean.Cols != 3 {
		t.Fatalf("by a value: %v, %v", byValue, err)
	}
	if b, err := byValue.MIMEBundle(); err != nil || b[plots.ChartMIME] == nil {
		t.Errorf("shown by a value: %v", err)
	}
	chosen, err := LayOut(f, "kind", tsne.WithColumns("a", "c"))
	if err != nil || chosen.Mean.Cols != 2 || strings.Join(chosen.Columns, " ") != "a c" {
		t.Errorf("chosen columns: %+v, %v", chosen, err)
	}
	if _, err := LayOut(f, "kind", tsne.WithColumns("d")); err == nil ||
		!strings.Contains(err.Error(), `no column "d"`) {
		t.Errorf("a column that is not there: %v", err)
	}
	if _, err := LayOut(f, "knd"); err == nil || !strings.Contains(err.Error(), `did you mean "kind"`) {
		t.Errorf("a label that is not there: %v", err)
	}
}

// By the cosine distance the length of a row counts for nothing, by the Euclidean it does.
func TestLayOutByCosine(t *testing.T) {
	var x, y, scaledX, scaledY []float64
	for i := range 40 {
		a, length := float64(i*i%17)+1, float64(int(1)<<(i%4))
		x, y = append(x, a), append(y, float64(i%5)-2)
		scaledX, scaledY = append(scaledX, length*x[i]), append(scaledY, length*y[i])
	}
	same := func(options ...tsne.Option) bool {
		var texts []string
		for _, f := range []*frame.Frame{frame.New(frame.Numbers("a", x), frame.Numbers("b", y)),
			frame.New(frame.Numbers("a", scaledX), frame.Numbers("b", scaledY))} {
			l, err := LayOut(f, "", options...)
			if err != nil {
				t.Fatal(err)
			}
			at, err := l.Points().Select("x", "y").CSV()
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(at))
		}
		return texts[0] == texts[1]
	}
	if !same(tsne.WithMetric(tsne.Cosine)) {
		t.Error("by cosine the lengths of rows count")
	}
	if same() {
		t.Error("by the Euclidean distance the lengths of rows do not count")
	}
}

func TestPairs(t *testing.T) {
	e := &tsne.Embeddings{Mean: tsne.Matrix{Rows: 3, Cols: 2, Data: []float64{1, 0, 0, 1, 2, 0}}, Label: []int{0, 1, 0}}
	f := Pairs(e, func(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] })
	got, err := f.Group("task", "other_task").Max("similarity").CSV()
	if want := "task,other_task,similarity\n0,1,0\n0,0,2\n1,0,0\n"; err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRandom(t *testing.T) {
	f := Random(mustLookup(t, "point-goal"), 3)
	steps, err := f.Group("episode").Count().Numbers("n")
	if err != nil || len(steps) != 3 || steps[2] != 20 {
		t.Errorf("steps %v, %v", steps, err)
	}
	// The point robot goes a tenth of the action.
	first := f.Is("episode", 0)
	x, _ := first.Numbers("obs0")
	a, _ := first.Numbers("act0")
	for s := range 19 {
		if d := x[s+1] - x[s] - 0.1*a[s]; d > 1e-6 || d < -1e-6 {
			t.Errorf("step %d went %v by action %v", s, x[s+1]-x[s], a[s])
		}
	}
}

// A run counts as trained when it is, not when its training stops.
func TestSummary(t *testing.T) {
	w := newWatch(Runs{{Dir: "a"}, {Dir: "b"}}, false, nil)
	w.Stage("", 80).Done()
	w.finished()
	w.Stage("", 100)
	w.done = 30
	w.Done()
	last := w.summary(true).(line)
	if got, want := last.Bundle["text/plain"],
		"interrupted in run 2 of 2, update 30 of 100, which is kept in b: run the cell again to go on"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	if !last.paused || last.share != 0.65 {
		t.Errorf("the page hears %+v", last.Metadata())
	}
	if got := fmt.Sprint(w.summary(false)); !strings.Contains(got, ":1 of 2 runs in ") {
		t.Errorf("%q", got)
	}
}
