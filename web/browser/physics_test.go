package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nacre/sim"
)

// shipped is a notebook that comes with the program, with other parameters: each is "name := value".
func shipped(t *testing.T, name string, parameters ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../notebooks", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parameters {
		key, value, _ := strings.Cut(p, " := ")
		as, _ := json.Marshal(value)
		line := regexp.MustCompile(`"` + key + ` := [^\n]*?( *//[^\n]*)?(\\n)?",?\n`)
		if !line.Match(text) {
			t.Fatalf("%s has no parameter %s", name, key)
		}
		comma := ","
		if !strings.Contains(string(line.Find(text)), `",`) {
			comma = ""
		}
		text = line.ReplaceAllLiteral(text, []byte(`"`+key+` := `+string(as[1:len(as)-1])+`\n"`+comma+"\n"))
	}
	return text
}

// finish runs all cells and waits until they have ended well.
func (tb *tab) finish(limit time.Duration) time.Duration {
	tb.t.Helper()
	start := time.Now()
	eval[any](tb, "nacre.running.range(0, nacre.notebook.cells.length).then(() => null)")
	for deadline := start.Add(limit); ; time.Sleep(500 * time.Millisecond) {
		if eval[bool](tb, "nacre.notebook.cells.every(c => c.state === 'idle')") {
			break
		}
		if time.Now().After(deadline) {
			tb.t.Fatalf("still running after %v: %s", limit,
				eval[string](tb, "nacre.notebook.cells.map(c => c.state + ' ' + JSON.stringify(c.outputs).slice(0, "+
					"300)).join('\\n')"))
		}
	}
	took := time.Since(start)
	if bad := eval[string](tb, "nacre.notebook.cells.filter(c => c.ok === false).map(c => "+
		"JSON.stringify(c.outputs.filter(o => o.output_type === 'error')).slice(0, 3000)).join()"); bad != "" {
		tb.t.Fatalf("cells failed: %s; %s", bad, eval[string](tb, "nacre.link.deathNote ?? ''"))
	}
	return took
}

// pictures keeps pictures of what an element of the page shows, in both themes, where a folder is named.
func (tb *tab) pictures(folder, name, selector string) {
	tb.t.Helper()
	if folder == "" {
		return
	}
	for _, theme := range []string{"light", "dark"} {
		eval[any](tb, fmt.Sprintf(`(() => {
			localStorage.setItem('nacre.theme', %[1]q);
			document.documentElement.dataset.theme = %[1]q;
			document.dispatchEvent(new CustomEvent('nacre:theme'));
			[...document.querySelectorAll(%[2]q)].at(-1).scrollIntoView({ block: 'end' });
			return new Promise(done => setTimeout(() => done(null), 1000));
		})()`, theme, selector))
		picture, err := chromedp.Run(tb.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name+"-"+theme+".png"), picture, 0o644)
		}
		if err != nil {
			tb.t.Error(err)
		}
	}
}

// needsPhysics skips where the front end was built without MuJoCo.
func (tb *tab) needsPhysics(s *static) {
	tb.t.Helper()
	if found, _ := filepath.Glob(filepath.Join(s.dir, "static", "physics-*.js")); len(found) == 0 {
		tb.t.Skip("the front end was built without @mujoco/mujoco, which npm fetches: run make web with a network")
	}
}

// Without a server a half-cheetah is trained on MuJoCo's physics, and its films play.
func TestSiteTrainsHalfCheetah(t *testing.T) {
	s := newStatic(t, map[string]any{"a.ipynb": shipped(t, "half-cheetah.ipynb", "iterations := 1", "films := 2",
		`changes := "pearl.hidden=16 pearl.encoder_hidden=16 pearl.updates_per_iteration=4 pearl.meta_batch=4 pearl.batch=16 pearl.initial_steps=200 train_tasks=4 pearl.tasks_per_iteration=1 test_tasks=3"`)})
	p := s.open("?notebooks/a.ipynb", nil)
	p.needsPhysics(s)
	t.Logf("training took %v", p.finish(4*time.Minute).Round(100*time.Millisecond))
	if got := eval[string](p, "document.querySelector('.loading.notice span')?.textContent ?? ''"); !strings.Contains(
		got, "MuJoCo 3.") || !strings.Contains(got, "natively") {
		t.Errorf("the page says of its physics %q", got)
	}
	// Two states are saved; of those that follow each other at once the last is shown.
	if n := eval[int](p, "document.querySelectorAll('.rollout').length"); n < 1 || n > 2 {
		t.Errorf("%d films, expected 1 or 2", n)
	}
	eval[any](p, "document.querySelector('.rollout').scrollIntoView(), null")
	p.await("document.querySelector('.rollout[data-ready]')")
	p.pictures(os.Getenv(trainingVariable), "half-cheetah-films", ".rollout")
	s.own()
	p.quiet()
}

// A run that would keep more than a tab has room for is refused in one line before it begins.
func TestSiteRefusesLargeRuns(t *testing.T) {
	s := newStatic(t, map[string]any{"a.ipynb": notebook(
		"import \"nacre/library/lab\"\n\n_, err := lab.Train(\"quick/point-goal\", " +
			"lab.Set(\"pearl.iterations=1000000\", \"pearl.buffer_capacity=100000000\"))\nerr.Error()",
	)})
	p := s.open("?notebooks/a.ipynb", nil)
	t.Logf("refused after %v", p.finish(2*time.Minute).Round(time.Millisecond))
	if got := p.shown(0); !strings.Contains(got, "GB of transitions and there is room for") ||
		!strings.Contains(got, "a smaller pearl.buffer_capacity") {
		t.Errorf("a run larger than the tab: the cell shows %q", got)
	}
}

// probe is a cell that prints the observations of one episode with random actions, as JSON.
const probe = `import (
	"context"
	"encoding/json"
	"fmt"

	"nacre/sim"
)

family, err := sim.Lookup(%q)
if err != nil {
	panic(err)
}
pool, err := sim.NewPool(family, 1, 2)
if err != nil {
	panic(err)
}
_, test, err := family.Tasks(1, 0, 0)
if err != nil {
	panic(err)
}
episodes := []sim.Episode{{Task: test[0], Seed: 3}, {Task: test[1], Seed: 4}}
trajectories, err := pool.Rollout(context.Background(), episodes, sim.RandomPolicy(family, episodes), %d)
if err != nil {
	panic(err)
}
text, _ := json.Marshal(trajectories[1].Obs)
fmt.Println(string(text))`

// The page's physics and this program's give the same first steps: in float32 for the controls, and in Meta-World's
// scenes, where objects lie otherwise since MuJoCo 3.3, within millimetres. Later they part, as far as the log says.
func TestSitePhysics(t *testing.T) {
	families := []struct {
		name      string
		steps     int // that must agree
		tolerance float64
	}{{"cheetah-vel", 20, 1e-6}, {"ant-goal", 20, 1e-5}, {"humanoid-dir", 4, 1e-4}, {"walker-rand-params", 10, 1e-5},
		{"ml1/push", 5, 5e-3}, {"ml1/window-open:v2", 5, 5e-3}}
	var sources []string
	for _, f := range families {
		sources = append(sources, fmt.Sprintf(probe, f.name, 200))
	}
	s := newStaticWith(t, map[string]any{"a.ipynb": notebook(sources...)}, true)
	p := s.open("?notebooks/a.ipynb", nil)
	p.needsPhysics(s)
	if _, err := os.Stat(filepath.Join(s.dir, "scenes")); err != nil {
		t.Skip("the scenes of Meta-World are not on this machine: run make or nacre setup")
	}
	p.finish(4 * time.Minute)
	for i, f := range families {
		// The page shows the beginning of a line of so many numbers.
		printed := eval[string](p, fmt.Sprintf("nacre.notebook.cells[%d].outputs.map(o => o.text).join('')", i))
		var got []float32
		if err := json.Unmarshal([]byte(printed), &got); err != nil {
			t.Fatalf("%s prints %.300q: %v", f.name, printed, err)
		}
		family, err := sim.Lookup(f.name)
		if err != nil {
			t.Skip(err)
		}
		want, dim := episode(t, family), family.Spec().ObsDim
		var differs []string
		for _, steps := range []int{f.steps, 1, 10, 20, 50, 100, 150, 200} {
			if n := min((steps+1)*dim, len(want)); n <= len(got) {
				worst := apartBy(got[:n], want[:n])
				differs = append(differs, fmt.Sprintf("%d: %.1g", steps, worst))
				if steps == f.steps && !(worst <= f.tolerance) {
					t.Errorf("%s differs by %v in %d steps, more than %v", f.name, worst, steps, f.tolerance)
				}
			} else if steps == f.steps {
				t.Errorf("%s: the page has %d steps, expected at least %d", f.name, len(got)/dim-1, steps)
			}
		}
		t.Logf("%s, largest difference of an observation in the first steps: %s", f.name, strings.Join(differs, ", "))
	}
	s.own()
}

// apartBy is the largest difference of two rows of numbers, relative to those above 1.
func apartBy(got, want []float32) float64 {
	worst := 0.
	for j, v := range want {
		worst = max(worst, math.Abs(float64(got[j]-v))/max(1, math.Abs(float64(v))))
	}
	return worst
}

// episode returns what the cell of probe computes, here.
func episode(t *testing.T, family sim.Family) []float32 {
	t.Helper()
	pool, err := sim.NewPool(family, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, test, err := family.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	episodes := []sim.Episode{{Task: test[0], Seed: 3}, {Task: test[1], Seed: 4}}
	trajectories, err := pool.Rollout(context.Background(), episodes, sim.RandomPolicy(family, episodes),
		200)
	if err != nil {
		t.Fatal(err)
	}
	return trajectories[1].Obs
}

// trainingVariable names a folder for what shipped notebooks show after they have run in full on a static site.
const trainingVariable = "NACRE_SITE_TRAINING"

// The shipped notebooks in full, which takes many minutes: it prints times and keeps what the cells showed and
// pictures.
//
//	NACRE_SITE_TRAINING=out go test ./web/browser -run 'SiteInFull/half-cheetah' -v -timeout 2h
func TestSiteInFull(t *testing.T) {
	out := os.Getenv(trainingVariable)
	if out == "" {
		t.Skip(trainingVariable + " does not name a folder")
	}
	patience = 5 * time.Minute // on a busy machine
	for _, name := range []string{"half-cheetah", "quickstart"} {
		for seed := 1; seed <= 3; seed++ {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				s := newStatic(t, map[string]any{"a.ipynb": shipped(t, name+".ipynb", fmt.Sprintf("seed := %d", seed))})
				p := s.open("?notebooks/a.ipynb", nil)
				// Without a GPU the turning sign of a running cell takes the processor that should train.
				eval[any](p, "(document.head.append(Object.assign(document.createElement('style'), { textContent: "+
					"'*, *::before { animation: none !important }' })), null)")
				before, page := workerTime(t), pageTime(t)
				took := p.finish(110 * time.Minute)
				shown := eval[[]string](p, "nacre.notebook.cells.map((c, i) => "+
					"document.querySelectorAll('.cell')[i].querySelector('.outputs')?.innerText ?? '')")
				text := fmt.Sprintf("%s seed %d: %.0f s, %.1f s of the worker's processor time, %.1f s of the "+
					"page's\n%s\n", name, seed, took.Seconds(),
					(workerTime(t) - before).Seconds(), (pageTime(t) - page).Seconds(), strings.Join(shown, "\n---\n"))
				t.Log(text)
				p.pictures(out, fmt.Sprintf("%s-%d", name, seed), ".outputs")
				outputs := eval[string](p, "JSON.stringify(nacre.notebook.cells.map(c => c.outputs))")
				err := os.WriteFile(filepath.Join(out, fmt.Sprintf("%s-%d.json", name, seed)), []byte(outputs), 0o644)
				if err == nil {
					err = os.WriteFile(filepath.Join(out, fmt.Sprintf("%s-%d.txt", name, seed)), []byte(text), 0o644)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
