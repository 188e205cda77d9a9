package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"syscall"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/runs"
	"nacre/experiment/runs/runstest"
)

// TestRunsBench measures the page of runs in front of 2,000 synthetic run folders of ten configurations and 100
// iterations, and 20 that were trained,
// where NACRE_RUNS_BENCH is set: the index by itself, the page until it can be used, filter and order, and a row that a
// process writes until it is seen.
func TestRunsBench(t *testing.T) {
	if os.Getenv("NACRE_RUNS_BENCH") == "" {
		t.Skip("measures only: set NACRE_RUNS_BENCH")
	}
	s := newSite(t, nil)
	s.folders(2000, func(i int) string {
		return fmt.Sprintf("sweep%d/runs/seed%d", i%10, i)
	}, 100, func(i int) []string {
		return []string{fmt.Sprintf("seed=%d", i), fmt.Sprintf("pearl.latent=%d", 2+i%10)}
	})
	s.trained(20)
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
	t.Logf("of which in the page, in ms: %s", eval[string](p, `(() => {
		const nav = performance.getEntriesByType('navigation')[0], rows = performance.getEntriesByName('nacre.rows')[0];
		const list = performance.getEntriesByType('resource').find(r => r.name.includes('/list'));
		const scripts = performance.getEntriesByType('resource').filter(r => r.name.endsWith('.js'));
		const f = Math.round;
		return 'answer to the address ' + f(nav.responseEnd) + ', scripts there ' + f(Math.max(...scripts.map(r => r.responseEnd))) +
			', list asked for ' + f(list.startTime) + ' and there ' + f(list.responseEnd) + ', rows ' + f(rows.startTime);
	})()`))
	p.await("document.body.dataset.shown === '2020'")
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
	took("filter", "{const f = document.querySelector('.runs input[type=search]'); f.value = 'seed>' + (100 + k); "+
		"f.dispatchEvent(new Event('input'))}")
	took("group", "{const g = document.querySelector('.runs select[aria-label=\"Group by\"]'); g.value = k % 2 ? '' "+
		": 'set.pearl.latent'; g.dispatchEvent(new Event('change'))}")
	eval[any](p, "{const g = document.querySelector('.runs select[aria-label=\"Group by\"]'); g.value = ''; "+
		"g.dispatchEvent(new Event('change')); null}")
	p.filter("path=sweep7/runs/seed7")
	p.await("document.body.dataset.shown === '1'")
	began = time.Now()
	must(t, runstest.Grow(filepath.Join(s.dir, "sweep7", "runs", "seed7"), 100, 101))
	p.await("document.querySelector('td[data-column=\"env_steps\"]').textContent === '101,000'")
	t.Logf("a new row of the metrics: %v until it is on screen", time.Since(began))
	t.Logf("memory of the page: %.1f MB", eval[float64](p, "performance.memory.usedJSHeapSize")/1e6)
}

// trained makes run folders by training, briefly, to the end.
func (s *site) trained(n int) {
	s.t.Helper()
	for i := range n {
		cfg, err := experiment.Preset("quick/point-goal")
		must(s.t, err)
		must(s.t, experiment.Change(&cfg, append([]string{"pearl.iterations=3", fmt.Sprintf("seed=%d", i)},
			runstest.Small...)...))
		t, err := experiment.Start(filepath.Join(s.dir, "real", fmt.Sprintf("seed%d", i)), cfg,
			experiment.Host{Workers: 1})
		must(s.t, err)
		must(s.t, t.Train(context.Background(), progress.Silent()))
		must(s.t, t.Close())
	}
}

// sample is the memory of the page of runs and of its server at a time.
type sample struct {
	Seconds  float64 `json:"seconds"`
	ServerMB float64 `json:"server_mb"` // resident, of this process: the server, the index and the test
	HeapMB   float64 `json:"heap_mb"`   // of which Go's live objects
	PageMB   float64 `json:"page_mb"`   // the page's JavaScript
	Nodes    int     `json:"nodes"`     // elements of the page
	Rows     int     `json:"rows"`      // iterations of the run that is being trained
	SeenMS   float64 `json:"seen_ms"`   // from a row in the file to the page, the longest since the last sample
}

// TestRunsMemory watches a training from the page of runs, among 2,000 others, for as long as NACRE_RUNS_MEMORY says
// (1h, say), and writes what memory that took, and how soon rows were seen, into the file that NACRE_RUNS_JSON names.
func TestRunsMemory(t *testing.T) {
	whole, err := time.ParseDuration(os.Getenv("NACRE_RUNS_MEMORY"))
	if err != nil {
		t.Skip("measures only: set NACRE_RUNS_MEMORY to a time such as 1h")
	}
	t.Setenv(runstest.Variable, "1")
	s := newSite(t, nil)
	s.folders(2000, func(i int) string {
		return fmt.Sprintf("sweep%d/runs/seed%d", i%10, i)
	}, 100, func(i int) []string {
		return []string{fmt.Sprintf("seed=%d", i), fmt.Sprintf("pearl.latent=%d", 2+i%10)}
	})
	p := s.open("/runs?filter=path=runs/watched&run=runs/watched")
	p.await("document.querySelector('.counts').textContent.includes('2000 runs')")
	self, err := os.Executable()
	must(t, err)
	jobs := exec.Command(self,
		append([]string{"train", "--preset", "quick/point-goal", "--out", filepath.Join(s.dir, "runs", "watched"),
			"--set", "pearl.iterations=1000000"}, pairs(runstest.Small)...)...)
	jobs.Stdout = os.Stderr // what it says is why it ended
	must(t, jobs.Start())
	defer func() {
		_ = jobs.Process.Signal(syscall.SIGTERM)
		_ = jobs.Wait()
	}()
	p.await("document.querySelector('tr[data-path=\"runs/watched\"]')")
	steps := "Number(document.querySelector('td[data-column=\"env_steps\"]').textContent.replaceAll(',', ''))"
	var samples []sample
	began, next, slowest := time.Now(), time.Duration(0), 0.0
	for time.Since(began) < whole {
		m, err := experiment.ReadMetrics(filepath.Join(s.dir, "runs", "watched", experiment.MetricsFile))
		if err != nil || len(m.Rows) == 0 {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		column, err := m.Column("env_steps")
		must(t, err)
		seen := p.await(fmt.Sprintf("%s >= %g", steps, column[len(column)-1]))
		slowest = max(slowest, float64(seen.Milliseconds()))
		if time.Since(began) >= next {
			next += max(whole/60, time.Second)
			var mem goruntime.MemStats
			goruntime.ReadMemStats(&mem)
			samples = append(samples, sample{
				Seconds: time.Since(began).Seconds(), ServerMB: resident(t), HeapMB: float64(mem.HeapAlloc) / 1e6,
				PageMB: eval[float64](p, "performance.memory.usedJSHeapSize") / 1e6,
				Nodes:  eval[int](p, "document.querySelectorAll('*').length"), Rows: len(column), SeenMS: slowest,
			})
			slowest = 0
		}
		time.Sleep(200 * time.Millisecond)
	}
	text, err := json.MarshalIndent(map[string]any{"runs": 2001, "seconds": whole.Seconds(), "samples": samples},
		"", " ")
	must(t, err)
	if file := os.Getenv("NACRE_RUNS_JSON"); file != "" {
		must(t, os.WriteFile(file, append(text, '\n'), 0o644))
	}
	first, last := samples[0], samples[len(samples)-1]
	t.Logf("server %.0f MB at first, %.0f MB after %v; page %.1f and %.1f MB; %d rows", first.ServerMB, last.ServerMB,
		whole, first.PageMB, last.PageMB, last.Rows)
}

// pairs are changes as arguments of nacre train.
func pairs(set []string) (args []string) {
	for _, s := range set {
		args = append(args, "--set", s)
	}
	return args
}

// resident is this process's memory in MB, where the system says; 0 elsewhere.
func resident(t *testing.T) float64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(data), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * float64(os.Getpagesize()) / 1e6
}
