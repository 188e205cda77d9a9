package browser

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"nacre/core/webgpu"
)

// A cell of a static site trains on the page's WebGPU: the network's weights are those of the same run on the CPU but
// for rounding, and the run names its device.
func TestSiteTrainsOnWebGPU(t *testing.T) {
	const train = `import (
	"context"
	"fmt"
	"math"
	"os"

	"nacre/experiment"
	"nacre/experiment/progress"
)

train := func(device string) (weights []float64) {
	dir, _ := os.MkdirTemp("", "webgpu")
	cfg, _ := experiment.Preset("quick/point-goal")
	err := experiment.Change(&cfg, "pearl.hidden=27", "pearl.layers=2", "pearl.encoder_hidden=20", "pearl.meta_batch=3", "pearl.batch=64",
		"pearl.iterations=1", "pearl.updates_per_iteration=4", "pearl.initial_steps=60", "pearl.tasks_per_iteration=2",
		"train_tasks=6", "test_tasks=2", "evaluation.protocol.explore=1", "evaluation.protocol.scored=1")
	if err != nil {
		panic(err)
	}
	run, err := experiment.Start(dir+"/run", cfg, experiment.Host{Workers: 1, Device: device})
	if err != nil {
		panic(err)
	}
	defer run.Close()
	fmt.Println("started")
	err = run.Train(context.Background(), progress.Silent())
	fmt.Println(run.Device(), run.Updates(), err)
	mem := run.Learner.Memory()
	for _, s := range mem.Params() {
		x := make([]float64, s.Rows*s.Cols)
		if err := mem.Read(s.Name, x); err != nil {
			panic(err)
		}
		weights = append(weights, x...)
	}
	return weights
}
a, b := train("webgpu"), train("cpu")
off := 0.0
for i := range a {
	off = math.Max(off, math.Abs(a[i]-b[i]))
}
fmt.Println(len(a) > 1000, off > 0, off < 5e-3)`
	s := newStatic(t, map[string]any{"a.ipynb": notebook(train)})
	p := s.open("?notebooks/a.ipynb", nil)
	if !eval[bool](p, "Promise.resolve(navigator.gpu?.requestAdapter()).then(a => !!a)") {
		t.Skip("this Chromium has no WebGPU without a GPU: install a newer one")
	}
	p.press("Ctrl-Enter")
	for end := time.Now().Add(8 * time.Minute); time.Now().Before(end) &&
		eval[bool](p, "nacre.notebook.cells[0].state !== 'idle'"); {
		time.Sleep(200 * time.Millisecond)
	}
	if got := p.shown(0); !strings.Contains(got, "webgpu:0/fp32 ") || !strings.Contains(got, " 4 <nil>") ||
		!strings.HasSuffix(got, "true true true\n") {
		t.Errorf("the cell shows %q", got)
	}
	p.quiet()
}

// A site's page of GPUs lists what the browser gives, with the limits that training needs, and says when there is
// nothing.
func TestSiteListsGPUs(t *testing.T) {
	s := newStatic(t, map[string]any{"a.ipynb": notebook("1")})
	list := s.open("", nil)
	link := eval[string](list,
		"[...document.querySelectorAll('.files a')].find(a => a.textContent.includes('GPUs')).href")
	p := s.open(strings.TrimPrefix(link, s.url), nil)
	if eval[bool](p, "Promise.resolve(navigator.gpu?.requestAdapter()).then(a => !!a)") {
		text := eval[string](p, "document.querySelector('main').innerText")
		for _, want := range []string{"software, computes on the processor", "Host{Device: \"webgpu\"}",
			"maxComputeWorkgroupStorageSize", "16 KiB", "Features: "} {
			if !strings.Contains(text, want) {
				t.Errorf("the page lacks %q: %s", want, text)
			}
		}
		rows := eval[map[string]string](p, "Object.fromEntries([...document.querySelector('.limits "+
			"tbody').rows].filter(r => r.cells[2].dataset.n).map(r => [r.cells[0].textContent, r.cells[2].dataset.n]))")
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
