package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/internal/nearest"
	"nacre/internal/python"
	"nacre/internal/shell"
	nacrerl "nacre/python"
)

// WatchOptions are the flags of nacre watch.
type WatchOptions struct {
	Run     string
	To      string   // one of WatchPrograms
	Options []string // key=value, for the program's client
}

// WatchPrograms are the programs to which a run is logged while it trains.
var WatchPrograms = []string{"jsonl", "wandb", "mlflow"}

// afterInterrupt is how long a client may take to end its log.
const afterInterrupt = time.Minute

// Watch logs a run to another program until training ends, by that program's own client in the user's Python.
func Watch(ctx context.Context, env *Env, o WatchOptions) error {
	if o.To == "tensorboard" {
		return Usagef("--to tensorboard: TensorBoard reads the run folder itself: %s",
			shell.Command("tensorboard", "--logdir", o.Run))
	}
	if !slices.Contains(WatchPrograms, o.To) {
		return Usagef("--to %s: no such program%s", nearest.Quote(o.To), nearest.Hint(o.To, WatchPrograms))
	}
	options := map[string]string{}
	for _, option := range o.Options {
		key, value, ok := strings.Cut(option, "=")
		if !ok || key == "" {
			return Usagef("--option %s: expected key=value, such as project=meta", nearest.Quote(option))
		}
		options[key] = value
	}
	text, err := json.Marshal(options)
	if err != nil {
		return err
	}
	if _, err := experiment.View(o.Run); err != nil {
		return err
	}
	p, err := python.Find()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "nacre-watch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := nacrerl.Unpack(folder); err != nil {
		return err
	}
	said := filepath.Join(folder, "said")
	cmd := exec.CommandContext(ctx, p.Path, "-m", "nacre_rl.watching", o.Run, o.To, string(text), said)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+folder+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"),
		"PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdout, cmd.Stderr = env.Out, env.Err
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, afterInterrupt
	err = cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	if sentence, unsaid := os.ReadFile(said); unsaid == nil {
		return errors.New(string(sentence))
	}
	return fmt.Errorf("%s: %w", p.Path, err)
}
