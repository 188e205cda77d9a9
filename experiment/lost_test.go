//go:build linux && (amd64 || arm64) && !nogpu

package experiment

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"nacre/core/webgpu"
	"nacre/core/webgpu/fakewebgpu"
	"nacre/experiment/progress"
	"nacre/internal/heavy"
)

// failing makes a device fail after some updates of a training.
type failing struct {
	progress.Progress
	left int
	fail func()
}

type failingStage struct {
	progress.Stage
	*failing
}

func (f *failing) Stage(name string, total int) progress.Stage {
	return failingStage{f.Progress.Stage(name, total), f}
}

func (f failingStage) Add(n int) {
	if f.left > 0 && f.left <= n {
		f.fail()
	}
	f.left -= n
}

// A device that fails in the middle of a training, whatever at, ends it by an error that names its stage; the last
// checkpoint stays, and from it the run goes on to where it had ended alone.
func TestDeviceFailsWhileTraining(t *testing.T) {
	heavy.Skip(t, "trains again for every failure")
	cfg := short(t, "tcl-pearl")
	if err := Change(&cfg, "pearl.iterations=3", "checkpoint_every=1"); err != nil {
		t.Fatal(err)
	}
	metrics := func(dir string) string {
		text, err := os.ReadFile(dir + "/" + MetricsFile)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	gpu := fakewebgpu.Use(t)
	start := func(t *testing.T) *Training {
		t.Helper()
		run, err := Start(t.TempDir()+"/run", cfg, Host{Workers: 1, Device: "webgpu"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { run.Close() })
		return run
	}
	alone := start(t)
	if err := alone.Train(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		set   string
		n     int
		fault webgpu.Fault
	}{
		"lost":              {"submits", 1, webgpu.LostGPU},
		"out of memory":     {"full", 1, webgpu.NoMemory},
		"nothing comes":     {"map", 1, webgpu.Launching},
		"not at this place": {"", 0, ""},
	} {
		t.Run(what, func(t *testing.T) {
			run := start(t)
			err := run.Train(context.Background(), &failing{progress.Silent(), 6, func() { gpu.Set(c.set, c.n) }})
			var e *webgpu.Error
			if errors.As(err, &e); (e == nil) != (c.fault == "") ||
				e != nil && (e.Fault != c.fault || !strings.Contains(err.Error(), "keeps the last checkpoint")) {
				t.Fatalf("after %d updates: %v", run.Updates(), err)
			}
			if e == nil {
				return
			}
			if run.Updates() >= alone.Updates() {
				t.Errorf("failed after %d of %d updates", run.Updates(), alone.Updates())
			}
			if err := run.Close(); err != nil {
				t.Error(err)
			}
			gpu.Set("map", 0)
			for _, refused := range []struct {
				set      string
				n, usual int
				fault    webgpu.Fault
			}{
				{"adapters", 0, 1, webgpu.NoDevice}, {"refuse", 1, 0, webgpu.NoDevice},
				{"storage buffers", 4, 10, webgpu.Limits},
				{"shader", 9, 0, webgpu.Compiling}, {"memory", 9000, 1 << 40, webgpu.NoMemory},
			} {
				gpu.Set(refused.set, refused.n)
				if _, _, err := Resume(run.Dir(), Host{Workers: 1}); !errors.As(err, &e) || e.Fault != refused.fault {
					t.Errorf("resuming with %s %d: %v", refused.set, refused.n, err)
				}
				gpu.Set(refused.set, refused.usual)
			}
			again, _, err := Resume(run.Dir(), Host{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if !strings.HasPrefix(again.Device(), "webgpu:0/") ||
				!strings.Contains(again.Found(), "after 1 of 3 iterations") {
				t.Errorf("resumed on %s from %s", again.Device(), again.Found())
			}
			if err := again.Train(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			if got, want := metrics(again.Dir()), metrics(alone.Dir()); got != want {
				t.Errorf("the resumed run's metrics:\n%s\nalone:\n%s", got, want)
			}
		})
	}
}
