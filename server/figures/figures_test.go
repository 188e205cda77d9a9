package figures

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
)

func chart() *plots.Chart {
	f := frame.New(frame.Numbers("steps", []float64{0, 1, 2, 0, 1, 2}),
		frame.Numbers("return", []float64{1, 2, 3, 2, 4, 6}),
		frame.Texts("arm", []string{"PEARL", "PEARL", "PEARL", "TCL-PEARL", "TCL-PEARL", "TCL-PEARL"}))
	return plots.Line(f, "steps", "return", plots.By("arm"), plots.Title("Returns"), plots.Runs("a1", "b2"))
}

// A page that saves a chart gets the bytes that Save writes.
func TestServiceWritesWhatSaveWrites(t *testing.T) {
	data, err := json.Marshal(chart())
	if err != nil {
		t.Fatal(err)
	}
	for format := range types {
		path := filepath.Join(t.TempDir(), "x."+format)
		if err := chart().Save(path, plots.Width("icml-column"), plots.Dark()); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(Request{Chart: data, Format: format, Width: "icml-column", Dark: true})
		w := httptest.NewRecorder()
		Service{}.ServeHTTP(w, httptest.NewRequest("POST", "/draw", bytes.NewReader(body)))
		if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("%s: status %d, %d bytes; Save writes %d", format, w.Code, w.Body.Len(), len(want))
		}
	}
}

// What a chart cannot be drawn from is refused in a sentence.
func TestServiceRefuses(t *testing.T) {
	good, err := json.Marshal(chart())
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(from, to string) json.RawMessage {
		if !strings.Contains(string(good), from) {
			t.Fatalf("the chart has no %s: %s", from, good)
		}
		return json.RawMessage(strings.Replace(string(good), from, to, 1))
	}
	for want, q := range map[string]Request{
		"version 2; expected 1":                 {Chart: replaced(`"version":1`, `"version":2`), Format: "svg"},
		"line with 2 values of y; expected 3":   {Chart: replaced(`"y":[1,2,3]`, `"y":[1,2]`), Format: "svg"},
		"marks of series 9; expected one of 2":  {Chart: replaced(`"series":1`, `"series":9`), Format: "svg"},
		`marks "pies"; expected line`:           {Chart: replaced(`"kind":"line"`, `"kind":"pies"`), Format: "svg"},
		"boxes with 0 values of x1; expected 3": {Chart: replaced(`"kind":"line"`, `"kind":"boxes"`), Format: "svg"},
		"0 panels":                              {Chart: json.RawMessage(`{"version":1}`), Format: "svg"},
		`format is "gif"`:                       {Chart: good, Format: "gif"},
		`the width "icml-colum" is neither`:     {Chart: good, Format: "svg", Width: "icml-colum"},
		"the label 1 and 1 names": {Plane: &Plane{X: []float64{1}, Y: []float64{1}, Labels: []int{1},
			Names: []string{"a"}}, Format: "svg"},
		"1, 0 and 0 values of x, y": {Plane: &Plane{X: []float64{1}}, Format: "svg"},
		"reading the chart":         {Chart: json.RawMessage(`3`), Format: "svg"},
	} {
		body, _ := json.Marshal(q)
		w := httptest.NewRecorder()
		Service{}.ServeHTTP(w, httptest.NewRequest("POST", "/draw", bytes.NewReader(body)))
		if w.Code != 400 || !strings.Contains(w.Body.String(), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("status %d: %s; expected 400 and %q", w.Code, w.Body, want)
		}
	}
}

// A page writes lists that a kind of marks does not use as empty ones.
func TestServiceTakesEmptyLists(t *testing.T) {
	for _, mark := range []string{
		`{"kind":"dots","series":0,"x":[1],"y":[3],"x1":[],"y1":[],"q1":[],"q3":[],"lo":[],"hi":[],"value":[]}`,
		`{"kind":"line","series":0,"x":[],"y":[],"x1":[],"y1":[],"q1":[],"q3":[],"lo":[],"hi":[],"value":[]}`,
		`{"kind":"line","series":0,"x":[1,2],"y":[3,3],"lo":[null,null],"hi":[null,4],"value":[]}`,
		`{"kind":"boxes","series":0,"x":[1],"x1":[1],"y":[2],"q1":[2],"q3":[2],"lo":[null],"hi":[null]}`,
	} {
		c := `{"version":1,"names":["a"],"panels":[{"title":"","marks":[` + mark + `]}],"x":{"label":"x","limits":null},` +
			`"y":{"label":"y","ticks":[],"categories":[]},"colour":null}`
		for format := range types {
			if _, err := (Request{Chart: json.RawMessage(c), Format: format}).Draw(); err != nil {
				t.Errorf("%s of %s: %v", format, mark, err)
			}
		}
	}
}

// The page offers the widths that Width takes.
func TestPageOffersEveryWidth(t *testing.T) {
	source, err := os.ReadFile("../../web/src/output/chart/save.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range plots.Widths() {
		if !strings.Contains(string(source), "'"+name+"'") {
			t.Errorf("web/src/output/chart/save.ts does not offer %s", name)
		}
	}
}
