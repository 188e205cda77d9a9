package browser

import (
	"strings"
	"testing"
	"time"
)

// A cell of a static site trains on the page's WebGPU: the network's weights are those of the same run on the CPU but for
// rounding, and the run names its device.
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
		t.Skip("not tested: this Chromium has no WebGPU without a GPU")
	}
	p.press("Ctrl-Enter")
	for end := time.Now().Add(8 * time.Minute); time.Now().Before(end) && eval[bool](p, "nacre.notebook.cells[0].state !== 'idle'"); {
		time.Sleep(200 * time.Millisecond)
	}
	if got := p.shown(0); !strings.Contains(got, "webgpu:0/fp32 ") || !strings.Contains(got, " 4 <nil>") || !strings.HasSuffix(got, "true true true\n") {
		t.Errorf("the cell shows %q", got)
	}
	p.quiet()
}
