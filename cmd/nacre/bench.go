package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/core/devices"
	"nacre/core/gpu/roofline"
	"nacre/internal/python"
	"nacre/internal/quiet"
)

func benchCommand(env *app.Env, a actions) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "bench",
		Short: "Measure the training core, the simulator, t-SNE and the notebook kernel",
	})
	if a.Update != nil {
		cmd.AddCommand(benchUpdateCommand(env, a.Update))
	}
	if a.Sim != nil {
		cmd.AddCommand(benchSimCommand(env, a.Sim))
	}
	if a.BenchTSNE != nil {
		cmd.AddCommand(benchTSNECommand(env, a.BenchTSNE))
	}
	if a.BenchKernel != nil {
		cmd.AddCommand(benchKernelCommand(env, a.BenchKernel))
	}
	for _, c := range cmd.Commands() { // what trains behind everything else stands still meanwhile
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			defer quiet.Measure()()
			return run(cmd, args)
		}
	}
	return cmd
}

func benchUpdateCommand(env *app.Env, update func(context.Context, *app.Env, app.BenchUpdateOptions) error) *cobra.Command {
	var o app.BenchUpdateOptions
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Time one complete update of an algorithm, or check it digit by digit",
		Long: `Update times the complete gradient update at the sizes of the published runs, beside the multiply-adds the
processor was just measured to be capable of. With --check it prints the losses and gradient norms of the first
three updates in float64 beside reference figures computed with other software, and the CPU's float32 beside
them; the exit status is 1 when they differ by more than 1e-9 (maml 1e-7) and 1e-4. With --vs torch it runs the same update in
PyTorch, in turns of four updates, and prints the ratio; Python needs torch and numpy. With --device cuda all of it is on
a GPU, and PyTorch may replay a CUDA graph (torch-graph) or be compiled (torch-compile), or JAX be asked. With --explain it prints how
the update is executed: what is computed where, and the predicted and measured time of every region. With --explain --device
cuda --gpu NAME it models that GPU, which need not be there: every launch with its time, what bounds it, and the critical
path; --dump writes the graph for Graphviz and the kernels too. Without --gpu it also times every launch on the GPU that is
there, by itself, --updates times in a row. With --scaling it
times, in turns, an update by one worker, by all of them, and an update by each of them at once, which shows what the machine
itself gains from more cores.

Maml's update is the whole meta-update: a gradient through the inner step, eleven products with the Hessian of the
constraint and a line search, on 20 tasks of 2 × 2,000 steps. It takes seconds; ask for a few. Rl2's is an epoch: the gradient through ten trials of 2,000 steps. Mql's
is a cycle: critics, actor and targets, then critics until the actor's next turn. Oracle's is critics, policy, temperatures
and targets on 1,280 transitions.`,
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
			err := firstError(
				oneOf("size", o.Size, "both", "oyster", "metaworld"), oneOf("algo", o.Algorithm, append([]string{"both"}, app.Measured()...)...),
				oneOf("kernel", o.Kernel, "", "avx512", "avx2", "simd128", "go"), oneOf("vs", o.Versus, "", "torch", "torch-graph", "torch-compile", "jax"), checkDevice(o.DeviceOptions), oneOf("products", o.Products, "", "own"),
				between("updates", o.Updates, 1, maxCount), between("workers", o.Workers, 0, maxWorkers),
				between("seeds", o.Seeds, 1, 1024), oneOf("gpu", o.GPU, append([]string{""}, roofline.Names()...)...))
			switch {
			case err != nil:
				return err
			case o.GPU != "" && (!o.Explain || !devices.Accelerated(o.Device)):
				return app.Usagef("--gpu %s models a GPU: expected with it --explain --device cuda", o.GPU)
			case o.Dump != "" && o.GPU == "":
				return app.Usagef("--dump writes what --explain --device cuda --gpu NAME models: expected those with it")
			}
			if o.Versus != "" {
				if o.Python, err = orChosen(o.Python); err != nil {
					return err
				}
			}
			return update(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Check, "check", false, "compare with reference figures instead of timing")
	f.BoolVar(&o.Explain, "explain", false, "print how the update is executed, with times, instead of timing the whole")
	f.StringVar(&o.GPU, "gpu", "", "with --explain, the GPU to model: "+strings.Join(roofline.Names(), ", "))
	f.IntVar(&o.Seeds, "seeds", 1, "with --gpu, how many seeds run as one program")
	f.StringVar(&o.Dump, "dump", "", "with --gpu, `folder` for the graph and the kernels")
	f.BoolVar(&o.Scaling, "scaling", false, "time one worker, all on one update, and all on updates of their own, in turns")
	f.StringVar(&o.Versus, "vs", "", "what to time in turns with it: torch; on a GPU also torch-graph, torch-compile or jax")
	f.StringVar(&o.Python, "python", "", "Python `interpreter` for --vs (default "+chosenPython+")")
	cmd.MarkFlagsMutuallyExclusive("check", "explain", "scaling", "vs")
	f.StringVar(&o.Size, "size", "both", "oyster, metaworld or both")
	f.StringVar(&o.Algorithm, "algo", "both", strings.Join(app.Measured(), ", ")+", or both: pearl and tcl-pearl")
	f.StringVar(&o.Kernel, "kernel", "", "avx512, avx2, simd128 or go (default the fastest this processor has)")
	deviceFlags(cmd, &o.DeviceOptions)
	f.StringVar(&o.Products, "products", "", "on a GPU: own for Nacre's own matrix products instead of cuBLASLt's")
	f.IntVar(&o.Updates, "updates", 20, "updates to time")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}

func benchSimCommand(env *app.Env, sim func(context.Context, *app.Env, app.BenchSimOptions) error) *cobra.Command {
	var o app.BenchSimOptions
	var vs, interpreter string
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Time the simulation",
		Long: `Sim times episodes of the point robot under random actions and, where MuJoCo is present, steps of a family, or of all
of them, as rollouts make them beside a plain loop in C that makes the same steps. With --vs python the packages that
define the families are stepped too, in the same minutes, in Gymnasium's vector environments: one process beside one
worker, as many processes as workers beside all of them.`,
		Example: `  nacre bench sim --family humanoid-dir --workers 1
  nacre bench sim --family all --steps 50 --rounds 3 --json
  nacre bench sim --family ml1/push --vs python --python venv/bin/python`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := firstError(between("envs", o.Envs, 0, 10_000), between("steps", o.Steps, 1, maxCount),
				between("rounds", o.Rounds, 1, maxCount), between("workers", o.Workers, 0, maxWorkers), oneOf("vs", vs, "", "python"))
			if err != nil {
				return err
			}
			if vs != "" {
				if o.Python, err = orChosen(interpreter); err != nil {
					return err
				}
			}
			return sim(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Family, "family", "f", "cheetah-vel", "`family` to step, one of those on MuJoCo that nacre envs lists, or all")
	f.StringVar(&vs, "vs", "", "python to step the defining Python package too")
	f.StringVar(&interpreter, "python", "", "its `interpreter` (default "+chosenPython+")")
	f.IntVar(&o.Envs, "envs", 0, "environments per worker, 0 for what rollouts of the family use")
	f.IntVar(&o.Steps, "steps", 200, "its steps per environment and round")
	f.IntVar(&o.Rounds, "rounds", 11, "rounds, of which medians are printed")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}

func benchTSNECommand(env *app.Env, bench func(context.Context, *app.Env, app.BenchTSNEOptions) error) *cobra.Command {
	var o app.BenchTSNEOptions
	cmd := &cobra.Command{
		Use:   "tsne",
		Short: "Time t-SNE beside other libraries on the same points",
		Long: `Tsne lays the same points out by this program, scikit-learn, openTSNE, wasm-bhtsne, this program as WebAssembly and
go-tsne, and computes the KL divergence, trustworthiness and neighbour recall of every layout alike. What is not
there is installed with pip and npm; what cannot be is one line. All but go-tsne (300 iterations of its own example)
run with their defaults at perplexity 30; 1,600 points are the paper's shape in seven dimensions, 70,000 have the 784
columns of MNIST, others fifty. From 50,000 points on the others take tens of minutes. Layouts of more than 200,000
points are judged by a sample of 1,000.`,
		Example: `  nacre bench tsne
  nacre bench tsne --sizes 1600,10000,50000,100000 --keep out/layouts --json
  nacre bench tsne --sizes 10000 --umap --peers umap-learn
  nacre bench tsne --sizes 1600 --digits --peers openTSNE --starts 24`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := firstError(between("workers", o.Workers, 0, maxWorkers), between("starts", o.Starts, 0, 1000))
			for _, n := range o.Sizes {
				err = firstError(err, between("sizes", n, 100, 1_000_000))
			}
			if err != nil {
				return err
			}
			return bench(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.Sizes, "sizes", []int{1600, 10000}, "numbers of points")
	f.BoolVar(&o.Digits, "digits", false, "lay out the digits of scikit-learn too")
	f.BoolVar(&o.UMAP, "umap", false, "lay them out by UMAP too, beside umap-learn")
	f.IntVar(&o.Starts, "starts", 0, "further layouts from random starts that the libraries share, to tell differences from chance")
	f.StringSliceVar(&o.Peers, "peers", nil, "other libraries by name (default all)")
	f.StringVar(&o.Scripts, "scripts", "", "`folder` of the programs that run the others (default those in nacre)")
	f.StringVar(&o.Home, "home", "", "`folder` in which those that are not there are installed (default tsne in the cache)")
	f.StringVar(&o.Python, "python", "", "`interpreter` with numpy, scikit-learn and openTSNE (default one made in --home)")
	f.StringVar(&o.Node, "node", "node", "Node.js `command`")
	f.StringVar(&o.Modules, "modules", "", "`folder` with wasm-bhtsne (default one made in --home)")
	f.StringVar(&o.Keep, "keep", "", "`folder` in which the others' layouts stay, so that a run that was stopped goes on")
	f.IntVar(&o.Workers, "workers", 1, "threads each library may use")
	jsonFlag(cmd, env)
	return cmd
}

// chosenPython says which Python is used where none is named.
const chosenPython = "$NACRE_PYTHON, the active environment's, or python3 of PATH"

// orChosen is the interpreter named, or the one that package python chooses.
func orChosen(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	p, err := python.Find()
	return p.Path, err
}
