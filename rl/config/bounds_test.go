package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/bounded"
	"nacre/rl/config"
)

// An unknown key is found however it is written, with its line.
func TestUnknownKeys(t *testing.T) {
	for text, want := range map[string]string{
		"seed = 1\n\n[pearl]\nlatent = 3\nlatnt = 3\n": "x:5: unknown key pearl.latnt; the nearest is " +
			"pearl.latent",
		"pearl.optimiser.lrr = 3\n": "x:1: unknown key pearl.optimiser.lrr; the nearest is " +
			"pearl.optimiser.lr",
		"seed = 1\npearl = {latent = 3, optimiser = {l = 1}}": "x:2: unknown key pearl.optimiser.l",
		"[record]\na = 1\n[[record.b]]\n[perl]\nlatent = 1\n": "x:4: unknown key perl; the nearest is pearl",
		"weights = {a = 1}\n[weights.b]\n":                    "",
		"record = {seeed = 1}\nseed = 2":                      "",
	} {
		cfg := defaults()
		err := config.DecodeStrict("x", []byte(text), &cfg, "record")
		if want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		var key *config.KeyError
		if want == "" && errors.As(err, &key) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Texts that would take a parser minutes end in one short sentence. The test's own limit of time is the assertion: at
// the time of writing all of it takes a second, and the tables, before, more than ten minutes.
func TestHostileTexts(t *testing.T) {
	const n = 1 << 20
	for name, text := range map[string]string{
		"string": `family = "` + strings.Repeat("a", 3*n) + `"` + "\nseeed = 1",
		"choice": "[pearl]\nz = \"" + strings.Repeat("a", 3*n) + `"`,
		"nested": "seed = " + strings.Repeat("[", n),
		"inline": "seed = " + strings.Repeat("{a=", n/3),
		"dotted": strings.Repeat("a.", n/2) + "a = 1",
		"key":    strings.Repeat("a", n) + " = 1",
		"long":   strings.Repeat("#", config.MaxBytes+1),
		"twice":  strings.Repeat("seed = 1\n", n/9),
		"tables": strings.Repeat("[[t]]\na = 1\n", n/12),
		"record": strings.Repeat("[[record]]\na = 1\n", n/16),
		"unknown": func() string {
			var b strings.Builder
			for i := range n / 16 {
				fmt.Fprintf(&b, "k%d = 1\n", i)
			}
			return b.String()
		}(),
	} {
		cfg := defaults()
		err := config.DecodeStrict("x", []byte(text), &cfg, "record")
		if err == nil || len(err.Error()) > 500 {
			t.Errorf("%s: error of %d bytes: %.200v", name, len(fmt.Sprint(err)), err)
		}
	}
	large := filepath.Join(t.TempDir(), "large.toml")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(1<<40), f.Close()); err != nil { // no file system holds that, and nothing reads it
		t.Skip(err)
	}
	cfg := defaults()
	if err := config.LoadTOML(large, &cfg); err == nil ||
		!strings.Contains(err.Error(), "1099511627776 bytes; expected at most") {
		t.Errorf("a file of 1 TiB: %v", err)
	}
}

func FuzzDecodeStrict(f *testing.F) {
	for _, seed := range []string{
		"", "seed = 3\n[pearl]\nlatent = 4\nhidden = [1, 2]\noptimiser = {lr = 1e-3}\n", "pearl.optimiser.lr = 0x1",
		"[[pearl]]", "[record]\nx = 1",
		"budget = \"90s\"\nweights = {a = 1, b = nan}", "a = '''\n", "seed = 1979-05-27T07:32:00Z", "\"\" = 1",
		"[pearl]\n[pearl]", "seed = [[[[", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer bounded.Input(t, len(text))()
		cfg := defaults()
		if config.DecodeStrict("x", text, &cfg, "record") != nil {
			return
		}
		out, err := config.Encode(cfg)
		if err != nil {
			t.Fatalf("%q was read, but cannot be written: %v", text, err)
		}
		again := defaults()
		if err := config.DecodeStrict("again", out, &again); err != nil {
			t.Fatalf("%q was written as %q, which cannot be read: %v", text, out, err)
		}
	})
}

func TestLargeInputs(t *testing.T) {
	bounded.Large(t, func(b []byte) {
		cfg := defaults()
		_ = config.DecodeStrict("x", b, &cfg, "record")
	}, []byte("seed = 3\n[pearl]\nlatent = 4\nhidden = [1, 2]\n"), []byte("name = \"a\"\n"))
}
