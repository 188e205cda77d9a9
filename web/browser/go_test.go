package browser

import (
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// Go cells from end to end: values, a plot, errors that lead to their place, completion, and a loop without an end.
func TestGoCells(t *testing.T) {
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(
		"import \"fmt\"\n\nx := 6\nfmt.Println(\"hello\")\nx * 7",
		"import \"gonum.org/v1/plot\"\np := plot.New()\np.Title.Text = \"empty\"\np",
		"y := 1\nz := missing + y",
		"n := 0\nfor {\n\tn++\n}",
		"n > 0",
	)})
	p := s.open("/notebooks/a.ipynb")
	for range 2 {
		p.press("Shift-Enter")
	}
	p.idle()
	if got := p.shown(0); !strings.Contains(got, "hello") || !strings.Contains(got, "42") {
		t.Errorf("the first cell shows %q", got)
	}
	p.await("document.querySelectorAll('.cell')[1].querySelector('.output img')?.naturalWidth > 100")
	p.press("Ctrl-Enter")
	p.idle()
	p.await("document.querySelectorAll('.cell')[2].querySelector('.place')")
	eval[any](p, "document.querySelectorAll('.cell')[2].querySelector('.place').click()")
	p.await("nacre.selection.mode === 'edit' && " +
		"nacre.view(nacre.notebook.cells[2]).editor.view.state.selection.main.head === 'y := 1\\nz := '.length")
	p.press("Escape", "j", "Shift-Enter")
	p.await("nacre.notebook.cells[3].state === 'running'")
	p.press("i", "i")
	took := p.await("nacre.notebook.cells[3].state === 'idle'")
	t.Logf("an endless loop ended %v after the keys", took)
	p.press("Ctrl-Enter")
	p.idle()
	if got := p.shown(4); got != "true" {
		t.Errorf("after the interrupt n > 0 is %q", got)
	}
	p.quiet()
}

// A training run is interrupted, and another goes on while nobody looks.
func TestGoTraining(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	const train = `import (
	"context"
	"fmt"
	"os"

	"nacre/experiment"
	"nacre/experiment/progress"
)

dir, _ := os.MkdirTemp("", "browser-test")
cfg, _ := experiment.Preset("quick/point-goal")
experiment.Change(&cfg, "pearl.hidden=16", "pearl.initial_steps=20", "pearl.updates_per_iteration=20", "pearl.iterations=ROUNDS")
training, err := experiment.Start(dir+"/ROUNDS", cfg, experiment.Host{Workers: 1})
if err != nil {
	panic(err)
}
fmt.Println("started")
err = training.Train(context.Background(), progress.Silent())
fmt.Println("ended", training.Updates(), err)
training.Close()
os.RemoveAll(dir)`
	s := newSiteWith(t, golang,
		map[string]any{"a.ipynb": notebook(strings.ReplaceAll(train, "ROUNDS", "3000"),
			strings.ReplaceAll(train, "ROUNDS", "8"))})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter")
	p.await("nacre.notebook.cells[0].outputs[0]?.text?.startsWith('started')")
	p.press("i", "i")
	took := p.await("nacre.notebook.cells[0].state === 'idle'")
	t.Logf("a training run ended %v after the keys", took)
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[1].outputs[0]?.text?.startsWith('started')")
	elsewhere := s.more(p, "/tree")
	p.close()
	again := s.more(elsewhere, "/notebooks/a.ipynb")
	again.idle()
	again.await("nacre.notebook.cells[1].outputs[0]?.text === 'started\\nended 160 <nil>\\n'")
	again.quiet()
}
