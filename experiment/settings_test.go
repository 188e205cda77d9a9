package experiment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/rl"
	"nacre/rl/config"
	"nacre/rl/protocol"
)

// preset is quick/point-goal for an algorithm.
func preset(t *testing.T, algorithm string) experiment.Config {
	t.Helper()
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Algorithm = algorithm
	return cfg
}

// The nearest name to an unknown one is of the tables that the chosen algorithm reads, in whatever way it is given.
func TestNearestOfTheAlgorithm(t *testing.T) {
	for _, c := range []struct{ algorithm, pair, want string }{
		{"pearl", "iterations=3", "unknown key iterations; the nearest is pearl.iterations"},
		{"maml", "iterations=3", "unknown key iterations; the nearest is maml.iterations"},
		{"varibad", "iterations=3", "unknown key iterations; the nearest is varibad.iterations"},
		{"rl2", "hiden=3", "unknown key hiden; the nearest is rl2.hidden"},
		{"oracle", "ITERATIONS=3", "unknown key ITERATIONS; the nearest is oracle.iterations"},
		{"tcl-pearl", "window=3", "unknown key window; the nearest is tcl.window"},
		{"pearl", "tcl.iterations=3", "unknown key tcl.iterations; the nearest is pearl.iterations"},
		{"pearl", "PEARL.latent=7", "unknown key PEARL.latent; the nearest is pearl.latent"},
		{"pearl", "Pearl.Latnet=7", "unknown key Pearl.Latnet; the nearest is pearl.latent"},
		{"pearl", "SEED=9", "unknown key SEED; the nearest is seed"},
		{"pearl", "Evaluation.Protocol.Name=mql",
			"unknown key Evaluation.Protocol.Name; the nearest is evaluation.protocol.name"},
		{"pearl", "cg_damping=3",
			"unknown key cg_damping; the nearest is maml.cg_damping, of a table that the chosen algorithm does not " +
				"read"},
	} {
		cfg := preset(t, c.algorithm)
		if err := experiment.Change(&cfg, c.pair); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s, set: %v, want %s", c.algorithm, err, c.want)
		}
		key, value, _ := strings.Cut(c.pair, "=")
		file := filepath.Join(t.TempDir(), "my.toml")
		if err := os.WriteFile(file, []byte("algorithm = '"+c.algorithm+"'\n"+key+" = '"+value+"'\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		cfg = experiment.Default()
		err := config.Resolve(&cfg, experiment.ConfigFileLayer(file))
		if _, tail, _ := strings.Cut(c.want, "; "); err == nil || !strings.HasPrefix(err.Error(), file+":2: ") ||
			!strings.HasSuffix(err.Error(), tail) {
			t.Errorf("%s, file: %v, want %s", c.algorithm, err, c.want)
		}
	}
}

// The name of a protocol selects it: its values come along, and those that are set stay, in whatever order.
func TestProtocolByName(t *testing.T) {
	for _, name := range protocol.Presets() {
		want, err := protocol.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := preset(t, "pearl")
		cfg.Evaluation.Protocol.Explore = 7 // as a preset may have it
		if err := experiment.Change(&cfg, "evaluation.protocol.name="+name); err != nil ||
			cfg.Evaluation.Protocol != want {
			t.Errorf("%s: %+v, %v", name, cfg.Evaluation.Protocol, err)
		}
		want.Explore, want.Z = 3, "mean"
		for _, pairs := range [][]string{
			{"evaluation.protocol.name=" + name, "evaluation.protocol.explore=3", "evaluation.protocol.z=mean"},
			{"evaluation.protocol.explore=3", "evaluation.protocol.z=mean", "evaluation.protocol.name=" + name},
			{"evaluation.protocol.explore=3", "evaluation.protocol.name=mql", "evaluation.protocol.z=mean",
				"evaluation.protocol.name=" + name},
		} {
			cfg := preset(t, "pearl")
			if err := experiment.Change(&cfg, pairs...); err != nil || cfg.Evaluation.Protocol != want {
				t.Errorf("%v: %+v, %v", pairs, cfg.Evaluation.Protocol, err)
			}
		}
		file := filepath.Join(t.TempDir(), "my.toml")
		if err := os.WriteFile(file, []byte("[evaluation.protocol]\nz = 'mean'\nexplore = 3\nname = '"+name+"'\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		cfg = preset(t, "pearl")
		if err := config.Resolve(&cfg, experiment.ConfigFileLayer(file)); err != nil ||
			cfg.Evaluation.Protocol != want {
			t.Errorf("a file with %s: %+v, %v", name, cfg.Evaluation.Protocol, err)
		}
	}
	for _, name := range []string{"banana", "Oyster", "garage_ml1", "", "oyster "} {
		cfg := preset(t, "pearl")
		err := experiment.Change(&cfg, `evaluation.protocol.name="`+name+`"`)
		if err == nil || !strings.Contains(err.Error(), "expected the name of a protocol") ||
			!strings.Contains(err.Error(), "garage-ml1-onpolicy") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The configuration of a run is read as it is, its protocol too, and naming another one over it selects that.
func TestProtocolOfARun(t *testing.T) {
	cfg := preset(t, "oracle")
	own := cfg.Evaluation.Protocol
	own.Name, own.Explore, own.Repeats = "my-own", 4, 3
	cfg.Evaluation.Protocol = own
	text, err := config.Encode(cfg)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, append(text, "[record]\nsessions = []\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	back := experiment.Default()
	if err := config.Resolve(&back, experiment.ConfigFileLayer(file)); err != nil || back.Evaluation.Protocol != own {
		t.Errorf("read back %+v, %v", back.Evaluation.Protocol, err)
	}
	want, err := protocol.Preset("garage-ml1")
	if err != nil {
		t.Fatal(err)
	}
	back = experiment.Default()
	if err := config.Resolve(&back, experiment.ConfigFileLayer(file),
		config.Set("evaluation.protocol.name=garage-ml1")); err != nil || back.Evaluation.Protocol != want {
		t.Errorf("over a run: %+v, %v", back.Evaluation.Protocol, err)
	}
}

// Whole numbers may be written as floats are, in every table.
func TestWholeSettings(t *testing.T) {
	cfg := preset(t, "pearl")
	if err := experiment.Change(&cfg, "env_steps=1e6", "pearl.latent=7.0", "seed=1_000_000", "pearl.iterations=2E1",
		"train_tasks=1.2e1", "pearl.lr_q=1e-3"); err != nil {
		t.Fatal(err)
	}
	if n, _ := mustSchedule(cfg); cfg.EnvSteps != 1e6 || cfg.Seed != 1e6 || n != 20 || cfg.TrainTasks != 12 {
		t.Errorf("%+v", cfg)
	}
	for pair, want := range map[string]string{
		"env_steps=1.5": "env_steps = 1.5: expected a whole number in [0,1e12]", "seed=-1": "seed = -1: expected " +
			config.WholeFromZero, "seed=1e19": "seed = 1e19: expected " + config.WholeFromZero,
		"pearl.latent=1e-1":     "pearl.latent = 1e-1: expected a whole number in [1,256]",
		"env_steps=nan":         "env_steps = nan: expected a whole number in [0,1e12]",
		"env_steps=1,000":       "env_steps = 1,000: expected a whole number in [0,1e12]",
		"pearl.iterations=1e99": "pearl.iterations = 1e99: expected a whole number in [1,1e6]",
	} {
		if err := experiment.Change(&cfg, pair); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", pair, err, want)
		}
	}
}

func mustSchedule(cfg rl.Config) (iterations, updates int) {
	iterations, updates, err := cfg.Schedule()
	if err != nil {
		panic(err)
	}
	return iterations, updates
}
