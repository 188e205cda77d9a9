package main

import (
	"context"
	"fmt"

	"nacre/cmd/nacre/app"
	"nacre/core/cpu"
	"nacre/core/cuda"
	"nacre/kernel"
	"nacre/library"
	_ "nacre/sim/families"
	"nacre/sim/metaworld"
	"nacre/sim/mujoco"
)

// engines are what --engine names.
var engines = map[string]kernel.Engine{"yaegi": kernel.Yaegi, "go": kernel.Compiled(source())}

// wired are the actions of this program.
func wired() actions {
	return actions{
		Train: app.Train, Resume: app.Resume, Eval: app.Eval, Embed: app.Embed, TSNE: app.TSNE, Study: app.Study, Check: app.CheckStudy,
		Update: app.BenchUpdate, Sim: app.BenchSim, Verify: app.VerifyEnvs, Roll: app.Rollout, Render: app.Render,
		BenchTSNE: app.BenchTSNE,
		Doctor: app.Providers{
			CPUKernel: cpu.KernelName,
			GPU:       gpu,
			MuJoCo:    func() (string, error) { return mujoco.Version(), mujoco.Check() },
			MetaWorld: metaworld.Scenes,
		},
		Notebook: func(ctx context.Context, env *app.Env, o app.NotebookOptions) error {
			o.Programs = besideProgram("wasm")
			return app.Notebook(ctx, env, o)
		},
		Site: app.Site,
		Run:  app.RunNotebook,
		Kernel: func(ctx context.Context, env *app.Env, o app.KernelOptions) error {
			return app.Kernel(ctx, env, o, func(engine string) (kernel.Session, error) {
				return kernel.New(kernel.Options{Library: library.New(), Engine: engines[engine]})
			})
		},
		Kernelspec: app.InstallKernelspec, BenchKernel: app.BenchKernel,
		Sweep: sweeping{Run: app.Sweep, Status: app.SweepStatus, Collect: app.SweepCollect, Worker: app.SweepWorker},
	}
}

// gpu describes the first GPU, or says what it lacks.
func gpu() (string, error) {
	i, err := cuda.Probe(0)
	return fmt.Sprintf("%s, %.0f GB, compute capability %s, driver for CUDA %s, NVRTC %s, cuBLASLt %s",
		i.Name, float64(i.Memory)/1e9, i.Capability, i.Driver, i.NVRTC, i.CublasLt), err
}
