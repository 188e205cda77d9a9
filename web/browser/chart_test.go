package browser

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/internal/heavy"
	libdisplay "nacre/library/display"
	"nacre/tsne"
)

// A chart tells the value under the pointer, switches series off, zooms to a range and back, and is saved with what it
// shows.
func TestChart(t *testing.T) {
	var arm []string
	var step, value []float64
	for a, name := range []string{"PEARL", "TCL-PEARL"} {
		for k := range 11 {
			arm, step, value = append(arm, name), append(step, float64(10*k)), append(value, float64(k*(a+1)))
		}
	}
	f := frame.New(frame.Texts("arm", arm), frame.Numbers("steps", step), frame.Numbers("return", value))
	s := newSite(t, map[string]any{
		"a.ipynb": withOutputs(display(wire(t, plots.Line(f, "steps", "return", plots.By("arm")))))})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.chart polyline')")
	// Places on the page of a share of the axes' width, and of the height at the top tick and the bottom.
	at := func(x, y float64) (float64, float64) {
		box := eval[[]float64](p, `(() => { const r = document.querySelector('figure.chart clipPath rect'), v = document.querySelector('figure.chart .viewport').getBoundingClientRect();
			return [v.x + r.x.baseVal.value, v.y + r.y.baseVal.value, r.width.baseVal.value, r.height.baseVal.value]; })()`)
		return box[0] + x*box[2], box[1] + y*box[3]
	}
	mouse := func(kind input.DispatchMouseEventType, x, y float64, buttons int64) {
		t.Helper()
		e := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: "left", Buttons: buttons, ClickCount: 1}
		if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, e); err != nil {
			t.Fatal(err)
		}
	}
	x, y := at(0.5, 0.5)
	mouse(input.DispatchMouseEventTypeMouseMoved, x, y, 0)
	p.await("!document.querySelector('figure.chart .tip').hidden")
	if tip := eval[string](p, "document.querySelector('figure.chart .tip').innerText"); tip != "TCL-PEARL\nsteps 50\n"+
		"return 10" {
		t.Errorf("under the pointer: %q", tip)
	}
	ticks := func() string {
		return eval[string](p, "[...document.querySelectorAll('figure.chart svg text')].map(t => "+
			"t.textContent).join(' ')")
	}
	whole := ticks()
	mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	x2, _ := at(0.7, 0.5)
	mouse(input.DispatchMouseEventTypeMouseMoved, x2, y, 1)
	mouse(input.DispatchMouseEventTypeMouseReleased, x2, y, 0)
	p.await("!document.querySelector('figure.chart .reset').hidden")
	p.await("[...document.querySelectorAll('figure.chart svg text')].map(t => t.textContent).join(' ') !== " +
		fmt.Sprintf("%q", whole))
	if got := ticks(); strings.Contains(got, "100") {
		t.Errorf("zoomed to the middle the axes say %q", got)
	}
	eval[any](p, "document.querySelector('figure.chart .reset').click()")
	p.await("[...document.querySelectorAll('figure.chart svg text')].map(t => t.textContent).join(' ') === " +
		fmt.Sprintf("%q", whole))
	eval[any](p, "document.querySelectorAll('figure.chart .legend button')[1].click()")
	p.await("document.querySelectorAll('figure.chart polyline').length === 1")
	if got := ticks(); strings.Contains(got, "20 ") && strings.Contains(got, "15") {
		t.Errorf("without the higher series the axes still say %q", got)
	}
	if name, svg := p.saved("figure.chart", "SVG", "icml-column"); name != "return-over-steps-icml-column.svg" ||
		!strings.Contains(svg, `width="234pt"`) || !strings.Contains(svg, ">PEARL<") ||
		strings.Contains(svg, "TCL-PEARL") || !strings.Contains(svg, "@font-face") {
		t.Errorf("%s: %.600q", name, svg)
	}
	if name, text := p.saved("figure.chart", "CSV", ""); name != "return-over-steps.csv" ||
		!strings.HasPrefix(text, "panel,series,mark,x,y\n,PEARL,line,0,0\n") {
		t.Errorf("%s: %.300q", name, text)
	}
	for label, begins := range map[string]string{"PNG": "PNG", "PDF": "%PDF"} {
		if name, file := p.saved("figure.chart", label, ""); !strings.Contains(file[:8], begins) {
			t.Errorf("%s: %.30q", name, file)
		}
	}
	p.quiet()
}

// saved saves a figure by its menu, at a width, and returns the file's name and text.
func (tb *tab) saved(figure, format, width string) (name, text string) {
	tb.t.Helper()
	out := eval[[]string](tb, `new Promise(done => {
		const made = URL.createObjectURL, clicked = HTMLAnchorElement.prototype.click;
		let text;
		URL.createObjectURL = (b) => { URL.createObjectURL = made; text = b.text(); return made.call(URL, b); };
		HTMLAnchorElement.prototype.click = function () {
			HTMLAnchorElement.prototype.click = clicked;
			text.then(t => done([this.download, t]));
		};
		const figure = document.querySelector('`+figure+`'), width = figure.querySelector('.save select');
		width.value = '`+width+`';
		width.dispatchEvent(new Event('change'));
		figure.querySelector('.save [aria-label="Save as `+format+`"]').click();
		const wrong = figure.querySelector('.save .wrong');
		new MutationObserver(() => wrong.textContent && done(['', wrong.textContent])).observe(wrong, { childList: true });
	})`)
	return out[0], out[1]
}

// A live curve is saved as a chart is: an algorithm's seeds thin in its colour, light on a dark page unless asked.
func TestLiveCurveIsSaved(t *testing.T) {
	c := libdisplay.NewCurves("Return of <a> & b", "steps", "return")
	for _, seed := range []string{"seed 1", "seed 2"} {
		c.Group(seed, "PEARL")
		for x := range 5 {
			c.Add(seed, float64(x), float64(x*x))
		}
	}
	c.Add("TCL-PEARL", 0, 3)
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(display(wire(t, c)))})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.curves canvas')")
	eval[any](p, "document.documentElement.dataset.theme = 'dark'; document.dispatchEvent(new Event('nacre:theme'))")
	path := filepath.Join(t.TempDir(), "x.svg")
	if err := c.Save(path, plots.Width("neurips")); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if name, svg := p.saved("figure.curves", "SVG", "neurips"); name != "return-of-a-b-neurips.svg" ||
		svg != string(want) {
		at := 0
		for at < min(len(svg), len(want)) && svg[at] == want[at] {
			at++
		}
		t.Errorf("%s: the file differs from what Save writes: %.300q\n\n%.300q", name, svg[at:], want[at:])
	}
	p.quiet()
}

// An embedding is saved by the same menu, as its Save writes it.
func TestEmbeddingIsSaved(t *testing.T) {
	points := tsne.Matrix{Rows: 4, Cols: 2, Data: []float64{0, 0, 1, 0.5, 4, 4, 5, 4}}
	e := libdisplay.Embedding{Title: "Plane", Points: points, Label: []int{0, 0, 1, 1},
		Names: []string{"left", "right"}}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(display(wire(t, e)))})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.embedding canvas')")
	path := filepath.Join(t.TempDir(), "x.svg")
	if err := e.Save(path, plots.Width("icml-column")); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if name, svg := p.saved("figure.embedding", "SVG", "icml-column"); name != "plane-icml-column.svg" ||
		svg != string(want) {
		t.Errorf("%s: the file differs from what Save writes: %.900s", name, svg)
	}
	p.quiet()
}

// Every kind of chart is drawn in a real page, each shape at a place: panels, logarithmic axes with intervals below
// zero and empty bins, reference lines, series and panels of numbers with the name of their column.
func TestChartKinds(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	n := 40
	x, y, arm := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		x[i], y[i], arm[i] = float64(i/4), math.Exp(float64(i%7)), []string{"a", "b"}[i%2]
	}
	f := frame.New(frame.Numbers("x", x), frame.Numbers("y", y), frame.Texts("arm", arm))
	charts := []*plots.Chart{
		plots.Line(f, "x", "y", plots.By("arm"), plots.LogY(), plots.At("best", 100)),
		plots.Line(f, "x", "y", plots.Panels("arm")), plots.Line(f.Is("x", 1, 2), "y", "y", plots.Panels("x"),
			plots.LogX()),
		plots.Bar(f, "arm", "y", plots.LogY()), plots.Histogram(f, "y", plots.Bins(30), plots.LogY()),
		plots.Box(f, "arm", "y"), plots.Strip(f.Is("x", 1, 2, 3), "arm", "y", plots.By("x")),
		plots.Heat(f, "arm", "x", "y"), plots.Scatter(f, "x", "y", plots.By("x")),
	}
	var outputs []map[string]any
	for _, c := range charts {
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		outputs = append(outputs, display(wire(t, c)))
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(outputs...)})
	p := s.open("/notebooks/a.ipynb")
	p.await(fmt.Sprintf("document.querySelectorAll('figure.chart svg').length === %d", len(charts)))
	for k, c := range charts {
		svg := eval[string](p, fmt.Sprintf("document.querySelectorAll('figure.chart')[%d].outerHTML", k))
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Infinity") || strings.Contains(svg, "null") {
			t.Errorf("%v has a shape without a place", c)
		}
		if got := strings.Count(svg, "<clipPath"); got != len(c.Panels) {
			t.Errorf("%v has %d panels, expected %d", c, got, len(c.Panels))
		}
	}
	text := func(k int) string {
		return eval[string](p, fmt.Sprintf("document.querySelectorAll('figure.chart')[%d].textContent", k))
	}
	for k, want := range map[int]string{0: "best", 2: "x 1", 6: "x123", 8: "x"} {
		if got := text(k); !strings.Contains(got, want) {
			t.Errorf("%v says %q, want %q in it", charts[k], got, want)
		}
	}
	p.quiet()
}
