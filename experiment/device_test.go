//go:build linux && (amd64 || arm64) && !nogpu

package experiment

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/experiment/progress"
)

// short is a run of every algorithm's that is over in seconds.
func short(t *testing.T, algorithm string) Config {
	t.Helper()
	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := Change(&cfg, "algorithm="+algorithm, "train_tasks=6", "test_tasks=2", "pearl.hidden=27", "pearl.layers=2", "pearl.encoder_hidden=20", "pearl.meta_batch=3", "pearl.batch=64",
		"pearl.iterations=2", "pearl.updates_per_iteration=4", "pearl.initial_steps=60", "pearl.tasks_per_iteration=2", "oracle.hidden=27", "oracle.iterations=1", "oracle.updates_per_iteration=3",
		"evaluation.protocol.explore=1", "evaluation.protocol.scored=1"); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Whole runs on a GPU, the stand-in for one: the network's weights are those of a run on the CPU but for rounding, the
// record names the device, and a run that is resumed without naming one goes on where it was.
func TestRunOnGPU(t *testing.T) {
	fakecuda.Use(t)
	for _, algorithm := range []string{"pearl", "tcl-pearl", "oracle"} {
		weights := map[string][]float64{}
		for _, device := range []string{"cpu", "cuda:1"} {
			dir := t.TempDir() + "/run"
			run, err := Start(dir, short(t, algorithm), Host{Workers: 1, Device: device})
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Train(context.Background(), progress.Silent()); err != nil {
				t.Fatal(err)
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
			if !strings.HasPrefix(again.Device(), "cuda:1/fp32 Fake H100 number 1") {
				t.Errorf("resumed on %s", again.Device())
			}
			again.Close()
			text, err := os.ReadFile(dir + "/" + ConfigFile)
			if err != nil || !strings.Contains(string(text), "driver 13.0, NVRTC 13.0, cuBLASLt 130002") {
				t.Errorf("the record lacks the libraries' versions: %v\n%s", err, text)
			}
		}
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
	gpu := fakecuda.Use(t)
	gpu.Versions(11040, 13, 130002)
	d, notice, err := OpenDevice(Host{Workers: 1, Device: "auto"})
	if err != nil || !strings.HasPrefix(d.Name(), "cpu/") || !strings.Contains(notice, "the driver speaks CUDA 11.4, want 12.0 or newer") {
		t.Errorf("auto: %v, notice %q, error %v", d, notice, err)
	}
	var e *cuda.Error
	if _, _, err = OpenDevice(Host{Workers: 1, Device: "cuda"}); !errors.As(err, &e) || e.Stage != cuda.OldDriver {
		t.Errorf("cuda: error %v", err)
	}
	gpu.Versions(13000, 13, 130002)
	if d, notice, err = OpenDevice(Host{Workers: 1, Device: "auto"}); err != nil || notice != "" || !strings.HasPrefix(d.Name(), "cuda:0/fp32") {
		t.Errorf("auto with a GPU: %v, notice %q, error %v", d, notice, err)
	}
	for _, name := range []string{"gpu", "cuda:-1", "cuda:x", "CUDA"} {
		if _, err := CheckDevice(name); err == nil {
			t.Errorf("%q is a device", name)
		}
	}
}
