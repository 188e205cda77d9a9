package config_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"nacre/rl/config"
)

// brush and pen are tables that drawing has no fields for.
type brush struct {
	Width int `toml:"width" range:"[1,9]" comment:"of a stroke"`
}
type pen struct {
	Ink string `toml:"ink" oneof:"blue black"`
}

type drawing struct {
	Tool   string `toml:"tool"`
	tables map[string]any
	set    []string
}

func newDrawing() drawing {
	return drawing{Tool: "brush", tables: map[string]any{"brush": brush{3}, "pen": pen{"blue"}}}
}

func (d drawing) Tables() []config.Table {
	var out []config.Table
	for _, name := range slices.Sorted(maps.Keys(d.tables)) {
		p := reflect.New(reflect.TypeOf(d.tables[name]))
		p.Elem().Set(reflect.ValueOf(d.tables[name]))
		out = append(out, config.Table{Name: name, Comment: "a " + name, Value: p.Interface(), Omit: name != d.Tool})
	}
	return out
}

func (d *drawing) SetTable(name string, value any) {
	d.tables = maps.Clone(d.tables)
	d.tables[name] = value
	d.set = append(d.set, name)
}

func (d *drawing) Validate() error {
	if d.Tool == "hammer" {
		return errors.New("a hammer does not draw")
	}
	return nil
}

// Tables without a field are read, set, checked and written as fields are.
func TestTabled(t *testing.T) {
	d := newDrawing()
	if err := config.Resolve(&d, config.Set("pen.ink=black", "brush.width=4")); err != nil {
		t.Fatal(err)
	}
	if d.tables["pen"] != (pen{"black"}) || d.tables["brush"] != (brush{4}) ||
		!slices.Equal(d.set, []string{"pen", "brush"}) {
		t.Errorf("after Set: %+v", d)
	}
	text, err := config.Encode(d)
	if want := "tool = 'brush'\n\n# a brush\n[brush]\n# of a stroke\nwidth = 4\n"; err != nil || string(text) != want {
		t.Errorf("%v: %q, want %q", err, text, want)
	}
	back := newDrawing()
	if err := config.Resolve(&back, config.Text("text", text)); err != nil || back.tables["brush"] != (brush{4}) ||
		back.tables["pen"] != (pen{"blue"}) {
		t.Errorf("read back: %v, %+v", err, back)
	}
	if got, want := config.Keys(d), []string{"tool", "brush.width", "pen.ink"}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	for want, assignment := range map[string]string{
		"--set brush.widht=4: unknown key brush.widht; the nearest is brush.width": "brush.widht=4",
		"--set brush.width=40: brush.width = 40: expected a value in [1,9]":        "brush.width=40",
		`--set pen.ink=red: pen.ink = "red": expected one of "blue", "black"`:      "pen.ink=red",
		"--set pen=1: pen is a table; set one of its keys: pen.ink":                "pen=1",
		"a hammer does not draw": "tool=hammer",
	} {
		d := newDrawing()
		if err := config.Resolve(&d, config.Set(assignment)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", assignment, err, want)
		}
	}
}
