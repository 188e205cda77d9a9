package rl

import (
	"fmt"
	"strings"
	"testing"
)

// ink is the configuration of the algorithms that these tests register.
type ink struct {
	Depth int `toml:"depth" range:"[1,9]"`
}

// drawing is a complete registration with a table and a preset of its own.
func drawing(name string) Algorithm {
	return Algorithm{
		Name: name, Title: "Drawing", About: "draws", Protocol: "oyster",
		Tables:   []Table{{Name: name, Default: ink{3}}},
		Schedule: func(Config) (int, int) { return 1, 1 },
		Presets: []PresetOf{{Name: "quick/" + name, About: "briefly", Make: func() Config {
			c := Default()
			c.Algorithm = name
			return c
		}}},
		New:   func(Config, Setup) (Learner, error) { return nil, fmt.Errorf("%s draws nothing", name) },
		Small: []string{name + ".depth=1"},
	}
}

// register returns what Register panics with, "" for nothing, and forgets the algorithm after the test.
func register(t *testing.T, a Algorithm) (panicked string) {
	t.Helper()
	if before := registry.Load(); (*before)[a.Name].Name == "" {
		t.Cleanup(func() { registry.Store(before) })
	}
	defer func() {
		if r := recover(); r != nil {
			panicked = fmt.Sprint(r)
		}
	}()
	Register(a)
	return ""
}

func TestRegister(t *testing.T) {
	if p := register(t, drawing("pencil")); p != "" {
		t.Fatal(p)
	}
	for want, change := range map[string]func(*Algorithm){
		"Title is missing":                              func(a *Algorithm) { a.Title = "" },
		"About is missing":                              func(a *Algorithm) { a.About = "" },
		"Tables is missing":                             func(a *Algorithm) { a.Tables = nil },
		"Schedule is missing":                           func(a *Algorithm) { a.Schedule = nil },
		"New is missing":                                func(a *Algorithm) { a.New = nil },
		"Protocol is missing":                           func(a *Algorithm) { a.Protocol = "" },
		"Small is missing":                              func(a *Algorithm) { a.Small = nil },
		`unknown protocol "oister"; did you mean`:       func(a *Algorithm) { a.Protocol = "oister" },
		"table pencil is registered with another":       func(a *Algorithm) { a.Tables = []Table{{"pencil", ink{4}}} },
		`table "brush" with default int`:                func(a *Algorithm) { a.Tables = []Table{{"brush", 3}} },
		`preset quick/pencil is registered twice, also`: func(a *Algorithm) { a.Presets = drawing("pencil").Presets },
		`preset "quick/brush" lacks`:                    func(a *Algorithm) { a.Presets[0].Make = nil },
	} {
		a := drawing("brush")
		change(&a)
		if p := register(t, a); !strings.Contains(p, want) || !strings.Contains(p, `rl: algorithm "brush"`) {
			t.Errorf("%q, want one with %q", p, want)
		}
	}
	if p := register(t, drawing("pencil")); !strings.Contains(p, `"pencil": the name is registered twice`) {
		t.Errorf("a second pencil: %q", p)
	}
}

// Two algorithms may read one table; it is written for either and its comment names both.
func TestSharedTable(t *testing.T) {
	one, two := drawing("pencil"), drawing("brush")
	two.Tables = append(two.Tables, one.Tables...)
	for _, a := range []Algorithm{one, two} {
		if p := register(t, a); p != "" {
			t.Fatal(p)
		}
	}
	c, err := Preset("quick/brush")
	if err != nil || c.Preset != "quick/brush" {
		t.Fatal(err)
	}
	if err := Change(&c, "pencil.depth=7"); err != nil {
		t.Error(err)
	}
	if got := c.Get(one.Tables[0]); got != (ink{7}) {
		t.Errorf("pencil is %+v", got)
	}
	for _, table := range c.Tables() {
		if table.Name == "pencil" && (table.Omit || table.Comment != "used by brush and pencil") {
			t.Errorf("%+v", table)
		}
	}
	if err := Change(&c, "algorithm=pencil", "brush.depth=2"); err == nil ||
		err.Error() != "set brush.depth=2: table brush is set, but pencil reads only pencil" {
		t.Errorf("a table that is not read: %v", err)
	}
	if _, err := Lookup("bruhs"); err == nil ||
		!strings.HasPrefix(err.Error(), `algorithm "bruhs" does not exist; did you mean "brush"? (known: brush, `) {
		t.Error(err)
	}
	if Title("brush") != "Drawing" || Title("own-name") != "own-name" {
		t.Errorf("titles %q, %q", Title("brush"), Title("own-name"))
	}
	if e := Embedding(); len(e) != 0 {
		t.Errorf("%q embed, but neither has a window", e)
	}
}
