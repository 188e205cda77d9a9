package display_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"nacre/display"
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
	// 0       -1.5
	// 10     12.25
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
	want := "map[log_y:false series:[map[high:[1 <nil> 3.5] low:[1 <nil> 2.5] name:a x:[0 1 2] y:[1 <nil> 3]]] title:loss version:1 x_label:step y_label:]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
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

func TestRefusals(t *testing.T) {
	for want, r := range map[string]display.Renderer{
		"2×3; expected n×2":        display.Embedding{Points: tsne.NewMatrix(2, 3)},
		"1 labels for 2 points":    display.Embedding{Points: tsne.NewMatrix(2, 2), Label: []int{1}},
		"row 1 of the table has 1": display.Table([]string{"a", "b"}, [][]any{{1, 2}, {3}}),
		"needs poses":              display.Rollout{Dt: 0.05},
		"1 rewards for 2 poses":    display.Rollout{Dt: 0.05, Poses: tsne.NewMatrix(2, 3), Rewards: []float64{1}},
	} {
		if _, err := r.MIMEBundle(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
