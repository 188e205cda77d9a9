package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nacre/experiment/runs/runstest"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
)

// folders makes run folders below a site's folder.
func (s *site) folders(n int, path func(i int) string, iterations int, set func(i int) []string) {
	s.t.Helper()
	for i := range n {
		if _, err := runstest.Make(s.dir, path(i), iterations, set(i)...); err != nil {
			s.t.Fatal(err)
		}
	}
}

// rows are the paths that the table of runs shows.
func (tb *tab) rows() string {
	tb.t.Helper()
	return eval[string](tb, "[...document.querySelectorAll('.runs tbody tr[data-path]:not(.group)')].map(r => "+
		"r.dataset.path).join(' ')")
}

// filter writes into the filter of the page of runs.
func (tb *tab) filter(text string) {
	tb.t.Helper()
	eval[any](tb, fmt.Sprintf("{const f = document.querySelector('.runs input[type=search]'); f.value = %q; "+
		"f.dispatchEvent(new Event('input')); null}", text))
}

// The page of runs: what is there, filtered, sorted, grouped and looked at, by keyboard too, and what is written
// meanwhile.
func TestRunsPage(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, nil)
	s.folders(6, func(i int) string { return fmt.Sprintf("%s/seed%d", []string{"a", "b"}[i%2], i) }, 5,
		func(i int) []string {
			return []string{fmt.Sprintf("seed=%d", i), fmt.Sprintf("pearl.latent=%d", 3+i%2)}
		})
	p := s.open("/runs")
	p.await("document.querySelectorAll('.runs tbody tr').length === 6")
	p.filter("set=3 pearl.latent=4")
	p.await("document.body.dataset.shown === '0'")
	p.filter("pearl.latent=4 seed>1")
	p.await("document.body.dataset.shown === '2'")
	if got := eval[string](p, "location.search"); !strings.Contains(got, "filter=pearl.latent") {
		t.Errorf("the address keeps %q", got)
	}
	p.filter("")
	p.await("document.body.dataset.shown === '6'")
	eval[any](p, "{const head = () => document.querySelector('th[data-key=\"path\"] button'); head().click(); if "+
		"(document.querySelector('th[data-key=\"path\"]').ariaSort !== 'ascending') head().click(); null}")
	p.await("document.querySelector('.runs tbody tr').dataset.path === 'a/seed0'")
	if got := p.rows(); got != "a/seed0 a/seed2 a/seed4 b/seed1 b/seed3 b/seed5" {
		t.Errorf("sorted by path: %s", got)
	}
	// A thin line for each run, a thick one for the seeds of each setting.
	p.await("document.querySelectorAll('.curves polyline').length === 8 && " +
		"document.querySelectorAll('.curves .legend button').length === 2")

	// Groups, and a band of each.
	eval[any](p, "{const g = document.querySelector('.runs select[aria-label=\"Group by\"]'); g.value = "+
		"'set.pearl.latent'; g.dispatchEvent(new Event('change')); null}")
	p.await("document.querySelectorAll('.runs tr.group').length === 2 && document.querySelectorAll('.curves " +
		"polygon').length === 2")
	eval[any](p, "{document.querySelector('.runs tr.group button.open').click(); null}")
	p.await("document.querySelectorAll('.runs tbody tr:not(.group)').length === 3")

	// By keyboard: down to the first run, open it, and back.
	eval[any](p, "{document.querySelector('.runs tr.group button.open').focus(); null}")
	p.press("ArrowDown", "ArrowDown", "Enter")
	p.await("!document.querySelector('.detail').hidden && document.activeElement.classList.contains('close')")
	p.await("document.querySelectorAll('.settings tbody tr').length > 10")
	p.press("Escape")
	p.await("document.querySelector('.detail').hidden && document.activeElement.closest('tbody')")

	// What a process writes is seen.
	must(t, runstest.Grow(filepath.Join(s.dir, "a", "seed0"), 5, 9))
	must(t, os.RemoveAll(filepath.Join(s.dir, "b", "seed5")))
	eval[any](p, "{const g = document.querySelector('.runs select[aria-label=\"Group by\"]'); g.value = ''; "+
		"g.dispatchEvent(new Event('change')); null}")
	p.await("document.querySelector('tr[data-path=\"a/seed0\"] td[data-column=\"env_steps\"]').textContent === '9,000'")
	p.await("document.querySelectorAll('.list tbody tr').length === 5")

	// Runs of a study that wait are listed with it, and nothing is offered that they cannot do.
	must(t, os.Mkdir(filepath.Join(s.dir, "study"), 0o755))
	must(t, os.WriteFile(filepath.Join(s.dir, "study", "plan.json"),
		[]byte(`{"name": "point", "runs": [{"name": "pearl-seed1", "family": "point-goal", "system": "pearl", "seed": 1}]}`), 0o644))
	p.await("document.querySelector('tr[data-path=\"study/runs/pearl-seed1\"][data-state=\"waiting\"]')")
	eval[any](p, "{document.querySelector('tr[data-path=\"study/runs/pearl-seed1\"] .open').click(); null}")
	p.await("document.querySelector('.detail h2').textContent === 'study/runs/pearl-seed1' && " +
		"document.querySelector('.detail textarea').readOnly")
	if n := eval[int](p, "document.querySelectorAll('.detail .bar button, .detail .bar a').length"); n != 0 {
		t.Errorf("a run that waits has %d buttons", n)
	}
	shots(t, p, "runs")

	// On a narrow window the table can be scrolled by itself, and a run fills the page.
	p.do(chromedp.EmulateViewport(480, 800))
	p.await("document.querySelector('.detail').getBoundingClientRect().width >= 470 && " +
		"document.documentElement.scrollWidth <= innerWidth")
	shots(t, p, "runs-narrow")
	p.press("Escape")
	p.await("document.querySelector('.detail').hidden && document.documentElement.scrollWidth <= innerWidth")
	p.quiet()
}

// Runs on a static site: filtered, compared, their curves drawn, without a server and without what only a server can
// do.
func TestRunsOfASite(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	from := t.TempDir()
	for i := range 4 {
		_, err := runstest.Make(from, fmt.Sprintf("grid/seed%d", i), 6, fmt.Sprintf("seed=%d", i),
			fmt.Sprintf("pearl.latent=%d", 3+i%2))
		must(t, err)
	}
	s := newStaticOf(t, from, filepath.Join(from, "none"), false)
	list := s.open("index.html?tree", nil)
	list.await("[...document.querySelectorAll('a.link')].some(a => a.textContent === 'Runs' && !a.hidden)")
	p := s.open("index.html?runs", nil)
	p.await("document.querySelectorAll('.runs tbody tr').length === 4 && document.querySelectorAll('.curves " +
		"polyline').length === 6")
	p.filter("pearl.latent=4")
	p.await("document.body.dataset.shown === '2'")
	eval[any](p, "{document.querySelector('tr[data-path=\"grid/seed1\"] .open').click(); null}")
	p.await("document.querySelectorAll('.settings tbody tr').length > 10 && document.querySelector('.detail " +
		"textarea').readOnly")
	if got := eval[string](p, "[...document.querySelectorAll('.runs button, .runs a.button')].filter(b => "+
		"b.offsetParent).map(b => b.textContent).join()"); strings.Contains(got, "New run") ||
		strings.Contains(got, "Resume") || !strings.Contains(got, "Files") {
		t.Errorf("the page offers %s", got)
	}
	p.quiet()
	s.own()
}

var must = fatal.On

// A finished run shows how it adapts: over all tasks, for each, and as a table. The curves of its study stand by
// algorithm.
func TestAdaptationIsShown(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, nil)
	study, err := os.ReadFile("../../notebooks/data/point-goal.zip")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.dir, "study.zip"), study, 0o644))
	p := s.open("/runs?run=study.zip/runs/tcl-pearl-seed1")
	p.await("document.querySelectorAll('.curves polyline').length === 18 && " +
		"document.querySelectorAll('.curves .legend button').length === 3")
	p.await("document.querySelectorAll('.adapted polyline').length === 11 && " +
		"document.querySelector('.adapted polygon')")
	rows := eval[[]string](p, "[...document.querySelectorAll('.adapted tr')].map(r => r.textContent)")
	if len(rows) != 12 || !strings.Contains(rows[11], "mean over tasks−22.") || !strings.Contains(rows[11], "[") {
		t.Errorf("the table is %q", rows)
	}
	eval[any](p, "{const c = document.querySelector('select[aria-label=\"Curve of\"]'); c.value = '*'; "+
		"c.dispatchEvent(new Event('change')); null}")
	p.await("document.querySelectorAll('.curves clipPath').length > 12")
	shots(t, p, "runs-adaptation")
	p.quiet()
}

// A run's life from the page, with the tab closed in between; and notes that two people write at once.
func TestRunFromPage(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	t.Setenv(runstest.Variable, "1")
	s := newSite(t, nil)
	p := s.open("/runs")
	p.await("document.querySelector('.list-host').textContent.includes('No run folder')")
	eval[any](p, "{[...document.querySelectorAll('.runs button')].find(b => b.textContent === 'New run').click(); "+
		"null}")
	p.await("document.querySelector('dialog select')")
	set := strings.Join(append([]string{"pearl.iterations=100000"}, runstest.Small...), `\n`)
	eval[any](p, `{const d = document.querySelector('dialog'); d.querySelector('textarea').value = "`+set+
		`"; d.querySelector('input[aria-label="Seeds"]').value = 'x'; d.querySelector('.primary').click(); null}`)
	p.await("document.querySelector('dialog .problem-line').textContent.includes('expected such as 3')")

	// What the server refuses is said beside what was typed; a name begun is completed.
	eval[any](p, `{const d = document.querySelector('dialog'), t = d.querySelector('textarea'); `+
		`t.dataset.text = t.value; t.value = 'pearl.latnt=3'; `+
		`d.querySelector('input[aria-label="Seeds"]').value = ''; d.querySelector('.primary').click(); null}`)
	p.await("document.querySelector('dialog .problem-line')?.textContent.includes('the nearest is pearl.latent') && " +
		"document.querySelector('dialog textarea').value === 'pearl.latnt=3'")
	eval[any](p, `{const t = document.querySelector('dialog textarea'); t.value = 'pearl.late'; `+
		`t.setSelectionRange(10, 10); t.dispatchEvent(new Event('input')); `+
		`document.querySelector('dialog .offers button').click(); null}`)
	if got := eval[string](p, "document.querySelector('dialog textarea').value"); !strings.HasPrefix(got,
		"pearl.latent=") {
		t.Errorf("completed to %q", got)
	}
	eval[any](p, `{const t = document.querySelector('dialog textarea'); t.value = t.dataset.text; null}`)
	eval[any](p, `{const d = document.querySelector('dialog'); d.querySelector('input[aria-label="Seeds"]').value = '3'; d.querySelector('input[aria-label="Name"]').value = 'mine'; d.querySelector('.primary').click(); null}`)
	p.await(`document.querySelector('tr[data-path="runs/mine"][data-state="running"]')`)
	p.close()

	p = s.open("/runs?run=runs/mine")
	button := func(label string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.detail button')].find(b => b.textContent === %q)", label)
	}
	p.await(button("Stop"))
	steps := "Number(document.querySelector('tr[data-path=\"runs/mine\"] " +
		"td[data-column=\"env_steps\"]').textContent.replaceAll(',', ''))"
	p.await(steps + " > 100")
	eval[any](p, "{"+button("Stop")+".click(); null}")
	p.await(button("Resume"))
	before := eval[int](p, steps)
	eval[any](p, "{"+button("Resume")+".click(); null}")
	p.await(fmt.Sprintf("%s && %s > %d", button("Stop"), steps, before))

	q := s.more(p, "/runs?run=runs/mine")
	write := func(tb *tab, text string) {
		eval[any](tb, fmt.Sprintf("{const n = document.querySelector('.detail textarea'); n.value = %q; "+
			"n.dispatchEvent(new Event('input')); null}", text))
	}
	q.await("document.querySelector('.detail h2').textContent === 'runs/mine'")
	write(p, "first")
	write(q, "second")
	conflict := "[...document.querySelectorAll('dialog button')].find(b => b.textContent === 'Keep both')"
	for range 400 {
		time.Sleep(50 * time.Millisecond)
		for _, tb := range []*tab{p, q} {
			eval[any](tb, "{"+conflict+"?.click(); null}")
		}
		note, _ := os.ReadFile(filepath.Join(s.dir, "runs", "mine", "note.json"))
		if strings.Contains(string(note), "first") && strings.Contains(string(note), "second") {
			break
		}
	}
	note, err := os.ReadFile(filepath.Join(s.dir, "runs", "mine", "note.json"))
	if err != nil || !strings.Contains(string(note), "first") || !strings.Contains(string(note), "second") {
		t.Errorf("of two notes there is %s (%v)", note, err)
	}
	eval[any](p, "{"+button("Stop")+".click(); null}")
	p.await(button("Resume"))

	// Compared with another run, by boxes and the button for it.
	s.folders(1, func(int) string { return "other" }, 3, func(int) []string { return []string{"pearl.latent=4"} })
	p.await(`document.querySelector('tr[data-path="other"]')`)
	for range 2 {
		eval[any](p, "{document.querySelector('tbody .choose:not(:checked)').click(); null}")
	}
	p.await("document.querySelectorAll('.curves polyline').length === 2 && !document.querySelector('.runs .bar " +
		"a.button').hidden")
	p.await("[...document.querySelectorAll('.settings tbody th')].some(th => th.textContent === 'pearl.latent') && " +
		"document.querySelectorAll('.settings thead th').length === 3")

	// Embedded and played, by the server in the background; the tab is closed meanwhile.
	p.await(button("Make embedding"))
	eval[any](p, "{"+button("Make embedding")+".click(); "+button("Make rollout")+".click(); null}")
	p.await("document.querySelectorAll('.making li').length > 0")
	p.quiet("409", "403") // the second tab logs in anew
	p.close()
	link := func(label string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.detail a.button')].find(b => b.textContent === %q)", label)
	}
	p = s.open("/runs?run=runs/mine")
	p.awaitFor(link("Embedding")+" && "+link("Rollout")+" && "+button("Make report"), time.Minute)
	eval[any](p, "{"+button("Make report")+".click(); null}")
	p.await(link("Report"))
	address := func(label string) string { return eval[string](p, link(label)+".getAttribute('href')") }
	embedding, rollout, report := address("Embedding"), address("Rollout"), address("Report")
	p.quiet()
	e := s.open(embedding)
	e.await("document.querySelector('.layout-panel')?.dataset.points > 100 && document.querySelectorAll('.embeddings " +
		".legend button').length === 8")
	if got := eval[string](e, "document.querySelector('.embeddings .legend button').textContent"); !strings.HasPrefix(
		got, "task 0 (") {
		t.Errorf("the legend's first entry is %q", got)
	}
	e.quiet()
	text := s.opened(report, "document.querySelector('h1')")
	text.await("document.querySelectorAll('img').length === 2 && [...document.images].every(i => i.naturalWidth > 100)")
	if got := eval[string](text, "document.body.innerText"); !strings.Contains(got, "first") ||
		!strings.Contains(got, "second") || !strings.Contains(got, "posterior means") {
		t.Errorf("the report is %s", got)
	}
	text.quiet()
	r := s.opened(rollout, "document.querySelector('.rollout canvas')")
	r.quiet()
}
