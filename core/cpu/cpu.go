// Package cpu runs compiled programs (core.Program) in float32 on the processor's vector units: AVX-512 or AVX2
// kernels in generated Go assembly, kernels on Go's own vectors of 128 bits in WebAssembly and on arm64, or plain Go,
// chosen when a device is made. It does not compile graphs (package core does) and its numbers are judged by core/ref.
//
//	dev, err := cpu.New(cpu.Options{})
//	mem, err := dev.NewMemory(program.ParamSpecs())
//	run, err := dev.Load(program, mem)
//	defer run.Close()
//	err = run.Write("x", x)
//	err = run.Run()
//	err = run.Read("loss", loss)
//
// Loading a program plans everything: which instructions fuse into one kernel, where every matrix lies, and how work is
// cut among workers. Running it allocates nothing. For one tile of the batch all tiled instructions of a level run
// before those of the next tile, so that activations stay in the second-level cache. Results do not depend on the
// number of workers. Their last digits depend on the kernels.
package cpu

import (
	"fmt"
	"runtime"

	"nacre/core"
)

// Options choose how a device computes: Workers, Kernel and Precision. The zero value is the fastest this machine
// offers in float32.
type Options = core.DeviceOptions

// New makes a device. It fails if the options or NACRE_CPU name a kernel that this machine cannot run.
//
// The device's workers start with the first loaded program and end when the last one is closed. Programs may run at the
// same time if they do not conflict in memory (see core.Device). Each runs on the goroutine that called Run; the
// workers beside it help only one program at a time.
func New(o Options) (core.Device, error) {
	if o.Workers < 0 {
		return nil, fmt.Errorf("cpu: %d workers: want at least 1, or 0 for one per processor", o.Workers)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	k, err := kernelsOf(o)
	if err != nil {
		return nil, err
	}
	return &device{kernels: k, pool: &pool{size: o.Workers}, shareFrom: shareFrom}, nil
}

// environment is the variable that chooses the kernels if the options do not.
const environment = "NACRE_CPU"

// shareFrom is the estimated time in ns from which work is shared: waking a sleeping worker and waiting for it takes
// several microseconds.
const shareFrom = 30e3

type device struct {
	kernels   *kernels
	pool      *pool
	shareFrom float64
}

func (d *device) Name() string { return fmt.Sprintf("cpu/%s ×%d", d.kernels.name, d.pool.size) }

// KernelName names the kernels that New takes by default. If NACRE_CPU names kernels that this machine cannot run, it
// names the fastest ones, and New reports the mistake.
func KernelName() string { return KernelNameOf(Options{}) }

// KernelNameOf names the kernels that New takes with options, such as "avx512" or, for products in bfloat16,
// "avx512+bf16". If New would fail, it names the fastest ones.
func KernelNameOf(o Options) string {
	k, err := kernelsOf(o)
	if err != nil {
		return available()[0].name
	}
	return k.name
}

// kernelsOf returns the kernels for which options ask.
func kernelsOf(o Options) (*kernels, error) {
	name, err := kernelOf(o)
	if err != nil {
		return nil, err
	}
	return selectKernels(name)
}
