package experiment

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nacre/experiment/checkpoint"
	"nacre/experiment/progress"
	"nacre/internal/heavy"
	"nacre/rl"
	"nacre/sim"
)

// ended is how a run's last session ended.
func ended(t *testing.T, dir string) string {
	t.Helper()
	record, err := (&Run{Dir: dir}).Record()
	if err != nil || len(record.Sessions) == 0 {
		t.Fatalf("%d sessions, %v", len(record.Sessions), err)
	}
	return record.Sessions[len(record.Sessions)-1].Ended
}

// pays registers point-goal with a reward of its own and returns a configuration on it.
func pays(t *testing.T, name string, reward sim.Reward) Config {
	t.Helper()
	base, err := sim.Lookup("point-goal")
	if err == nil {
		err = sim.Define(sim.WithReward(base, name, reward))
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg := tinyRun(t, "oracle")
	cfg.Family = name
	length(t, &cfg, 3)
	return cfg
}

// The record keeps how a run ended, and a failure says only what is true of what is left.
func TestWhyARunEnded(t *testing.T) {
	host := Host{Workers: 1}
	if dir := wholeRun(t, tinyRun(t, "oracle"), 2, host); ended(t, dir) != EndedFinished {
		t.Errorf("finished: %q", ended(t, dir))
	}
	for cause, want := range map[error]string{
		errors.New("interrupted"):                          "interrupted",
		errors.New("interrupted by a signal (terminated)"): "interrupted by a signal (terminated)",
		context.Canceled:                                   "interrupted",
	} {
		cfg := tinyRun(t, "oracle")
		run, err := Start(filepath.Join(t.TempDir(), "run"), cfg, host)
		if err != nil {
			t.Fatal(err)
		}
		if got := ended(t, run.Dir()); got != EndedRunning { // as a killed process leaves it
			t.Errorf("begun: %q", got)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		if err := errors.Join(run.Train(ctx, progress.Silent()), run.Close()); !errors.Is(err, cause) ||
			ended(t, run.Dir()) != want {
			t.Errorf("%v: %v, %q", cause, err, ended(t, run.Dir()))
		}
	}
}

// A reward that nothing can learn from is blamed at once, with its task and step, whoever pays it.
func TestRewardsThatAreNone(t *testing.T) {
	late := 0
	for name, c := range map[string]struct {
		reward sim.Reward
		want   string
		left   string
	}{
		"pays-nan": {func(sim.Task, []float64, []float64, []float64) float64 {
			return math.NaN()
		}, "step 0: the reward is NaN", "has no checkpoint yet"},
		"pays-infinite": {func(sim.Task, []float64, []float64, []float64) float64 {
			return math.Inf(1)
		}, "step 0: the reward is +Inf", "has no checkpoint yet"},
		"pays-less": {func(sim.Task, []float64, []float64, []float64) float64 {
			return math.Inf(-1)
		}, "the reward is -Inf", "has no checkpoint yet"},
		"pays-absurdly": {func(sim.Task, []float64, []float64, []float64) float64 {
			return -1e200
		}, "the reward is -1e+200; expected a number from -1e+18 to 1e+18", "has no checkpoint yet"},
		"pays-late": {func(sim.Task, []float64, []float64, []float64) float64 {
			if late++; late > 300 {
				return math.NaN()
			}
			return 1
		}, "the reward is NaN", "keeps the last checkpoint"},
	} {
		cfg := pays(t, name, c.reward)
		run, err := Start(filepath.Join(t.TempDir(), "run"), cfg, Host{Workers: 1, Envs: 1})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(run.Train(context.Background(), nil), run.Close())
		for _, want := range []string{"sim: " + name + ": task ", c.want, c.left} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		if got := ended(t, run.Dir()); err != nil && got != EndedFailed+err.Error() {
			t.Errorf("%s: the record has %q", name, got)
		}
	}
}

// A folder that is taken away is said to be.
func TestFolderTakenAway(t *testing.T) {
	run, err := Start(filepath.Join(t.TempDir(), "run"), tinyRun(t, "oracle"), Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := os.RemoveAll(run.Dir()); err != nil {
		t.Skip("this system does not remove what is open: ", err)
	}
	if err := run.Train(context.Background(), nil); err == nil || strings.Contains(err.Error(), "keeps") ||
		!strings.Contains(err.Error(), "there is no run in") {
		t.Errorf("%v", err)
	}
}

// config.toml that is lost is made again from the checkpoint, the same but for the record.
func TestRebuild(t *testing.T) {
	heavy.Skip(t, "trains every algorithm again")
	host := Host{Workers: 1}
	for _, algorithm := range []string{"pearl", "maml", "rl2", "mql", "varibad", "oracle"} {
		dir := wholeRun(t, tinyRun(t, algorithm, "evaluation.protocol.explore=1"), 2, host)
		before, _, _ := bytes.Cut(read(t, dir, ConfigFile), []byte("\n# What ran"))
		if err := os.Remove(filepath.Join(dir, ConfigFile)); err != nil {
			t.Fatal(err)
		}
		if found, err := Verify(dir); err != nil || found[0].State != Missing || !found[0].Remade {
			t.Errorf("%s: verified %+v, %v", algorithm, found, err)
		}
		if _, err := LoadAgent(dir, host); err == nil ||
			!strings.Contains(err.Error(), "has checkpoint.bin and no config.toml") ||
			!strings.Contains(err.Error(), "nacre resume "+dir) {
			t.Errorf("%s: %v", algorithm, err)
		}
		run, notices, err := Resume(dir, host)
		end(t, run, err)
		if len(notices) != 1 || !strings.HasPrefix(notices[0], "config.toml is missing: made again") {
			t.Errorf("%s: notices %q", algorithm, notices)
		}
		if after, _, _ := bytes.Cut(read(t, dir, ConfigFile), []byte("\n# What ran")); !bytes.Equal(before, after) {
			t.Errorf("%s:\n%s\nwas\n%s", algorithm, after, before)
		}
	}
	older := copied(t, "pearl")
	if err := os.Remove(filepath.Join(older, ConfigFile)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(older, host); err == nil ||
		!strings.Contains(err.Error(), "keeps no settings to make it from") {
		t.Errorf("of an older program: %v", err)
	}
	empty := t.TempDir()
	if _, _, err := Resume(empty, host); err == nil || !strings.Contains(err.Error(), "is not a run folder") {
		t.Errorf("an empty folder: %v", err)
	}
}

// A run whose family a notebook defined says so.
func TestFamilyOfANotebook(t *testing.T) {
	dir := wholeRun(t, tinyRun(t, "oracle"), 2, Host{Workers: 1})
	edit(t, dir, "family = 'point-goal'", "family = 'point-nan'")
	_, _, resume := Resume(dir, Host{Workers: 1})
	_, load := LoadAgent(dir, Host{Workers: 1})
	for _, err := range []error{resume, load} {
		if err == nil || !strings.Contains(err.Error(),
			`family "point-nan" is none of this program: a notebook defined it`) ||
			!strings.Contains(err.Error(), "lab.Folder") {
			t.Errorf("%v", err)
		}
	}
}

// A checkpoint of a program from before the first change of the fingerprint, which was of the whole file, is continued.
func TestOldestFingerprint(t *testing.T) {
	dir := copied(t, "pearl")
	hashes, err := oldHashes(filepath.Join(dir, ConfigFile), "pearl")
	if err != nil {
		t.Fatal(err)
	}
	if hashes[0] == hashes[1] {
		t.Fatal("both fingerprints are the same")
	}
	path := filepath.Join(dir, CheckpointFile)
	parts := map[string][]byte{}
	var names []string
	if err := checkpoint.Load(path, hashes[1], func(r *checkpoint.Reader) (err error) {
		for _, name := range r.Names() {
			names = append(names, name)
			if parts[name], err = text(r, name); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	write := func(hash string) {
		if err := checkpoint.Save(path, checkpoint.Header{ConfigHash: hash}, func(w *checkpoint.Writer) (err error) {
			for _, name := range names {
				err = errors.Join(err, w.Section(name, func(out io.Writer) error {
					_, err := out.Write(parts[name])
					return err
				}))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, PreviousCheckpointFile)); err != nil {
			t.Fatal(err)
		}
	}
	write("0123456789abcdef")
	_, _, err = Resume(dir, Host{Workers: 1})
	if err == nil || !errors.Is(err, rl.ErrOther) ||
		!strings.Contains(err.Error(), "kept a fingerprint of the settings, 0123456789ab") ||
		strings.Contains(err.Error(), "were changed after") {
		t.Errorf("another fingerprint: %v", err)
	}
	if found, err := Verify(dir); err != nil || found[1].State != Other {
		t.Errorf("verified %+v, %v", found, err)
	}
	write(hashes[0])
	run, _, err := Resume(dir, Host{Workers: 1})
	end(t, run, err)
	if metrics, want := read(t, dir, MetricsFile), read(t, dir, "expected.metrics.csv"); runtime.GOARCH == "amd64" &&
		!bytes.Equal(metrics, want) {
		t.Errorf("metrics\n%s\nwant\n%s", metrics, want)
	}
}

// What differs is named truly: a setting that was changed, one that the earlier program did not have, and one that this
// program does not have.
func TestWhatDiffers(t *testing.T) {
	cfg := tinyRun(t, "pearl")
	for _, c := range []struct {
		change func(rl.Settings)
		want   string
	}{
		{func(s rl.Settings) {
			s["pearl.lr_q"] = []byte("0.5")
		}, "pearl.lr_q = 0.0003, it was 0.5; its settings were changed after it was written"},
		{func(s rl.Settings) {
			s["pearl.sparkle"] = []byte("1")
		}, "pearl.sparkle was 1, a setting that this program does not have; it was written by another program (nacre " +
			"0.1)"},
		{func(s rl.Settings) {
			delete(s, "pearl.hidden")
		}, "pearl.hidden = 6, a setting that the earlier program did not have; expected its default, 300; it was " +
			"written by another program"},
		{func(s rl.Settings) { s["seed"] = []byte("8") }, "seed = 5, it was 8; its settings were changed"},
		// a run that is longer or shorter is told of elsewhere
		{func(s rl.Settings) { s["pearl.iterations"] = []byte("8") }, ""},
		{func(s rl.Settings) { delete(s, "pearl.lr_q") }, ""}, // at its default
	} {
		s, err := cfg.Settings()
		if err != nil {
			t.Fatal(err)
		}
		c.change(s)
		err = (&Run{Dir: t.TempDir()}).continued(checkpoint.Header{Program: "nacre 0.1", Settings: s}, cfg)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
