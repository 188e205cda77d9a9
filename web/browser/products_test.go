package browser

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
	"nacre/experiment/progress"
)

// product does what nacre embed, nacre tsne, nacre render and nacre report do, as the server calls them; it reports
// false where the program is called for something else.
func product() bool {
	if len(os.Args) < 3 {
		return false
	}
	env := &app.Env{Out: io.Discard, Err: os.Stderr, Progress: progress.Lines(os.Stderr, 0),
		Log: slog.New(slog.DiscardHandler)}
	dir, ctx := os.Args[2], context.Background()
	var err error
	switch os.Args[1] {
	case "embed":
		err = app.Embed(ctx, env,
			app.EmbedOptions{Dir: dir, Tasks: 8, Windows: 25, Context: string(experiment.WindowContext)})
	case "tsne":
		err = app.TSNE(ctx, env, app.TSNEOptions{Inputs: []string{dir}, Out: dir})
	case "render":
		err = app.Render(ctx, env, app.RenderOptions{What: dir, Out: os.Args[4], At: -1})
	case "report":
		err = app.ReportRun(ctx, env, app.ReportRunOptions{Dir: dir})
	default:
		return false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}
