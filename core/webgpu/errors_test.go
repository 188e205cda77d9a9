//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package webgpu_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/webgpu"
	"nacre/core/webgpu/fakewebgpu"
)

// use does everything a device is for, up to the first error.
func use(o webgpu.Options) error {
	d, err := webgpu.New(o)
	if err != nil {
		return err
	}
	p, err := coretest.Update()
	if err != nil {
		return err
	}
	mem, err := d.NewMemory(p.ParamSpecs())
	if err != nil {
		return err
	}
	r, err := d.Load(p, mem)
	if err != nil {
		return err
	}
	defer r.Close()
	for range 3 {
		if err := r.Run(); err != nil {
			return err
		}
	}
	return mem.Read("policy/b", make([]float64, 4))
}

// Whatever fails is an error with its fault and the words of who failed, and says that another device may be taken.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		set   map[string]int
		o     webgpu.Options
		fault webgpu.Fault
		says  string
	}{
		"none":          {},
		"no adapter":    {set: map[string]int{"adapters": 0}, fault: webgpu.NoDevice, says: "no adapter"},
		"not that many": {o: webgpu.Options{Ordinal: 1}, fault: webgpu.NoDevice, says: "number 1: there are 1"},
		"software": {set: map[string]int{"kind": 3}, o: webgpu.Options{Hardware: true},
			fault: webgpu.NoDevice, says: "--device webgpu:0"},
		"software, asked": {set: map[string]int{"kind": 3}},
		"no device":       {set: map[string]int{"refuse": 1}, fault: webgpu.NoDevice, says: "in use by another"},
		"few buffers": {set: map[string]int{"storage buffers": 4}, fault: webgpu.Limits,
			says: "maxStorageBuffersPerShaderStage is 4, want 6"},
		"no memory": {set: map[string]int{"memory": 2000}, fault: webgpu.NoMemory,
			says: "not enough memory left"},
		"no memory later":    {set: map[string]int{"memory": 60_000}, fault: webgpu.NoMemory, says: "MB for"},
		"a shader":           {set: map[string]int{"shader": 7}, fault: webgpu.Compiling, says: "expected ';'"},
		"nothing comes back": {set: map[string]int{"map": 1}, fault: webgpu.Launching, says: "cannot be mapped"},
		"lost at once": {set: map[string]int{"submits": 1}, fault: webgpu.LostGPU,
			says: "the driver was restarted"},
		"lost later": {set: map[string]int{"submits": 4}, fault: webgpu.LostGPU, says: "last checkpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			gpu := fakewebgpu.Use(t)
			for what, n := range c.set {
				gpu.Set(what, n)
			}
			err := use(c.o)
			if c.fault == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *webgpu.Error
			if !errors.As(err, &e) || e.Fault != c.fault || !strings.Contains(e.Detail, c.says) ||
				!errors.Is(err, core.ErrUnusable) {
				t.Errorf("error %v, want fault %q that says %q", err, c.fault, c.says)
			}
		})
	}
}

// What is no library for WebGPU, or not there.
func TestLibraries(t *testing.T) {
	text := []byte("int nothing;\n")
	t.Setenv(webgpu.EnvLibrary, fakewebgpu.Compile(t, text))
	var e *webgpu.Error
	if _, err := webgpu.New(webgpu.Options{}); !errors.As(err, &e) || e.Fault != webgpu.NoLibrary ||
		!strings.Contains(e.Detail, "no function wgpuCreateInstance") {
		t.Errorf("a library of something else: %v", err)
	}
	garbage := filepath.Join(t.TempDir(), "garbage.so")
	must(t, os.WriteFile(garbage, text, 0o644))
	t.Setenv(webgpu.EnvLibrary, garbage)
	if _, err := webgpu.New(webgpu.Options{}); !errors.As(err, &e) || e.Fault != webgpu.NoLibrary {
		t.Errorf("no library: %v", err)
	}
	t.Setenv(webgpu.EnvLibrary, filepath.Join(t.TempDir(), "none"))
	if _, err := webgpu.Adapters(); !errors.As(err, &e) || e.Fault != webgpu.NoLibrary ||
		!strings.Contains(e.Detail, "nacre setup --gpu") {
		t.Errorf("nothing there: %v", err)
	}
}
