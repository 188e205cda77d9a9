package experiment

import (
	"os"
	"regexp"
	"testing"
)

// A run that was recorded before an algorithm existed lacks that algorithm's table and can be read all the same.
func TestRunsOlderThanAnAlgorithmAreRead(t *testing.T) {
	cfg := Default()
	cfg.Family, cfg.Algorithm, cfg.Pearl.Latent = "point-goal", "pearl", 3
	dir := t.TempDir()
	run, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if _, err := run.Begin(cfg, Session{}); err != nil {
		t.Fatal(err)
	}
	path := run.Path(ConfigFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	without := regexp.MustCompile(`(?ms)^\[(maml|rl2|mql)[^\[]*`).ReplaceAll(text, nil)
	if len(without) == len(text) {
		t.Fatal("the configuration has no table of the later algorithms")
	}
	if err := os.WriteFile(path, without, 0o644); err != nil {
		t.Fatal(err)
	}
	got := Default()
	if _, err := run.ReadConfig(&got); err != nil {
		t.Fatal(err)
	}
	if got.Pearl.Latent != 3 || got.MAML != cfg.MAML {
		t.Errorf("read latent %d and %+v", got.Pearl.Latent, got.MAML)
	}
}
