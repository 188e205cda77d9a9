package experiment

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/nearest"
	"nacre/rl"
	"nacre/rl/config"
)

// Every preset has the settings it had in program db218f0, which wrote the file: one line each of the run's settings
// and those of the tables it uses. Of oyster/… it was TCL-PEARL's then, and is PEARL's now. Settings that there are
// since are at their defaults.
func TestPresetsKeepTheirSettings(t *testing.T) {
	want, err := os.ReadFile("testdata/presets.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(want)) {
		_, name, _ := strings.Cut(line, " preset=")
		name, _, _ = strings.Cut(name, " ")
		c, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		standard := Default()
		standard.Algorithm = c.Algorithm
		defaults := strings.Fields(settings(t, standard))
		had := map[string]bool{}
		for _, setting := range strings.Fields(line) {
			key, _, _ := strings.Cut(setting, "=")
			had[key] = true
		}
		got := slices.DeleteFunc(strings.Fields(settings(t, c)), func(setting string) bool {
			key, _, _ := strings.Cut(setting, "=")
			return !had[key] && slices.Contains(defaults, setting)
		})
		if want := strings.Fields(line); !slices.Equal(got, want) {
			t.Errorf("preset %s is\n%s\nwant\n%s", name, strings.Join(got, " "), line)
		}
	}
}

// settings writes a configuration in one line, without its arithmetic.
func settings(t *testing.T, c Config) string {
	t.Helper()
	text, err := config.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree, "arithmetic")
	var out []string
	var add func(prefix string, table map[string]any)
	add = func(prefix string, table map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(table)) {
			if inner, ok := table[k].(map[string]any); ok {
				add(prefix+k+".", inner)
				continue
			}
			out = append(out, fmt.Sprintf("%s%s=%v", prefix, k, table[k]))
		}
	}
	add("", tree)
	slices.Sort(out)
	return strings.Join(out, " ")
}

// The algorithm must exist and read the tables that are set; a file of a run may hold others.
func TestTablesOfOtherAlgorithms(t *testing.T) {
	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := Change(&cfg, "algorithm=pearl", "pearl.latent=3"); err != nil {
		t.Errorf("the preset's own table tcl is left over: %v", err)
	}
	known := strings.Join(rl.Names(), ", ")
	for pair, want := range map[string]string{
		"tcl.window=3":       "set tcl.window=3: table tcl is set, but pearl reads only pearl",
		"maml.hidden=3":      "set maml.hidden=3: table maml is set, but pearl reads only pearl",
		"algorithm=tclpearl": `algorithm "tclpearl" does not exist` + nearest.Hint("tclpearl", rl.Names()),
		"algorithm=":         "no algorithm is chosen; expected one of " + known,
	} {
		c := cfg
		if err := Change(&c, pair); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", pair, err, want)
		}
	}
	if err := Change(&cfg, "tcl.window=3", "algorithm=tcl-pearl"); err != nil {
		t.Errorf("set with the algorithm that reads it: %v", err)
	}
	full, err := config.Encode(cfg)
	if err != nil || bytes.Contains(full, []byte("[mql]")) || !bytes.Contains(full, []byte("tcl-pearl\n[pearl]\n")) {
		t.Errorf("%v, the configuration is written as\n%s", err, full)
	}
	dir := t.TempDir()
	for text, ok := range map[string]bool{"algorithm = 'pearl'\nfamily = 'point-goal'\n[mql]\nhidden = 3\n": false,
		"algorithm = 'pearl'\nfamily = 'point-goal'\n[mql]\nhidden = 3\n[record]\nsessions = []\n": true} {
		if err := os.WriteFile(dir+"/c.toml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c := Default()
		if err := config.Resolve(&c, ConfigFileLayer(dir+"/c.toml")); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A configuration is a value: a table set in a copy stays as it was in the original.
func TestCopiesAreIndependent(t *testing.T) {
	one, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	two := one
	if err := Change(&two, "pearl.latent=9"); err != nil {
		t.Fatal(err)
	}
	if same, err := one.Equal(two); err != nil || same {
		t.Errorf("a changed copy equals the original: %v, %v", same, err)
	}
	if err := Change(&two, "pearl.latent=5"); err != nil {
		t.Fatal(err)
	}
	if same, err := one.Equal(two); err != nil || !same {
		t.Errorf("changed back it does not: %v, %v", same, err)
	}
}
