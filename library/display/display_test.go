package display_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/analysis/plots"
	"nacre/library/display"
	"nacre/sim"
	"nacre/sim/recording"
	"nacre/tsne"
)

func ExampleShow() {
	// In a notebook this is a table; elsewhere its text is printed.
	display.Show(display.Table(
		[]string{"task", "return"},
		[][]any{{"0", -1.5}, {"10", 12.25}},
	))
	// Output:
	// task  return
	// 0      -1.50
	// 10     12.25
	// 2 rows of 2 columns
}

// A table of mixed cells is a frame: empty cells are missing, columns of anything else are text.
func TestTable(t *testing.T) {
	f := display.Table([]string{"", "n", "", "what"}, [][]any{{"a", 1, "", true}, {nil, "", 0.25, "b"}})
	got, err := f.CSV()
	if want := "\" \",n,\"  \",what\na,1,,true\n,,0.25,b\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// encoded is a form of a bundle as it goes over the wire.
func encoded(t *testing.T, r display.Renderer, mime string) map[string]any {
	t.Helper()
	b, err := r.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	for _, beside := range []string{"text/plain", "image/png"} {
		if b[beside] == nil {
			t.Errorf("no %s beside %s", beside, mime)
		}
	}
	text, err := json.Marshal(b[mime])
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCurves(t *testing.T) {
	c := display.NewCurves("loss", "step", "")
	c.Add("a", 0, 1)
	c.Add("a", 1, math.NaN())
	c.AddBand("a", 2, 3, 2.5, 3.5)
	if err := c.Set("b", []float64{0}, []float64{1, 2}); err == nil {
		t.Error("a line of unequal lengths is accepted")
	}
	got := fmt.Sprint(encoded(t, c, display.CurvesMIME))
	want := "map[log_y:false series:[map[high:[1 <nil> 3.5] low:[1 <nil> 2.5] name:a x:[0 1 2] y:[1 <nil> 3]]] " +
		"title:loss version:1 x_label:step y_label:]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Two lines of a group have a mean where both have values; one line alone has none, nor has what is in no group.
func TestCurvesOfGroups(t *testing.T) {
	c := display.NewCurves("", "", "").Group("p1", "P").Group("p2", "P").Group("q1", "Q")
	c.Set("p1", []float64{0, 2, 4}, []float64{0, 2, 4})
	c.Set("p2", []float64{0, 4}, []float64{2, 6})
	c.Add("q1", 0, 1)
	c.Add("r", 0, 1)
	var got []string
	for _, s := range encoded(t, c, display.CurvesMIME)["series"].([]any) {
		m := s.(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v %v", m["name"], m["group"], m["mean"], m["y"]))
	}
	want := []string{"p1 P false [0 2 4]", "p2 P false [2 6]",
		"q1 Q false [1]", "r <nil> <nil> [1]", "P, mean of 2 P true [1 3 5]"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A panel has the groups of the curves around it. Of a long line its parts keep their lowest and highest values.
func TestPanels(t *testing.T) {
	c := display.NewCurves("", "", "").Group("p1", "P").Group("p2", "P")
	empty, loss := c.Panel("empty"), c.Panel("loss")
	empty.Add("p1", 0, math.NaN())
	var x, y []float64
	for i := range 10_000 {
		x, y = append(x, float64(i)), append(y, math.Sin(float64(i)/500))
	}
	y[1234], y[5678], y[77] = 9.12345678, -9, math.NaN()
	loss.Set("p1", x, y)
	loss.Set("p2", []float64{0, 9999}, []float64{1, 1})
	panels := encoded(t, c, display.CurvesMIME)["panels"].([]any)
	if len(panels) != 1 {
		t.Fatalf("%d panels; want the one with values", len(panels))
	}
	panel := panels[0].(map[string]any)
	series := panel["series"].([]any)
	if panel["title"] != "loss" || len(series) != 3 {
		t.Fatalf("%v with %d lines; want p1, p2 and their mean", panel["title"], len(series))
	}
	first := series[0].(map[string]any)
	values := first["y"].([]any)
	if first["group"] != "P" || len(values) != 128 || !slices.Contains(values, any(9.12346)) ||
		!slices.Contains(values, any(-9.0)) {
		t.Errorf("%v with %d values: %v", first["group"], len(values), values)
	}
	at := first["x"].([]any)
	if !slices.IsSortedFunc(at, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) }) {
		t.Errorf("places are not in order: %v", at)
	}
}

func TestEmbedding(t *testing.T) {
	points := tsne.Matrix{Rows: 3, Cols: 2, Data: []float64{0, 10, 0.25, 20, 1, 12.5}}
	e := display.Embedding{Points: points, Label: []int{7, 3, 7}, Names: []string{0: "zero", 3: "three"}}
	m := encoded(t, e, display.EmbeddingMIME)
	if got := fmt.Sprint(m["labels"], m["label_names"], m["n"]); got != "[1 0 1] [three 7] 3" {
		t.Errorf("labels %s", got)
	}
	data, err := base64.StdEncoding.DecodeString(m["points"].(string))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range points.Data {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4*k:])); float64(got) != want {
			t.Errorf("coordinate %d is %v, want %v", k, got, want)
		}
	}
	e.Compact = true
	m = encoded(t, e, display.EmbeddingMIME)
	data, _ = base64.StdEncoding.DecodeString(m["points"].(string))
	scale := m["scale"].(map[string]any)
	for k, want := range points.Data {
		r := scale[[]string{"x", "y"}[k%2]].([]any)
		low, high := r[0].(float64), r[1].(float64)
		got := low + float64(binary.LittleEndian.Uint16(data[2*k:]))/65535*(high-low)
		if math.Abs(got-want) > (high-low)/65535 {
			t.Errorf("coordinate %d is %v, want %v", k, got, want)
		}
	}
}

// The poses of a rollout are what was recorded: the point robot's position is its observation. Several episodes come
// with a picture of each.
func TestRollout(t *testing.T) {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	_, test, err := family.Tasks(1, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	episodes := []sim.Episode{{Task: test[0], Seed: 3}, {Task: test[1], Seed: 4}}
	recorder := recording.Recorder{Family: family}
	defer recorder.Close()
	if _, err := recorder.Rollout(t.Context(), episodes, sim.UniformPolicy(episodes, 2), 9); err != nil {
		t.Fatal(err)
	}
	r := display.Rollout{Title: "two", Episodes: recorder.Recordings, Labels: []string{"first", "second"}}
	m := encoded(t, r, display.RolloutMIME)
	for i, rec := range recorder.Recordings {
		e := m["episodes"].([]any)[i].(map[string]any)
		if fmt.Sprintf("%v %v %v %d", e["label"], e["frames"], e["moving"], len(e["reward"].([]any))) != r.Labels[i]+
			" 10 [0] 9" {
			t.Errorf("episode %d is %v, %v frames, of which %v move", i, e["label"], e["frames"], e["moving"])
		}
		data, _ := base64.StdEncoding.DecodeString(e["poses"].(string))
		for k, obs := range rec.Obs {
			for j, want := range []float32{float32(obs[0]), float32(obs[1])} {
				if got := math.Float32frombits(binary.LittleEndian.Uint32(data[28*k+4*j:])); got != want {
					t.Errorf("episode %d, frame %d: coordinate %d is %v, want %v", i, k, j, got, want)
				}
			}
		}
	}
	b, err := r.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b["image/png"].([]byte)))
	if err != nil || picture.Bounds().Dx() != 2*320+4 || picture.Bounds().Dy() != 240 {
		t.Errorf("picture of %v, %v", picture.Bounds(), err)
	}
	want := fmt.Sprintf("rollout of two\nfirst: 9 steps of 0.1 s, return %.6g\nsecond: 9 steps of 0.1 s, return %.6g",
		recorder.Recordings[0].Return(), recorder.Recordings[1].Return())
	if b["text/plain"] != want {
		t.Errorf("text %q, want %q", b["text/plain"], want)
	}
}

// An output that would be too large says so and what to do instead.
func TestRolloutLimit(t *testing.T) {
	rec := recording.Recording{Family: "point-goal", Params: []float64{1, 0}}
	for k := range 240_000 {
		rec.QPos = append(rec.QPos, []float64{float64(k), 0})
		if k > 0 {
			rec.Act, rec.Reward = append(rec.Act, nil), append(rec.Reward, 0)
		}
	}
	_, err := display.Rollout{Episodes: []recording.Recording{rec}}.MIMEBundle()
	if want := "MB and a notebook's output may take 8.4 MB: show fewer"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRefusals(t *testing.T) {
	for want, r := range map[string]display.Renderer{
		"2×3; expected n×2":        display.Embedding{Points: tsne.NewMatrix(2, 3)},
		"1 labels for 2 points":    display.Embedding{Points: tsne.NewMatrix(2, 2), Label: []int{1}},
		"row 1 of the table has 1": display.Table([]string{"a", "b"}, [][]any{{1, 2}, {3}}),
		"without episodes":         display.Rollout{},
		"1 labels for 2 episodes": display.Rollout{Episodes: make([]recording.Recording, 2),
			Labels: []string{"a"}},
		`episode 1: sim: unknown family ""`: display.Rollout{Episodes: make([]recording.Recording, 2)},
	} {
		if _, err := r.MIMEBundle(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The picture of a curve that has a value only now and then is a line all the same.
func TestCurvesWithGaps(t *testing.T) {
	c := display.NewCurves("return", "steps", "")
	for x := range 20 {
		y := math.NaN()
		if x%3 == 0 {
			y = float64(x)
		}
		c.Add("PEARL", float64(x), y)
	}
	b, err := c.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b["image/png"].([]byte)))
	if err != nil {
		t.Fatal(err)
	}
	r, g, blue, _ := plots.Palette[0].RGBA()
	columns := 0
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			if pr, pg, pb, _ := picture.At(x, y).RGBA(); pr == r && pg == g && pb == blue {
				columns++
				break
			}
		}
	}
	if columns < picture.Bounds().Dx()/2 {
		t.Errorf("the line is on %d of %d columns", columns, picture.Bounds().Dx())
	}
}
