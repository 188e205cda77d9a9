package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// faults comes before the script of the kernel's worker and lets the page say what WebGPU is to fail at, and when: at
// which of the calls to come. A GPU is taken away by the browser's own destroy(); what is without need of a GPU hard to
// provoke, the browser's objects are made to answer.
const faults = `{
  const channel = new BroadcastChannel('faults');
  let fault = '', left = 0, submits = 0, devices = [], scopes = [];
  const due = (what) => fault === what && left > 0 && --left === 0;
  channel.onmessage = ({ data }) => { ({ fault, left } = data); channel.postMessage({ submits }); };
  const wrap = (of, name, make) => { of.prototype[name] = make(of.prototype[name]); };
  wrap(GPUAdapter, 'requestDevice', (was) => async function (o) {
    const d = await was.call(this, o);
    devices.push(d);
    return d;
  });
  wrap(GPUQueue, 'submit', (was) => function (list) {
    submits++;
    if (due('destroy')) devices.forEach((d) => d.destroy());
    return was.call(this, list);
  });
  wrap(GPUDevice, 'pushErrorScope', (was) => function (filter) { scopes.push(filter); return was.call(this, filter); });
  wrap(GPUDevice, 'popErrorScope', (was) => function () {
    const real = was.call(this);
    return scopes.pop() === 'out-of-memory' && due('memory') ? real.then(() => new GPUOutOfMemoryError('no memory is left')) : real;
  });
  wrap(GPUDevice, 'createShaderModule', (was) => function (o) { return was.call(this, due('shader') ? { code: o.code + 'fn broken(' } : o); });
  const limits = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, 'limits').get;
  Object.defineProperty(GPUAdapter.prototype, 'limits', { get() {
    const real = limits.call(this);
    return fault === 'limits' ? new Proxy(real, { get: (l, name) => name === 'maxStorageBuffersPerShaderStage' ? 4 : l[name] }) : real;
  } });
}
`

// failing is shared by the cells below: a run of three iterations that is over in seconds, on WebGPU.
const failing = `import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment"
	"nacre/experiment/progress"
)

host := experiment.Host{Workers: 1, Device: "webgpu"}
temp, _ := os.MkdirTemp("", "webgpu")
start := func(name string) *experiment.Training {
	cfg, err := experiment.Preset("quick/point-goal")
	if err == nil {
		err = experiment.Change(&cfg, "pearl.hidden=27", "pearl.layers=2", "pearl.encoder_hidden=20", "pearl.meta_batch=3", "pearl.batch=64",
			"pearl.iterations=3", "pearl.updates_per_iteration=4", "pearl.initial_steps=60", "pearl.tasks_per_iteration=2", "checkpoint_every=1",
			"train_tasks=6", "test_tasks=2", "evaluation.protocol.explore=1", "evaluation.protocol.scored=1")
	}
	if err != nil {
		panic(err)
	}
	run, err := experiment.Start(filepath.Join(temp, name), cfg, host)
	if err != nil {
		panic(err)
	}
	return run
}
// Everything a run came to: its metrics, parameters and the optimiser's state.
came := func(run *experiment.Training) string {
	text, err := os.ReadFile(filepath.Join(run.Dir(), experiment.MetricsFile))
	if err != nil {
		panic(err)
	}
	all := string(text)
	mem := run.Learner.Memory()
	for _, s := range mem.Params() {
		for _, of := range []string{"", ".m", ".v"} {
			x := make([]float64, s.Rows*s.Cols)
			if err := mem.Read(s.Name+of, x); err != nil {
				panic(err)
			}
			all += fmt.Sprint(x)
		}
	}
	run.Close()
	return all
}
run := start("alone")
err := run.Train(context.Background(), progress.Silent())
fmt.Println(run.Device(), run.Updates(), err)
alone := came(run)
fmt.Println(len(alone) > 10000)`

// A run that is stopped by a cell's context goes on in the page.
const stopped = `ctx, cancel := context.WithCancel(context.Background())
run = start("stopped")
go func() {
	for run.Updates() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
}()
err = run.Train(ctx, progress.Silent())
fmt.Println(run.Updates() > 0 && run.Updates() < 12, err)
run.Close()
run, _, err = experiment.Resume(filepath.Join(temp, "stopped"), host)
if err == nil {
	err = run.Train(context.Background(), progress.Silent())
}
fmt.Println(run.Device(), run.Updates(), err, came(run) == alone)`

const broken = `run = start("broken")
err = run.Train(context.Background(), progress.Silent())
fmt.Println(run.Updates() < 12, err)
run.Close()`

const resumed = `run, _, err = experiment.Resume(filepath.Join(temp, "broken"), host)
if err != nil {
	fmt.Println(err)
} else {
	fmt.Println(run.Found())
	err = run.Train(context.Background(), progress.Silent())
	fmt.Println(run.Updates(), err, came(run) == alone)
}`

const hidden = `run = start("hidden")
fmt.Println("started")
err = run.Train(context.Background(), progress.Silent())
fmt.Println(run.Updates(), err, came(run) == alone)`

// Training in the page's kernel, on the adapter that Chromium has without a GPU: stopped and resumed it ends with the
// bits of a run left alone; each of WebGPU's failures is an error that names its stage, and the last checkpoint goes on
// to the same bits; a tab that is hidden trains on, and one that is frozen goes on afterwards.
func TestSiteGPUFails(t *testing.T) {
	s := newStatic(t, map[string]any{"a.ipynb": notebook(failing, "import \"time\"\n"+stopped, broken,
		resumed, hidden)})
	scripts, err := filepath.Glob(filepath.Join(s.dir, "static", "kernel-worker-*.js"))
	if err != nil || len(scripts) != 1 {
		t.Fatalf("scripts of the kernel's worker: %v, %v", scripts, err)
	}
	text, err := os.ReadFile(scripts[0])
	must(t, err)
	must(t, os.WriteFile(scripts[0], append([]byte(faults), text...), 0o644))
	p := s.open("?notebooks/a.ipynb", nil)
	p.adapter()
	eval[any](p, "(globalThis.faults = new BroadcastChannel('faults'), null)")
	// arm says what is to fail at which call, and returns the submissions so far.
	arm := func(fault string, left int) int {
		return eval[int](p, fmt.Sprintf("new Promise(done => { faults.onmessage = e => done(e.data.submits); "+
			"faults.postMessage({ fault: %q, left: %d }); })", fault, left))
	}
	begin := func(cell int) { eval[any](p, fmt.Sprintf("(nacre.running.range(%d, %[1]d + 1), null)", cell)) }
	end := func(cell int) string {
		p.awaitFor(fmt.Sprintf("nacre.notebook.cells[%d].state === 'idle'", cell), 4*time.Minute)
		return p.shown(cell)
	}
	cell := func(cell int) string {
		begin(cell)
		return end(cell)
	}
	if got := cell(0); !strings.Contains(got, "webgpu:0/fp32 ") || !strings.HasSuffix(got, " 12 <nil>\ntrue\n") {
		t.Fatalf("a run alone: %q", got)
	}
	submits := arm("", 0)
	if got := cell(1); !strings.HasPrefix(got, "true context canceled after ") ||
		!strings.Contains(got, "checkpoint saved\nwebgpu:0/fp32 ") || !strings.HasSuffix(got, " 12 <nil> true\n") {
		t.Errorf("stopped and resumed: %q", got)
	}
	for _, c := range []struct{ fault, stage, says string }{
		{"limits", "limits", "maxStorageBuffersPerShaderStage is 4, want 6"},
		{"shader", "compile", "broken"},
		{"memory", "memory", "no memory is left"},
	} {
		if c.fault == "limits" { // once for all: a run whose GPU is taken away
			arm("destroy", submits*6/10)
			if got := cell(2); !strings.HasPrefix(got, "true ") || !strings.Contains(got, "webgpu: lost: ") ||
				!strings.Contains(got, "keeps the last checkpoint") {
				t.Fatalf("a GPU that is taken away: %q", got)
			}
		}
		arm(c.fault, 1)
		if got := cell(3); !strings.Contains(got, "webgpu: "+c.stage+": ") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q", c.fault, got)
		}
	}
	arm("", 0)
	if got := cell(3); !strings.Contains(got, "of 3 iterations") || !strings.HasSuffix(got, "12 <nil> true\n") {
		t.Errorf("resumed after the GPU was taken away: %q", got)
	}

	// Its window is minimised, then the browser freezes the page for a while as it does to save a battery.
	begin(4)
	p.awaitFor("nacre.notebook.cells[4].outputs.length > 0", 2*time.Minute)
	window, err := chromedp.CallBrowser(p.ctx, browser.GetWindowForTarget,
		browser.GetWindowForTargetParams{TargetID: chromedp.FromContext(p.ctx).Target.TargetID})
	must(t, err)
	_, err = chromedp.CallBrowser(p.ctx, browser.SetWindowBounds,
		browser.SetWindowBoundsParams{WindowID: window.WindowID, Bounds: &browser.Bounds{WindowState: "minimized"}})
	must(t, err)
	p.await("document.hidden")
	for _, state := range []page.SetWebLifecycleStateState{"frozen", "active"} {
		_, err := chromedp.Call(p.ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
		must(t, err)
		time.Sleep(time.Second)
	}
	if !eval[bool](p, "document.hidden && nacre.notebook.cells[4].state !== 'idle'") {
		t.Error("the tab is not hidden, or the run was over before")
	}
	if got := end(4); !strings.HasSuffix(got, "12 <nil> true\n") || !eval[bool](p, "document.hidden") {
		t.Errorf("in the background: %q", got)
	}
}
