package browser

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	tsnebench "nacre/bench/tsne"
	"nacre/tsne"
)

// adapter skips a test where this Chromium has no WebGPU.
func (tb *tab) adapter() {
	tb.t.Helper()
	if !eval[bool](tb, "Promise.resolve(navigator.gpu?.requestAdapter()).then(a => !!a)") {
		tb.t.Skip("this Chromium has no WebGPU without a GPU: install a newer one")
	}
}

// An adapter that computes on the processor is taken only by name; then it makes the iterations, which can be paused,
// and says so. Without a GPU the page says that WebAssembly computes.
func TestTSNEPageOnWebGPU(t *testing.T) {
	few, many := clusters(400, 4, 8), clusters(5000, 3, 2)
	s := newStatic(t, map[string]any{"few.npz": fileOf(t, few, "few.npz"), "many.npz": fileOf(t, many, "many.npz")})
	p := s.open("tsne.html?open=files/few.npz&device=webgpu&perplexity=20", nil)
	p.adapter()
	p.awaitFor("nacreTsne.progress.iteration >= 40", 2*time.Minute)
	eval[any](p, "(nacreTsne.toggle(), null)")
	p.await("document.body.dataset.state === 'paused'")
	if text := eval[string](p, "document.querySelector('.status').textContent"); !strings.Contains(text, "by WebGPU") {
		t.Errorf("the page says %q, expected what computes", text)
	}
	begun, y := eval[int](p, "new Promise(done => setTimeout(() => done(nacreTsne.progress.iteration), 500))"),
		eval[[]float64](p, "[...nacreTsne.view.positions]")
	r := tsne.Current()
	r.Perplexity = 20
	native, err := tsne.New(tsne.WithRecipe(r), tsne.WithSeed(0)).Start(t.Context(), few.Mean)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := native.Step(t.Context(), begun); err != nil {
		t.Fatal(err)
	}
	want := native.Layout()
	kl, err := native.Affinities().KL(tsne.Matrix{Rows: 400, Cols: 2, Data: y})
	if err != nil || math.Abs(kl-want.KL) > 0.05*want.KL {
		t.Errorf("after %d iterations the KL is %.4f, natively %.4f (%v)", begun, kl, want.KL, err)
	}

	p = s.open("tsne.html?open=files/many.npz", nil)
	p.await("nacreTsne.progress.iteration > 0")
	if text := eval[string](p,
		"(nacreTsne.toggle(), document.querySelector('.status').textContent)"); !strings.Contains(text,
		"WebAssembly computes") {
		t.Errorf("the page says %q, expected that it found no GPU", text)
	}
	p.quiet()
}

// What the adapter without a GPU needs for layouts of the points of nacre bench tsne, beside the native program's and
// judged by one evaluator. It prints rows of a measurement, after each size, and judges nothing. Layouts can be ended
// early, after so many minutes, both at the same iteration.
//
//	NACRE_TSNE_WEBGPU=10000,100000 NACRE_TSNE_MINUTES=90 go test ./web/browser -run TSNEOnWebGPUBeside -v -timeout 3h
func TestTSNEOnWebGPUBesideNative(t *testing.T) {
	sizes := os.Getenv("NACRE_TSNE_WEBGPU")
	if sizes == "" {
		t.Skip("NACRE_TSNE_WEBGPU does not name numbers of points")
	}
	minutes, err := strconv.Atoi(cmp.Or(os.Getenv("NACRE_TSNE_MINUTES"), "90"))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		x := tsnebench.Points(n)
		s := newStatic(t, map[string]any{"points.npz": fileOf(t, &tsne.Embeddings{Mean: x, Label: make([]int, n)},
			"points.npz")})
		s.headers = true
		p := s.open("tsne.html?device=webgpu", nil)
		p.adapter()
		of := tsne.CurrentFor(n).Iterations()
		before := gpuTime(t)
		eval[any](p, "(fetch('files/points.npz').then(r => r.blob()).then(b => nacreTsne.open('points.npz', b)), null)")
		p.awaitFor("nacreTsne.state === 'running'", 20*time.Minute)
		neighbours := eval[float64](p, "nacreTsne.progress.seconds")
		began := time.Now()
		for at, next := 0, 50; at < of; time.Sleep(100 * time.Millisecond) {
			if at = eval[int](p, "nacreTsne.progress.iteration"); at >= of {
				break
			}
			if at >= next {
				t.Logf("%d points: iteration %d after %.0f s", n, at, time.Since(began).Seconds())
				next = at + 50
			}
			if time.Since(began) > time.Duration(minutes)*time.Minute {
				t.Logf("%d points: ended after %d of %d iterations", n, at, of)
				break
			}
		}
		wall, used := time.Since(began).Seconds(), (gpuTime(t) - before).Seconds()
		eval[any](p, "(nacreTsne.state === 'running' && nacreTsne.toggle(), null)")
		time.Sleep(time.Second)
		at := eval[int](p, "nacreTsne.progress.iteration")
		status := eval[string](p, "document.querySelector('.status').textContent")
		y := tsne.Matrix{Rows: n, Cols: 2, Data: eval[[]float64](p, "[...nacreTsne.view.positions]")}
		t.Logf("%d points: %d iterations in %.0f s, %.0f s of the processor's; %s", n, at, wall, used, status)
		eval[any](p, "(nacreTsne.engine.replace(), null)")
		judge, err := tsnebench.NewJudge(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		kl, err := judge.KL(y)
		if err != nil {
			t.Fatal(err)
		}
		native, err := tsne.New().Start(t.Context(), x)
		if err == nil {
			_, err = native.Step(t.Context(), at)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := judge.KL(native.Layout().Y)
		if err != nil {
			t.Fatal(err)
		}
		row, _ := json.Marshal(map[string]any{"of": []string{size + " × " + strconv.Itoa(x.Cols)},
			"cells": map[string]any{
				"iterations": at, "neighbours": neighbours, "wall": wall, "cpu": used, "per": 1000 * wall / float64(at),
				"kl": kl, "native": want,
			}})
		t.Logf("row %s", row)
	}
}

// gpuTime returns what the browser's process for the GPU has used, where a software adapter computes.
func gpuTime(t *testing.T) time.Duration {
	return timeOf(t, func(task string) bool {
		line, err := os.ReadFile(task + "/../../cmdline")
		return err == nil && strings.Contains(string(line), "--type=gpu-process")
	})
}
