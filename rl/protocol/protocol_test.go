package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"nacre/rl/config"
	"nacre/sim"
)

// Exploration and scored trajectories as the public implementations have them.
func TestPresets(t *testing.T) {
	want := map[string][2]int{
		"oyster": {2, 1}, "garage-ml1": {10, 1}, "garage-2020-old": {10, 1}, "garage-2020-new": {10, 1},
		"garage-ml1-onpolicy": {10, 1}, "mql": {1, 1}, "oracle": {0, 1},
	}
	names := Presets()
	if len(names) != len(want) {
		t.Errorf("presets %v", names)
	}
	for _, name := range names {
		p, err := Preset(name)
		if err != nil || config.Check(&p) != nil || p.Name != name || [2]int{p.Explore, p.Scored} != want[name] {
			t.Errorf("%s: %+v, %v, %v", name, p, err, config.Check(&p))
		}
	}
	oyster, _ := Preset("oyster")
	if !oyster.Deterministic || oyster.Z != Sample || oyster.ContextLimit != 0 {
		t.Errorf("oyster: %+v", oyster)
	}
	old, _ := Preset("garage-2020-old")
	recent, _ := Preset("garage-2020-new")
	if !old.Deterministic || recent.Deterministic || !old.CarryBelief || !recent.CarryBelief || old.Tasks != 0 ||
		recent.Tasks != 10 {
		t.Errorf("of 2020: %+v, %+v", old, recent)
	}
	if _, err := Preset("oister"); err == nil || !strings.Contains(err.Error(), `"oister"; did you mean "oyster"?`) {
		t.Errorf("misspelt: %v", err)
	}
}

func TestRanges(t *testing.T) {
	good, _ := Preset("oyster")
	for want, edit := range map[string]func(*Protocol){
		"explore = -1: expected a value in [0,1000]":     func(p *Protocol) { p.Explore = -1 },
		"scored = 0: expected a value in [1,1000]":       func(p *Protocol) { p.Scored = 0 },
		"repeats = 20000: expected a value in [1,10000]": func(p *Protocol) { p.Repeats = 20000 },
		"context_limit = -5: expected a value in [0,":    func(p *Protocol) { p.ContextLimit = -5 },
		"tasks = -1: expected a value in [0,":            func(p *Protocol) { p.Tasks = -1 },
		"horizon = -200: expected a value in [0,":        func(p *Protocol) { p.Horizon = -200 },
		`z = "mode": expected one of "mean", "sample"`:   func(p *Protocol) { p.Z = "mode" },
	} {
		p := good
		edit(&p)
		if err := config.Check(&p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Evaluations of a training run take ten of fifty tasks in turn: five see all, the sixth the first ten again.
func TestTurn(t *testing.T) {
	tasks := make([]sim.Task, 50)
	for i := range tasks {
		tasks[i].ID = i
	}
	for k, first := range []int{0, 10, 20, 30, 40, 0} {
		on := Protocol{Tasks: 10}.Turn(tasks, k)
		if len(on) != 10 || on[0].ID != first || on[9].ID != first+9 {
			t.Errorf("evaluation %d is on %v", k, on)
		}
	}
	if on := (Protocol{Tasks: 20}).Turn(tasks, 2); len(on) != 20 || on[0].ID != 40 || on[10].ID != 0 {
		t.Errorf("twenty, over the end: %v", on)
	}
	for _, all := range []int{0, 50, 60} {
		if on := (Protocol{Tasks: all}).Turn(tasks, 3); len(on) != 50 {
			t.Errorf("tasks = %d is %d of 50", all, len(on))
		}
	}
}

func TestProtocolIsData(t *testing.T) {
	text := `name = "mine"
explore = 3
scored = 2
extend = true
deterministic = true
z = "sample"
repeats = 4
context_limit = 64
horizon = 200
`
	want := Protocol{Name: "mine", Explore: 3, Scored: 2, Extend: true, Deterministic: true, Z: Sample,
		Repeats: 4, ContextLimit: 64, Horizon: 200}
	var p Protocol
	if err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(&p); err != nil || p != want {
		t.Errorf("TOML: %+v, %v", p, err)
	}
	data, err := json.Marshal(want)
	var back Protocol
	if err != nil || json.Unmarshal(data, &back) != nil || back != want ||
		!strings.Contains(string(data), `"context_limit":64`) {
		t.Errorf("JSON: %s, %+v, %v", data, back, err)
	}
}

func TestResultSurvivesJSON(t *testing.T) {
	for _, tasks := range [][]float64{{1, 2, 3}, {1}} { // a single task has no interval
		r, err := Evaluate(t.Context(), &line{}, goals(0, tasks...), study, &believer{}, 8)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		var back Result
		if err != nil || json.Unmarshal(data, &back) != nil || !reflect.DeepEqual(r, back) {
			t.Errorf("%d tasks: %s, %v", len(tasks), data, err)
		}
		if null := strings.Contains(string(data), `"lo":null,"hi":null`); null != (len(tasks) == 1) {
			t.Errorf("%d tasks: %s", len(tasks), data)
		}
	}
}
