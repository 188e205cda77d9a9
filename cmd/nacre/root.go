package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nacre/cmd/nacre/app"
	"nacre/experiment/progress"
	"nacre/internal/nearest"
	"nacre/internal/whole"
	"nacre/rl/config"
)

// newRoot builds the command tree.
func newRoot(stdout, stderr io.Writer) *cobra.Command {
	env := &app.Env{Out: stdout, Err: stderr}
	var level string
	root := group(&cobra.Command{
		Use:   "nacre",
		Short: "Context-based meta-reinforcement learning: train, look, compare",
		Long: `Nacre trains agents that learn to learn, and shows whether their context encoder knows which task it is in.
Start with "nacre doctor", then "nacre notebook"; "nacre COMMAND --help" explains a command and lists its flags.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return prepare(env, level)
		},
	})
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(badFlag)
	root.PersistentFlags().BoolVarP(&env.Quiet, "quiet", "q", false, "show no progress")
	root.PersistentFlags().StringVar(&level, "log-level", "warn",
		"print messages of this level and above: debug, info, warn or error")
	explain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			overview(stdout, root)
			return
		}
		explain(cmd, args)
	})
	addCommands(root, env)
	oneValue(root)
	return root
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
	env.Log = app.Messages(logs, l)
	return nil
}

// show picks the progress display for w.
func show(w io.Writer) progress.Progress {
	if f, ok := w.(*os.File); ok {
		return progress.Auto(f, false)
	}
	return progress.Lines(w, 0)
}

// unknownCommand names the nearest of cmd's commands.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	return app.Usagef("unknown command %q%s", strings.TrimSpace(cmd.CommandPath()+" "+name), nearest.Hint(name, names))
}

// badFlag makes a flag mistake a usage error and names the flag probably meant.
func badFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
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
	if said, ok := errors.AsType[*app.UsageError](bad); ok { // its own words
		return said
	}
	f := bad.GetFlag()
	want := map[string]string{"int": "a whole number", "int64": "a whole number", "uint": config.WholeFromZero,
		"float64": "a number",
		"bool":    "true or false"}[f.Value.Type()]
	if want == "" {
		return &app.UsageError{Err: bad}
	}
	if _, ok := whole.Of(bad.GetValue()); want == "a whole number" && (ok || whole.Beyond(bad.GetValue())) {
		want = fmt.Sprintf("a whole number from %d to %d", int64(math.MinInt64), int64(math.MaxInt64))
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
