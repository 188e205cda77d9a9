// Package app is what the commands of nacre share: where they print, how they report progress and failures, and the
// options each of them takes. The commands' flags are defined in cmd/nacre; what they do is done by functions that
// take an Env and one of the option structs, so that tests and other programs can call them without a command line.
//
//	env := &app.Env{Out: os.Stdout, Err: os.Stderr, Progress: progress.Silent(), Log: slog.Default()}
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

// ErrInterrupted is the cause of a context that was cancelled by the user or by the system asking the program to
// end. Work that sees it saves what it needs to continue and returns it.
var ErrInterrupted = errors.New("interrupted")

// UsageError is a mistake in how a command was called: a flag, an argument, the name of a command.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Env is a command's surroundings.
type Env struct {
	Out      io.Writer // results, and nothing else, so that they can be piped
	Err      io.Writer // everything for the person watching
	JSON     bool      // results are wanted as JSON
	Quiet    bool
	Progress progress.Progress
	Log      *slog.Logger
}

// Print writes a command's result to Out: v as indented JSON when JSON is wanted, else what text writes.
func (env *Env) Print(v any, text func(io.Writer) error) error {
	if !env.JSON {
		return text(env.Out)
	}
	enc := json.NewEncoder(env.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Notice tells the person watching something that the results depend on, such as a fall-back taken. Callers also
// put it into the run's record.
func (env *Env) Notice(text string) { env.Log.Warn(text) }
