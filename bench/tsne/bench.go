// Package tsnebench times t-SNE beside other libraries on the same points and judges every layout by one evaluator.
// The others run as programs of their own, from the scripts in this folder.
//
//	points := tsnebench.Points(1600)
//	judge, err := tsnebench.NewJudge(ctx, points)
//	r := tsnebench.Peers(tsnebench.Where{Python: "venv/bin/python", Threads: 1})[0].Run(ctx, points)
//	err = judge.Score(&r)
//	fmt.Println(r.Name, r.CPU, r.KL)
package tsnebench

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"nacre/internal/rng"
	"nacre/tsne"
)

// Result is one layout of one library.
type Result struct {
	Name       string  `json:"name"`
	Version    string  `json:"version,omitempty"`
	Points     int     `json:"points"`
	Columns    int     `json:"columns"`
	Iterations int     `json:"iterations,omitempty"`
	Wall       float64 `json:"wall_s,omitempty"` // of the layout alone, neighbours and start included
	CPU        float64 `json:"cpu_s,omitempty"`  // processor time of the same; 0 where it cannot be had
	KL         float64 `json:"kl,omitempty"`     // nats; P on the exact 90 nearest neighbours at perplexity 30, Z over all pairs
	Trust      float64 `json:"trustworthiness,omitempty"`
	Recall     float64 `json:"knn_recall,omitempty"`
	Absent     string  `json:"absent,omitempty"` // why there is no layout

	y tsne.Matrix
}

// Points makes the data of a size: 1,600 are eight Gaussian clusters in seven dimensions, the paper's shape; others are
// twenty clusters of eight strong directions each in fifty dimensions, 70,000 in 784, the size of MNIST.
func Points(n int) tsne.Matrix {
	clusters, d, rank, noise := 20, 50, 8, 0.3
	switch n {
	case 1600:
		clusters, d, rank, noise = 8, 7, 0, 1
	case 70000:
		d = 784
	}
	r := rng.New(uint64(n), rng.TSNE)
	centre := tsne.NewMatrix(clusters, d)
	axes := tsne.NewMatrix(clusters*rank, d)
	for i := range centre.Data {
		centre.Data[i] = 2 * r.NormFloat64()
	}
	for i := range axes.Data {
		axes.Data[i] = 2 * r.NormFloat64() / math.Sqrt(float64(rank))
	}
	x := tsne.NewMatrix(n, d)
	for i := range n {
		k := i % clusters
		row := x.Row(i)
		for c := range row {
			row[c] = centre.Row(k)[c] + noise*r.NormFloat64()
		}
		for a := range rank {
			s := r.NormFloat64()
			for c, v := range axes.Row(k*rank + a) {
				row[c] += s * v
			}
		}
	}
	return x
}

// Judge scores layouts of one data set.
type Judge struct {
	x tsne.Matrix
	p *tsne.Affinities
}

// NewJudge computes the affinities all layouts are judged by: on the exact 90 nearest neighbours, but for MNIST's size,
// where finding them takes minutes and those that tsne.Neighbours finds serve all.
func NewJudge(ctx context.Context, x tsne.Matrix) (*Judge, error) {
	p, err := tsne.NewAffinities(ctx, x, tsne.AffinityOptions{Perplexity: 30, Neighbours: 90, Exact: len(x.Data) < 2e7})
	return &Judge{x, p}, err
}

// Score fills in what the layout is worth.
func (j *Judge) Score(r *Result) error {
	if r.Absent != "" {
		return nil
	}
	var err error
	if r.KL, err = j.p.KL(r.y); err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	q, err := tsne.MeasureNeighbourhood(j.x, r.y, 10)
	r.Trust, r.Recall = q.Trustworthiness, q.Recall
	return err
}

// Self lays the points out with this program.
func Self(ctx context.Context, x tsne.Matrix, workers int) (Result, error) {
	r := Result{Name: "nacre", Version: runtime.GOOS + "/" + runtime.GOARCH, Points: x.Rows, Columns: x.Cols}
	wall, cpu := time.Now(), processor()
	s, err := tsne.New(tsne.WithWorkers(workers)).Start(ctx, x)
	if err == nil {
		_, err = s.Step(ctx, s.Remaining())
	}
	if err != nil {
		return r, err
	}
	r.Wall, r.CPU, r.Iterations = time.Since(wall).Seconds(), processor()-cpu, s.Iteration()
	r.y = tsne.NewMatrix(x.Rows, 2)
	for i, v := range s.Positions() {
		r.y.Data[i] = float64(v)
	}
	return r, nil
}

// Where says how to reach the other libraries.
type Where struct {
	Scripts string // this folder
	Python  string // interpreter with numpy, scikit-learn and openTSNE
	Node    string // command
	Modules string // node_modules folder with wasm-bhtsne
	Threads int    // each may use
}

// Peer is another library, or this one in another world.
type Peer struct {
	Name    string
	Most    int // points it is asked to lay out
	command func(x tsne.Matrix, source, target string) *exec.Cmd
	missing func() string
}

// Peers lists them.
func Peers(w Where) []Peer {
	script := func(name string) string { return filepath.Join(w.Scripts, name) }
	size := func(x tsne.Matrix) []string { return []string{strconv.Itoa(x.Rows), strconv.Itoa(x.Cols)} }
	python := func(library, module string, most int) Peer {
		return Peer{Name: library, Most: most,
			missing: func() string { return lacking(exec.Command(w.Python, "-c", "import numpy, "+module)) },
			command: func(x tsne.Matrix, source, target string) *exec.Cmd {
				a := append([]string{script("peer.py"), library}, size(x)...)
				return exec.Command(w.Python, append(a, source, target, strconv.Itoa(w.Threads))...)
			}}
	}
	return []Peer{
		python("scikit-learn", "sklearn", 100000),
		python("openTSNE", "openTSNE", 100000),
		{Name: "wasm-bhtsne", Most: 10000,
			missing: func() string {
				if _, err := os.Stat(filepath.Join(w.Modules, "wasm-bhtsne")); err != nil {
					return err.Error()
				}
				return lacking(exec.Command(w.Node, "--version"))
			},
			command: func(x tsne.Matrix, source, target string) *exec.Cmd {
				a := append([]string{script("peer.mjs"), w.Modules}, size(x)...)
				return exec.Command(w.Node, append(a, source, target)...)
			}},
		{Name: "nacre in wasm", Most: 10000,
			missing: func() string { return lacking(exec.Command(w.Node, "--version")) },
			command: func(x tsne.Matrix, source, target string) *exec.Cmd {
				wasm := filepath.Join(filepath.Dir(target), "self.wasm")
				build := exec.Command("go", "build", "-o", wasm, "nacre/bench/tsne/self")
				build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
				if out, err := build.CombinedOutput(); err != nil {
					return exec.Command("sh", "-c", "echo \"$0\" >&2; exit 1", string(out))
				}
				return exec.Command(w.Node, append(append([]string{wasmRunner(), wasm}, size(x)...), source, target)...)
			}},
		{Name: "go-tsne", Most: 1600,
			missing: func() string { return lacking(exec.Command("go", "version")) },
			command: func(x tsne.Matrix, source, target string) *exec.Cmd {
				return exec.Command("go", append(append([]string{"run", "-C", script("gopeer"), "."}, size(x)...), source, target)...)
			}},
	}
}

// wasmRunner is Go's script that runs a WebAssembly program under Node.
func wasmRunner() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec_node.js")
}

// lacking runs a command that succeeds where a library is present, and says what it says where it does not.
func lacking(c *exec.Cmd) string {
	out, err := c.CombinedOutput()
	if err == nil {
		return ""
	}
	return lastLine(string(out), err)
}

func lastLine(out string, err error) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}

// Run lets the peer lay out x. What goes wrong is said in Result.Absent.
func (p Peer) Run(ctx context.Context, x tsne.Matrix, threads int) Result {
	r := Result{Name: p.Name, Points: x.Rows, Columns: x.Cols}
	if x.Rows > p.Most {
		r.Absent = fmt.Sprintf("not asked for more than %d points", p.Most)
		return r
	}
	if r.Absent = p.missing(); r.Absent != "" {
		return r
	}
	if err := p.run(ctx, x, threads, &r); err != nil {
		r.Absent = err.Error()
	}
	return r
}

func (p Peer) run(ctx context.Context, x tsne.Matrix, threads int, r *Result) error {
	dir, err := os.MkdirTemp("", "nacre-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, target := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	if err := writeFloats(source, x.Data); err != nil {
		return err
	}
	c := p.command(x, source, target)
	n := strconv.Itoa(threads)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n, "NUMBA_NUM_THREADS="+n, "GOMAXPROCS="+n)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { c.Process.Kill() })
	defer stop()
	if err := c.Wait(); err != nil {
		return fmt.Errorf("failed: %s", lastLine(errs.String(), err))
	}
	if err := json.Unmarshal(out.Bytes(), r); err != nil {
		return fmt.Errorf("said %q: %v", out.String(), err)
	}
	r.y = tsne.Matrix{Rows: x.Rows, Cols: 2}
	r.y.Data, err = readFloats(target, 2*x.Rows)
	return err
}

// writeFloats writes float64 values as they are in memory.
func writeFloats(path string, v []float64) error {
	raw := make([]byte, 0, 8*len(v))
	for _, a := range v {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(a))
	}
	return os.WriteFile(path, raw, 0o600)
}

// readFloats reads n such values.
func readFloats(path string, n int) ([]float64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(raw) != 8*n {
		return nil, fmt.Errorf("wrote %d bytes, want %d float64", len(raw), n)
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return v, nil
}
