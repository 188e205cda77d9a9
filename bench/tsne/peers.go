package tsnebench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/tsne"
)

// Where says how to reach the other libraries.
type Where struct {
	Scripts string // folder of the programs that run them, as Prepare makes it; empty lets Prepare make one in Home
	Home    string // where those that are not there yet are installed
	Python  string // interpreter with numpy, scikit-learn and openTSNE; empty is one in Home
	Node    string // command; empty is node
	Modules string // node_modules folder with wasm-bhtsne; empty is one in Home
}

// Peer is another library, or this one as WebAssembly.
type Peer struct {
	Name    string
	Most    int  // points it is asked to lay out
	Starts  bool // it takes a given start
	UMAP    bool // what it makes is no t-SNE
	command func(x tsne.Matrix, source, target string, threads int) *exec.Cmd
	missing func(context.Context) string // why it cannot run here; "" where it can
	beyond  string                       // why it is not asked for more than Most
}

// self is this program's layout as a program of its own.
const self = "nacre/bench/tsne/self"

// Peers lists them.
func Peers(w Where) []Peer {
	w.Node = cmp.Or(w.Node, "node")
	script := func(name string) string { return filepath.Join(w.Scripts, name) }
	size := func(x tsne.Matrix) []string { return []string{strconv.Itoa(x.Rows), strconv.Itoa(x.Cols)} }
	python := func(library, module string) Peer {
		return Peer{Name: library, Most: 1_000_000, Starts: true,
			missing: func(ctx context.Context) string { return w.lackingInPython(ctx, module) },
			command: func(x tsne.Matrix, source, target string, threads int) *exec.Cmd {
				a := append([]string{script("peer.py"), library}, size(x)...)
				return exec.Command(w.python(), append(a, source, target, strconv.Itoa(threads))...)
			}}
	}
	umap := func(p Peer) Peer { p.UMAP, p.Starts = true, false; return p }
	node := func(ctx context.Context) string { return lacking(exec.CommandContext(ctx, w.Node, "--version")) }
	source := func(ctx context.Context) string {
		if absent := node(ctx); absent != "" {
			return absent
		}
		if absent := lacking(exec.CommandContext(ctx, "go", "list", self)); absent != "" {
			return "it is built from nacre's source, in a checkout and with Go: " + absent
		}
		return ""
	}
	return []Peer{
		python("scikit-learn", "sklearn"),
		python("openTSNE", "openTSNE"),
		umap(python("umap-learn", "umap")),
		{Name: "wasm-bhtsne", Most: 1_000_000, missing: w.lackingInNode,
			command: func(x tsne.Matrix, source, target string, _ int) *exec.Cmd {
				a := append([]string{script("peer.mjs"), w.modules()}, size(x)...)
				return exec.Command(w.Node, append(a, source, target)...)
			}},
		{Name: "nacre in wasm", Most: 50000, beyond: "one thread takes minutes", missing: source,
			command: func(x tsne.Matrix, source, target string, _ int) *exec.Cmd {
				dir := filepath.Dir(target)
				root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "nacre").Output()
				if err != nil {
					return exec.Command("sh", "-c", "echo \"$0\" >&2; exit 1", err.Error())
				}
				build := exec.Command(filepath.Join(strings.TrimSpace(string(root)), "wasm/build.sh"),
					"program", self, dir)
				if out, err := build.CombinedOutput(); err != nil {
					return exec.Command("sh", "-c", "echo \"$0\" >&2; exit 1", string(out))
				}
				run := []string{filepath.Join(dir, "wasm_exec_node.js"), filepath.Join(dir, "self.wasm")}
				return exec.Command(w.Node, append(append(run, size(x)...), source, target)...)
			}},
		{Name: "go-tsne", Most: 1600, beyond: "it keeps six matrices of n² float64 and takes n² time",
			missing: func(ctx context.Context) string { return lacking(exec.CommandContext(ctx, "go", "version")) },
			command: func(x tsne.Matrix, source, target string, _ int) *exec.Cmd {
				return exec.Command("go", append(append([]string{"run", "-C", script("gopeer"), "main.go"}, size(x)...),
					source, target)...)
			}},
	}
}

// Digits is the data set of handwritten digits that scikit-learn brings, 1,797 points of 64 columns.
func Digits(ctx context.Context, w Where) (tsne.Matrix, error) {
	if absent := w.lackingInPython(ctx, "sklearn"); absent != "" {
		return tsne.Matrix{}, fmt.Errorf("the digits are those of scikit-learn: %s", absent)
	}
	dir, err := os.MkdirTemp("", "nacre-bench")
	if err != nil {
		return tsne.Matrix{}, err
	}
	defer os.RemoveAll(dir)
	const rows, columns = 1797, 64
	path := filepath.Join(dir, "x")
	if err := run(ctx, w.python(), filepath.Join(w.Scripts, "peer.py"), "digits", path); err != nil {
		return tsne.Matrix{}, fmt.Errorf("the digits of scikit-learn: %w", err)
	}
	x := tsne.Matrix{Rows: rows, Cols: columns}
	x.Data, err = readFloats(path, rows*columns)
	return x, err
}

// lacking runs a command that succeeds where a library is present, and says what it says where it does not.
func lacking(c *exec.Cmd) string {
	out, err := c.CombinedOutput()
	if err == nil {
		return ""
	}
	return lastLine(string(out), err)
}

// lastLine is the line of an output that names the error.
func lastLine(out string, err error) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range slices.Backward(lines) { // Node.js ends with its version, after the error
		if strings.Contains(line, "Error: ") {
			return strings.TrimSpace(line)
		}
	}
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}

// Run lets the peer lay out x, from start where it has rows. What goes wrong is said in Result.Absent.
func (p Peer) Run(ctx context.Context, x, start tsne.Matrix, threads int) Result {
	r := Result{Name: p.Name, Points: x.Rows, Columns: x.Cols, umap: p.UMAP}
	if x.Rows > p.Most {
		r.Absent = fmt.Sprintf("not asked for more than %d points: %s", p.Most, p.beyond)
		return r
	}
	if r.Absent = p.missing(ctx); r.Absent != "" {
		return r
	}
	if start.Rows > 0 && !p.Starts {
		r.Absent = "takes no given start"
		return r
	}
	if err := p.run(ctx, x, start, threads, &r); err != nil {
		r.Absent = err.Error()
	}
	return r
}

func (p Peer) run(ctx context.Context, x, start tsne.Matrix, threads int, r *Result) error {
	dir, err := os.MkdirTemp("", "nacre-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, target := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	if err := writeFloats(source, x.Data); err != nil {
		return err
	}
	c := p.command(x, source, target, threads)
	if start.Rows > 0 {
		from := filepath.Join(dir, "start")
		if err := writeFloats(from, start.Data); err != nil {
			return err
		}
		c.Args = append(c.Args, from)
	}
	n := strconv.Itoa(threads)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n, "NUMBA_NUM_THREADS="+n,
		"GOMAXPROCS="+n)
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
	raw, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		return err
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
	_, err = binary.Decode(raw, binary.LittleEndian, v)
	return v, err
}
