package config_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"nacre/rl/config"
)

type Optimiser struct {
	LR   float64 `toml:"lr" range:"(0,1]" comment:"Adam's step size"`
	Eps  float64 `toml:"eps" range:"[0,)"`
	Note string  `toml:"note"`
}

type Pearl struct {
	Latent    int       `toml:"latent" range:"[1,256]"`
	Hidden    []int     `toml:"hidden" range:"[1,4096]"`
	Z         string    `toml:"z" oneof:"mean sample"`
	Clear     bool      `toml:"clear"`
	Optimiser Optimiser `toml:"optimiser"`
}

type Config struct {
	Seed      uint64             `toml:"seed"`
	Workers   int                `toml:"workers"`
	Family    string             `toml:"family"`
	Budget    config.Duration    `toml:"budget" range:"[1s,24h]"`
	Low, High float64            `toml:"-"`
	Pearl     Pearl              `toml:"pearl"`
	Weights   map[string]float64 `toml:"weights"`
}

func (c *Config) Validate() error {
	if c.Family == "forbidden" {
		return errors.New("family and pearl do not go together")
	}
	return nil
}

func (o Optimiser) Validate() error {
	if o.LR < o.Eps {
		return errors.New("lr is smaller than eps")
	}
	return nil
}

var defaultHidden = []int{300, 300, 300}

func defaults() Config {
	return Config{
		Family: "point-goal", Budget: config.Duration(time.Minute),
		Pearl: Pearl{Latent: 5, Hidden: defaultHidden, Z: "sample", Optimiser: Optimiser{LR: 3e-4, Eps: 1e-8}},
	}
}

func Example() {
	type Config struct {
		Seed     uint64  `toml:"seed"`
		Discount float64 `toml:"discount" range:"[0,1)"`
		Z        string  `toml:"z" oneof:"mean sample"`
	}
	cfg := Config{Discount: 0.99, Z: "sample"}
	err := config.Resolve(&cfg, config.Text("run.toml", []byte("seed = 3")), config.Set("discount=0.95", "z=mean"))
	fmt.Println(cfg, err)
	fmt.Println(config.Resolve(&cfg, config.Set("discount=1.5")))
	fmt.Println(config.Resolve(&cfg, config.Text("run.toml", []byte("discont = 0.9"))))
	// Output:
	// {3 0.95 mean} <nil>
	// --set discount=1.5: discount = 1.5: expected a value in [0,1)
	// run.toml:1: unknown key discont; the nearest is discount
}

func TestLayersKeepWhatTheyDoNotMention(t *testing.T) {
	cfg := defaults()
	err := config.Resolve(&cfg,
		config.Text("preset", []byte("seed = 7\n[pearl]\nhidden = [64]\n[pearl.optimiser]\nlr = 0.01\n")),
		config.Set("pearl.z=mean", "budget=2h", "family=cheetah-vel", `pearl.optimiser.note="a = b"`, "weights.tcl=0.5",
			"pearl.clear=true"))
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Seed, want.Family, want.Budget = 7, "cheetah-vel", config.Duration(2*time.Hour)
	want.Pearl.Hidden, want.Pearl.Z, want.Pearl.Clear = []int{64}, "mean", true
	want.Pearl.Optimiser.LR, want.Pearl.Optimiser.Note = 0.01, "a = b"
	want.Weights = map[string]float64{"tcl": 0.5}
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got  %+v\nwant %+v", cfg, want)
	}
	if !reflect.DeepEqual(defaultHidden, []int{300, 300, 300}) {
		t.Errorf("decoding wrote into the default's list: %v", defaultHidden)
	}
}

// Every message must name the place, the key, the value and what was expected.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		text, set string
		want      string
	}{
		{text: "seed = 1\nsed = 2\n", want: "run.toml:2: unknown key sed; the nearest is seed"},
		{text: "[pearl]\nlatnt = 3\n", want: "run.toml:2: unknown key pearl.latnt; the nearest is pearl.latent"},
		{text: "latent = 3\n", want: "run.toml:1: unknown key latent; the nearest is pearl.latent"},
		{text: "[perl]\nz = 'mean'\n", want: "run.toml:1: unknown key perl; the nearest is pearl"},
		{text: "xyzzyxyzzy = 3\n", want: "run.toml:1: unknown key xyzzyxyzzy"},
		{text: "\n[pearl]\nlatent = 'x'\n", want: `run.toml:3: pearl.latent = 'x': expected a whole number`},
		{text: "[pearl]\nlatent = 1.5\n", want: "run.toml:2: pearl.latent = 1.5: expected a whole number"},
		{text: "[pearl]\nhidden = [1, 'a']\n",
			want: "run.toml:2: pearl.hidden = [1, 'a']: expected a list, each element a whole number"},
		{text: "pearl = 3\n", want: "run.toml:1: pearl = 3: expected a table"},
		{text: "seed = -1\n", want: "run.toml:1: seed = -1: expected a whole number from 0"},
		{text: "budget = 'soon'\n", want: `run.toml:1: budget = 'soon': expected a duration such as "5m"`},
		{text: "budget = '48h'\n", want: "run.toml:1: budget = 48h0m0s: expected a value in [1s,24h]"},
		{text: "[pearl]\nlatent = 0\n", want: "run.toml:2: pearl.latent = 0: expected a value in [1,256]"},
		{text: "[pearl]\nhidden = [300, 0]\n",
			want: "run.toml:2: pearl.hidden = [300, 0]: expected each element a value in [1,4096]"},
		{text: "[pearl]\nz = 'median'\n", want: `run.toml:2: pearl.z = "median": expected one of "mean", "sample"`},
		{text: "[pearl.optimiser]\nlr = 0\n", want: "run.toml:2: pearl.optimiser.lr = 0: expected a value in (0,1]"},
		{text: "[pearl.optimiser]\neps = nan\n",
			want: "run.toml:2: pearl.optimiser.eps = NaN: expected a value in [0,)"},
		{text: "[pearl.optimiser]\neps = 0.5\n", want: "pearl.optimiser: lr is smaller than eps"},
		{text: "seed = 1\nseed = 2\n", want: "run.toml:2: seed: key seed is already defined"},
		{text: "seed =\n", want: "run.toml:1:"},
		{text: "family = 'forbidden'\n", want: "family and pearl do not go together"},
		{text: "[PEARL]\nlatent = 3\n", want: "run.toml:1: unknown key PEARL; the nearest is pearl"},
		{text: "SEED = 3\n", want: "run.toml:1: unknown key SEED; the nearest is seed"},
		{text: "[pearl]\nz = 'mean'\nLatent = 3\n",
			want: "run.toml:3: unknown key pearl.Latent; the nearest is pearl.latent"},
		{text: "pearl = { Optimiser = { lr = 1e-3 } }\n",
			want: "run.toml:1: unknown key pearl.Optimiser; the nearest is pearl.optimiser"},
		{text: "[pearl]\nz = 'mean'\nlatent = 1e3\n",
			want: "run.toml:3: pearl.latent = 1000: expected a value in [1,256]"},
		{text: "seed = 1e-3\n", want: "run.toml:1: seed = 1e-3: expected a whole number from 0 to 9223372036854775807"},
		{text: "workers = 1e30\n", want: "run.toml:1: workers = 1e30: expected a whole number from " +
			"-9223372036854775808 to"},
		{text: "[pearl]\nlatent = 1e99\n", want: "run.toml:2: pearl.latent = 1e99: expected a whole number in [1,256]"},
		{set: "pearl.latent=1e99", want: "--set pearl.latent=1e99: pearl.latent = 1e99: expected a whole number in " +
			"[1,256]"},
		{set: "pearl.latent=99999999999999999999999", want: "--set pearl.latent=99999999999999999999999: " +
			"pearl.latent = 99999999999999999999999: expected a " +
			"whole number in [1,256]"},
		{text: "workers = inf\n", want: "run.toml:1: workers = inf: expected a whole number"},
		{text: "seed = -2.0\n", want: "run.toml:1: seed = -2.0: expected a whole number from 0 to 9223372036854775807"},
		{text: "seed = 9223372036854775808\n", want: "run.toml:1: seed"},
		{set: "PEARL.latent=7", want: "--set PEARL.latent=7: unknown key PEARL.latent; the nearest is pearl.latent"},
		{set: "Pearl.Latnt=7", want: "--set Pearl.Latnt=7: unknown key Pearl.Latnt; the nearest is pearl.latent"},
		{set: "pearl.LATENT=7", want: "--set pearl.LATENT=7: unknown key pearl.LATENT; the nearest is pearl.latent"},
		{set: "SEED=9", want: "--set SEED=9: unknown key SEED; the nearest is seed"},
		{set: "Pearl.Optimiser.LR=1",
			want: "--set Pearl.Optimiser.LR=1: unknown key Pearl.Optimiser.LR; the nearest is pearl.optimiser.lr"},
		{set: "seed=7.5", want: "--set seed=7.5: seed = 7.5: expected a whole number from 0 to"},
		{set: "pearl.latent", want: "--set pearl.latent: expected key=value"},
		{set: "=3", want: "--set =3: expected key=value"},
		{set: "pearl.latnt=7", want: "--set pearl.latnt=7: unknown key pearl.latnt; the nearest is pearl.latent"},
		{set: "pearl.latent=many", want: "--set pearl.latent=many: "},
		{set: "pearl=7", want: "--set pearl=7: pearl is a table; set one of its keys: pearl.latent, pearl.hidden, " +
			"pearl.z, pearl.clear, pearl.optimiser"},
		{set: "pearl.latent.x=7", want: "--set pearl.latent.x=7: unknown key pearl.latent.x"},
		{set: "pearl.latent=1000", want: "--set pearl.latent=1000: pearl.latent = 1000: expected a value in [1,256]"},
	} {
		cfg := defaults()
		layer := config.Text("run.toml", []byte(c.text))
		if c.set != "" {
			layer = config.Set(c.set)
		}
		err := config.Resolve(&cfg, layer)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q %q:\n got  %v\n want %s", c.text, c.set, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("message of several lines: %q", err)
		}
	}
}

// Whole numbers may be written as floats are, wherever they stand.
func TestWholeNumbers(t *testing.T) {
	cfg := defaults()
	text := "seed = 1_000_000\nworkers = -1e3\nweights = { a = 1e3 }\n[pearl]\nlatent = 7.0\nhidden = [3e2, 1_0.0, # " +
		"twice\n 2.5e1]\noptimiser.lr = 1e0\n"
	if err := config.Resolve(&cfg, config.Text("run.toml", []byte(text))); err != nil {
		t.Fatal(err)
	}
	if cfg.Seed != 1_000_000 || cfg.Workers != -1000 || cfg.Pearl.Latent != 7 ||
		!reflect.DeepEqual(cfg.Pearl.Hidden, []int{300, 10, 25}) || cfg.Weights["a"] != 1000 ||
		cfg.Pearl.Optimiser.LR != 1 {
		t.Errorf("read %+v", cfg)
	}
	for text, want := range map[string]uint64{"1e6": 1e6, "7.0": 7, "1_000_000": 1e6, "1.5E1": 15,
		"9.007199254740993e15": 9007199254740993, "0e0": 0, "+3.0": 3, "12300e-2": 123} {
		if err := config.Resolve(&cfg, config.Set("seed="+text)); err != nil || cfg.Seed != want {
			t.Errorf("seed=%s: %d, %v; want %d", text, cfg.Seed, err, want)
		}
	}
}

func TestTypedErrors(t *testing.T) {
	cfg := defaults()
	var key *config.KeyError
	if err := config.Resolve(&cfg, config.Set("sed=1")); !errors.As(err, &key) || key.Key != "sed" ||
		key.Nearest != "seed" {
		t.Errorf("unknown key: %#v", err)
	}
	cfg.Pearl.Latent = 400
	for assignment, want := range map[string]string{
		"sed=1":          "lab.Set sed=1: unknown key sed; the nearest is seed",
		"seed":           "lab.Set seed: expected key=value, for example lab.Set pearl.latent=7",
		"seed='1' 2":     "lab.Set seed='1' 2: seed = '1' 2: expected a whole number",
		"pearl.latent=0": "lab.Set pearl.latent=0: pearl.latent = 0: expected a value in [1,256]",
	} {
		if err := config.Resolve(&cfg, config.SetBy("lab.Set", assignment)); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", assignment, err, want)
		}
	}
	var value *config.ValueError
	if err := config.Check(&cfg); !errors.As(err, &value) || value.Key != "pearl.latent" ||
		value.Want != "a value in [1,256]" {
		t.Errorf("out of range: %#v", err)
	}
	if err := config.LoadTOML(filepath.Join(t.TempDir(), "no.toml"), &cfg); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	cfg := defaults()
	cfg.Pearl.Optimiser = Optimiser{LR: 0.30000000000000004, Eps: math.SmallestNonzeroFloat64,
		Note: "quote \" backslash \\ line\nend"}
	cfg.Weights = map[string]float64{"b": 1e300, "a": math.Copysign(0, -1)}
	text, err := config.Encode(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "# Adam's step size") {
		t.Errorf("comment missing:\n%s", text)
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, append(text, "[record]\nversion = 'x'\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	var back Config
	if err := config.Resolve(&back, config.File(path, "record")); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, cfg) {
		t.Errorf("got  %+v\nwant %+v", back, cfg)
	}
	if !math.Signbit(back.Weights["a"]) {
		t.Errorf("weights.a is %v without its sign, expected -0", back.Weights["a"])
	}
	if err := config.LoadTOML(path, &back); err == nil || !strings.Contains(err.Error(), "unknown key record") {
		t.Errorf("a table that is not ignored: %v", err)
	}
}

func TestHash(t *testing.T) {
	hash := func(c Config, except ...string) string {
		h, err := config.Hash(c, except...)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	a, b := defaults(), defaults()
	b.Workers = 8
	if hash(a) == hash(b) {
		t.Error("the number of workers is not in the hash")
	}
	if hash(a, "workers") != hash(b, "workers") {
		t.Error("the excepted key is in the hash")
	}
	b.Pearl.Optimiser.LR *= 1 + 1e-15
	if hash(a, "workers") == hash(b, "workers") {
		t.Error("one unit in the last place is not in the hash")
	}
	if hash(a, "workers", "pearl.optimiser.lr", "pearl.none.x") != hash(b, "workers", "pearl.optimiser.lr") {
		t.Error("a nested key could not be excepted")
	}
}

func TestKeys(t *testing.T) {
	want := "seed workers family budget pearl.latent pearl.hidden pearl.z pearl.clear pearl.optimiser.lr " +
		"pearl.optimiser.eps pearl.optimiser.note weights"
	if got := strings.Join(config.Keys(Config{}), " "); got != want {
		t.Errorf("Keys = %s\nwant   %s", got, want)
	}
}
