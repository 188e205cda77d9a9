//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package webgpu_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/webgpu"
)

// library compiles one from C.
func library(t *testing.T, source string) (file string) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("not tested: there is no C compiler to build the stand-in with")
	}
	file = filepath.Join(t.TempDir(), "library.so")
	if out, err := exec.Command("cc", "-std=gnu11", "-shared", "-fPIC", "-o", file, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// standin makes the package load the stand-in, with a state of its own, and tells it what fails.
func standin(t *testing.T, file string, how map[string]int) {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	own := filepath.Join(t.TempDir(), "standin.so")
	must(t, os.WriteFile(own, text, 0o755))
	t.Setenv(webgpu.EnvLibrary, own)
	h, err := purego.Dlopen(own, purego.RTLD_NOW|purego.RTLD_LOCAL)
	must(t, err)
	reset, err := purego.Dlsym(h, "standin_reset")
	must(t, err)
	set, err := purego.Dlsym(h, "standin_set")
	must(t, err)
	purego.SyscallN(reset)
	for what, n := range how {
		name := append([]byte(what), 0)
		purego.SyscallN(set, uintptr(unsafe.Pointer(&name[0])), uintptr(n))
	}
}

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
	file := library(t, "testdata/standin.c")
	for name, c := range map[string]struct {
		set   map[string]int
		o     webgpu.Options
		fault webgpu.Fault
		says  string
	}{
		"none":               {},
		"no adapter":         {set: map[string]int{"adapters": 0}, fault: webgpu.NoDevice, says: "no adapter"},
		"not that many":      {o: webgpu.Options{Ordinal: 1}, fault: webgpu.NoDevice, says: "number 1: there are 1"},
		"software":           {set: map[string]int{"kind": 3}, o: webgpu.Options{Hardware: true}, fault: webgpu.NoDevice, says: "--device webgpu:0"},
		"software, asked":    {set: map[string]int{"kind": 3}},
		"no device":          {set: map[string]int{"refuse": 1}, fault: webgpu.NoDevice, says: "in use by another"},
		"few buffers":        {set: map[string]int{"storage buffers": 4}, fault: webgpu.Limits, says: "4 storage buffers of a kernel, want 6"},
		"no memory":          {set: map[string]int{"memory": 2000}, fault: webgpu.NoMemory, says: "not enough memory left"},
		"no memory later":    {set: map[string]int{"memory": 60_000}, fault: webgpu.NoMemory, says: "MB for"},
		"a shader":           {set: map[string]int{"shader": 7}, fault: webgpu.Compiling, says: "expected ';'"},
		"nothing comes back": {set: map[string]int{"map": 1}, fault: webgpu.Launching, says: "cannot be mapped"},
		"lost at once":       {set: map[string]int{"submits": 1}, fault: webgpu.LostGPU, says: "the driver was restarted"},
		"lost later":         {set: map[string]int{"submits": 4}, fault: webgpu.LostGPU, says: "last checkpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			standin(t, file, c.set)
			err := use(c.o)
			if c.fault == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *webgpu.Error
			if !errors.As(err, &e) || e.Fault != c.fault || !strings.Contains(e.Detail, c.says) || !errors.Is(err, core.ErrUnusable) {
				t.Errorf("error %v, want fault %q that says %q", err, c.fault, c.says)
			}
		})
	}
}

// What is no library for WebGPU, or not there.
func TestLibraries(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(empty, []byte("int nothing;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(webgpu.EnvLibrary, library(t, empty))
	var e *webgpu.Error
	if _, err := webgpu.New(webgpu.Options{}); !errors.As(err, &e) || e.Fault != webgpu.NoLibrary || !strings.Contains(e.Detail, "no function wgpuCreateInstance") {
		t.Errorf("a library of something else: %v", err)
	}
	t.Setenv(webgpu.EnvLibrary, empty)
	if _, err := webgpu.New(webgpu.Options{}); !errors.As(err, &e) || e.Fault != webgpu.NoLibrary {
		t.Errorf("no library: %v", err)
	}
	t.Setenv(webgpu.EnvLibrary, filepath.Join(t.TempDir(), "none"))
	if _, err := webgpu.Adapters(); !errors.As(err, &e) || e.Fault != webgpu.NoLibrary || !strings.Contains(e.Detail, "nacre setup --gpu") {
		t.Errorf("nothing there: %v", err)
	}
}
