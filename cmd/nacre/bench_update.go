package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/core/devices"
	"nacre/core/gpu/roofline"
)

func init() { registerBench(benchUpdateCommand) }

func benchUpdateCommand(env *app.Env) *cobra.Command {
	var o app.BenchUpdateOptions
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Time one complete update of an algorithm, or check it digit by digit",
		Long: `Update times the complete gradient update at the sizes of the published runs, beside the processor's rate of
multiply-adds, which is measured at the same time.

With --check it prints the losses and gradient norms of the first three updates in float64 and in the CPU's
float32, beside reference figures computed with other software. The exit status is 1 if they differ by more
than 1e-9 in float64 (maml 1e-7) or 1e-4 in float32.

With --vs torch it runs the same update in PyTorch, in turns of four updates, and prints the ratio; Python
needs torch and numpy. With --device cuda everything is on a GPU. There --vs can also name PyTorch with a CUDA
graph (torch-graph), compiled PyTorch (torch-compile) or JAX (jax).

With --explain it prints how the update is executed: what is computed where, and the predicted and measured
time of every region. With --explain --device cuda --gpu NAME it models that GPU, which the machine need not
have: every launch with its time, what bounds it, and the critical path; --dump also writes the graph for
Graphviz and the kernels. Without --gpu it also times every launch alone on the machine's own GPU, --updates
times in a row.

With --scaling it times, in turns, an update by one worker, an update by all of them, and an update by each of
them at the same time. The last shows what the machine itself gains from more cores.

Maml's update is the whole meta-update: a gradient through the inner step, eleven products with the Hessian of
the constraint and a line search, on 20 tasks of 2 × 2,000 steps. It takes seconds, so time only a few. Rl2's
is an epoch: the gradient through ten trials of 2,000 steps. Mql's is a cycle: one update of critics, actor
and targets, then updates of the critics alone until the actor is due again. Oracle's is critics, policy,
temperatures and targets on 1,280 transitions.`,
		Example: `  nacre bench update --size oyster --algo pearl
  nacre bench update --size metaworld --algo tcl-pearl --vs torch
  nacre bench update --size oyster --algo pearl --explain
  nacre bench update --explain --device cuda --gpu h100 --precision tf32 --algo tcl-pearl
  nacre bench update --size oyster --algo tcl-pearl --scaling -w 2
  nacre bench update --algo maml --vs torch --updates 3
  nacre bench update --algo oracle --vs torch
  nacre bench update --check
  nacre bench update --device cuda --precision tf32 --vs jax`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := checkDevice(o.Host)
			switch {
			case err != nil:
				return err
			case o.GPU != "" && (!o.Explain || !devices.Accelerated(o.Device)):
				return app.Usagef("--gpu %s models a GPU: expected with it --explain --device cuda", o.GPU)
			case o.Dump != "" && o.GPU == "":
				return app.Usagef("--dump writes what --explain --device cuda --gpu NAME models: expected those " +
					"with it")
			}
			if o.Versus != "" {
				if o.Python, err = orChosen(o.Python); err != nil {
					return err
				}
			}
			return do(cmd.Context(), env, app.BenchUpdate, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Check, "check", false, "compare with reference figures instead of timing")
	f.BoolVar(&o.Explain, "explain", false, "print how the update is executed, with times, instead of timing the whole")
	word(f, &o.GPU, "gpu", "", "with --explain, the GPU to model: "+strings.Join(roofline.Names(), ", "),
		roofline.Names()...)
	number(f, &o.Seeds, "seeds", 1, 1, 1024, "with --gpu, number of seeds that run as one program")
	f.StringVar(&o.Dump, "dump", "", "with --gpu, `folder` for the graph and the kernels")
	f.BoolVar(&o.Scaling, "scaling", false,
		"time in turns one worker, all workers on one update, and each worker on its own update")
	word(f, &o.Versus, "vs", "",
		"other software to time in turns with it: torch; on a GPU also torch-graph, torch-compile or jax",
		"torch", "torch-graph", "torch-compile", "jax")
	f.StringVar(&o.Python, "python", "", "Python `interpreter` for --vs (default "+chosenPython+")")
	cmd.MarkFlagsMutuallyExclusive("check", "explain", "scaling", "vs")
	word(f, &o.Size, "size", "both", "oyster, metaworld or both", "oyster", "metaworld")
	word(f, &o.Algorithm, "algo", "both", strings.Join(app.Measured(), ", ")+", or both: pearl and tcl-pearl",
		app.Measured()...)
	word(f, &o.Kernel, "kernel", "", "avx512, avx2, simd128 or go (default the fastest this processor has)",
		"avx512", "avx2", "simd128", "go")
	deviceFlags(cmd, &o.Host)
	word(f, &o.Products, "products", "", "on a GPU: own for Nacre's own matrix products instead of cuBLASLt's", "own")
	number(f, &o.Updates, "updates", 20, 1, maxCount, "updates to time")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
