package tsnebench

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/tsne"
)

// Example of the package's first lines, on few points and without other libraries.
func TestSelfAndJudge(t *testing.T) {
	ctx := context.Background()
	x := Points(300)
	r, err := Self(ctx, x, tsne.Matrix{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Score(ctx, &r); err != nil {
		t.Fatal(err)
	}
	// Twenty far clusters of fifteen: neighbours are found, and a layout that ignores the data has more than 3 nats.
	if r.KL > 1 || r.Trust < 0.9 || r.Recall < 0.4 || r.Iterations != 750 || r.Wall <= 0 {
		t.Errorf("%+v", r)
	}
	q, err := tsne.MeasureNeighbourhood(x, r.y, 10)
	if err != nil || math.Abs(q.Recall-r.Recall) > 1e-3 || q.Trustworthiness != r.Trust {
		t.Errorf("tsne finds %+v, %v, the judge a recall of %.4f", q, err, r.Recall)
	}
	random := r
	random.y = Points(300)
	random.y = tsne.Matrix{Rows: 300, Cols: 2, Data: random.y.Data[:600]}
	if err := j.Score(ctx, &random); err != nil || random.KL < 3*r.KL {
		t.Errorf("a layout from other numbers scores %.3f, ours %.3f, %v", random.KL, r.KL, err)
	}
}

// The scripts in the program are those of this folder, each where it is run.
func TestPrepare(t *testing.T) {
	w := Where{Home: t.TempDir()}
	if err := w.Prepare(); err != nil {
		t.Fatal(err)
	}
	for from, to := range files {
		want, err := os.ReadFile(filepath.FromSlash(from))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(w.Scripts, filepath.FromSlash(to))); err != nil ||
			string(got) != string(want) {
			t.Errorf("%s: %d bytes of %d, %v", to, len(got), len(want), err)
		}
	}
	named := Where{Home: t.TempDir(), Scripts: "mine"}
	if err := named.Prepare(); err != nil || named.Scripts != "mine" {
		t.Errorf("scripts named by the user: %q, %v", named.Scripts, err)
	}
}

func TestKeptLayoutsComeBack(t *testing.T) {
	k := Kept(filepath.Join(t.TempDir(), "layouts"))
	r := Result{Name: "openTSNE", Points: 3, Columns: 4, Iterations: 750, CPU: 1.5, y: Start(3, 1)}
	if err := k.Save(r, 2); err != nil {
		t.Fatal(err)
	}
	got, found, err := k.Load("openTSNE", 3, 4, 2)
	if err != nil || !found || got.CPU != 1.5 || !slices.Equal(got.y.Data, r.y.Data) {
		t.Errorf("%+v, %v, %v", got, found, err)
	}
	if err := k.Save(Result{Name: "openTSNE", Points: 5, Columns: 4, Absent: "no network"}, 0); err != nil {
		t.Fatal(err)
	}
	for _, other := range [][3]int{{3, 4, 0}, {3, 5, 2}, {5, 4, 0}} {
		if _, found, err := k.Load("openTSNE", other[0], other[1], other[2]); found || err != nil {
			t.Errorf("%v: found %v, %v", other, found, err)
		}
	}
}

func TestAbsentPeersAreOneLine(t *testing.T) {
	for _, p := range Peers(Where{Scripts: "no", Python: "no-python", Node: "no-node", Modules: "no-modules"})[:4] {
		if r := p.Run(context.Background(), Points(120), tsne.Matrix{}, 1); r.Absent == "" ||
			strings.Contains(r.Absent, "\n") {
			t.Errorf("%s: %q", p.Name, r.Absent)
		}
	}
}

// The same program, native and as WebAssembly, lays the points out in the same places, to the last bit.
func TestWasmGivesTheSameBits(t *testing.T) {
	heavy.Skip(t, "builds a program for the browser")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node to run WebAssembly: install Node 18 or newer")
	}
	const n = 200
	dir := t.TempDir()
	source := filepath.Join(dir, "x")
	x := Points(n)
	if err := writeFloats(source, x.Data); err != nil {
		t.Fatal(err)
	}
	build, err := exec.Command("../../wasm/build.sh", "program", "nacre/bench/tsne/self", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("the wasm build fails: %s", build)
	}
	for _, method := range []tsne.Method{tsne.MethodAuto, tsne.MethodExact, tsne.MethodFFT, tsne.MethodBarnesHut} {
		target := filepath.Join(dir, "y"+string(method))
		run := exec.Command(node, filepath.Join(dir, "wasm_exec_node.js"), filepath.Join(dir, "self.wasm"), "-method",
			string(method), "-iterations", "90", "200", "50", source, target)
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", method, out)
		}
		got, err := readFloats(target, 2*n)
		if err != nil {
			t.Fatal(err)
		}
		r := tsne.Current()
		if r.Method = method; method == tsne.MethodAuto && strings.Contains(string(build), "without vector") {
			r.Method = tsne.MethodBarnesHut // what it stands for there, with so few points
		}
		r.Phases[0].Iterations, r.Phases[1].Iterations = 30, 60
		l, err := tsne.New(tsne.WithRecipe(r)).Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, l.Y.Data) {
			worst := 0.0
			for i, v := range got {
				worst = max(worst, math.Abs(v-l.Y.Data[i]))
			}
			t.Errorf("%s: WebAssembly lays points out up to %g from where they are natively", method, worst)
		}
	}
}

func TestLastLine(t *testing.T) {
	node := "wasm://wasm/0123:1\n\n\nRuntimeError: memory access out of bounds\n    at wasm-function[7]\n\n" +
		"Node.js v20.20.2\n"
	if got := lastLine(node, nil); got != "RuntimeError: memory access out of bounds" {
		t.Errorf("%q", got)
	}
	if got := lastLine("Traceback\nModuleNotFoundError: No module named 'x'", nil); got != "ModuleNotFoundError: No "+
		"module named 'x'" {
		t.Errorf("%q", got)
	}
	if got := lastLine("killed\n", nil); got != "killed" {
		t.Errorf("%q", got)
	}
}
