package browser

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/tsne"
)

// clusters makes embeddings of groups of points far from each other.
func clusters(n, groups, columns int) *tsne.Embeddings {
	r := rand.New(rand.NewPCG(3, 4))
	e := &tsne.Embeddings{Mean: tsne.NewMatrix(n, columns), Label: make([]int, n)}
	centre := tsne.NewMatrix(groups, columns)
	for i := range centre.Data {
		centre.Data[i] = 4 * r.NormFloat64()
	}
	for i := range e.Label {
		e.Label[i] = i % groups
		for c := range columns {
			e.Mean.Row(i)[c] = centre.Row(i % groups)[c] + r.NormFloat64()
		}
	}
	return e
}

func fileOf(t *testing.T, e *tsne.Embeddings, name string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := e.Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drop drops a file on the page as a user does.
func (tb *tab) drop(name string, content []byte) {
	tb.t.Helper()
	var list strings.Builder
	for _, b := range content {
		fmt.Fprintf(&list, "%d,", b)
	}
	eval[any](tb, fmt.Sprintf(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([new Uint8Array([%s])], %q));
		document.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
		return null;
	})()`, list.String(), name))
}

// A file of the site: it forms in the worker, ends where the native program's layout ends, and can be paused, changed,
// coloured and selected from. Nothing is asked of anybody else.
func TestTSNEPage(t *testing.T) {
	e := clusters(1000, 5, 6) // so many that the layout is still forming when it is paused, on a busy machine too
	s := newStatic(t, map[string]any{"points.npz": fileOf(t, e, "points.npz")})
	p := s.open("tsne.html?open=files/points.npz&perplexity=20&seed=7&method=exact", nil)
	p.await("globalThis.nacreTsne")
	eval[any](p, `new Promise(done => {
		const look = setInterval(() => {
			if (document.body.dataset.state !== 'running' || nacreTsne.frames <= 3) return;
			clearInterval(look);
			nacreTsne.toggle();
			done(null);
		}, 1);
	})`)
	p.await("document.body.dataset.state === 'paused'")
	at := eval[int](p, "new Promise(done => setTimeout(() => done(nacreTsne.progress.iteration), 200))")
	if still := eval[int](p,
		"new Promise(done => setTimeout(() => done(nacreTsne.progress.iteration), 300))"); still != at {
		t.Errorf("a paused layout went from iteration %d to %d", at, still)
	}
	eval[any](p, "(nacreTsne.toggle(), null)")
	p.await("document.body.dataset.state === 'done'")
	r := tsne.Current()
	r.Perplexity, r.Method = 20, tsne.MethodExact
	want, err := tsne.New(tsne.WithRecipe(r), tsne.WithSeed(7)).Fit(t.Context(), e.Mean)
	if err != nil {
		t.Fatal(err)
	}
	got := eval[[]float64](p, "Array.from(nacreTsne.view.positions)")
	if len(got) != len(want.Y.Data) {
		t.Fatalf("the page has %d coordinates, expected %d", len(got), len(want.Y.Data))
	}
	for i, v := range got {
		if v != want.Y.Data[i] {
			t.Fatalf("coordinate %d is %v on the page, natively %v", i, v, want.Y.Data[i])
		}
	}
	c, err := tsne.MeasureClusters(want.Y, e.Label)
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range []string{fmt.Sprintf("%.4g", c.Intra), fmt.Sprintf("%.4g", c.Inter)} {
		if table := eval[string](p, "document.querySelector('.centroids tbody tr').innerText"); !strings.Contains(table,
			figure) {
			t.Errorf("the centroid table's first row is %q, expected %s in it", table, figure)
		}
	}
	if n := eval[int](p, "document.querySelectorAll('.centroids tbody tr').length"); n != 6 {
		t.Errorf("the table has %d rows, expected all and five groups", n)
	}
	// A finished layout goes on.
	eval[any](p, "(nacreTsne.toggle(), null)")
	p.await("document.body.dataset.state === 'done' && nacreTsne.progress.iteration === 1000")
	p.quiet()
	s.own()
}

// Where the host sends the site's headers, workers share the layout, which is the native one to the last bit, and
// follow when it goes on; without them one worker makes it.
func TestTSNEPageTeam(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	e := clusters(5000, 6, 5)
	s := newStatic(t, map[string]any{"points.npz": fileOf(t, e, "points.npz"),
		"few.npz": fileOf(t, clusters(100, 3, 4), "few.npz")})
	p := s.open("tsne.html?open=files/few.npz", nil)
	p.await("document.body.dataset.state === 'done'")
	if eval[bool](p, "crossOriginIsolated || nacreTsne.progress.programs !== 1") {
		t.Error("without headers the page is isolated, or has several workers")
	}
	r := tsne.CurrentFor(5000)
	r.Perplexity, r.Method = 8, tsne.MethodFFT
	want, err := tsne.New(tsne.WithRecipe(r), tsne.WithSeed(7)).Fit(t.Context(), e.Mean)
	if err != nil {
		t.Fatal(err)
	}
	s.headers = true
	p = s.open("tsne.html?open=files/points.npz&perplexity=8&seed=7&method=fft", nil)
	p.awaitFor("document.body.dataset.state === 'done'", 10*time.Minute)
	if n, want := eval[int](p, "nacreTsne.progress.programs"), min(runtime.NumCPU(), 4); n != want {
		t.Errorf("%d workers made the layout, expected %d", n, want)
	}
	if got := eval[[]float64](p, "Array.from(nacreTsne.view.positions)"); !slices.Equal(got, want.Y.Data) {
		t.Error("the layout is not the native one")
	}
	eval[any](p, "(nacreTsne.engine.send({ kind: 'perplexity', value: 5 }), nacreTsne.toggle(), null)")
	p.awaitFor("nacreTsne.progress.iteration > 760", time.Minute)
	p.quiet()
}

// The search for neighbours ends when it is told to, and the page goes on from there.
func TestTSNEPageStops(t *testing.T) {
	s := newStatic(t, map[string]any{"points.npz": fileOf(t, clusters(20_000, 6, 24), "points.npz")})
	for _, s.headers = range []bool{false, true} {
		p := s.open("tsne.html?open=files/points.npz", nil)
		p.awaitFor("document.body.dataset.state === 'starting'", time.Minute)
		time.Sleep(500 * time.Millisecond)
		took := eval[float64](p, `(async () => {
			const start = performance.now();
			nacreTsne.toggle();
			while (document.body.dataset.state !== 'stopped') await new Promise(done => setTimeout(done, 1));
			return performance.now() - start;
		})()`)
		t.Logf("the search ended %.0f ms after it was told to", took)
		p.drop("few.csv", []byte("a,b\n1,2\n3,4\n5,6\n7,9\n2,2\n8,1\n4,4\n"))
		p.await("document.body.dataset.state === 'done' && nacreTsne.data.points === 7")
		p.quiet()
	}
}

// Every file that cannot be laid out is one sentence, and the page takes the next.
func TestTSNEPageRefuses(t *testing.T) {
	s := newStatic(t, map[string]any{"a.txt": []byte("text")})
	p := s.open("tsne.html?open=files/missing.npz", nil)
	refused := func(what, want string) {
		t.Helper()
		p.await("!document.querySelector('.banner').hidden && document.body.dataset.state === 'empty'")
		if got := eval[string](p, "document.querySelector('.banner').innerText"); !strings.Contains(got, want) ||
			strings.Contains(got, "\n") {
			t.Errorf("%s: the page says %q, expected one line with %q", what, got, want)
		}
	}
	refused("a missing file", "404")
	p.drop("a.txt", []byte("text"))
	p.await("document.querySelector('.banner').innerText.includes('.txt')")
	refused("another kind of file", `.safetensors or .parquet, or in these with .gz, not in ".txt"`)
	p.drop("nan.csv", []byte("a,b\n1,2\n3,NaN\n4,5\n5,6\n6,7\n"))
	p.await("document.querySelector('.banner').innerText.includes('nan.csv')")
	refused("a value that is not finite", `line 3, column "b" is missing (NaN)`)
	p.drop("broken.npz", []byte("PK broken"))
	p.await("document.querySelector('.banner').innerText.includes('zip')")
	// Too few points are read, and refused by t-SNE itself.
	p.drop("few.csv", []byte("a,b\n1,2\n3,4\n"))
	p.await("document.querySelector('.banner').innerText.includes('at least 5')")
	var good bytes.Buffer
	good.WriteString("x,y,kind\n")
	for i := range 40 {
		fmt.Fprintf(&good, "%d,%d,%s\n", i%7, i*i%11, []string{"left", "right"}[i%2])
	}
	p.drop("good.csv", good.Bytes())
	// Its only column of text colours the points.
	p.await("document.body.dataset.state === 'done' && document.querySelectorAll('.legend button').length === 2")
}

// The server has the page too, behind its token, for the files of its folder, with the headers that let workers share
// memory.
func TestTSNEPageOfTheServer(t *testing.T) {
	if _, err := os.Stat(filepath.Join(programs, "manifest.json")); err != nil {
		t.Skip("the browser's programs are not built: run wasm/build.sh")
	}
	s := newSite(t, map[string]any{"points.npz": fileOf(t, clusters(5000, 3, 4), "points.npz")})
	list := s.open("/tree")
	address := eval[string](list,
		"document.querySelector('a[aria-label^=\"Lay out points.npz\"]').getAttribute('href')")
	p := s.open(address)
	p.awaitFor("nacreTsne.progress.iteration > 3", 2*time.Minute)
	if n := eval[int](p, "document.querySelectorAll('.legend button').length"); n != 3 {
		t.Errorf("the legend has %d groups, expected 3", n)
	}
	if n, want := eval[int](p, "nacreTsne.progress.programs"), min(runtime.NumCPU(), 4); n != want ||
		!eval[bool](p, "crossOriginIsolated") {
		t.Errorf("%d workers made the layout, expected %d", n, want)
	}
	p.quiet()
}
