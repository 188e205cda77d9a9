//go:build linux && (amd64 || arm64) && !nogpu

// Package fakecuda replaces an NVIDIA GPU in tests. Its library, in plain C and compiled by the system's compiler,
// replaces the driver, NVRTC and cuBLASLt. It checks the arguments of every call and really computes: it compiles the
// text of the kernels as C. So whole programs run through the executor of package cuda.
//
//	gpu := fakecuda.Use(t)
//	dev, err := cuda.New(cuda.Options{})
//	gpu.Order(1) // lanes, blocks and branches run backwards from now on
//	...
//	gpu.Fail("cuGraphLaunch", 0, 700)
package fakecuda

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"nacre/core/cuda"
)

//go:embed testdata/fake.c
var text []byte

// GPU controls the fake.
type GPU struct {
	Folder string // folder of the three libraries
	handle uintptr
}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fakecuda")
	if err != nil {
		return "", err
	}
	source := filepath.Join(dir, "fake.c")
	if err := os.WriteFile(source, text, 0o644); err != nil {
		return "", err
	}
	out, err := exec.Command("cc", "-std=gnu11", "-O3", "-march=native", "-shared", "-fPIC", "-o",
		filepath.Join(dir, "fake.so"), source, "-lm", "-ldl", "-lpthread").CombinedOutput()
	if err != nil {
		return "", &buildError{string(out), err}
	}
	return dir, nil
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + ": " + e.out }

// Use makes package cuda find the fake until the test ends. The test is skipped if there is no C compiler. It fails at
// its end if the fake has found a mistake in the use of the driver.
func Use(t testing.TB) *GPU {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler to build the stand-in for a GPU with: install gcc or clang")
	}
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	g := &GPU{Folder: t.TempDir()}
	for _, name := range []string{"libcuda.so.1", "libnvrtc.so.13", "libcublasLt.so.13"} {
		if err := os.Symlink(filepath.Join(dir, "fake.so"), filepath.Join(g.Folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(cuda.EnvLibraries, g.Folder)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if g.handle, err = purego.Dlopen(filepath.Join(dir, "fake.so"), purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
		t.Fatal(err)
	}
	// The fake reads its own environment, which os.Setenv does not reach without cgo.
	folder := append([]byte(g.Folder), 0)
	g.call("fake_folder", uintptr(unsafe.Pointer(&folder[0])))
	g.call("fake_reset")
	t.Cleanup(func() {
		if n := g.Mistakes(); n > 0 {
			t.Errorf("the driver was used wrongly %d times, see above", n)
		}
	})
	return g
}

//go:uintptrescapes
func (g *GPU) call(name string, args ...uintptr) uintptr {
	f, err := purego.Dlsym(g.handle, name)
	if err != nil {
		panic(err)
	}
	r, _, _ := purego.SyscallN(f, args...)
	return r
}

// Order sets the order in which lanes, blocks and the operations of a graph run, as far as the order is free: 0 as
// given, 1 backwards, from 2 on shuffled.
func (g *GPU) Order(n int) { g.call("fake_order", uintptr(n)) }

// Fail makes calls of a function return a code, after a number of calls have worked.
func (g *GPU) Fail(name string, after, code int) {
	text := append([]byte(name), 0)
	g.call("fake_fail", uintptr(unsafe.Pointer(&text[0])), uintptr(after), uintptr(code))
}

// Versions sets the versions of driver (13000 is 13.0), NVRTC (13) and cuBLASLt (130002).
func (g *GPU) Versions(driver, nvrtc, lt int) {
	g.call("fake_versions", uintptr(driver), uintptr(nvrtc), uintptr(lt))
}

// Devices sets how many GPUs there are.
func (g *GPU) Devices(n int) { g.call("fake_devices", uintptr(n)) }

// Memory sets how many bytes each GPU has from now on, regardless of earlier allocations.
func (g *GPU) Memory(n uint64) { g.call("fake_limit", uintptr(n)) }

// Products sets whether cuBLASLt has an algorithm for the products it is asked for.
func (g *GPU) Products(yes bool) {
	n := uintptr(0)
	if yes {
		n = 1
	}
	g.call("fake_supports", n)
}

// Refuses makes the first n of the three algorithms that cuBLASLt proposes for a product fail when they are run.
func (g *GPU) Refuses(n int) { g.call("fake_refuses", uintptr(n)) }

// Batches sets whether cuBLASLt can make products of several matrices at once.
func (g *GPU) Batches(yes bool) {
	n := uintptr(0)
	if yes {
		n = 1
	}
	g.call("fake_batches", n)
}

// Speed sets the time that one of the three algorithms proposed for a product takes, in µs.
func (g *GPU) Speed(algorithm, us int) { g.call("fake_speed", uintptr(algorithm), uintptr(us)) }

// Pause makes every recording of a graph last a number of milliseconds, so that other goroutines act meanwhile. Calls
// that a driver may refuse during a recording count as mistakes.
func (g *GPU) Pause(ms int) { g.call("fake_pause", uintptr(ms)) }

// Lined counts the kernels that were compiled with line numbers, which refer to a source file. The fake also checks
// that this file holds the kernel's text.
func (g *GPU) Lined() int { return int(g.call("fake_lined")) }

// Forget makes every thread forget its chosen GPU, as at the start.
func (g *GPU) Forget() { g.call("fake_forget") }

// Mistakes counts calls with wrong arguments.
func (g *GPU) Mistakes() int { return int(g.call("fake_mistakes")) }

// InUse counts the bytes that were allocated since Use or Memory and that are not freed.
func (g *GPU) InUse() int { return int(g.call("fake_in_use")) }
