// Package app holds what the commands of nacre share: where they print, how they report progress and failures, and the
// options of each command. cmd/nacre defines the flags. The functions of this package do the work. They take an Env and
// one of the option structs, so tests and other programs can call them without a command line.
//
//	env := &app.Env{Out: os.Stdout, Err: os.Stderr, Progress: progress.Silent(),
//		Log: app.Messages(os.Stderr, slog.LevelWarn)}
//	report, err := app.Doctor(app.Providers{})
//	err = env.Print(report, report.WriteText)
package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"nacre/experiment/progress"
)

// ErrInterrupted is the cause of a context that is cancelled because the user interrupts the program or the system asks
// it to end. Code that gets this error saves what it needs to continue, and then returns the error.
var ErrInterrupted = errors.New("interrupted")

// UsageError is a mistake in how a command was called: a flag, an argument, the name of a command.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Env holds what a command prints to and reports to.
type Env struct {
	Out      io.Writer // results only, so that they can be piped
	Err      io.Writer // all other messages, for the user
	JSON     bool      // print results as JSON
	Quiet    bool
	Progress progress.Progress
	Log      *slog.Logger
}

// Print writes a command's result to Out: v as indented JSON if JSON is set, otherwise the text that the function text
// writes.
func (env *Env) Print(v any, text func(io.Writer) error) error {
	if !env.JSON {
		return text(env.Out)
	}
	enc := json.NewEncoder(env.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Notice prints a fact on which the results depend, for example that a fall-back was taken. Callers also put it into
// the run's record.
func (env *Env) Notice(text string) { env.Log.Warn(text) }
