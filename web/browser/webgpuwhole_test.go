package browser

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// wholeRun is a cell that trains a preset and prints what came of it.
const wholeRun = `import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/library/cell"
	"nacre/tsne"
)

cfg, err := experiment.Preset(%q)
if err == nil {
	err = experiment.Change(&cfg, strings.Fields(%q)...)
}
if err != nil {
	panic(err)
}
temp, _ := os.MkdirTemp("", "whole")
run, err := experiment.Start(filepath.Join(temp, "run"), cfg, experiment.Host{Workers: 1, Device: %q})
if err != nil {
	panic(err)
}
done := make(chan bool)
go func() { // tells every iteration, so that a run that is ended leaves what it had come to
	for told := 1; ; {
		select {
		case <-done:
			return
		case <-time.After(2 * time.Second):
		}
		text, _ := os.ReadFile(filepath.Join(run.Dir(), experiment.MetricsFile))
		for rows := strings.Split(string(text), "\n"); told < len(rows)-1; told++ {
			fmt.Println(rows[told])
		}
	}
}()
began := time.Now()
if err := run.Train(cell.Context(), progress.Silent()); err != nil {
	panic(err)
}
seconds := time.Since(began).Seconds()
close(done)
result, err := run.Result()
if err != nil {
	panic(err)
}
embeddings, err := run.Embed(cell.Context(), experiment.EmbedOptions{Windows: 60, Seed: 1})
if err != nil {
	panic(err)
}
space, err := tsne.Separation(embeddings, tsne.AnalyseOptions{})
if err != nil {
	panic(err)
}
metrics, _ := os.ReadFile(filepath.Join(run.Dir(), experiment.MetricsFile))
timing, _ := os.ReadFile(filepath.Join(run.Dir(), experiment.TimingFile))
text, _ := json.Marshal(map[string]any{"device": run.Device(), "seconds": seconds, "updates": run.Updates(), "env_steps": run.EnvSteps(),
	"returns": result.Summary.Return, "adapted": result.Summary.Adapted, "posterior": space, "metrics": string(metrics), "timing": string(timing)})
fmt.Println(string(text))`

// outcome holds what it prints, with the processor time of everything that took part.
type outcome struct {
	Where   string          `json:"where"`
	Device  string          `json:"device"`
	Seconds float64         `json:"seconds"` // of training, by the clock
	CPU     float64         `json:"cpu"`     // seconds, in all
	Updates int             `json:"updates"`
	Steps   int             `json:"env_steps"`
	Adapted json.RawMessage `json:"adapted"`
	Returns json.RawMessage `json:"returns"`
	Space   json.RawMessage `json:"posterior"`
	Metrics string          `json:"metrics"`
	Timing  string          `json:"timing"`
}

// A whole run of a preset in a notebook, by WebGPU and on the CPU, from static files in the page and natively behind a
// server: it keeps what came of each and says how far the metrics are from those of the native CPU, iteration by
// iteration. What is in the folder already is not run again; of a run under way the metrics so far lie there in a file
// that ends in .begun. NACRE_SITE_PRESET names another preset than quick/point-goal, NACRE_SITE_CHANGES changes its
// settings. In the page SwiftShader takes hours.
//
//	NACRE_SITE_TRAINING=out go test ./web/browser -run WholeRunOnWebGPU -v -timeout 6h
func TestWholeRunOnWebGPU(t *testing.T) {
	out := os.Getenv(trainingVariable)
	if out == "" {
		t.Skip(trainingVariable + " does not name a folder")
	}
	preset, changes := os.Getenv("NACRE_SITE_PRESET"), os.Getenv("NACRE_SITE_CHANGES")
	if preset == "" {
		preset = "quick/point-goal"
	}
	patience = 5 * time.Minute // on a busy machine
	var first *outcome
	for _, where := range []string{"native", "page"} {
		for _, device := range []string{"cpu", "webgpu"} {
			t.Run(where+"/"+device, func(t *testing.T) {
				file := filepath.Join(out, fmt.Sprintf("%s-%s-%s.json", strings.ReplaceAll(preset, "/", "-"),
					where, device))
				var o outcome
				if text, err := os.ReadFile(file); err == nil {
					if err := json.Unmarshal(text, &o); err != nil {
						t.Fatal(err)
					}
				} else {
					o = trainWhole(t, where, fmt.Sprintf(wholeRun, preset, changes, device), file+".begun")
					text, err := json.MarshalIndent(o, "", " ")
					if err == nil {
						err = os.WriteFile(file, text, 0o644)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				t.Logf("%s on %s: %d updates in %.1f s (%.1f s of processor time), returns %s, adapted %s, "+
					"posterior %s", o.Where, o.Device, o.Updates, o.Seconds, o.CPU, o.Returns, o.Adapted, o.Space)
				if first == nil {
					first = &o
				}
				t.Logf("largest difference of a metric from the first, relative to the column's largest, by "+
					"iteration: %s", differences(t, o.Metrics, first.Metrics))
			})
		}
	}
}

// trainWhole runs the cell; what it prints meanwhile goes to a file.
func trainWhole(t *testing.T, where, source, begun string) (o outcome) {
	t.Helper()
	cells := map[string]any{"a.ipynb": notebook(source)}
	var p *tab
	if where == "page" {
		p = newStatic(t, cells).open("?notebooks/a.ipynb", nil)
	} else {
		p = newSiteWith(t, golang, cells).open("/notebooks/a.ipynb")
	}
	// Without a GPU the turning sign of a running cell takes the processor that should train.
	eval[any](p, "(document.head.append(Object.assign(document.createElement('style'), { textContent: '*, *::before "+
		"{ animation: none !important }' })), null)")
	all := func(string) bool { return true }
	before := timeOf(t, all)
	const said = "nacre.notebook.cells[0].outputs.map(o => [o.text ?? ''].flat().join('')).join('')"
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for began := time.Now(); ; {
			select {
			case <-ended:
				return
			case <-time.After(20 * time.Second):
			}
			if text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](said)); err == nil {
				os.WriteFile(begun, fmt.Appendf(nil, "after %.0f s\n%s", time.Since(began).Seconds(), text), 0o644)
			}
		}
	})
	p.finish(6 * time.Hour)
	close(ended)
	watching.Wait()
	used := timeOf(t, all) - before
	lines := strings.Split(strings.TrimSpace(eval[string](p, said)), "\n")
	text := lines[len(lines)-1]
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%v: %.500s", err, text)
	}
	os.Remove(begun)
	o.Where, o.CPU = where, used.Seconds()
	return o
}

// differences sets two files of metrics side by side.
func differences(t *testing.T, got, want string) string {
	t.Helper()
	a, b := table(t, got), table(t, want)
	if len(a) != len(b) {
		t.Fatalf("%d rows of metrics, expected %d", len(a), len(b))
	}
	var out []string
	for i := range a {
		worst := 0.0
		for c := range a[i] {
			largest := 0.0
			for _, row := range b {
				if x := math.Abs(row[c]); x == x {
					largest = math.Max(largest, x)
				}
			}
			if d := math.Abs(a[i][c]-b[i][c]) / math.Max(largest, 1e-30); d == d {
				worst = math.Max(worst, d)
			}
		}
		out = append(out, fmt.Sprintf("%.1e", worst))
	}
	return strings.Join(out, " ")
}

// table is the numbers of a CSV file with a header; what is missing is no number.
func table(t *testing.T, text string) (rows [][]float64) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var row []float64
		for _, field := range strings.Split(line, ",") {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				x = math.NaN()
			}
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return rows
}
