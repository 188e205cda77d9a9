package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nacre/cmd/nacre/app"
	"nacre/core/devices"
	"nacre/experiment/progress"
	"nacre/internal/nearest"
	"nacre/rl/config"
)

// actions are what the commands do. A command whose action is nil is not part of the program.
type actions struct {
	Train  func(context.Context, *app.Env, app.TrainOptions) error
	Resume func(context.Context, *app.Env, app.ResumeOptions) error
	Branch func(context.Context, *app.Env, app.BranchOptions) error
	Eval   func(context.Context, *app.Env, app.EvalOptions) error
	Embed  func(context.Context, *app.Env, app.EmbedOptions) error
	TSNE   func(context.Context, *app.Env, app.TSNEOptions) error
	Study  func(context.Context, *app.Env, app.StudyOptions) error
	Check  func(context.Context, *app.Env, app.CheckStudyOptions) error  // study check
	Extend func(context.Context, *app.Env, app.ExtendStudyOptions) error // study extend
	Update func(context.Context, *app.Env, app.BenchUpdateOptions) error // bench update
	Sim    func(context.Context, *app.Env, app.BenchSimOptions) error    // bench sim
	Verify func(context.Context, *app.Env, app.VerifyOptions) error      // verify envs

	VerifyRun func(context.Context, *app.Env, string) error // verify run

	Roll   func(context.Context, *app.Env, app.RolloutOptions) error // rollout
	Render func(context.Context, *app.Env, app.RenderOptions) error
	Doctor app.Providers

	Setup      func(context.Context, *app.Env, app.SetupOptions) error
	Examples   func(context.Context, *app.Env, app.ExamplesOptions) error
	Notebook   func(context.Context, *app.Env, app.NotebookOptions) error
	Site       func(context.Context, *app.Env, app.SiteOptions) error
	Run        func(context.Context, *app.Env, app.RunOptions) error
	Kernel     func(context.Context, *app.Env, app.KernelOptions) error
	Kernelspec func(*app.Env, app.KernelspecOptions) error // kernelspec install

	BenchKernel func(context.Context, *app.Env, app.BenchKernelOptions) error

	BenchTSNE func(context.Context, *app.Env, app.BenchTSNEOptions) error // bench tsne

	Sweep sweeping
}

// newRoot builds the command tree.
func newRoot(a actions, stdout, stderr io.Writer) *cobra.Command {
	env := &app.Env{Out: stdout, Err: stderr}
	var level string
	root := &cobra.Command{
		Use:   "nacre",
		Short: "Context-based meta-reinforcement learning: train, look, compare",
		Long: `Nacre trains agents that learn to learn: PEARL and TCL-PEARL, on families of tasks that share a body and
differ in their goal. It keeps every run so that it can be resumed exactly, measures how well an agent adapts
to tasks it has not seen, and shows how well its context encoder tells tasks apart.

Start with "nacre doctor" to see what this machine offers, then "nacre notebook".`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return prepare(env, level)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(badFlag)
	root.PersistentFlags().BoolVarP(&env.Quiet, "quiet", "q", false, "show no progress")
	root.PersistentFlags().StringVar(&level, "log-level", "warn", "log debug, info, warn or error messages and above")

	addNotebook(root, env, a)
	root.AddCommand(versionCommand(env), doctorCommand(env, a.Doctor), presetsCommand(env), envsCommand(env), tableCommand(env), curvesCommand(env), runsCommand(env, a), reportCommand(env, a.Doctor), packCommand(env))
	if a.Setup != nil {
		root.AddCommand(setupCommand(env, a.Setup))
	}
	if a.Train != nil {
		root.AddCommand(trainCommand(env, a.Train))
	}
	if a.Resume != nil {
		root.AddCommand(resumeCommand(env, a.Resume))
	}
	if a.Branch != nil {
		root.AddCommand(branchCommand(env, a.Branch))
	}
	if a.Eval != nil {
		root.AddCommand(evalCommand(env, a.Eval))
	}
	if a.Embed != nil {
		root.AddCommand(embedCommand(env, a.Embed))
	}
	if a.TSNE != nil {
		root.AddCommand(tsneCommand(env, a.TSNE))
	}
	if a.Study != nil {
		root.AddCommand(studyCommand(env, a.Study, a.Check, a.Extend))
	}
	if a.Sweep.Run != nil {
		root.AddCommand(sweepCommand(env, a.Sweep))
	}
	if a.Roll != nil {
		root.AddCommand(rolloutCommand(env, a.Roll))
	}
	if a.Verify != nil {
		root.AddCommand(verifyCommand(env, a.Verify, a.VerifyRun))
	}
	if a.Render != nil {
		root.AddCommand(renderCommand(env, a.Render))
	}
	if a.Update != nil || a.Sim != nil || a.BenchTSNE != nil || a.BenchKernel != nil {
		root.AddCommand(benchCommand(env, a))
	}
	return root
}

// addNotebook adds the commands of the notebook, its kernel and batch runs.
func addNotebook(root *cobra.Command, env *app.Env, a actions) {
	if a.Notebook != nil {
		root.AddCommand(notebookCommand(env, a.Notebook))
	}
	if a.Examples != nil {
		root.AddCommand(examplesCommand(env, a.Examples))
	}
	if a.Site != nil {
		root.AddCommand(siteCommand(env, a.Site))
	}
	if a.Run != nil {
		root.AddCommand(runCommand(env, a.Run))
	}
	if a.Kernel != nil {
		root.AddCommand(kernelCommand(env, a.Kernel))
	}
	if a.Kernelspec != nil {
		root.AddCommand(kernelspecCommand(env, a.Kernelspec))
	}
}

// prepare completes env once the flags are known.
func prepare(env *app.Env, level string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return app.Usagef("--log-level %s: expected debug, info, warn or error", level)
	}
	quiet := env.Quiet || env.JSON
	env.Progress = progress.Silent()
	logs := env.Err
	if !quiet {
		env.Progress = show(env.Err)
		logs = progress.LineWriter(env.Progress)
	}
	env.Log = slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: l, ReplaceAttr: withoutTime}))
	return nil
}

// show picks the progress display for w.
func show(w io.Writer) progress.Progress {
	if f, ok := w.(*os.File); ok {
		return progress.Auto(f, false)
	}
	return progress.Lines(w, 0)
}

// withoutTime leaves the time out of log lines: they are read while they appear.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// unknownCommand names the nearest of cmd's commands.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return app.Usagef("unknown command %q%s", strings.TrimSpace(cmd.CommandPath()+" "+name), nearest.Hint(name, names))
}

// badFlag makes a flag mistake a usage error and names the flag probably meant.
func badFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return badFlagValue(value)
	}
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return &app.UsageError{Err: err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	if best, ok := nearest.Of(name, names); ok {
		return app.Usagef("unknown flag --%s; did you mean --%s?", name, best)
	}
	return app.Usagef("unknown flag --%s", name)
}

// badFlagValue says what a flag takes.
func badFlagValue(bad *pflag.InvalidValueError) error {
	f := bad.GetFlag()
	want := map[string]string{"int": "a whole number", "uint": config.WholeFromZero, "float64": "a number", "bool": "true or false"}[f.Value.Type()]
	if want == "" {
		return &app.UsageError{Err: bad}
	}
	return app.Usagef("--%s %s: expected %s", f.Name, nearest.Quote(bad.GetValue()), want)
}

// group is the behaviour of a command that only has subcommands.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return cmd.Help()
	}
	return cmd
}

// oneArg requires exactly one argument and says what it is.
func oneArg(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return app.Usagef("expected %s, got %d arguments", what, len(args))
		}
		return nil
	}
}

// someArgs requires at least one argument and says what they are.
func someArgs(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return app.Usagef("expected %s, got no arguments", what)
		}
		return nil
	}
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return app.Usagef("unexpected argument %q", args[0])
	}
	return nil
}

// jsonFlag adds --json to a command that prints figures.
func jsonFlag(cmd *cobra.Command, env *app.Env) {
	cmd.Flags().BoolVar(&env.JSON, "json", false, "print the result as JSON, and no progress")
}

// deviceFlags adds --device and --precision.
func deviceFlags(cmd *cobra.Command, o *app.DeviceOptions) {
	var names []string
	for _, b := range devices.All() {
		name := b.Name
		if b.Numbered {
			name += " or " + b.Name + ":N"
		}
		names = append(names, fmt.Sprintf("%s (%s)", name, b.Title))
	}
	cmd.Flags().StringVar(&o.Device, "device", "", "where training computes: "+strings.Join(names, ", ")+", or "+devices.Auto+", a GPU where there is one (default cpu)")
	cmd.Flags().StringVar(&o.Precision, "precision", "",
		"of matrix products: fp32 (the default); on an NVIDIA GPU tf32, tf32x3 (errors like those of fp32) or bf16; bf16x3 or bf16 on processors with a matrix unit (AMX)")
}

func checkDevice(o app.DeviceOptions) error {
	if _, _, _, err := devices.Check(o.Device); err != nil {
		return app.Usagef("--%w", err)
	}
	known := []string{"", "float32"}
	for _, b := range devices.All() {
		known = append(known, b.Precisions...)
	}
	return oneOf("precision", o.Precision, known...)
}

// workersFlag adds --workers.
func workersFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVarP(n, "workers", "w", 0, "`number` of processor threads, 0 for one per core; results do not depend on it")
}

// seedFlag adds --seed.
func seedFlag(cmd *cobra.Command, seed *uint64, initial uint64, what string) {
	*seed = initial
	cmd.Flags().VarP((*seedValue)(seed), "seed", "s", what)
}

// seedValue is the value of --seed.
type seedValue uint64

func (s *seedValue) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *seedValue) Type() string { return "uint" }

// Set takes what a configuration takes: 1e3 and 1_000 are 1000.
func (s *seedValue) Set(text string) error {
	n, ok := config.Whole(text)
	if !ok || !n.IsInt64() || n.Sign() < 0 {
		return errors.New("expected " + config.WholeFromZero)
	}
	*s = seedValue(n.Uint64())
	return nil
}

// between checks a whole number given with a flag.
func between(flag string, value, lo, hi int) error {
	if value < lo || value > hi {
		return app.Usagef("--%s %d: expected a whole number from %d to %d", flag, value, lo, hi)
	}
	return nil
}

// oneOf checks a word given with a flag; the empty word may be among the choices as the flag's default.
func oneOf(flag, value string, words ...string) error {
	for _, w := range words {
		if value == w {
			return nil
		}
	}
	named := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	return app.Usagef("--%s %s: unknown word%s", flag, value, nearest.Hint(value, named))
}

// firstError returns the first of several checks that failed.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	maxWorkers = 1024
	maxCount   = 1_000_000
)
