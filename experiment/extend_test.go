package experiment

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"nacre/experiment/checkpoint"
	"nacre/experiment/progress"
	"nacre/experiment/tfevents"
	"nacre/internal/heavy"
	"nacre/rl"
	_ "nacre/sim/families"
)

// tiny are settings with which an algorithm trains in a blink.
var tiny = map[string][]string{
	"pearl": {"pearl.hidden=6", "pearl.encoder_hidden=6", "pearl.meta_batch=2", "pearl.batch=6", "pearl.context=6",
		"pearl.initial_steps=20",
		"pearl.tasks_per_iteration=2", "pearl.prior_steps=20", "pearl.extra_posterior_steps=20",
		"pearl.updates_per_iteration=2"},
	"maml": {"maml.hidden=4", "maml.meta_batch=2", "maml.episodes=2"},
	"rl2":  {"rl2.hidden=4", "rl2.meta_batch=2", "rl2.episodes=2", "rl2.epochs=2", "rl2.chunk=20"},
	"mql": {"mql.hidden=6", "mql.context=5", "mql.history=4", "mql.batch=6", "mql.initial_steps=20",
		"mql.initial_episode=10", "mql.min_initial_steps=20",
		"mql.warmup_transitions=0", "mql.updates_per_iteration=2", "mql.adapt_updates=1", "mql.replay_updates=1"},
	"varibad": {"varibad.memory=4", "varibad.meta_batch=2", "varibad.episodes=2", "varibad.epochs=1",
		"varibad.policy_hidden=6",
		"varibad.vae_updates=1", "varibad.trials=2", "varibad.posteriors=3", "varibad.decodes=3", "varibad.unroll=15"},
	"oracle": {"oracle.hidden=6", "oracle.batch=6", "oracle.initial_steps=20", "oracle.updates_per_iteration=2",
		"oracle.meta_batch=2", "oracle.tasks_per_iteration=2", "oracle.steps_per_task=40"},
}

// tinyRun is a configuration of an algorithm, evaluated after every second iteration, with a checkpoint after every
// third.
func tinyRun(t *testing.T, algorithm string, more ...string) Config {
	t.Helper()
	cfg := Default()
	cfg.Algorithm, cfg.Family = algorithm, "point-goal"
	own, ok := tiny[algorithm]
	if !ok { // on PEARL's table
		own = tiny["pearl"]
		own = append(slices.Clone(own), "tcl.window=6")
	}
	if err := Change(&cfg, slices.Concat(own, []string{"train_tasks=4", "test_tasks=2", "evaluation.every=2",
		"checkpoint_every=3", "seed=5"}, more)...); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// length sets the number of iterations.
func length(t *testing.T, c *Config, n int) {
	t.Helper()
	a, err := rl.Lookup(c.Algorithm)
	if err == nil {
		err = Change(c, fmt.Sprintf("%s=%d", a.Length, n))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// end trains what was opened to its end and closes it.
func end(t *testing.T, run *Training, err error) {
	t.Helper()
	if err == nil {
		err = errors.Join(run.Train(context.Background(), progress.Silent()), run.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// whole trains a run of so many iterations in a new folder.
func wholeRun(t *testing.T, c Config, n int, host Host) string {
	t.Helper()
	length(t, &c, n)
	dir := filepath.Join(t.TempDir(), "run")
	run, err := Start(dir, c, host)
	end(t, run, err)
	return dir
}

// equalRuns compares all that two runs have computed: files byte for byte; of the configuration all but the record, of
// the checkpoint all but clocks, and event files as TensorBoard reads them.
func equalRuns(t *testing.T, a, b string) {
	t.Helper()
	for _, name := range []string{MetricsFile, WeightsFile, EvaluationFile, TasksFile} {
		if x, y := read(t, a, name), read(t, b, name); !bytes.Equal(x, y) {
			t.Errorf("%s differs", name)
			if name == MetricsFile {
				t.Logf("\n%s\n%s", x, y)
			}
		}
	}
	settings := func(dir string) string {
		text, _, _ := strings.Cut(string(read(t, dir, ConfigFile)), "\n# What ran")
		return text
	}
	if x, y := settings(a), settings(b); x != y {
		t.Errorf("configurations differ:\n%s\n%s", x, y)
	}
	x, y := sections(t, a), sections(t, b)
	for name := range x {
		if !bytes.Equal(x[name], y[name]) {
			t.Errorf("section %s of the checkpoint differs", name)
		}
	}
	if len(x) != len(y) || len(x) < 4 {
		t.Errorf("checkpoints have %d and %d sections", len(x), len(y))
	}
	if x, y := told(t, a), told(t, b); x != y {
		t.Errorf("event files tell\n%s\n%s", x, y)
	}
}

// sections are those of a run's checkpoint and its settings, without clocks.
func sections(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if err := checkpoint.Load(filepath.Join(dir, CheckpointFile), "", func(r *checkpoint.Reader) error {
		settings, err := json.Marshal(r.Header().Settings)
		out["settings"] = settings
		for _, name := range r.Names() {
			data, failed := text(r, name)
			err = errors.Join(err, failed)
			switch name {
			case TimingFile:
				continue
			case "place":
				var at place
				err = errors.Join(err, json.Unmarshal(data, &at))
				at.Timing = Position{}
				data = fmt.Append(nil, at)
			}
			out[name] = data
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Runs of every algorithm that are trained on, from an even and an uneven number of iterations, and off the beat of
// their evaluations, are those that were longer from their beginning, byte for byte.
func TestTrainedOn(t *testing.T) {
	for _, algorithm := range []string{"pearl", "tcl-pearl", "pearl-windows", "maml", "rl2", "mql", "varibad",
		"oracle"} {
		t.Run(algorithm, func(t *testing.T) {
			if algorithm != "tcl-pearl" {
				heavy.Skip(t, "trains every algorithm again and again")
			}
			t.Parallel()
			cfg := tinyRun(t, algorithm)
			host := Host{Workers: 1}
			dir, three := wholeRun(t, cfg, 2, host), wholeRun(t, cfg, 3, host)
			extend := func(n int) {
				t.Helper()
				run, _, err := Extend(dir, host, func(c *Config) error { length(t, c, n); return nil })
				end(t, run, err)
			}
			extend(3)
			equalRuns(t, dir, three)
			if testing.Short() {
				return
			}
			extend(30)
			equalRuns(t, dir, wholeRun(t, cfg, 30, host))
		})
	}
}

// So are those that were interrupted first, that are as long as their environment steps say, whose file was changed by
// hand, and that collect ahead, whose last iteration is made again.
func TestTrainedOnOtherwise(t *testing.T) {
	heavy.Skip(t, "it trains a dozen runs")
	host := Host{Workers: 2}
	t.Run("interrupted", func(t *testing.T) {
		cfg := tinyRun(t, "pearl")
		length(t, &cfg, 2)
		dir := filepath.Join(t.TempDir(), "run")
		run, err := Start(dir, cfg, host)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		if err := errors.Join(run.Train(ctx, &stopper{progress.Silent(), 1, stop}), run.Close()); err == nil {
			t.Fatal("it was not interrupted")
		}
		run, notices, err := Extend(dir, host, func(c *Config) error { length(t, c, 5); return nil })
		end(t, run, err)
		if !slices.Contains(notices, "trained on: pearl.iterations = 5, it was 2") {
			t.Errorf("notices %q", notices)
		}
		equalRuns(t, dir, wholeRun(t, cfg, 5, host))
	})
	t.Run("steps", func(t *testing.T) {
		cfg := tinyRun(t, "oracle")
		dir := wholeRun(t, cfg, 2, host)
		longer := func(c *Config) error { return Change(c, "env_steps=600") }
		run, _, err := Extend(dir, host, longer)
		end(t, run, err)
		if err := longer(&cfg); err != nil {
			t.Fatal(err)
		}
		equalRuns(t, dir, wholeRun(t, cfg, 2, host))
	})
	t.Run("by hand", func(t *testing.T) {
		cfg := tinyRun(t, "rl2")
		dir := wholeRun(t, cfg, 2, host)
		edit(t, dir, "iterations = 2", "iterations = 4")
		run, _, err := Resume(dir, host)
		end(t, run, err)
		equalRuns(t, dir, wholeRun(t, cfg, 4, host))
	})
	t.Run("ahead", func(t *testing.T) {
		cfg := tinyRun(t, "pearl", "pearl.collect_ahead=true", "checkpoint_every=1")
		dir := wholeRun(t, cfg, 3, host)
		run, _, err := Extend(dir, host, func(c *Config) error { length(t, c, 6); return nil })
		end(t, run, err)
		equalRuns(t, dir, wholeRun(t, cfg, 6, host))
		if err := os.Remove(filepath.Join(dir, PreviousCheckpointFile)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Extend(dir, host, func(c *Config) error { length(t, c, 7); return nil }); err == nil ||
			!strings.Contains(err.Error(), "pearl.collect_ahead collects") {
			t.Errorf("without the checkpoint before: %v", err)
		}
	})
	t.Run("kept", func(t *testing.T) {
		cfg, keeping := tinyRun(t, "oracle"), Host{Workers: 1, Keep: 2}
		dir := wholeRun(t, cfg, 3, keeping)
		run, _, err := Extend(dir, keeping, func(c *Config) error { length(t, c, 5); return nil })
		end(t, run, err)
		other := wholeRun(t, cfg, 5, keeping)
		mine, err := Kept(dir)
		theirs, err2 := Kept(other)
		if err := errors.Join(err, err2); err != nil || !slices.Equal(mine, theirs) {
			t.Errorf("weights after %v and %v, %v", mine, theirs, err)
		}
	})
}

// What is not longer is refused, and nothing is changed.
func TestNotTrainedOn(t *testing.T) {
	cfg := tinyRun(t, "oracle")
	dir := wholeRun(t, cfg, 3, Host{Workers: 1})
	before := read(t, dir, ConfigFile)
	for pairs, want := range map[string]string{
		"oracle.iterations=2": "oracle.iterations = 2 is no more than the run has trained already (3 " +
			"iterations",
		"oracle.lr_q=0.5": "oracle.lr_q = 0.5, it was ",
		"seed=9": "seed = 9, it was 5: a run that goes on can only be made longer, by " +
			"oracle.iterations or env_steps; nacre branch begins another",
		"env_steps=3":                        "env_steps = 3 is no more than the run has trained already",
		"iterations=9":                       "unknown key iterations; the nearest is oracle.iterations",
		"oracle.iterations=9 oracle.batch=7": "oracle.batch = 7, it was 6",
	} {
		_, _, err := Extend(dir, Host{Workers: 1}, func(c *Config) error { return Change(c, strings.Fields(pairs)...) })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", pairs, err, want)
		}
	}
	if !bytes.Equal(before, read(t, dir, ConfigFile)) {
		t.Error("the configuration was changed")
	}
	if bad := states(t, dir); bad != nil {
		t.Errorf("not whole any more: %v", bad)
	}
}

// A finished run that is resumed has no more files and no more sessions than before.
func TestFinishedRunsStay(t *testing.T) {
	dir := wholeRun(t, tinyRun(t, "oracle"), 2, Host{Workers: 1})
	names := func() (list []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	before, config := names(), read(t, dir, ConfigFile)
	for range 2 {
		run, notices, err := Resume(dir, Host{Workers: 1})
		end(t, run, err)
		if len(notices) > 0 {
			t.Errorf("notices %q", notices)
		}
	}
	if now := names(); !slices.Equal(before, now) || !bytes.Equal(config, read(t, dir, ConfigFile)) {
		t.Errorf("files %v, before %v; or the configuration changed", now, before)
	}
}

// told returns what TensorBoard reads from a run's event files: of each tag the steps and values, without what a later
// file says again.
func told(t *testing.T, dir string) string {
	t.Helper()
	files, err := tfevents.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	type point struct {
		step  int64
		value float32
	}
	lines := map[string][]point{}
	for _, file := range files {
		data := read(t, dir, filepath.Base(file))
		for len(data) > 0 {
			n := binary.LittleEndian.Uint64(data)
			event := message(t, data[12:12+n])
			data = data[16+n:]
			step := int64(0)
			if v, ok := event[2]; ok {
				step = int64(v[0].number)
			}
			if _, ok := event[7]; ok { // a session begins
				for tag, points := range lines {
					lines[tag] = slices.DeleteFunc(points, func(p point) bool { return p.step >= step })
				}
			}
			for _, summary := range event[5] {
				for _, value := range message(t, summary.bytes)[1] {
					of := message(t, value.bytes)
					tag := string(of[1][0].bytes)
					lines[tag] = append(lines[tag], point{step, math.Float32frombits(uint32(of[2][0].number))})
				}
			}
		}
	}
	if len(lines) < 4 {
		t.Errorf("%s: event files of %d tags", dir, len(lines))
	}
	return fmt.Sprint(lines)
}

// field is one of a protocol-buffer message.
type field struct {
	number uint64
	bytes  []byte
}

// message are the fields of one by number.
func message(t *testing.T, b []byte) map[protowire.Number][]field {
	t.Helper()
	out := map[protowire.Number][]field{}
	for len(b) > 0 {
		name, kind, n := protowire.ConsumeTag(b)
		b = b[max(0, n):]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.number = uint64(v)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		}
		if n <= 0 {
			t.Fatal("not a message")
		}
		out[name] = append(out[name], f)
		b = b[n:]
	}
	return out
}
