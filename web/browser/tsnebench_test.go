package browser

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tsnebench "nacre/bench/tsne"
	"nacre/tsne"
)

// peerModules is the variable that names a node_modules folder with wasm-bhtsne.
const peerModules = "NACRE_TSNE_PEER"

// peerWorker runs wasm-bhtsne in one thread, at the perplexity and learning rate of nacre bench tsne. The library wants
// rows of numbers of moderate size.
const peerWorker = `
onmessage = async ({ data: { values, points, columns } }) => {
	try {
		const { default: init, bhtSNEf32 } = await import('./peer/wasm_bhtsne.js');
		await init();
		const largest = values.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
		const rows = Array.from({ length: points }, (_, i) => Array.from(values.subarray(i * columns, (i + 1) * columns), v => v / largest));
		const start = performance.now();
		const y = new bhtSNEf32(rows, { perplexity: 30, learning_rate: Math.max(points / 12, 200) }).step(1000);
		postMessage({ seconds: (performance.now() - start) / 1000, positions: y.flat ? [...y].flatMap(p => [...p]) : [...y] });
	} catch (e) {
		postMessage({ problem: String(e) });
	}
};
`

// What a browser needs for layouts to the end, in our worker and in one with wasm-bhtsne of the same page, in turns, of
// the points of nacre bench tsne, judged as there; what several workers need that share a layout; and how evenly the
// page draws meanwhile and while 100,000 points are panned. It prints figures and judges none but that all points are
// laid out. Sizes at which the peer is not asked, as it runs out of memory, are those from 50,000 points on.
//
//	NACRE_TSNE_PEER=$HOME/.cache/nacre/tsne/node_modules NACRE_TSNE_POINTS=1600,10000,50000 \
//		go test ./web/browser -run TSNEBesidePeer -v -timeout 1h
func TestTSNEBesidePeer(t *testing.T) {
	modules := os.Getenv(peerModules)
	if modules == "" {
		t.Skip(peerModules + " does not name a node_modules folder with wasm-bhtsne")
	}
	sizes := strings.Split(cmp.Or(os.Getenv("NACRE_TSNE_POINTS"), "1600"), ",")
	files, points := map[string]any{}, map[string]int{}
	for _, size := range sizes {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		points[size] = n
		files[size+".npz"] = fileOf(t, &tsne.Embeddings{Mean: tsnebench.Points(n), Label: make([]int, n)}, "points.npz")
	}
	s := newStatic(t, files)
	if err := os.CopyFS(filepath.Join(s.dir, "peer"), os.DirFS(filepath.Join(modules, "wasm-bhtsne"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "peer.js"), []byte(peerWorker), 0o644); err != nil {
		t.Fatal(err)
	}
	var p *tab
	for _, size := range sizes {
		for _, s.headers = range []bool{true, false} {
			p = s.open("tsne.html", nil)
			for turn := range turns(t) {
				besidePeer(t, p, size, turn, !s.headers && points[size] < 50_000)
			}
		}
	}
	eval[any](p, manyPoints)
	before := pageTime(t)
	drawn := eval[float64](p, drag)
	t.Logf("100,000 points panned: %s, %.1f ms of the page's processor time for each of %.0f layouts drawn",
		eval[string](p, "window.frameReport()"), (pageTime(t)-before).Seconds()*1000/drawn, drawn)
}

// besidePeer lays out a file of the site and, where asked, has wasm-bhtsne do so.
func besidePeer(t *testing.T, p *tab, size string, turn int, peer bool) {
	before := workerTime(t)
	opened := time.Now()
	eval[any](p, "(nacreTsne.frames = 0, fetch('files/"+size+
		".npz').then(r => r.blob()).then(b => nacreTsne.open('points.npz', b)), "+watchFrames+", null)")
	p.awaitFor("nacreTsne.frames > 0", 10*time.Minute)
	first := time.Since(opened)
	p.awaitFor("document.body.dataset.state === 'done'", 30*time.Minute)
	frames := eval[string](p, "window.frameReport()")
	used := workerTime(t) - before
	own := eval[float64](p, "nacreTsne.progress.seconds")
	t.Logf("%s points, turn %d: nacre, workers: %d, %.2f s of computing, %.2f s of the workers' processor time, %.2f "+
		"s in all, first layout after %.2f s, %d layouts drawn; %s",
		size, turn, eval[int](p, "nacreTsne.progress.programs"), own, used.Seconds(), time.Since(opened).Seconds(),
		first.Seconds(), eval[int](p, "nacreTsne.frames"), frames)
	t.Logf("%s points, turn %d: nacre KL %.4f", size, turn, klOf(p, "nacreTsne.view.positions"))
	if !peer {
		return
	}
	before = workerTime(t)
	eval[any](p, `(() => {
		const { values, points, columns } = nacreTsne.data;
		window.peer = null;
		const worker = new Worker('peer.js', { type: 'module' });
		worker.onmessage = ({ data }) => { window.peer = data; };
		worker.onerror = e => { window.peer = { problem: e.message }; };
		worker.postMessage({ values, points, columns });
		return null;
	})()`)
	p.awaitFor("window.peer", 30*time.Minute)
	if problem := eval[string](p, "window.peer.problem ?? ''"); problem != "" {
		t.Fatalf("wasm-bhtsne: %s", problem)
	}
	t.Logf("%s points, turn %d: wasm-bhtsne %.2f s of computing, %.2f s of the workers' processor time, KL %.4f",
		size, turn,
		eval[float64](p, "window.peer.seconds"), (workerTime(t) - before).Seconds(), klOf(p, "window.peer.positions"))
}

// watchFrames notes when the page gets frames, until frameReport is called.
const watchFrames = `(() => {
	const at = [];
	let on = true;
	const tick = now => { at.push(now); if (on) requestAnimationFrame(tick); };
	requestAnimationFrame(tick);
	window.frameReport = () => {
		on = false;
		const gaps = at.slice(1).map((v, i) => v - at[i]).sort((a, b) => a - b);
		const q = f => gaps[Math.floor(f * (gaps.length - 1))].toFixed(1);
		return (1000 * gaps.length / (at.at(-1) - at[0])).toFixed(1) + ' frames/s, gaps of ' + q(0.5) + ' ms in the middle, ' + q(0.95) + ' ms at 95 %';
	};
})()`

// manyPoints shows 100,000 points in twenty groups.
const manyPoints = `(async () => {
	const points = 100000, y = new Float32Array(2 * points);
	let state = 7;
	const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
	const group = Int32Array.from({ length: points }, (_, i) => i % 20);
	for (let i = 0; i < 2 * points; i++) y[i] = 60 * Math.cos(group[i >> 1] * (i % 2 ? 1.1 : 2.3)) + 12 * (random() + random() + random() - 1.5);
	nacreTsne.hear({ kind: 'data', name: 'many.npz', points, columns: 2, group, names: Array.from({ length: 20 }, (_, i) => 'g' + i), values: y, labels: [], largest: 200, same: true });
	nacreTsne.view.move(y); // and fits what nobody has moved
	await new Promise(done => setTimeout(done, 1000));
	return null;
})()`

// drag pans for five seconds, as a hand does: one move for each frame. Its value is how many frames were drawn.
const drag = `(async () => {
	const plot = document.querySelector('.viewport'), box = plot.getBoundingClientRect();
	const event = (type, x, y) => plot.dispatchEvent(new PointerEvent(type, { pointerId: 1, button: 0, buttons: 1, bubbles: true, clientX: box.left + x, clientY: box.top + y }));
	plot.setPointerCapture = () => {};
	event('pointerdown', 300, 200);
	let drawn = 0;
	const paint = nacreTsne.view.paint;
	nacreTsne.view.paint = function () { drawn++; paint.call(this); };
	` + watchFrames + `;
	const until = performance.now() + 5000;
	for (let k = 0; performance.now() < until; k++) {
		event('pointermove', 300 + 150 * Math.sin(k / 20), 200 + 90 * Math.cos(k / 17));
		await new Promise(requestAnimationFrame);
	}
	event('pointerup', 300, 200);
	return drawn;
})()`

// turns is how often both libraries lay the points out.
func turns(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("NACRE_TSNE_TURNS"), "3"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// klOf judges a layout of the page's data as nacre bench tsne does.
func klOf(p *tab, positions string) float64 {
	p.t.Helper()
	x := tsne.Matrix{Rows: eval[int](p, "nacreTsne.data.points"), Cols: eval[int](p, "nacreTsne.data.columns"),
		Data: eval[[]float64](p, "[...nacreTsne.data.values]")}
	y := tsne.Matrix{Rows: x.Rows, Cols: 2, Data: eval[[]float64](p, "[..."+positions+"]")}
	a, err := tsne.NewAffinities(p.t.Context(), x, tsne.AffinityOptions{Perplexity: 30, Neighbours: 90})
	if err != nil {
		p.t.Fatal(err)
	}
	kl, err := a.KL(y)
	if err != nil {
		p.t.Fatal(err)
	}
	return kl
}

// awaitFor is await with more patience.
func (tb *tab) awaitFor(expression string, most time.Duration) {
	tb.t.Helper()
	for end := time.Now().Add(most - patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if eval[bool](tb, "!!("+expression+")") {
			return
		}
	}
	tb.await(expression)
}

// workerTime is the processor time that the workers of this test's browsers have used, 0 where /proc does not tell.
func workerTime(t *testing.T) time.Duration {
	return timeOf(t, func(task string) bool {
		comm, err := os.ReadFile(filepath.Join(task, "comm"))
		return err == nil && strings.HasPrefix(string(comm), "DedicatedWorker")
	})
}

// pageTime is that of the threads the pages run in, one for each process of theirs.
func pageTime(t *testing.T) time.Duration {
	return timeOf(t, func(task string) bool {
		process := filepath.Dir(filepath.Dir(task))
		if filepath.Base(task) != filepath.Base(process) {
			return false
		}
		line, err := os.ReadFile(filepath.Join(process, "cmdline"))
		return err == nil && strings.Contains(string(line), "--type=renderer")
	})
}

func timeOf(t *testing.T, counts func(task string) bool) time.Duration {
	t.Helper()
	tasks, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*")
	total := 0
	for _, task := range tasks {
		if !counts(task) || !ours(task) {
			continue
		}
		if ticks, err := ticksOf(filepath.Join(task, "stat")); err == nil {
			total += ticks
		}
	}
	return time.Duration(total) * 10 * time.Millisecond
}

// ticksOf is the time a thread has used, in hundredths of a second.
func ticksOf(stat string) (int, error) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may hold spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s has %d fields", stat, len(fields))
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return user + system, err
}

// ours reports whether a thread's process descends from this one.
func ours(task string) bool {
	pid, _ := strconv.Atoi(strings.Split(task, "/")[2])
	for pid > 1 && pid != os.Getpid() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		pid, _ = strconv.Atoi(strings.Fields(rest)[1])
	}
	return pid == os.Getpid()
}
