//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/op"
)

// line is a program with a product, a generated kernel, a step and an average.
func line(t *testing.T) *core.Program {
	b := core.NewBuilder("line", 4)
	s := b.Stage("fit")
	w, c := s.Param("w", 33, 40), s.Param("c", 1, 40)
	s.Param("trail", 33, 40)
	y := s.Dense(s.Input("x", 64, 33), w, c, op.ReLU)
	loss := s.MeanAll(s.Square(s.Sub(y, s.Input("y", 64, 40))))
	s.Minimise(loss, core.DefaultAdam(0.01), w, c)
	s.Output("loss", loss)
	b.EMA("trail", "w", 0.1)
	p, err := b.Compile()
	must(t, err)
	return p
}

// use does everything a device is for, up to the first error.
func use(t *testing.T, o cuda.Options) error {
	d, err := cuda.New(o)
	if err != nil {
		return err
	}
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	if err != nil {
		return err
	}
	if err := mem.Write("w", make([]float64, 33*40)); err != nil {
		return err
	}
	r, err := d.Load(p, mem)
	if err != nil {
		return err
	}
	defer r.Close()
	for range 3 {
		if err := r.Write("x", make([]float32, 64*33)); err != nil {
			return err
		}
		if err := r.Run(); err != nil {
			return err
		}
		if err := r.Read64("loss", make([]float64, 1)); err != nil {
			return err
		}
	}
	return mem.Read("w.m", make([]float64, 33*40))
}

func wantStage(t *testing.T, what string, err error, stage cuda.Stage, text string) {
	t.Helper()
	var e *cuda.Error
	if !errors.As(err, &e) || e.Stage != stage || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v; want stage %q and %q", what, err, stage, text)
	}
}

// Every call of the driver, of NVRTC and of cuBLASLt may fail; the error names the stage and the call, and what had been
// allocated is given back.
func TestEveryCallFails(t *testing.T) {
	gpu := fakecuda.Use(t)
	must(t, use(t, cuda.Options{}))
	for call, stage := range map[string]cuda.Stage{
		"cuInit": cuda.NoDevice, "cuDeviceGetCount": cuda.NoDevice, "cuDeviceGet": cuda.NoDevice, "cuDevicePrimaryCtxRetain": cuda.NoDevice,
		"cuCtxSetCurrent": cuda.NoDevice, "cuDeviceGetName": cuda.NoDevice, "cuDeviceTotalMem_v2": cuda.NoDevice, "cuDeviceGetAttribute": cuda.NoDevice,
		"nvrtcVersion": cuda.NoNVRTC, "cuDriverGetVersion": cuda.OldDriver,
		"cuModuleLoadData": cuda.Compiling, "cuModuleGetFunction": cuda.Compiling,
		"cuMemAlloc_v2": cuda.NoMemory, "cuMemsetD32_v2": cuda.NoMemory, "cuMemHostAlloc": cuda.NoMemory,
		"cublasLtCreate": cuda.Products, "cublasLtMatmulDescCreate": cuda.Products, "cublasLtMatmulDescSetAttribute": cuda.Products,
		"cublasLtMatrixLayoutCreate": cuda.Products, "cublasLtMatmulPreferenceCreate": cuda.Products,
		"cublasLtMatmulPreferenceSetAttribute": cuda.Products, "cublasLtMatmulAlgoGetHeuristic": cuda.Products, "cublasLtMatmul": cuda.Products,
		"cuLaunchKernel": cuda.Launching, "cuStreamCreate": cuda.Launching, "cuStreamSynchronize": cuda.Launching, "cuEventCreate": cuda.Launching,
		"cuEventRecord": cuda.Launching, "cuStreamWaitEvent": cuda.Launching, "cuStreamBeginCapture_v2": cuda.Launching, "cuStreamEndCapture": cuda.Launching,
		"cuGraphInstantiateWithFlags": cuda.Launching, "cuGraphLaunch": cuda.Launching, "cuEventSynchronize": cuda.Launching,
		"cuMemcpyHtoD_v2": cuda.Launching, "cuMemcpyDtoH_v2": cuda.Launching, "cuMemcpyHtoDAsync_v2": cuda.Launching, "cuMemcpyDtoHAsync_v2": cuda.Launching,
	} {
		failed := 0
		for after := 0; after < 3; after++ { // the first call of its kind, the second, the third
			gpu.Fail(call, after, 1)
			if err := use(t, cuda.Options{}); err != nil {
				failed++
				text := call
				if stage == cuda.NoNVRTC || stage == cuda.OldDriver {
					text = "want"
				}
				wantStage(t, call, err, stage, text)
			}
		}
		if failed == 0 {
			t.Errorf("%s is never called, or its failure is not noticed", call)
		}
	}
}

func TestMissingAndOld(t *testing.T) {
	gpu := fakecuda.Use(t)
	gpu.Versions(11080, 13, 130002)
	wantStage(t, "driver of CUDA 11.8", use(t, cuda.Options{}), cuda.OldDriver, "CUDA 11.8, want 12.0")
	gpu.Versions(13000, 11, 130002)
	wantStage(t, "NVRTC 11", use(t, cuda.Options{}), cuda.NoNVRTC, "version 11.0")
	gpu.Versions(13000, 13, 110000)
	wantStage(t, "cuBLASLt 11", use(t, cuda.Options{}), cuda.Products, "version 110000")
	gpu.Versions(13000, 13, 130002)
	gpu.Devices(0)
	wantStage(t, "no GPU", use(t, cuda.Options{}), cuda.NoDevice, "cuInit: CUDA_ERROR_NO_DEVICE (100)")
	gpu.Devices(1)
	wantStage(t, "second GPU of one", use(t, cuda.Options{Ordinal: 1}), cuda.NoDevice, "no GPU number 1: the driver has 1")

	for _, c := range []struct {
		library string
		stage   cuda.Stage
	}{{"libcublasLt.so.13", cuda.Products}, {"libnvrtc.so.13", cuda.NoNVRTC}, {"libcuda.so.1", cuda.NoLibrary}} {
		gpu := fakecuda.Use(t) // in a folder of its own, for what has been loaded once stays
		path := filepath.Join(gpu.Folder, c.library)
		must(t, os.Remove(path))
		wantStage(t, "no "+c.library, use(t, cuda.Options{}), c.stage, "was not found")
		must(t, os.WriteFile(path, []byte("not a library"), 0o644))
		wantStage(t, "garbage as "+c.library, use(t, cuda.Options{}), c.stage, c.library)
	}
	if err := use(t, cuda.Options{Products: "mkl"}); err == nil || !strings.Contains(err.Error(), `"mkl"`) {
		t.Errorf("products by mkl: %v", err)
	}
}

// Where memory ends, the error says for what it was asked, and everything is given back.
func TestOutOfMemory(t *testing.T) {
	gpu := fakecuda.Use(t)
	for _, c := range []struct {
		bytes uint64
		text  string
	}{{1000, "MB for parameters"}, {60_000, "CUDA_ERROR_OUT_OF_MEMORY"}, {1_000_000, "33.6 MB for matrix products"}} {
		gpu.Memory(c.bytes)
		wantStage(t, "little memory", use(t, cuda.Options{}), cuda.NoMemory, c.text)
	}
}

// A GPU that is lost stays lost: every later call says so, and closing what was on it is not an error.
func TestLost(t *testing.T) {
	gpu := fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	r, err := d.Load(p, mem)
	must(t, err)
	must(t, r.Run())
	gpu.Fail("cuEventSynchronize", 0, 700)
	wantStage(t, "read", r.Read64("loss", make([]float64, 1)), cuda.LostGPU, "CUDA_ERROR_ILLEGAL_ADDRESS (700)")
	gpu.Fail("nothing", 0, 0)
	wantStage(t, "run", r.Run(), cuda.LostGPU, "last checkpoint")
	wantStage(t, "parameters", mem.Read("w", make([]float64, 33*40)), cuda.LostGPU, "checkpoint")
	must(t, r.Close())
}

// Without an algorithm of cuBLASLt for a product our own kernel takes over.
func TestOwnProductsTakeOver(t *testing.T) {
	gpu := fakecuda.Use(t)
	gpu.Products(false)
	must(t, use(t, cuda.Options{}))
}

// Everything that was allocated is given back when programs are closed, but for the parameters.
func TestClose(t *testing.T) {
	gpu := fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	before := gpu.InUse()
	r, err := d.Load(p, mem)
	must(t, err)
	must(t, r.Run())
	must(t, r.Close())
	must(t, r.Close())
	if r.Run() == nil || gpu.InUse() != before {
		t.Errorf("closed; %d bytes in use, %d before loading", gpu.InUse(), before)
	}
	runtime.KeepAlive(mem)
}

func TestWrongUse(t *testing.T) {
	fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	r, err := d.Load(p, mem)
	must(t, err)
	defer r.Close()
	other, err := d.NewMemory([]core.ParamSpec{{Name: "w", Rows: 4, Cols: 3}})
	must(t, err)
	_, otherErr := d.Load(p, other)
	_, twice := d.NewMemory([]core.ParamSpec{{Name: "w", Rows: 1, Cols: 1}, {Name: "w", Rows: 1, Cols: 1}})
	_, empty := d.NewMemory([]core.ParamSpec{{Name: "w", Rows: 0, Cols: 1}})
	for _, c := range []struct {
		err  error
		want string
	}{
		{r.Write64("x", make([]float64, 5)), "64×33"}, {r.Write("z", nil), `no input "z"`}, {r.Read("z", nil), `no output "z"`},
		{mem.Read("v", nil), `no entry "v"`}, {mem.Write("w.x", make([]float64, 12)), `no entry "w.x"`}, {mem.Write("w.m", make([]float64, 1)), "1320"},
		{otherErr, `"c" 1×40`}, {twice, "twice"}, {empty, "0×1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}
