package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/kernel/kerneltest"
)

// recordFile is the variable that names the file TestPositions writes what it saw into.
const recordFile = "NACRE_POSITIONS"

// positionRecord holds what a set of positions came to.
type positionRecord struct {
	Set       string   `json:"set"`
	Kernel    string   `json:"kernel"`
	Positions int      `json:"positions"`
	Found     int      `json:"found"`
	Median    float64  `json:"median_ms"`
	P95       float64  `json:"p95_ms"`
	Missed    []string `json:"missed"`
}

// Completion as one types: the last letter of each position is a key press, and what counts is what the list shows, and
// how long after the key. 55 of 60 have the entry that is wanted among the first five. Times are only recorded.
//
//	NACRE_POSITIONS=positions.json go test ./web/browser -run TestPositions -v
func TestPositions(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	nb := notebook(append(slices.Clone(kerneltest.PositionCells), "")...)
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": nb})
	records := positions(t, "server", s.open("/notebooks/a.ipynb"))
	if _, err := os.Stat(programs + "/manifest.json"); err == nil {
		site := newStatic(t, map[string]any{"a.ipynb": nb})
		records = append(records, positions(t, "browser", site.open("?notebooks/a.ipynb", nil))...)
	}
	if name := os.Getenv(recordFile); name != "" {
		b, err := json.MarshalIndent(records, "", "\t")
		if err == nil {
			err = os.WriteFile(name, append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// askPosition puts the text before the last letter into the last cell. Pressing that letter starts the clock, which the
// first list that is painted with an answer to it stops.
const askPosition = `(async (before, after) => {
	const view = nacre.view(nacre.notebook.cells.at(-1)).ensureEditor().view;
	const list = () => document.querySelector('.cm-tooltip-autocomplete');
	view.focus();
	view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: before + after }, selection: { anchor: before.length } });
	while (list()) await new Promise(done => setTimeout(done, 5));
	let typed = 0;
	view.contentDOM.addEventListener('keydown', () => { typed = performance.now(); }, { once: true, capture: true });
	window.shown = new Promise(done => {
		const see = () => {
			if (!typed || !list()?.querySelector('.cm-completionLabel')) return;
			observer.disconnect();
			const first = [...list().querySelectorAll('.cm-completionLabel')].slice(0, 5).map(l => l.textContent);
			requestAnimationFrame(() => setTimeout(() => done({ ms: performance.now() - typed, first })));
		};
		const observer = new MutationObserver(see);
		observer.observe(document.body, { childList: true, subtree: true });
		setTimeout(() => { observer.disconnect(); done({ ms: 6000, first: [] }); }, 6000);
	});
})(%q, %q).then(() => null)`

// positions asks all sets.
func positions(t *testing.T, kernel string, p *tab) []positionRecord {
	t.Helper()
	eval[any](p, fmt.Sprintf("nacre.running.range(0, %d).then(() => null)", len(kerneltest.PositionCells)))
	p.idle()
	eval[any](p, "nacre.selection.set(nacre.notebook.cells.length - 1, 'edit')")
	var records []positionRecord
	for _, set := range []struct {
		name string
		list []kerneltest.Position
	}{{"script", kerneltest.Positions}, {"fresh", kerneltest.FreshPositions}, {"later", kerneltest.LaterPositions}} {
		r := positionRecord{Set: set.name, Kernel: kernel, Positions: len(set.list), Missed: []string{}}
		var times []float64
		for _, position := range set.list {
			before, after, _ := strings.Cut(position.Code, "|")
			last := before[len(before)-1:]
			if strings.ContainsAny(last, "{( [") { // nothing is written yet: it is asked for with a key
				eval[any](p, fmt.Sprintf(askPosition, before, after))
				p.press("Ctrl-Space")
			} else {
				eval[any](p, fmt.Sprintf(askPosition, before[:len(before)-1], after))
				p.press(last)
			}
			got := eval[struct {
				MS    float64  `json:"ms"`
				First []string `json:"first"`
			}](p, "window.shown")
			times = append(times, got.MS)
			if slices.Contains(got.First, position.Want) {
				r.Found++
			} else {
				r.Missed = append(r.Missed, fmt.Sprintf("%s: %s is not in %s", position.Code, position.Want,
					strings.Join(got.First, " ")))
			}
		}
		slices.Sort(times)
		r.Median, r.P95 = times[len(times)/2], times[len(times)*95/100]
		t.Logf("%s, %s: %d of %d, median %.1f ms, 95th percentile %.1f ms; not: %q", kernel, set.name, r.Found,
			r.Positions, r.Median, r.P95, r.Missed)
		if r.Found*12 < r.Positions*11 {
			t.Errorf("%s, %s: %d of %d positions have their entry among the first five, want 55 of 60", kernel,
				set.name, r.Found, r.Positions)
		}
		records = append(records, r)
	}
	return records
}
