// Nacre is a research notebook for context-based meta-reinforcement learning. It trains PEARL and TCL-PEARL on task
// families, keeps each run so that it can be resumed bit for bit, and shows how well a context encoder tells tasks
// apart. `nacre help` lists its commands; `nacre doctor` says what the machine offers.
//
// Results go to standard output, and messages for the user to standard error. The exit status is 0 if the command did
// its work, 1 if it failed, 2 if it was called wrongly, 3 if sweep status has shown runs that are not finished, and 130
// if it was interrupted. The exit status of nacre diff is like that of the program diff: 1 if notebooks differ, 2 if it
// failed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"nacre/cmd/nacre/app"
	"nacre/rl/config"
	_ "nacre/sim/families"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitUnfinished  = 3
	exitInterrupted = 130
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx := interruptible(context.Background(), signals, os.Stderr, os.Exit)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// interruptible is a context that the first signal cancels, so that work can save itself; the second ends the
// program at once. A closed terminal sends more than one SIGHUP, and nobody is there who could be impatient.
func interruptible(parent context.Context, signals <-chan os.Signal, stderr io.Writer, exit func(int)) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		first := <-signals
		fmt.Fprintln(stderr, "nacre: stopping, once what can be saved is saved; interrupt again to stop at once")
		if first == os.Interrupt {
			cancel(app.ErrInterrupted)
		} else {
			cancel(fmt.Errorf("%w by a signal (%v)", app.ErrInterrupted, first))
		}
		for s := range signals {
			if s != syscall.SIGHUP {
				exit(exitInterrupted)
			}
		}
	}()
	return ctx
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var usage *app.UsageError
	switch {
	case errors.Is(err, app.ErrUnfinished):
		return exitUnfinished
	case errors.Is(err, app.ErrDiffer):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "nacre: %s; see \"%s --help\"\n", app.OneLine(err.Error()), cmd.CommandPath())
		return exitUsage
	case errors.Is(err, app.ErrInterrupted), errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "nacre: %s\n", app.OneLine(err.Error()))
		return exitInterrupted
	}
	text := app.OneLine(err.Error())
	if key, ok := errors.AsType[*config.KeyError](err); ok && cmd.Flags().Lookup(key.Key) != nil {
		text += fmt.Sprintf("; --%s is a flag of its own", key.Key)
	}
	fmt.Fprintf(stderr, "nacre: %s\n", text)
	if compare := (*app.CompareError)(nil); errors.As(err, &compare) {
		return exitUsage
	}
	return exitFailed
}
