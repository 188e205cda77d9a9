package browser

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/internal/heavy"
)

// badCharts are charts of data that a figure is rarely drawn from, by what is unusual about them.
func badCharts() (names []string, charts []*plots.Chart) {
	add := func(name string, c *plots.Chart) { names, charts = append(names, name), append(charts, c) }
	nan, inf := math.NaN(), math.Inf(1)
	xy := func(x, y []float64, groups ...string) *frame.Frame {
		f := frame.New(frame.Numbers("x", x), frame.Numbers("y", y))
		if groups != nil {
			f = f.With(frame.Texts("group", groups))
		}
		return f
	}
	long := strings.Repeat("a name of 200 characters ", 8)
	hebrew, arabic, maths := "סוכן שלומד", "وكيل يتعلم", "∑ᵢ αᵢ‖x−μ‖² ≤ ε"
	add("nan", plots.Line(xy([]float64{0, 1, 2, 3}, []float64{1, nan, 3, 2}), "x", "y"))
	add("infinite", plots.Scatter(xy([]float64{0, 1, 2}, []float64{1, inf, 3}), "x", "y"))
	add("one-point", plots.Line(xy([]float64{3}, []float64{5}), "x", "y"))
	add("no-point", plots.Line(xy(nil, nil), "x", "y"))
	add("log-negative", plots.Line(xy([]float64{1, 2}, []float64{-1, 2}), "x", "y", plots.LogY()))
	add("text-column", plots.Line(xy([]float64{1, 2}, []float64{1, 2}, "a", "b"), "group", "y"))
	n := 200
	x, y, many := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		x[i], y[i], many[i] = float64(i), float64(i%13), fmt.Sprint("group ", i)
	}
	add("200-colours", plots.Line(xy(x, y, many...), "x", "y", plots.By("group")))
	add("200-bars", plots.Bar(xy(x, y, many...), "group", "y"))
	add("200-rows", plots.Heat(xy(x, y, many...), "y", "group", "x"))
	add("long-names", plots.Line(xy([]float64{0, 1, 0, 1}, []float64{0, 1, 1, 0}, long, long, long+"b", long+"b"), "x",
		"y", plots.By("group"), plots.Title(long), plots.Labels(long, long), plots.At(long, 0.5), plots.Note(long)))
	add("long-bars", plots.Bar(xy([]float64{0, 1}, []float64{2, 1}, long, long+"b"), "group", "y"))
	add("right-to-left", plots.Line(xy([]float64{0, 1, 0, 1}, []float64{0, 1, 1, 0}, hebrew, hebrew, arabic, arabic),
		"x", "y", plots.By("group"), plots.Title(hebrew+" 2"), plots.Labels(arabic, maths)))
	add("mathematics", plots.Bar(xy([]float64{0, 1}, []float64{2e-9, 1e9}, maths, "字 😀"), "group", "y", plots.LogY()))
	add("equal-values", plots.Histogram(xy([]float64{1, 1, 1}, []float64{7, 7, 7}), "y"))
	add("huge", plots.Scatter(xy([]float64{-1e300, 1e300}, []float64{1e-300, 2e-300}), "x", "y"))
	return names, charts
}

// Charts of unusual data are sensible pictures, or a sentence: no shape lies nowhere, no text runs out of the picture.
// With NACRE_KEEP their pictures are written to that folder, at the width of a page and of a phone.
func TestBadCharts(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	all, charts := badCharts()
	var names []string
	var outputs []map[string]any
	for k, c := range charts {
		if err := c.Err(); err != nil {
			if n := strings.Count(err.Error(), "\n"); n > 0 || len(err.Error()) > 300 {
				t.Errorf("%s: not one sentence: %v", all[k], err)
			}
			t.Logf("%s: %v", all[k], err)
			continue
		}
		names, outputs = append(names, all[k]), append(outputs, display(wire(t, c)))
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(outputs...)})
	p := s.open("/notebooks/a.ipynb")
	for _, width := range []int64{1100, 390} {
		p.do(chromedp.EmulateViewport(width, 900))
		p.await(fmt.Sprintf("innerWidth === %d && document.querySelectorAll('figure.chart svg').length === %d", width,
			len(names)))
		eval[any](p, "new Promise(r => setTimeout(r, 600, null))")
		for k, name := range names {
			if name == "long-bars" {
				p.checkNames(k, 2)
			}
			p.checkChart(k, fmt.Sprintf("%s at %d pixels", name, width))
			p.keepChart(k, fmt.Sprintf("%s-%d.png", name, width))
		}
	}
	p.quiet()
}

// checkChart checks that shapes of a chart have places, and that its texts lie within it.
func (tb *tab) checkChart(k int, what string) {
	tb.t.Helper()
	figure := fmt.Sprintf("document.querySelectorAll('figure.chart')[%d]", k)
	svg := eval[string](tb, figure+".querySelector('.viewport svg').outerHTML")
	for _, bad := range []string{"NaN", "Infinity", "undefined"} {
		if strings.Contains(svg, `"`+bad) || strings.Contains(svg, ","+bad) || strings.Contains(svg, bad+",") {
			tb.t.Errorf("%s has a shape without a place: %s", what, bad)
		}
	}
	out := eval[[]string](tb, `(() => {
		const figure = `+figure+`, svg = figure.querySelector('.viewport svg'), box = svg.getBoundingClientRect();
		const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent && !t.closest('[clip-path]'));
		const out = texts.filter(t => {
			const r = t.getBoundingClientRect();
			return r.left < box.left - 2 || r.right > box.right + 2 || r.top < box.top - 2 || r.bottom > box.bottom + 2;
		}).map(t => t.textContent.slice(0, 60));
		if (figure.scrollWidth > figure.clientWidth + 1) out.push('the figure is ' + figure.scrollWidth + ' wide');
		return out;
	})()`)
	if len(out) > 0 {
		tb.t.Errorf("%s: beyond the picture: %q", what, out)
	}
}

// checkNames checks that a chart of bars names each of them, shortened where there is little room.
func (tb *tab) checkNames(k, bars int) {
	tb.t.Helper()
	got := eval[int](tb, fmt.Sprintf("[...document.querySelectorAll('figure.chart')[%d].querySelectorAll('svg text')]"+
		".filter(t => t.textContent.startsWith('a n')).length", k))
	if got != bars {
		tb.t.Errorf("%d of %d bars are named", got, bars)
	}
}

// keepChart writes a chart's picture below the folder NACRE_KEEP, if there is one.
func (tb *tab) keepChart(k int, name string) {
	tb.t.Helper()
	dir := os.Getenv("NACRE_KEEP")
	if dir == "" {
		return
	}
	eval[any](tb, fmt.Sprintf("document.querySelectorAll('figure.chart')[%d].scrollIntoView({block: 'start'})", k))
	eval[any](tb, "scrollBy(0, -70)")
	png, err := chromedp.Run(tb.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), png, 0o644)
	}
	if err != nil {
		tb.t.Fatal(err)
	}
}
