// Package torch runs the update of package rl/benchmark in PyTorch, in a process of its own, so that both can be timed
// in turns. PyTorch is given what it is fastest with on a CPU: Debian's OpenMP build of OpenBLAS where it is installed,
// OpenBLAS kernels named after what the processor has (it does not recognise every processor and then takes slow
// ones), and waiting threads that sleep.
//
//	p, err := torch.Start(ctx, "/usr/bin/python3", "oyster", "tcl-pearl", 2)
//	defer p.Close()
//	ms, processor, err := p.Run(4) // milliseconds of four updates
package torch

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"nacre/core/cpu"
	"nacre/internal/nearest"
)

// The programs in Python: the problem, what those in PyTorch share, and one of the others, put together.
var (
	//go:embed problem.py
	problem string
	//go:embed common.py
	common string
	//go:embed update.py
	update string
	//go:embed maml.py
	maml string
	//go:embed rl2.py
	rl2 string
	//go:embed mql.py
	mql string
	//go:embed oracle.py
	oracle string
	//go:embed gpu.py
	onGPU string
	//go:embed jax.py
	inJAX string
)

// scripts are the programs of algorithms.
var scripts = map[string]string{"pearl": update, "tcl-pearl": update, "maml": maml, "rl2": rl2, "mql": mql,
	"oracle": oracle}

// script is the program of an algorithm.
func script(algorithm string) (string, error) {
	own, ok := scripts[algorithm]
	if !ok {
		return "", fmt.Errorf("torch: there is no PyTorch program of %s's update%s", algorithm,
			nearest.Hint(algorithm, slices.Collect(maps.Keys(scripts))))
	}
	return problem + common + own, nil
}

// Environment holds what the update runs on.
type Environment struct {
	Software string   `json:"software,omitempty"` // on a GPU: name, version and way of running
	Torch    string   `json:"torch"`
	NumPy    string   `json:"numpy"`
	Python   string   `json:"python"`
	Threads  int      `json:"threads"`
	BLAS     string   `json:"blas"`    // the library that is loaded
	Kernels  string   `json:"kernels"` // those OpenBLAS chose
	Set      []string `json:"set"`     // environment variables set for it
}

// Process is a running PyTorch.
type Process struct {
	Environment
	Figures map[string]float64 // losses of the first update, made by Start

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
}

// openMP is where Debian puts the OpenMP build of OpenBLAS.
const openMP = "/usr/lib/x86_64-linux-gnu/openblas-openmp"

// Start makes the first update of a size ("oyster", "metaworld") and algorithm ("pearl", "tcl-pearl", "maml", "rl2",
// "mql", "oracle") in the Python interpreter named python, which must have torch and numpy.
func Start(ctx context.Context, python, size, algorithm string, threads int) (*Process, error) {
	program, err := script(algorithm)
	if err != nil {
		return nil, err
	}
	return start(exec.CommandContext(ctx, python, "-c", program, "--size", size, "--algo", algorithm, "--threads",
		strconv.Itoa(threads)), variables(threads))
}

// StartGPU does the same on the first NVIDIA GPU: in PyTorch op by op ("torch"), as a CUDA graph ("torch-graph") or
// compiled ("torch-compile"), or in JAX ("jax"), with matrix products in TF32 on request.
func StartGPU(ctx context.Context, python, peer, size, algorithm string, tf32 bool) (*Process, error) {
	args := []string{"-c", problem + onGPU, "--mode", strings.TrimPrefix(strings.TrimPrefix(peer, "torch"), "-")}
	if peer == "jax" {
		args = []string{"-c", problem + inJAX}
	}
	args = append(args, "--size", size, "--algo", algorithm)
	if tf32 {
		args = append(args, "--tf32")
	}
	return start(exec.CommandContext(ctx, python, args...), nil)
}

func start(cmd *exec.Cmd, set []string) (*Process, error) {
	p := &Process{cmd: cmd}
	p.Set = set
	p.cmd.Env = append(os.Environ(), p.Set...)
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("torch: %w", err)
	}
	first := struct {
		*Environment
		Figures *map[string]float64 `json:"figures"`
	}{&p.Environment, &p.Figures}
	if err := p.read(&first); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// variables is the environment that makes PyTorch fast.
func variables(threads int) []string {
	v := []string{"OMP_NUM_THREADS=" + strconv.Itoa(threads), "OMP_WAIT_POLICY=PASSIVE"}
	switch features := cpu.Features(); {
	case slices.Contains(features, "avx512f"):
		v = append(v, "OPENBLAS_CORETYPE=SkylakeX")
	case slices.Contains(features, "avx2"):
		v = append(v, "OPENBLAS_CORETYPE=Haswell")
	}
	if _, err := os.Stat(openMP); err == nil {
		v = append(v, "LD_LIBRARY_PATH="+openMP)
	}
	return v
}

// Run makes n updates and returns the milliseconds each took, and those of processor time, all threads together.
func (p *Process) Run(n int) (ms, processor []float64, err error) {
	if _, err := fmt.Fprintln(p.in, n); err != nil {
		return nil, nil, p.failure(err)
	}
	var both [2][]float64
	if err := p.read(&both); err != nil {
		return nil, nil, err
	}
	return both[0], both[1], nil
}

// Burst makes at least n updates on the GPU without waiting between them, and returns the milliseconds per update. JAX
// makes them in scans of 64, so it makes up to 63 more.
func (p *Process) Burst(n int) (ms float64, err error) {
	if _, err := fmt.Fprintln(p.in, "burst", n); err != nil {
		return 0, p.failure(err)
	}
	return ms, p.read(&ms)
}

func (p *Process) read(v any) error {
	if !p.out.Scan() {
		err := p.out.Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return p.failure(err)
	}
	if err := json.Unmarshal(p.out.Bytes(), v); err != nil {
		return fmt.Errorf("torch: %w in %q", err, p.out.Text())
	}
	return nil
}

// failure says why the process does not answer: by its own last words where it has some.
func (p *Process) failure(err error) error {
	p.Close()
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Errorf("torch: %s: %s", p.cmd.Path, last)
	}
	return fmt.Errorf("torch: %s: %w", p.cmd.Path, err)
}

// Close ends the process.
func (p *Process) Close() error {
	p.in.Close()
	return p.cmd.Wait()
}
