package browser

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/core/webgpu"
)

// trainer is a cell with what the others need: small runs, and everything a run has in the device's memory.
const trainer = `import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"nacre/core/webgpu"
	"nacre/experiment"
	"nacre/experiment/progress"
)

begin := func(device string, iterations, updates int) (*experiment.Training, error) {
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		return nil, err
	}
	err = experiment.Change(&cfg, "pearl.hidden=27", "pearl.layers=2", "pearl.encoder_hidden=20", "pearl.meta_batch=3", "pearl.batch=64",
		fmt.Sprint("pearl.iterations=", iterations), fmt.Sprint("pearl.updates_per_iteration=", updates), "pearl.initial_steps=60", "pearl.tasks_per_iteration=2",
		"train_tasks=6", "test_tasks=2", "evaluation.protocol.explore=1", "evaluation.protocol.scored=1", "checkpoint_every=1")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		return nil, err
	}
	return experiment.Start(dir+"/run", cfg, experiment.Host{Workers: 1, Device: device})
}
contents := func(run *experiment.Training, suffixes ...string) (all []float64) {
	mem := run.Learner.Memory()
	for _, s := range mem.Params() {
		for _, suffix := range suffixes {
			x := make([]float64, s.Rows*s.Cols)
			if suffix == ".t" {
				x = x[:1]
			}
			if err := mem.Read(s.Name+suffix, x); err != nil {
				panic(err)
			}
			all = append(all, x...)
		}
	}
	return all
}
everything := func(run *experiment.Training) []float64 { return contents(run, "", ".m", ".v", ".t") }`

// alone is a cell that trains on WebGPU and on the CPU: the weights are the same but for rounding, and the run names its device.
const alone = `whole, err := begin("webgpu", 2, 260)
err = whole.Train(context.Background(), progress.Silent())
fmt.Println(whole.Device(), whole.Updates(), err)
want := everything(whole)
other, err := begin("cpu", 2, 260)
err = other.Train(context.Background(), progress.Silent())
off := 0.0
a, b := contents(whole, ""), contents(other, "")
for i := range a {
	off = math.Max(off, math.Abs(a[i]-b[i]))
}
other.Close()
fmt.Println(len(a) > 1000, off > 0, off < 5e-3)`

// stopped is a cell that stops a run within an iteration and goes on.
const stopped = `run, err := begin("webgpu", 2, 260)
dir := run.Dir()
ctx, cancel := context.WithCancel(context.Background())
go func() {
	for run.Updates() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
}()
err = run.Train(ctx, progress.Silent())
fmt.Println("stopped", errors.Is(err, context.Canceled), run.Updates() < 520, run.Updates()%260 > 0)
run.Close()`

// goesOn is a cell that continues the run in dir without naming a device, to its end or an error, and compares with the run
// that was left alone.
const goesOn = `run, _, err = experiment.Resume(dir, experiment.Host{Workers: 1})
if err == nil {
	fmt.Println(run.Device(), run.Found())
	err = run.Train(context.Background(), progress.Silent())
	fmt.Println(err, err == nil && slices.Equal(everything(run), want))
	run.Close()
} else {
	var e *webgpu.Error
	fmt.Println("fault", errors.As(err, &e) && e.Fault != "", err)
}`

// provoke is put before the script of the kernel's worker. It makes WebGPU fail as the page tells it: at a pass from now on the
// device is destroyed, or its memory is used up; at a shader the text is broken; there is no adapter, or one
// whose limits are too small; a buffer cannot be had.
const provoke = `
const provoked = { passes: 0 };
const channel = new BroadcastChannel('provoke');
channel.onmessage = ({ data }) => {
  if (data.set) channel.postMessage({ was: provoked.passes, now: Object.assign(provoked, { passes: 0 }, data.set) });
};
const around = (of, name, then) => {
  const own = of.prototype[name];
  of.prototype[name] = function (...args) { return then.call(this, own, args); };
};
let device, pass = false;
around(GPUCommandEncoder, 'beginComputePass', function (own, args) { pass = true; return own.apply(this, args); });
const due = (what) => provoked[what] > 0 && --provoked[what] === 0;
around(GPU, 'requestAdapter', function (own, args) { return provoked.none ? Promise.resolve(null) : own.apply(this, args); });
around(GPUAdapter, 'requestDevice', async function (own, args) { return (device = await own.apply(this, args)); });
around(GPUQueue, 'submit', function (own, args) {
  own.apply(this, args);
  if (!pass) return;
  pass = false;
  provoked.passes++;
  if (due('lose')) device.destroy();
  if (due('memory')) device.dispatchEvent(new GPUUncapturedErrorEvent('uncapturederror', { error: new GPUOutOfMemoryError('nothing is left') }));
});
around(GPUDevice, 'createShaderModule', function (own, [d]) { return own.call(this, due('shader') ? { code: d.code + ' fn ;' } : d); });
around(GPUDevice, 'popErrorScope', function (own, args) {
  return due('buffer') ? own.apply(this, args).then(() => new GPUOutOfMemoryError('no such buffer')) : own.apply(this, args);
});
const most = Object.getOwnPropertyDescriptor(GPUSupportedLimits.prototype, 'maxStorageBuffersPerShaderStage').get;
Object.defineProperty(GPUSupportedLimits.prototype, 'maxStorageBuffersPerShaderStage', { get() { return provoked.buffers || most.call(this); } });
`

// onWebGPU opens a notebook of a site in which WebGPU can be made to fail, and skips the test where there is none.
func onWebGPU(t *testing.T, cells ...string) (*static, *tab) {
	t.Helper()
	s := newStatic(t, map[string]any{"a.ipynb": notebook(cells...)})
	scripts, err := filepath.Glob(filepath.Join(s.dir, "static", "kernel-worker-*.js"))
	if err != nil || len(scripts) != 1 {
		t.Fatalf("the kernel's worker: %q, %v", scripts, err)
	}
	text, err := os.ReadFile(scripts[0])
	if err == nil {
		err = os.WriteFile(scripts[0], append([]byte(provoke), text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := s.open("?notebooks/a.ipynb", nil)
	if !eval[bool](p, "Promise.resolve(navigator.gpu?.requestAdapter()).then(a => !!a)") {
		t.Skip("not tested: this Chromium has no WebGPU without a GPU")
	}
	return s, p
}

// cell runs the cell at an index and returns what it shows.
func (tb *tab) cell(i int) string {
	tb.t.Helper()
	eval[any](tb, fmt.Sprintf("void nacre.runRange(%d, %d)", i, i+1))
	tb.await(fmt.Sprintf("nacre.notebook.cells[%d].state !== 'idle' || nacre.notebook.cells[%[1]d].ok !== undefined", i))
	for end := time.Now().Add(8 * time.Minute); time.Now().Before(end) && eval[bool](tb, fmt.Sprintf("nacre.notebook.cells[%d].state !== 'idle'", i)); {
		time.Sleep(100 * time.Millisecond)
	}
	return tb.shown(i)
}

// provoke sets what fails from now on, and returns how many passes there have been since the last time.
func (tb *tab) provoke(set string) int {
	tb.t.Helper()
	return eval[int](tb, fmt.Sprintf(`new Promise(done => {
		const channel = new BroadcastChannel('provoke');
		channel.onmessage = ({ data }) => data.now && (channel.close(), done(data.was));
		channel.postMessage({ set: %s });
	})`, set))
}

// Cells of a static site train on the page's WebGPU: as on the CPU but for rounding; stopped and continued with the bits of a
// run that was left alone; and whatever fails is an error with its stage, after which the last checkpoint goes on.
func TestSiteTrainsOnWebGPU(t *testing.T) {
	s, p := onWebGPU(t, trainer, alone, stopped, goesOn)
	expect := func(cell int, words ...string) {
		t.Helper()
		start := time.Now()
		got := p.cell(cell)
		t.Logf("cell %d took %v: %s", cell, time.Since(start).Round(100*time.Millisecond), got)
		for _, w := range words {
			if !strings.Contains(got, w) {
				t.Errorf("cell %d shows %q, expected %q in it", cell, got, w)
			}
		}
	}
	expect(0)
	p.provoke("{}")
	expect(1, "webgpu:0/fp32 ", " 520 <nil>", "true true true\n")
	passes := p.provoke("{}")
	expect(2, "stopped true true true")
	for _, failing := range []struct{ set, fault string }{{"lose", "lost: "}, {"memory", "memory: nothing is left"}} {
		p.provoke(fmt.Sprintf("{ %s: %d }", failing.set, max(passes/8, 1)))
		expect(3, "webgpu:0/fp32 ", "webgpu: "+failing.fault, "keeps the last checkpoint false\n")
		for _, refused := range []struct{ set, fault string }{
			{"{ none: true }", "device: the browser gives no adapter"}, {"{ none: false, buffers: 4 }", "limits: the adapter's maxStorageBuffersPerShaderStage is 4, want 6"},
			{"{ buffers: 0, shader: 3 }", "compile: "}, {"{ buffer: 1 }", "memory: "},
		} {
			p.provoke(refused.set)
			expect(3, "fault true ", "webgpu: "+refused.fault)
		}
	}
	expect(3, "webgpu:0/fp32 ", "<nil> true\n")
	s.own()
	p.quiet()
}

// A site's page of GPUs lists what the browser gives, with the limits that training needs, and says when there is nothing.
func TestSiteListsGPUs(t *testing.T) {
	s := newStatic(t, map[string]any{"a.ipynb": notebook("1")})
	list := s.open("", nil)
	link := eval[string](list, "[...document.querySelectorAll('.files a')].find(a => a.textContent.includes('GPUs')).href")
	p := s.open(strings.TrimPrefix(link, s.url), nil)
	if eval[bool](p, "Promise.resolve(navigator.gpu?.requestAdapter()).then(a => !!a)") {
		text := eval[string](p, "document.querySelector('main').innerText")
		for _, want := range []string{"software, computes on the processor", "Host{Device: \"webgpu\"}", "maxComputeWorkgroupStorageSize", "16 KiB", "Features: "} {
			if !strings.Contains(text, want) {
				t.Errorf("the page lacks %q: %s", want, text)
			}
		}
		rows := eval[map[string]string](p, "Object.fromEntries([...document.querySelector('.limits tbody').rows].filter(r => r.cells[2].dataset.n).map(r => [r.cells[0].textContent, r.cells[2].dataset.n]))")
		want := map[string]string{}
		for name, n := range webgpu.Needs {
			want[name] = fmt.Sprint(n)
		}
		if !maps.Equal(rows, want) {
			t.Errorf("training needs %v, the page says %v", want, rows)
		}
	}
	p.pictures(os.Getenv("NACRE_SCREENSHOTS"), "gpus", "main")
	p.quiet()
	s.own()
}
