package app_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"nacre/cmd/nacre/app"
	"nacre/experiment/progress"
)

func Example() {
	env := &app.Env{Out: os.Stdout, Err: os.Stderr, Progress: progress.Silent(),
		Log: app.Messages(os.Stderr, slog.LevelWarn)}
	report, err := app.Doctor(app.Providers{CPUKernel: func() string { return "avx512" }})
	if err != nil && !errors.Is(err, app.ErrProblem) {
		fmt.Println(err)
	}
	report.Checks = report.Checks[5:6] // the rest depends on the machine
	fmt.Println(env.Print(report, report.WriteText))
	// Output:
	// ok       CPU kernel  avx512
	//
	// Nothing is missing.
	// <nil>
}
