package main

import (
	"cmp"
	"context"

	"nacre/cmd/nacre/app"
	"nacre/core/cpu"
	"nacre/internal/home"
	"nacre/kernel"
	"nacre/library"
	_ "nacre/sim/families"
	"nacre/sim/metaworld"
	"nacre/sim/mujoco"
)

// engines are what --engine names.
var engines = map[string]kernel.Engine{
	"auto": kernel.Auto(source(), packageList()), "yaegi": kernel.Yaegi, "go": kernel.Compiled(source(), packageList()),
}

// wired are the actions of this program.
func wired() actions {
	return actions{
		Train: app.Train, Resume: app.Resume, Branch: app.Branch, Eval: app.Eval, Embed: app.Embed, TSNE: app.TSNE, Study: app.Study, Check: app.CheckStudy,
		Extend: app.ExtendStudy,
		Update: app.BenchUpdate, Sim: app.BenchSim, Verify: app.VerifyEnvs, VerifyRun: app.VerifyRun, Roll: app.Rollout, Render: app.Render,
		BenchTSNE: app.BenchTSNE,
		Doctor: app.Providers{
			CPUKernel: cpu.KernelName,
			MuJoCo:    func() (string, error) { return mujoco.Version() + ", " + mujoco.Path(), mujoco.Check() },
			MetaWorld: func() (string, error) {
				folder, err := metaworld.Scenes()
				return metaworld.Version + ", scenes in " + folder, err
			},
		},
		Notebook: func(ctx context.Context, env *app.Env, o app.NotebookOptions) error {
			o.Programs = home.Beside("wasm")
			o.Compiles = compiles(o.Engine)
			return app.Notebook(ctx, env, o)
		},
		Examples: app.Examples,
		Setup: func(ctx context.Context, env *app.Env, o app.SetupOptions) error {
			o.Usable, o.Library = mujoco.Built(), mujoco.Path()
			o.Compile = func(ctx context.Context) error {
				return kernel.CompileLibrary(ctx, source(), packageList(), library.New())
			}
			return app.Setup(ctx, env, o)
		},
		Site: app.Site,
		Run: func(ctx context.Context, env *app.Env, o app.RunOptions) error {
			o.Compiles = compiles(o.Engine)
			return app.RunNotebook(ctx, env, o)
		},
		Kernel: func(ctx context.Context, env *app.Env, o app.KernelOptions) error {
			return app.Kernel(ctx, env, o, func(engine string) (kernel.Session, error) {
				return kernel.New(kernel.Options{Library: library.New(), Engine: engines[cmp.Or(engine, "auto")]})
			})
		},
		Kernelspec: app.InstallKernelspec, BenchKernel: app.BenchKernel,
		Sweep: sweeping{Run: app.Sweep, Status: app.SweepStatus, Collect: app.SweepCollect, Worker: app.SweepWorker},
	}
}

// compiles tells why the engine auto does not compile cells; nil for another engine.
func compiles(engine string) func() error {
	if engine != "" && engine != "auto" {
		return nil
	}
	return func() error { return kernel.Compiles(source(), packageList()) }
}
