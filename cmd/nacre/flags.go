package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nacre/analysis/plots"
	"nacre/cmd/nacre/app"
	"nacre/core/devices"
	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/internal/nearest"
	"nacre/internal/python"
	"nacre/internal/whole"
	"nacre/rl/config"
)

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
func deviceFlags(cmd *cobra.Command, h *experiment.Host) {
	var names []string
	for _, b := range devices.All() {
		name := b.Name
		if b.Numbered {
			name += " or " + b.Name + ":N"
		}
		names = append(names, fmt.Sprintf("%s (%s)", name, b.Title))
	}
	cmd.Flags().StringVar(&h.Device, "device", "", "where training computes: "+strings.Join(names, ", ")+", or "+
		devices.Auto+", a GPU where there is one (default cpu)")
	cmd.Flags().StringVar(&h.Precision, "precision", "",
		"precision of matrix products. Everywhere: fp32 (the default). On an NVIDIA GPU: tf32, tf32x3 (errors like "+
			"those of fp32), bf16. On processors with a matrix unit (AMX): bf16x3, bf16")
}

// checkDevice checks --device and --precision.
func checkDevice(h experiment.Host) error {
	if _, err := devices.CheckPrecision(h.Device, h.Precision); err != nil {
		return app.Usagef("--%w", err)
	}
	return nil
}

// checkOtherDevice checks the flags for a run that continues on its device unless another is named.
func checkOtherDevice(h experiment.Host) error {
	if h.Device == "" {
		return nil
	}
	return checkDevice(h)
}

// workersFlag adds --workers.
func workersFlag(cmd *cobra.Command, n *int) {
	number(cmd.Flags(), n, "workers,w", 0, 0, maxWorkers,
		"`number` of processor threads, 0 for one per core; results do not depend on it")
}

func keepFlags(cmd *cobra.Command, h *experiment.Host) {
	f := cmd.Flags()
	number(f, &h.Keep, "keep", 0, 0, 1e6,
		"keep the weights at intervals of this many `iterations`, for a notebook's Scrubber; 0 keeps none")
	number(f, &h.KeepState, "keep-checkpoints", 0, 0, 1e6,
		"keep a checkpoint, with all data, at intervals of this many `iterations`, for nacre branch; 0 keeps none")
}

// columnFlags are the flags that choose columns of the logs of other programs.
func columnFlags(cmd *cobra.Command, c *foreign.Columns) {
	cmd.Flags().StringVar(&c.Step, "step-column", "", "`column` of environment steps in logs of other programs")
	cmd.Flags().StringVar(&c.Return, "return-column", "", "`column` of the return in logs of other programs")
}

// paperFlags add --width and --dark.
func paperFlags(cmd *cobra.Command, o *app.PaperOptions) {
	cmd.Flags().StringVar(&o.Width, "width", "", "`width` on paper, with text of 8 points: "+
		strings.Join(plots.Widths(), ", ")+", or a length such as 3.25in or 85mm (default a screen's)")
	cmd.Flags().BoolVar(&o.Dark, "dark", false, "draw in the colours of a dark page")
}

// chosenPython says which Python is used where none is named.
const chosenPython = "$NACRE_PYTHON, the active environment's, or python3 of PATH"

// orChosen is the named interpreter, or else the interpreter that package python chooses.
func orChosen(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	p, err := python.Find()
	return p.Path, err
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

// Set takes numbers as a configuration does: 1e3 and 1_000 are 1000.
func (s *seedValue) Set(text string) error {
	n, ok := whole.Of(text)
	if !ok || !n.IsInt64() || n.Sign() < 0 {
		return errors.New("expected " + config.WholeFromZero)
	}
	*s = seedValue(n.Uint64())
	return nil
}

// number adds a flag that takes a whole number from lo to hi. Its short form stands behind a comma: "workers,w".
func number(f *pflag.FlagSet, n *int, name string, initial, lo, hi int, what string) {
	name, short, _ := strings.Cut(name, ",")
	f.IntVarP(n, name, short, initial, what)
	f.Lookup(name).Value = bounded{f.Lookup(name).Value, func() error { return between(name, *n, lo, hi) }}
}

// word adds a flag that takes one of some words, or the initial one. Its short form stands behind a comma.
func word(f *pflag.FlagSet, w *string, name, initial, what string, words ...string) {
	name, short, _ := strings.Cut(name, ",")
	f.StringVarP(w, name, short, initial, what)
	f.Lookup(name).Value = bounded{f.Lookup(name).Value, func() error {
		return oneOf(name, *w, append([]string{initial}, words...)...)
	}}
}

// bounded is the value of a flag that is checked when it is set.
type bounded struct {
	pflag.Value
	check func() error
}

func (v bounded) Set(text string) error {
	if err := v.Value.Set(text); err != nil {
		return err
	}
	return v.check()
}

// oneValue makes the flags of a command and of those below it take whole numbers as a configuration does, and those of
// words refuse a second one: a second file would not be laid over the first.
func oneValue(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "int64":
			f.Value = wholeValue{f.Value}
		case "string":
			f.Value = &onceValue{Value: f.Value}
		}
	})
	for _, c := range cmd.Commands() {
		oneValue(c)
	}
}

// onceValue is the value of a flag that takes one word.
type onceValue struct {
	pflag.Value
	given string // first value
	set   bool
}

func (v *onceValue) Set(text string) error {
	if v.set && text != v.given {
		return fmt.Errorf("it was given before as %q: expected one of them", v.given)
	}
	v.given, v.set = text, true
	return v.Value.Set(text)
}

// wholeValue is the value of a flag that takes a whole number.
type wholeValue struct{ pflag.Value }

func (v wholeValue) Set(text string) error {
	if n, ok := whole.Of(text); ok {
		text = n.String()
	}
	return v.Value.Set(text)
}

// between checks a whole number given with a flag.
func between(flag string, value, lo, hi int) error {
	if value < lo || value > hi {
		return app.Usagef("--%s %d: expected a whole number from %d to %d", flag, value, lo, hi)
	}
	return nil
}

// steps checks a number of environment steps given with a flag.
func steps(flag string, n int64) error {
	if n < 0 {
		return app.Usagef("--%s %d: expected a number of environment steps, or 0", flag, n)
	}
	return nil
}

// oneOf checks a word given with a flag; the empty word may be among the choices as the flag's default.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	named := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	return app.Usagef("--%s %s: unknown word%s", flag, value, nearest.Hint(value, named))
}

const (
	maxWorkers = 1024
	maxPort    = 65535
	maxCount   = 1_000_000
)
