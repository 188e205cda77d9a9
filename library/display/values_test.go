package display

import (
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/tsne"
)

type named struct{ X int }

func (named) String() string { return "named" }

func TestKnownValues(t *testing.T) {
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	e := &tsne.Embeddings{Mean: tsne.NewMatrix(100, 9), Label: make([]int, 100)}
	for want, v := range map[string]any{
		"updates\n    200":      experiment.Series{Columns: []string{"updates"}, Rows: [][]float64{{200}}},
		"family = 'point-goal'": cfg,
		"0  exploring": protocol.Result{Protocol: protocol.Protocol{Explore: 1},
			Summary: protocol.Summary{Return: make([]stats.Interval, 2), Success: make([]stats.Interval, 2)}},
		"params[0]  params[1]":         []sim.Task{{ID: 3, Params: []float64{1, 0.5}}},
		"100 embeddings of 9 dimensio": e,
		"100×9\n          0":           e.Mean,
		"[{1 a}]": []struct {
			N int
			S string
		}{{1, "a"}},
	} {
		b, own, err := Render(v)
		if text, _ := b["text/plain"].(string); err != nil || !own || !strings.Contains(text, want) {
			t.Errorf("%T is shown as %q (%v), want %q", v, text, err, want)
		}
	}
	if b, _, _ := Render([]struct{ N int }{{1}}); b[frame.MIME] == nil {
		t.Error("a slice of structs is no table")
	}
	for _, v := range []any{[]named{{1}}, []struct{ f func() }{{}}, []struct{ N int }{}, []int{1},
		(*protocol.Result)(nil), struct{ N int }{1}} {
		if b, own, err := Render(v); own || err != nil || len(b) != 1 {
			t.Errorf("%T is shown as %v, %v", v, b, err)
		}
	}
}
