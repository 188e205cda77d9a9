package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nacre/experiment/runs"
	"nacre/experiment/runs/runstest"
)

// TestRunsBench measures the page of runs in front of 2,000 synthetic run folders of ten configurations and 100 iterations,
// where NACRE_RUNS_BENCH is set: the index by itself, the page until it can be used, filter and order, and a row that a
// process writes until it is seen.
func TestRunsBench(t *testing.T) {
	if os.Getenv("NACRE_RUNS_BENCH") == "" {
		t.Skip("not measured: NACRE_RUNS_BENCH is not set")
	}
	s := newSite(t, nil)
	s.folders(2000, func(i int) string { return fmt.Sprintf("sweep%d/runs/seed%d", i%10, i) }, 100, func(i int) []string {
		return []string{fmt.Sprintf("seed=%d", i), fmt.Sprintf("pearl.latent=%d", 2+i%10)}
	})
	index, began := runs.Open(s.dir), time.Now()
	must(t, index.Refresh(context.Background()))
	t.Logf("index read: %v", time.Since(began))
	began = time.Now()
	must(t, index.Refresh(context.Background()))
	t.Logf("looked at again: %v", time.Since(began))

	began = time.Now()
	p := s.open("/runs")
	p.await("document.querySelectorAll('.list tbody tr').length === 100")
	t.Logf("first rows on screen: %v", time.Since(began))
	p.await("document.body.dataset.shown === '2000'")
	t.Logf("all runs known: %v", time.Since(began))
	took := func(what, code string) {
		ms := eval[float64](p, fmt.Sprintf(`(async () => {
			const times = [];
			for (let k = 0; k < 9; k++) {
				const began = performance.now();
				%s;
				await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
				times.push(performance.now() - began);
			}
			return times.sort((a, b) => a - b)[4];
		})()`, code))
		t.Logf("%s: %.0f ms, median of 9, until it is drawn", what, ms)
	}
	took("sort", "document.querySelectorAll('.list thead th button')[k % 2 ? 5 : 1].click()")
	took("filter", "{const f = document.querySelector('.runs input[type=search]'); f.value = 'seed>' + (100 + k); f.dispatchEvent(new Event('input'))}")
	took("group", "{const g = document.querySelector('.runs select[aria-label=\"Group by\"]'); g.value = k % 2 ? '' : 'set.pearl.latent'; g.dispatchEvent(new Event('change'))}")
	eval[any](p, "{const g = document.querySelector('.runs select[aria-label=\"Group by\"]'); g.value = ''; g.dispatchEvent(new Event('change')); null}")
	p.filter("path=sweep7/runs/seed7")
	p.await("document.body.dataset.shown === '1'")
	began = time.Now()
	must(t, runstest.Grow(filepath.Join(s.dir, "sweep7", "runs", "seed7"), 100, 101))
	p.await("document.querySelector('td[data-column=\"env_steps\"]').textContent === '101,000'")
	t.Logf("a new row of the metrics: %v until it is on screen", time.Since(began))
	t.Logf("memory of the page: %.1f MB", eval[float64](p, "performance.memory.usedJSHeapSize")/1e6)
}
