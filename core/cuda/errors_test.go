//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/feed"
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
	if err := mem.Read("w.m", make([]float64, 33*40)); err != nil {
		return err
	}
	return useFeed(d, p, mem)
}

// useFeed does everything a feed is for, up to the first error.
func useFeed(d core.Device, p *core.Program, mem core.Memory) error {
	plan := feed.Recipe{Obs: 33, Act: 40, Tasks: 2, Slots: 1, Choose: feed.WithoutReplacement, Stores: 1, Capacity: 100,
		Draws: []feed.Draw{{Kind: feed.Window, N: 64}}, Noise: []feed.Noise{{Input: "y", N: 64 * 40}},
		Fills: []feed.Fill{{Input: "x", Field: feed.Obs}}}
	f, err := d.(feed.Device).NewFeed(mem, plan)
	if err != nil {
		return err
	}
	defer f.Close()
	for task := range 2 {
		if err := f.Put(0, task, 0, make([]float32, 70*plan.Stride())); err != nil {
			return err
		}
		if err := f.Set(0, task, feed.Ring{Length: 70, Spans: []feed.Span{{First: 0, N: 70}}}); err != nil {
			return err
		}
	}
	if err := f.Begin(1, 2, 0); err != nil {
		return err
	}
	r, err := f.Load(p, []string{"loss"})
	if err != nil {
		return err
	}
	defer r.Close()
	for range 3 { // the third time both buffers are on their way
		if err := r.Run(); err != nil {
			return err
		}
		if _, err := f.Records(false); err != nil {
			return err
		}
	}
	if err := r.Read("loss", make([]float32, 1)); err != nil {
		return err
	}
	_, err = f.Records(true)
	return err
}

func wantFault(t *testing.T, what string, err error, fault cuda.Fault, text string) {
	t.Helper()
	var e *cuda.Error
	if !errors.As(err, &e) || e.Fault != fault || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v; want fault %q and %q", what, err, fault, text)
	}
}

// Every call of the driver, of NVRTC and of cuBLASLt may fail; the error names the fault and the call, and what had
// been allocated is given back.
func TestEveryCallFails(t *testing.T) {
	gpu := fakecuda.Use(t)
	must(t, use(t, cuda.Options{}))
	for call, fault := range map[string]cuda.Fault{
		"cuInit": cuda.NoDevice, "cuDeviceGetCount": cuda.NoDevice, "cuDeviceGet": cuda.NoDevice,
		"cuDevicePrimaryCtxRetain": cuda.NoDevice,
		"cuCtxSetCurrent":          cuda.NoDevice, "cuDeviceGetName": cuda.NoDevice,
		"cuDeviceTotalMem_v2":  cuda.NoDevice,
		"cuDeviceGetAttribute": cuda.NoDevice,
		"nvrtcVersion":         cuda.NoNVRTC, "cuDriverGetVersion": cuda.OldDriver,
		"cuModuleLoadData": cuda.Compiling, "cuModuleGetFunction": cuda.Compiling, "cuFuncLoad": cuda.Compiling,
		"cuMemAlloc_v2": cuda.NoMemory, "cuMemsetD32_v2": cuda.NoMemory, "cuMemHostAlloc": cuda.NoMemory,
		"cublasLtCreate": cuda.Products, "cublasLtMatmulDescCreate": cuda.Products,
		"cublasLtMatmulDescSetAttribute": cuda.Products,
		"cublasLtMatrixLayoutCreate":     cuda.Products, "cublasLtMatmulPreferenceCreate": cuda.Products,
		"cublasLtMatmulPreferenceSetAttribute": cuda.Products, "cublasLtMatmulAlgoGetHeuristic": cuda.Products,
		"cublasLtMatmul": cuda.Products,
		"cuLaunchKernel": cuda.Launching, "cuStreamCreate": cuda.Launching, "cuStreamSynchronize": cuda.Launching,
		"cuEventCreate": cuda.Launching,
		"cuEventRecord": cuda.Launching, "cuStreamWaitEvent": cuda.Launching, "cuStreamBeginCapture_v2": cuda.Launching,
		"cuStreamEndCapture":          cuda.Launching,
		"cuGraphInstantiateWithFlags": cuda.Launching, "cuGraphLaunch": cuda.Launching,
		"cuEventSynchronize": cuda.Launching,
		"cuMemcpyHtoD_v2":    cuda.Launching, "cuMemcpyDtoH_v2": cuda.Launching, "cuMemcpyHtoDAsync_v2": cuda.Launching,
		"cuMemcpyDtoHAsync_v2": cuda.Launching,
		"cuEventQuery":         cuda.Launching,
	} {
		failed := 0
		// the first call of its kind, the second, … and where a feed's are
		places := []int{0, 1, 7, 2, 4, 11, 16, 22}
		if testing.Short() {
			places = places[:3]
		}
		for _, after := range places {
			gpu.Fail(call, after, 1)
			if err := use(t, cuda.Options{}); err != nil {
				failed++
				text := call
				if fault == cuda.NoNVRTC || fault == cuda.OldDriver {
					text = "want"
				}
				wantFault(t, call, err, fault, text)
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
	wantFault(t, "driver of CUDA 11.8", use(t, cuda.Options{}), cuda.OldDriver, "CUDA 11.8, want 12.0")
	gpu.Versions(13000, 11, 130002)
	wantFault(t, "NVRTC 11", use(t, cuda.Options{}), cuda.NoNVRTC, "version 11.0")
	gpu.Versions(13000, 13, 110000)
	wantFault(t, "cuBLASLt 11", use(t, cuda.Options{}), cuda.Products, "version 110000")
	gpu.Versions(13000, 13, 130002)
	gpu.Devices(0)
	wantFault(t, "no GPU", use(t, cuda.Options{}), cuda.NoDevice, "cuInit: CUDA_ERROR_NO_DEVICE (100)")
	gpu.Devices(1)
	wantFault(t, "second GPU of one", use(t, cuda.Options{Ordinal: 1}), cuda.NoDevice,
		"no GPU number 1: the driver has 1")

	for _, c := range []struct {
		library string
		fault   cuda.Fault
	}{{"libcublasLt.so.13", cuda.Products}, {"libnvrtc.so.13", cuda.NoNVRTC}, {"libcuda.so.1", cuda.NoLibrary}} {
		gpu := fakecuda.Use(t) // in a folder of its own, for what has been loaded once stays
		path := filepath.Join(gpu.Folder, c.library)
		must(t, os.Remove(path))
		wantFault(t, "no "+c.library, use(t, cuda.Options{}), c.fault, "was not found")
		must(t, os.WriteFile(path, []byte("not a library"), 0o644))
		wantFault(t, "garbage as "+c.library, use(t, cuda.Options{}), c.fault, c.library)
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
		wantFault(t, "little memory", use(t, cuda.Options{}), cuda.NoMemory, c.text)
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
	wantFault(t, "read", r.Read64("loss", make([]float64, 1)), cuda.LostGPU, "CUDA_ERROR_ILLEGAL_ADDRESS (700)")
	gpu.Fail("nothing", 0, 0)
	wantFault(t, "run", r.Run(), cuda.LostGPU, "last checkpoint")
	wantFault(t, "parameters", mem.Read("w", make([]float64, 33*40)), cuda.LostGPU, "checkpoint")
	must(t, r.Close())
}

// Without an algorithm of cuBLASLt for a product our own kernel takes over.
func TestOwnProductsTakeOver(t *testing.T) {
	gpu := fakecuda.Use(t)
	gpu.Products(false)
	must(t, use(t, cuda.Options{}))
}

// Where an algorithm that cuBLASLt proposes fails when it is first run, its next one is taken, and where all do our own
// kernel; then the device says so.
func TestNextAlgorithm(t *testing.T) {
	gpu := fakecuda.Use(t)
	for refused, noticed := range map[int]bool{0: false, 1: false, 2: false, 3: true} {
		gpu.Refuses(refused)
		d := newDevice(t, cuda.Options{})
		p := line(t)
		mem, err := d.NewMemory(p.ParamSpecs())
		must(t, err)
		r, err := d.Load(p, mem)
		if err != nil {
			t.Errorf("%d algorithms refused: %v", refused, err)
			continue
		}
		must(t, r.Run())
		must(t, r.Read64("loss", make([]float64, 1)))
		must(t, r.Close())
		notices := d.(core.Described).Describe().Notices
		if (len(notices) > 0) != noticed || noticed && !strings.Contains(notices[0], "2 matrix products") {
			t.Errorf("%d algorithms refused: notices %q", refused, notices)
		}
	}
}

// While one program is recorded no other goroutine makes a call that could spoil the recording.
func TestNobodyDisturbsARecording(t *testing.T) {
	gpu := fakecuda.Use(t)
	gpu.Pause(5)
	p := line(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				d, err := cuda.New(cuda.Options{})
				var mem core.Memory
				if err == nil {
					mem, err = d.NewMemory(p.ParamSpecs())
				}
				if err == nil {
					err = useFeed(d, p, mem)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait() // fakecuda counts the mistakes
}

// The primary context is the process's: other devices, and other libraries, use it when one device is gone.
func TestContextStays(t *testing.T) {
	gpu := fakecuda.Use(t)
	must(t, use(t, cuda.Options{}))
	gpu.Fail("cuDeviceGetName", 0, 1)
	if use(t, cuda.Options{}) == nil {
		t.Error("no error where the device cannot be described")
	}
	gpu.Fail("", 0, 0)
	for range 3 { // what one collection finds is given back beside the next
		runtime.GC()
		runtime.Gosched()
	}
	must(t, use(t, cuda.Options{})) // fakecuda counts a release as a mistake
}

// Without a home folder compiled kernels are kept where temporary files are, for this user alone; where they cannot be
// kept the device says so.
func TestCacheWithoutHome(t *testing.T) {
	gpu := fakecuda.Use(t)
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	must(t, use(t, cuda.Options{}))
	kept, err := filepath.Glob(filepath.Join(tmp, "nacre-*", "kernels", "*.cubin"))
	must(t, err)
	if len(kept) == 0 {
		t.Fatalf("no kernels under %s", tmp)
	}
	gpu.Fail("nvrtcCompileProgram", 0, 1)
	must(t, use(t, cuda.Options{})) // all from the cache
	gpu.Fail("", 0, 0)
	must(t, os.Chmod(filepath.Dir(filepath.Dir(kept[0])), 0o777)) // anybody could put kernels there
	d := newDevice(t, cuda.Options{})
	if n := d.(core.Described).Describe().Notices; len(n) != 1 || !strings.Contains(n[0], "are not kept") {
		t.Errorf("notices %q", n)
	}
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

// A feed gives everything back, and what it is told is checked.
func TestFeedWrongUse(t *testing.T) {
	gpu := fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	before := gpu.InUse()
	plan := feed.Recipe{Obs: 33, Act: 1, Tasks: 2, Slots: 3, Choose: feed.WithReplacement, Stores: 1, Capacity: 4,
		Draws: []feed.Draw{{N: 64}}, Noise: []feed.Noise{{Input: "y", N: 64 * 40}},
		Fills: []feed.Fill{{Input: "x", Field: feed.Obs}}}
	f, err := d.(feed.Device).NewFeed(mem, plan)
	must(t, err)
	_, threeSlots := f.Load(p, nil)
	_, noOutput := f.Load(p, []string{"gain"})
	bad := plan
	bad.Draws = make([]feed.Draw, 5)
	for i := range bad.Draws {
		bad.Draws[i].N = 1
	}
	_, draws := d.(feed.Device).NewFeed(mem, bad)
	bad.Draws[3].Store = 1
	_, store := d.(feed.Device).NewFeed(mem, bad)
	row := make([]float32, plan.Stride())
	for _, c := range []struct {
		err  error
		want string
	}{
		{threeSlots, `input "x" is 64×33, the plan fills 192×33`}, {noOutput, `192×33`},
		{draws, "5 draws per slot, at most 4"}, {store, "draw 3"},
		{f.Put(1, 0, 0, row), "ring 1 of task 0"}, {f.Put(0, 2, 0, row), "task 2"},
		{f.Put(0, 0, 4, row), "position 4 of 4"}, {f.Put(0, 0, 0, row[1:]), "rows of 71"},
		{f.Set(0, 0, feed.Ring{First: 4, Length: 1}), "from position 4"},
		{f.Begin(0, 0, 0), "nothing to draw from in store 0 of task 0"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
	must(t, f.Close())
	if gpu.InUse() != before {
		t.Errorf("closed; %d bytes in use, %d before", gpu.InUse(), before)
	}
	runtime.KeepAlive(mem)
}

// More updates than the GPU keeps records of are refused, not forgotten.
func TestRecordsAreNotLost(t *testing.T) {
	fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	f, err := d.(feed.Device).NewFeed(mem, feed.Recipe{Obs: 33, Act: 1, Tasks: 1, Slots: 1, Stores: 1, Capacity: 4,
		Draws: []feed.Draw{{N: 64}}, Noise: []feed.Noise{{Input: "y", N: 64 * 40}},
		Fills: []feed.Fill{{Input: "x", Field: feed.Obs}}})
	must(t, err)
	defer f.Close()
	r, err := f.Load(p, []string{"loss"})
	must(t, err)
	defer r.Close()
	must(t, f.Put(0, 0, 0, make([]float32, 71)))
	must(t, f.Set(0, 0, feed.Ring{Length: 1}))
	must(t, f.Begin(1, 2, 0))
	var losses []float32
	for chunk := range 4 {
		n := f.Room() - chunk // the ring's end is passed within a chunk
		for range n {
			must(t, r.Run())
		}
		if chunk == 0 {
			if err := r.Run(); err == nil || !strings.Contains(err.Error(), "64 updates have been started") {
				t.Errorf("one update too many: %v", err)
			}
		}
		records, err := f.Records(false)
		must(t, err)
		for _, x := range records {
			losses = append(losses, x.Scalars[0])
		}
	}
	records, err := f.Records(true)
	must(t, err)
	for _, x := range records {
		losses = append(losses, x.Scalars[0])
	}
	if len(losses) != 64+63+62+61 {
		t.Fatalf("%d records", len(losses))
	}
	last := make([]float32, 1)
	must(t, r.Read("loss", last))
	seen := map[float32]bool{}
	for _, x := range losses {
		seen[x] = true
	}
	if last[0] != losses[len(losses)-1] || len(seen) < 200 { // each update sees other noise
		t.Errorf("the last loss is %g, its record %g; %d different ones", last[0], losses[len(losses)-1], len(seen))
	}
}

// A GPU that is lost with a chunk of updates under way says so when their records are asked for, and from then on.
func TestLostInAChunk(t *testing.T) {
	gpu := fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	f, err := d.(feed.Device).NewFeed(mem, feed.Recipe{Obs: 33, Act: 1, Tasks: 1, Slots: 1, Stores: 1, Capacity: 4,
		Draws: []feed.Draw{{N: 64}}, Noise: []feed.Noise{{Input: "y", N: 64 * 40}},
		Fills: []feed.Fill{{Input: "x", Field: feed.Obs}}})
	must(t, err)
	r, err := f.Load(p, []string{"loss"})
	must(t, err)
	must(t, f.Put(0, 0, 0, make([]float32, 71)))
	must(t, f.Set(0, 0, feed.Ring{Length: 1}))
	must(t, f.Begin(1, 2, 0))
	must(t, r.Run())
	gpu.Fail("cuGraphLaunch", 1, 700)
	must(t, r.Run())
	wantFault(t, "third update", r.Run(), cuda.LostGPU, "cuGraphLaunch: CUDA_ERROR_ILLEGAL_ADDRESS (700)")
	_, err = f.Records(true)
	wantFault(t, "records", err, cuda.LostGPU, "checkpoint")
	wantFault(t, "the next stream", f.Begin(1, 2, 0), cuda.LostGPU, "checkpoint")
	must(t, r.Close())
	must(t, f.Close())
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
		{r.Write64("x", make([]float64, 5)), "64×33"}, {r.Write("z", nil), `no input "z"`},
		{r.Read("z", nil), `no output "z"`},
		{mem.Read("v", nil), `no entry "v"`}, {mem.Write("w.x", make([]float64, 12)), `no entry "w.x"`},
		{mem.Write("w.m", make([]float64, 1)), "1320"},
		{otherErr, `"c" 1×40`}, {twice, "twice"}, {empty, "0×1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}
