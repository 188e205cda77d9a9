package lab

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/library/display"
)

// A run that keeps its checkpoints is shown at each: the last one is the agent of the end, and points, episodes and
// curves have the same names.
func TestScrubber(t *testing.T) {
	t.Chdir(t.TempDir())
	run, err := Train("quick/point-goal", small, Iterations(3), Keep(2), Quiet(), Seed(2))
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := experiment.Kept(run.Dir); err != nil || len(kept) != 3 || kept[0] != 0 || kept[1] != 2 ||
		kept[2] != 3 {
		t.Fatalf("kept are %v (%v), want those after 0, 2 and 3 iterations", kept, err)
	}
	few := experiment.EmbedOptions{Tasks: 3, Windows: 6}
	s, err := run.Scrubber(few)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Checkpoints) != 3 || s.Checkpoints[1].At != 2 || len(s.Checkpoints[2].Rollout.Episodes) != 3 {
		t.Fatalf("the scrubber has %d checkpoints: %+v", len(s.Checkpoints), s.Checkpoints[1].At)
	}
	// The contexts are of the agent at the end, so its embeddings are those that Embed makes.
	e, err := run.Embed(few)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Checkpoints[2].Embedding.Vectors.Data {
		if v != e.Mean.Data[i] {
			t.Fatalf("posterior mean %d is %v at the last checkpoint, %v of the run", i, v, e.Mean.Data[i])
		}
	}
	moved := 0.0
	for i, v := range s.Checkpoints[0].Embedding.Vectors.Data {
		moved += math.Abs(v - e.Mean.Data[i])
	}
	if moved == 0 {
		t.Error("the encoder before training is the one after it")
	}
	b, err := s.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(b[display.ScrubberMIME])
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Checkpoints []struct {
			Embedding struct {
				Names []string `json:"label_names"`
			}
			Rollout struct{ Episodes []struct{ Label string } }
		}
		Curves struct {
			Series []struct {
				Name string
				X    []float64
			}
		}
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatal(err)
	}
	for _, c := range shown.Checkpoints {
		for k, name := range c.Embedding.Names {
			if c.Rollout.Episodes[k].Label != name || shown.Curves.Series[k].Name != name ||
				len(shown.Curves.Series[k].X) != 3 {
				t.Errorf("task %d is %q, %q and %q", k, name, c.Rollout.Episodes[k].Label, shown.Curves.Series[k].Name)
			}
		}
	}
	plain, err := Train("quick/point-goal", small, Iterations(1), Quiet(), Seed(3))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Scrubber(); err == nil || !strings.Contains(err.Error(), "lab.Keep") {
		t.Errorf("a run without checkpoints: %v", err)
	}
}
