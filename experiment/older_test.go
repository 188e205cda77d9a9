package experiment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nacre/experiment/progress"
	"nacre/internal/safetensors"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/weights"
)

// older are runs that program db218f0 made in float64 on the point robot, interrupted in their second iteration, and
// what became of them left alone.
const older = "testdata/db218f0"

// copied is a folder with a copy of an older run.
func copied(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(older, name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Runs of the program before the registry go on bit for bit, also when they are stopped once more before anything new
// is computed, and their configuration is then written in today's form.
func TestOlderRunsResume(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("made on amd64; other processors round sums of products once")
	}
	for _, name := range []string{"pearl", "tcl-pearl", "rl2"} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, name)
			for range 2 {
				begun, _, err := Resume(dir, Host{Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				if begun.Iteration() != 1 || begun.at.Update == 0 || begun.Config.Arithmetic != rl.Float64 ||
					begun.Config.Algorithm != name {
					t.Errorf("resumed in iteration %d, update %d, %+v", begun.Iteration(), begun.at.Update,
						begun.Config)
				}
				if err := begun.Close(); err != nil {
					t.Fatal(err)
				}
			}
			run, _, err := Resume(dir, Host{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			if err := run.Train(context.Background(), progress.Silent()); err != nil {
				t.Fatal(err)
			}
			metrics, want := read(t, dir, MetricsFile), read(t, dir, "expected.metrics.csv")
			if !bytes.Equal(metrics, want) {
				t.Errorf("metrics\n%s\nwant\n%s", metrics, want)
			}
			file, err := ReadWeights(filepath.Join(dir, WeightsFile))
			if err != nil {
				t.Fatal(err)
			}
			delete(file.Metadata, weights.Key) // which that program did not write
			sum := sha256.New()
			if err := safetensors.Write(sum, file.Tensors, file.Metadata); err != nil {
				t.Fatal(err)
			}
			if have, want := fmt.Sprintf("%x", sum.Sum(nil)),
				strings.TrimSpace(string(read(t, dir, "expected.weights.sha256"))); have != want {
				t.Errorf("weights %s, want %s", have, want)
			}
			if text := read(t, dir, ConfigFile); !bytes.Contains(text, []byte("\narithmetic = 'float64'\n")) ||
				bytes.Contains(text, []byte("\n[maml]\n")) {
				t.Errorf("the configuration is still in its older form:\n%s", text)
			}
		})
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// edit replaces a text in a run's configuration.
func edit(t *testing.T, dir, from, to string) {
	t.Helper()
	text := read(t, dir, ConfigFile)
	if !bytes.Contains(text, []byte(from)) {
		t.Fatalf("the configuration has no %q", from)
	}
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), bytes.Replace(text, []byte(from), []byte(to), 1),
		0o644); err != nil {
		t.Fatal(err)
	}
}

// A changed setting is found in either form of a checkpoint. One that the run's program did not have, and that the file
// lacks, is at its default and no change; a table of another algorithm is none either.
func TestFingerprint(t *testing.T) {
	refused := func(dir, want string) {
		t.Helper()
		run, _, err := Resume(dir, Host{Workers: 1})
		if err == nil {
			run.Close()
			t.Errorf("resumed; want an error about %s", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	resumed := func(dir string) {
		t.Helper()
		run, _, err := Resume(dir, Host{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	dir := copied(t, "pearl")
	edit(t, dir, "kl_weight = 0.1", "kl_weight = 0.2")
	refused(dir, "belongs to another configuration than that in config.toml: the program that wrote it (nacre devel "+
		"(db218f096bb5")
	edit(t, dir, "kl_weight = 0.2", "kl_weight = 0.1")
	resumed(dir)
	edit(t, dir, "kl_weight = 0.1", "kl_weight = 0.2")
	refused(dir, "belongs to another configuration: pearl.kl_weight = 0.2, it was 0.1")
	edit(t, dir, "kl_weight = 0.2", "kl_weight = 0.1")
	edit(t, dir, "\npre_tanh_reg = 0.0\n", "\n") // as if it had been added since
	edit(t, dir, "\n# What ran", "\n[mql]\nhidden = 7\n\n# What ran")
	resumed(dir)

	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Algorithm = "pearl"
	earlier, err := cfg.Settings()
	if err != nil {
		t.Fatal(err)
	}
	delete(earlier, "pearl.pre_tanh_reg")
	if err := cfg.Continues(earlier); err != nil {
		t.Errorf("a setting at its default was added: %v", err)
	}
	p := pearl.Of(cfg)
	p.PreTanhReg = 1
	pearl.Put(&cfg, p)
	if err := cfg.Continues(earlier); err == nil ||
		!strings.Contains(err.Error(),
			"pearl.pre_tanh_reg = 1, a setting that the earlier program did not have; expected its default, 0") {
		t.Errorf("a setting was added and is not at its default: %v", err)
	}
}

// A run of an algorithm or with a setting of another program is one sentence about that.
func TestForeignRuns(t *testing.T) {
	for want, change := range map[string][2]string{
		`algorithm "peral" is not in this program; did you mean "pearl"?`: {"algorithm = 'pearl'",
			"algorithm = 'peral'"},
		"unknown key pearl.sparkle": {"\nhidden = 4\n",
			"\nhidden = 4\nsparkle = 1\n"},
		"unknown key perl": {"[pearl]\n", "[perl]\n"},
	} {
		dir := copied(t, "pearl")
		edit(t, dir, change[0], change[1])
		_, resume := func() (*Training, error) { r, _, err := Resume(dir, Host{Workers: 1}); return r, err }()
		_, load := LoadAgent(dir, Host{Workers: 1})
		for _, err := range []error{resume, load} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line with %s", err, want)
			}
		}
	}
}
