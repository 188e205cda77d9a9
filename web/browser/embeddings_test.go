package browser

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
	"nacre/tsne"
)

// layout writes a layout of n points in groups beside their vectors.
func (s *site) layout(dir string, n, groups int) {
	s.t.Helper()
	e := clusters(n, groups, 6)
	e.Names = nil
	for g := range groups {
		e.Names = append(e.Names, fmt.Sprintf("task %c", 'a'+g))
	}
	must(s.t, os.MkdirAll(filepath.Join(s.dir, dir), 0o755))
	must(s.t, e.Save(filepath.Join(s.dir, dir, "embeddings.npz")))
	r := rand.New(rand.NewPCG(uint64(n), 3))
	var b strings.Builder
	b.WriteString("x,y,label,reward\n")
	for i := range n {
		angle := 2 * math.Pi * float64(e.Label[i]) / float64(groups)
		fmt.Fprintf(&b, "%g,%g,%s,%g\n", 20*math.Cos(angle)+2*r.NormFloat64(), 20*math.Sin(angle)+2*r.NormFloat64(),
			e.Names[e.Label[i]], r.Float64())
	}
	must(s.t, os.WriteFile(filepath.Join(s.dir, dir, "tsne.csv"), []byte(b.String()), 0o644))
}

// The page lists what is there, shipped studies too: two clicks set PEARL beside TCL-PEARL, with dots of one size.
func TestEmbeddingsOpenByThemselves(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, nil)
	study, err := os.ReadFile("../../notebooks/data/point-goal.zip")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.dir, "study.zip"), study, 0o644))
	s.layout("mine", 300, 3)
	p := s.open("/embeddings")
	p.await("document.querySelectorAll('.gallery button').length === 16")
	p.await("[...document.querySelectorAll('.gallery canvas')].filter(c => c.getContext('2d').getImageData(0, 0, " +
		"c.width, c.height).data.some(v => v)).length >= 4")
	click := func(file string) {
		eval[any](p, fmt.Sprintf("{document.querySelector('.gallery button[data-file=%q]').click(); null}", file))
	}
	click("study.zip/runs/pearl-seed1")
	p.await("document.querySelector('.layout-panel')?.dataset.points === '1600'")
	click("study.zip/runs/tcl-pearl-seed1")
	p.await("[...document.querySelectorAll('.layout-panel')].filter(l => l.dataset.points === '1600').length === 2 " +
		"&& document.querySelectorAll('.gallery button[aria-pressed=true]').length === 2")
	// A dot that stands alone is as wide in one as in the other.
	p.await("(a => a[0] > 0 && a[0] === a[1])([...document.querySelectorAll('.layout-panel')].map(" +
		"l => l.dataset.radius))")
	shots(t, p, "embeddings-gallery")
	click("study.zip/runs/pearl-seed1") // once more closes it
	p.await("document.querySelectorAll('.layout-panel').length === 1")
	p.quiet()
}

// drag moves the pointer over a panel with its button down, by shares of its size.
func (tb *tab) drag(panel int, lasso bool, places ...[2]float64) {
	tb.t.Helper()
	var steps strings.Builder
	for i, p := range places {
		kind := "pointermove"
		if i == 0 {
			kind = "pointerdown"
		}
		fmt.Fprintf(&steps, "send('%s', %g, %g);", kind, p[0], p[1])
	}
	last := places[len(places)-1]
	eval[any](tb, fmt.Sprintf(`{
		const v = document.querySelectorAll('.layout-panel .viewport')[%d], box = v.getBoundingClientRect();
		v.setPointerCapture = () => {};
		const send = (kind, x, y) => v.dispatchEvent(new PointerEvent(kind, { clientX: box.left + x * box.width, clientY: box.top + y * box.height, button: 0, shiftKey: %v, bubbles: true }));
		%s
		send('pointerup', %g, %g);
		null
	}`, panel, lasso, steps.String(), last[0], last[1]))
}

// Layouts side by side: colours, filters, selections that go together, neighbours, figures, the link that shows it all
// again.
func TestEmbeddingsPage(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, nil)
	s.layout("pearl", 3000, 4)
	s.layout("tcl", 3000, 4)
	s.layout("other", 900, 4)
	must(t, os.MkdirAll(filepath.Join(s.dir, "empty"), 0o755))
	p := s.open("/embeddings?open=pearl&open=tcl&open=other&open=fourth")
	p.await("[...document.querySelectorAll('.layout-panel')].map(d => d.dataset.points).join() === '3000,3000,900'")
	p.await("document.querySelectorAll('.legend button').length === 4 && document.querySelector('.legend " +
		"button').textContent === 'task a 1,725'")
	// A group is hidden everywhere.
	eval[any](p, "{document.querySelector('.legend button').click(); null}")
	p.await("document.querySelector('.legend button').ariaPressed === 'false' && " +
		"location.search.includes('hide=task+a')")
	eval[any](p, "{document.querySelector('.legend button').click(); null}")

	// The group on the right is enclosed: it is selected in the others by its label, since the third has other points.
	p.drag(0, true, [2]float64{0.75, 0.3}, [2]float64{0.99, 0.3}, [2]float64{0.99, 0.7}, [2]float64{0.75, 0.7})
	p.await("document.querySelectorAll('.layout-panel figcaption')[2].textContent.startsWith('225 selected')")
	if got := eval[string](p, "document.querySelector('.layout-panel figcaption').textContent"); !strings.Contains(got,
		"among the vectors: within groups") {
		t.Errorf("the selection is described as %q", got)
	}
	p.await("document.querySelector('.chosen tbody th').textContent === 'task a'")
	eval[any](p, "{const l = document.querySelector('select[aria-label=\"Link layouts by\"]'); l.value = 'row'; "+
		"l.dispatchEvent(new Event('change')); null}")
	p.await("document.querySelectorAll('.layout-panel figcaption')[2].textContent === ''")
	one := eval[string](p, "document.querySelectorAll('.layout-panel figcaption')[0].textContent.split(' ')[0]")
	if two := eval[string](p,
		"document.querySelectorAll('.layout-panel figcaption')[1].textContent.split(' ')[0]"); one != two {
		t.Errorf("%s points are selected, and the same points are %s in the other layout", one, two)
	}

	// Neighbours among the vectors, as t-SNE finds them, by keyboard alone.
	eval[any](p, "{const k = document.querySelector('input[aria-label=\"How many neighbours\"]'); k.value = 5; const "+
		"r = document.querySelector('input[aria-label=\"Point\"]'); r.value = 7; r.focus(); null}")
	p.press("Enter")
	p.await("document.querySelectorAll('.chosen tbody tr').length === 6")
	e, err := tsne.Load(filepath.Join(s.dir, "pearl", "embeddings.npz"), "")
	must(t, err)
	graph, err := tsne.ExactNeighbours(t.Context(), e.Mean, 5, 1)
	must(t, err)
	want := "7"
	for _, i := range graph.Index[7*5 : 8*5] {
		want += fmt.Sprint(" ", i)
	}
	if got := eval[string](p,
		"[...document.querySelectorAll('.chosen tbody th')].map(c => c.textContent).join(' ')"); got != want {
		t.Errorf("the neighbours of point 7 are %q, want %q", got, want)
	}

	// Zoomed by keyboard, with contours; the link shows it again in another tab.
	eval[any](p, "{document.querySelector('.layout-panel .viewport').focus(); document.querySelector('.embeddings "+
		"input[type=checkbox]').click(); null}")
	p.press("+", "+", "ArrowLeft")
	p.await("location.search.includes('contours') && location.search.includes('near') && " +
		"location.search.includes('at=')")
	link := eval[string](p, "location.pathname + location.search")
	q := s.more(p, link)
	q.await("document.querySelectorAll('.chosen tbody tr').length === 6 && document.querySelector('.embeddings " +
		"input[type=checkbox]').checked")
	q.await(fmt.Sprintf("location.pathname + location.search === %q", link))

	// Search, and what is saved.
	eval[any](p, "{const f = document.querySelector('input[type=search]'); f.value = 'TASK B'; f.dispatchEvent(new "+
		"Event('input')); null}")
	p.await("document.querySelectorAll('.layout-panel figcaption')[2].textContent.startsWith('225 selected')")
	saved := eval[map[string]int](p, `(async () => {
		const blobs = [], out = {};
		URL.createObjectURL = b => (blobs.push(b), 'blob:none');
		HTMLAnchorElement.prototype.click = () => {};
		for (const kind of ['PNG', 'SVG', 'CSV']) {
			blobs.length = 0;
			[...document.querySelectorAll('.embeddings .bar button')].find(b => b.textContent === kind).click();
			while (!blobs.length) await new Promise(r => setTimeout(r, 20));
			const text = await blobs[0].text();
			out[kind] = kind === 'CSV' ? text.trim().split('\n').length : kind === 'SVG' ? new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('circle').length : blobs[0].size;
		}
		return out;
	})()`)
	if saved["CSV"] != 751 || saved["SVG"] < 3000 || saved["PNG"] < 10_000 {
		t.Errorf("saved are %v", saved)
	}
	p.press("Escape")

	// What has no layout says how it gets one.
	n := s.open("/embeddings?open=empty")
	n.await("document.querySelector('.banner')?.textContent.includes('nacre tsne') && " +
		"[...document.querySelectorAll('.banner button')].some(b => b.textContent === 'Make it')")
	n.quiet("404")
	p.quiet()
	q.quiet("403")
	shots(t, p, "embeddings")
}

// Of many points the page has a sample, and more of what is looked at closely. NACRE_POINTS says how many, to measure
// with more.
func TestManyPoints(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	n := 100_000
	if text := os.Getenv("NACRE_POINTS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(t, err)
	}
	s := newSite(t, nil)
	s.layout("many", n, 5)
	began := time.Now()
	p := s.open("/embeddings?open=many")
	p.awaitFor("document.querySelector('.layout-panel')?.dataset.waiting === '0'", 2*time.Minute)
	first := eval[int](p, "Number(document.querySelector('.layout-panel').dataset.points)")
	t.Logf("%d points: the page has %d of them after %v", n, first, time.Since(began))
	if first < 4096 || first > 150_000 || first == n {
		t.Errorf("the page has %d of %d points at first", first, n)
	}
	eval[any](p, "{document.querySelector('.layout-panel .viewport').focus(); null}")
	for range 12 {
		p.press("+")
	}
	for range 6 {
		p.press("ArrowLeft")
	}
	p.awaitFor("document.querySelector('.layout-panel').dataset.waiting === '0'", time.Minute)
	points := "performance.getEntriesByType('resource').filter(r => r.name.includes('/api/layouts/'))"
	frames := eval[[]float64](p, `(async () => {
		const v = document.querySelector('.layout-panel .viewport'), box = v.getBoundingClientRect(), times = [];
		v.setPointerCapture = () => {};
		const send = (kind, k) => v.dispatchEvent(new PointerEvent(kind, { clientX: box.left + 300 + 4 * k, clientY: box.top + 200 + k, button: 0, bubbles: true }));
		send('pointerdown', 0);
		let last = performance.now();
		for (let k = 1; k <= 60; k++) {
			send('pointermove', k);
			await new Promise(r => requestAnimationFrame(r));
			times.push(performance.now() - last);
			last = performance.now();
		}
		send('pointerup', 60);
		return times.sort((a, b) => a - b);
	})()`)
	t.Logf("panned over 60 frames: median %.0f ms, longest %.0f ms", frames[30], frames[59])
	began = time.Now()
	p.drag(0, true, [2]float64{0.01, 0.01}, [2]float64{0.99, 0.01}, [2]float64{0.99, 0.99}, [2]float64{0.01, 0.99})
	p.awaitFor("/^[\\d,]+ selected/.test(document.querySelector('.layout-panel figcaption').textContent)", time.Minute)
	t.Logf("sent to the page: %.1f MB of points in %d answers",
		eval[float64](p, points+".reduce((n, r) => n + r.encodedBodySize, 0)")/1e6, eval[int](p, points+".length"))
	t.Logf("selected and measured in %v; memory of the page %.0f MB, of this process %.0f MB", time.Since(began),
		eval[float64](p, "performance.memory.usedJSHeapSize")/1e6, resident(t))
	p.quiet()
}

// shots keeps pictures of a page, light and dark, where NACRE_SCREENSHOTS names a folder.
func shots(t *testing.T, p *tab, name string) {
	t.Helper()
	dir := os.Getenv("NACRE_SCREENSHOTS")
	if dir == "" {
		return
	}
	for _, theme := range []string{"light", "dark"} {
		eval[any](p, fmt.Sprintf("(document.documentElement.dataset.theme = %q, document.dispatchEvent(new "+
			"Event('nacre:theme')), new Promise(r => setTimeout(r, 600)))", theme))
		picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, name+"-"+theme+".png"), picture, 0o644))
	}
}
