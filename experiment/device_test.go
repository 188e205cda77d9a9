//go:build linux && (amd64 || arm64) && !nogpu

package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/webgpu"
	"nacre/experiment/progress"
	"nacre/internal/heavy"
	"nacre/rl"
)

// short is a run of every algorithm's that is over in seconds.
func short(t *testing.T, algorithm string) Config {
	t.Helper()
	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Algorithm = algorithm
	settings := map[string][]string{
		"oracle": {"oracle.hidden=27", "oracle.iterations=1", "oracle.updates_per_iteration=3"},
		"mql": {"mql.hidden=27", "mql.context=5", "mql.history=4", "mql.batch=64", "mql.iterations=2",
			"mql.updates_per_iteration=5", "mql.warmup_transitions=0", "mql.min_initial_steps=100",
			"mql.initial_steps=20", "mql.adapt_updates=3", "mql.replay_updates=3"},
		"pearl": {"pearl.hidden=27", "pearl.layers=2", "pearl.encoder_hidden=20", "pearl.meta_batch=3",
			"pearl.batch=64",
			"pearl.iterations=2", "pearl.updates_per_iteration=4", "pearl.initial_steps=60",
			"pearl.tasks_per_iteration=2"},
	}
	settings["tcl-pearl"] = settings["pearl"]
	settings[algorithm] = append(settings[algorithm], "train_tasks=6", "test_tasks=2", "evaluation.protocol.explore=1",
		"evaluation.protocol.scored=1")
	if err := Change(&cfg, settings[algorithm]...); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// onGPU runs a test on the stand-in for an NVIDIA GPU, and on the first adapter of WebGPU.
func onGPU(t *testing.T, test func(t *testing.T, device string)) {
	t.Helper()
	heavy.Skip(t, "trains on what computes for a GPU on the processor")
	t.Run("cuda", func(t *testing.T) {
		fakecuda.Use(t)
		test(t, "cuda")
	})
	t.Run("webgpu", func(t *testing.T) {
		if _, _, err := OpenDevice(Host{Workers: 1, Device: "webgpu"}); errors.Is(err, core.ErrUnusable) {
			t.Skipf("not tested: %v", err)
		}
		test(t, "webgpu")
	})
}

// Whole runs on a GPU: the network's weights are those of a run on the CPU but for rounding, the
// record names the device, and a run that is resumed without naming one goes on where it was.
func TestRunOnGPU(t *testing.T) { onGPU(t, runOnGPU) }

func runOnGPU(t *testing.T, gpu string) {
	name := map[string]string{"cuda": "cuda:1/fp32 Fake H100 number 1", "webgpu": "webgpu:0/fp32 "}[gpu]
	libraries := map[string]string{"cuda": "driver 13.0, NVRTC 13.0, cuBLASLt 130002", "webgpu": "WebGPU by "}[gpu]
	algorithms := []string{"tcl-pearl", "mql"} // a device compiles its kernels again for every run
	if gpu == "cuda" {
		gpu, algorithms = "cuda:1", append(algorithms, "pearl", "oracle")
	}
	for _, algorithm := range algorithms {
		weights := map[string][]float64{}
		for _, device := range []string{"cpu", gpu} {
			dir := t.TempDir() + "/run"
			run, err := Start(dir, short(t, algorithm), Host{Workers: 1, Device: device})
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Train(context.Background(), progress.Silent()); err != nil {
				t.Fatal(err)
			}
			if b, ok := run.Learner.(rl.Bulk); !ok || (b.Chunk() > 1) != (device != "cpu") {
				t.Errorf("%s on %s: updates are made one by one, or not", algorithm, device)
			}
			mem := run.Learner.Memory()
			for _, s := range mem.Params() {
				x := make([]float64, s.Rows*s.Cols)
				if err := mem.Read(s.Name, x); err != nil {
					t.Fatal(err)
				}
				if device == "cpu" {
					weights[s.Name] = x
				} else if d := farthest(x, weights[s.Name]); !(d <= 5e-3) {
					t.Errorf("%s: %s is off by %.1e", algorithm, s.Name, d)
				}
			}
			if err := run.Close(); err != nil {
				t.Fatal(err)
			}
			if device == "cpu" {
				continue
			}
			again, _, err := Resume(dir, Host{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(again.Device(), name) {
				t.Errorf("resumed on %s", again.Device())
			}
			again.Close()
			text, err := os.ReadFile(dir + "/" + ConfigFile)
			if err != nil || !strings.Contains(string(text), libraries) {
				t.Errorf("the record lacks the libraries' versions: %v\n%s", err, text)
			}
		}
	}
}

// stopper cancels a run when so many updates are made.
type stopper struct {
	progress.Progress
	left   int
	cancel context.CancelFunc
}

type stopping struct {
	progress.Stage
	*stopper
}

func (s *stopper) Stage(name string, total int) progress.Stage {
	return stopping{s.Progress.Stage(name, total), s}
}

func (s stopping) Add(n int) {
	if s.left -= n; s.left <= 0 {
		s.cancel()
	}
}

// A run that is stopped within an iteration, whose updates the GPU makes many at a time, stops after those it has been
// given, and a resumed run ends with the bits of one that was left alone: parameters, the optimiser's state, metrics.
func TestInterruptOnGPU(t *testing.T) { onGPU(t, interruptOnGPU) }

func interruptOnGPU(t *testing.T, gpu string) {
	cfg := short(t, "tcl-pearl")
	if err := Change(&cfg, "pearl.updates_per_iteration=66", "pearl.collect_ahead=true"); err != nil {
		t.Fatal(err)
	}
	host := Host{Workers: 1, Device: gpu}
	end := map[string]map[string]string{}
	for _, stop := range []int{0, 20} {
		dir := t.TempDir() + "/run"
		run, err := Start(dir, cfg, host)
		if err != nil {
			t.Fatal(err)
		}
		if stop > 0 {
			ctx, cancel := context.WithCancel(context.Background())
			if err := run.Train(ctx, &stopper{progress.Silent(), stop, cancel}); !errors.Is(err, context.Canceled) ||
				run.Updates() != 64 {
				t.Fatalf("stopped after %d updates: %v", run.Updates(), err)
			}
			if err := run.Close(); err != nil {
				t.Fatal(err)
			}
			if run, _, err = Resume(dir, host); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.Train(context.Background(), progress.Silent()); err != nil {
			t.Fatal(err)
		}
		left := bits(t, run)
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(dir + "/" + MetricsFile)
		if err != nil {
			t.Fatal(err)
		}
		left[MetricsFile] = string(text)
		end[fmt.Sprint(stop)] = left
	}
	for name, want := range end["0"] {
		if end["20"][name] != want {
			t.Errorf("%s is another after a stop", name)
		}
	}
}

// bits is everything in a run's memory, by entry.
func bits(t *testing.T, run *Training) map[string]string {
	t.Helper()
	out := map[string]string{}
	mem := run.Learner.Memory()
	for _, s := range mem.Params() {
		for suffix, n := range map[string]int{"": s.Rows * s.Cols, ".m": s.Rows * s.Cols, ".v": s.Rows * s.Cols,
			".t": 1} {
			x := make([]float64, n)
			if err := mem.Read(s.Name+suffix, x); err != nil {
				t.Fatal(err)
			}
			out[s.Name+suffix] = fmt.Sprint(x)
		}
	}
	return out
}

// Runs with two seeds at the same time on one GPU end with the bits of each by itself.
func TestSideBySideOnGPU(t *testing.T) {
	heavy.Skip(t, "trains on what computes for a GPU on the processor")
	fakecuda.Use(t)
	start := func(seed int) *Training {
		cfg := short(t, "pearl")
		cfg.Seed += uint64(seed)
		run, err := Start(t.TempDir()+"/run", cfg, Host{Workers: 1, Device: "cuda"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { run.Close() })
		return run
	}
	var together []*Training
	var all sync.WaitGroup
	errs := make([]error, 2)
	for seed := range errs {
		together = append(together, start(seed))
		all.Go(func() { errs[seed] = together[seed].Train(context.Background(), progress.Silent()) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for seed, run := range together {
		alone := start(seed)
		if err := alone.Train(context.Background(), progress.Silent()); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(bits(t, run), bits(t, alone)) {
			t.Errorf("seed %d is another run beside one more", seed)
		}
	}
	if maps.Equal(bits(t, together[0]), bits(t, together[1])) {
		t.Error("two seeds make one run")
	}
}

// farthest is the largest difference, relative to the largest weight.
func farthest(got, want []float64) float64 {
	largest, d := 1e-3, 0.0
	for i, w := range want {
		largest, d = max(largest, math.Abs(w)), max(d, math.Abs(got[i]-w))
	}
	return d / largest
}

// Without a usable GPU "auto" is the CPU with a notice that says why, and "cuda" is an error.
func TestDeviceFallsBack(t *testing.T) {
	heavy.Skip(t, "trains again for every failure")
	gpu := fakecuda.Use(t)
	t.Setenv(webgpu.EnvLibrary, t.TempDir()+"/none")
	gpu.Versions(11040, 13, 130002)
	d, notice, err := OpenDevice(Host{Workers: 1, Device: "auto"})
	if err != nil || !strings.HasPrefix(d.Name(), "cpu/") ||
		!strings.Contains(notice, "the driver speaks CUDA 11.4, want 12.0 or newer") {
		t.Errorf("auto: %v, notice %q, error %v", d, notice, err)
	}
	var e *cuda.Error
	if _, _, err = OpenDevice(Host{Workers: 1, Device: "cuda"}); !errors.As(err, &e) || e.Fault != cuda.OldDriver {
		t.Errorf("cuda: error %v", err)
	}
	gpu.Versions(13000, 13, 130002)
	if d, notice, err = OpenDevice(Host{Workers: 1, Device: "auto"}); err != nil || notice != "" ||
		!strings.HasPrefix(d.Name(), "cuda:0/fp32") {
		t.Errorf("auto with a GPU: %v, notice %q, error %v", d, notice, err)
	}
}

// Runs of several seeds whose updates are one program end with the weights, the optimiser's state and the metrics of
// runs by themselves, bit for bit, also where one is stopped in between.
func TestSeedsTogether(t *testing.T) {
	heavy.Skip(t, "trains several seeds together and apart")
	fakecuda.Use(t)
	const seeds = 3
	entries := func(run *Training) map[string][]float64 {
		out := map[string][]float64{}
		mem := run.Learner.Memory()
		for _, s := range mem.Params() {
			for _, suffix := range []string{"", ".m", ".v"} {
				x := make([]float64, s.Rows*s.Cols)
				if err := mem.Read(s.Name+suffix, x); err != nil {
					t.Error(err)
				}
				out[s.Name+suffix] = x
			}
		}
		return out
	}
	for _, algorithm := range []string{"pearl", "tcl-pearl"} {
		host, err := Host{Workers: 1, Device: "cuda"}.Together(seeds)
		if err != nil {
			t.Fatal(err)
		}
		open := func(seed int, host Host) *Training {
			cfg := short(t, algorithm)
			cfg.Seed += uint64(seed)
			run, err := Start(t.TempDir()+"/run", cfg, host)
			if err != nil {
				t.Fatal(err)
			}
			return run
		}
		runs, got := make([]*Training, seeds), make([]map[string][]float64, seeds)
		for i := range runs {
			runs[i] = open(i, host)
		}
		var all sync.WaitGroup
		for i, run := range runs {
			all.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if i == seeds-1 {
					run.Train(ctx, &stopper{progress.Silent(), 3, cancel})
				} else if err := run.Train(ctx, progress.Silent()); err != nil {
					t.Error(err)
				}
				got[i] = entries(run)
				if err := run.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i := range seeds - 1 {
			run := open(i, Host{Workers: 1, Device: "cuda"})
			if err := run.Train(context.Background(), progress.Silent()); err != nil {
				t.Fatal(err)
			}
			for entry, want := range entries(run) {
				if !slices.Equal(got[i][entry], want) {
					t.Errorf("%s, seed %d: %s is another than alone", algorithm, i, entry)
				}
			}
			run.Close()
		}
	}
}
