package experiment

import (
	"reflect"
	"strings"
	"testing"

	"nacre/pearl"
	"nacre/rl/config"
	"nacre/sim"
	"nacre/tcl"
)

func TestTaskNames(t *testing.T) {
	tasks := []sim.Task{{Params: []float64{0, 0.65, -0.075, 0.825}}, {Params: []float64{0, 0.65, 0.075, 0.825}}, {Params: []float64{0, 0.65, 0.075, 0.875}}}
	if got, want := taskNames(tasks), []string{"(-0.075, 0.825)", "(0.075, 0.825)", "(0.075, 0.875)"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := taskNames(tasks[:2]), []string{"-0.075", "0.075"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only families whose tasks have one start each can vary it.
func TestVaryStartNeedsAStarter(t *testing.T) {
	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAgent(cfg, Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	_, err = a.Embed(t.Context(), EmbedOptions{Tasks: 2, Windows: 2, VaryStart: true})
	if err == nil || !strings.Contains(err.Error(), "point-goal cannot vary the start") {
		t.Errorf("the point robot, whose starts vary already: %v", err)
	}
}

// The study of push has the figures of the paper's Meta-World table, and contexts as long as TCL's windows; the
// reduction changes sizes, schedule and what networks see, not the task.
func TestPushPresets(t *testing.T) {
	big, err := Preset("ml1/push")
	if err != nil {
		t.Fatal(err)
	}
	p, window := pearl.Of(big), tcl.Of(big)
	got := []any{big.Family, big.TrainTasks, big.TestTasks, p.Latent, p.Hidden, p.EncoderHidden, p.Context, window.Window, p.MetaBatch, p.Batch,
		p.RewardScale, p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps, p.UpdatesPerIteration, big.Evaluation.Protocol.Explore}
	want := []any{"ml1/push", 50, 10, 7, 400, 400, 64, 64, 16, 256, 10.0, 4000, 15, 800, 800, 4000, 10}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if steps := 50*p.InitialSteps + p.Iterations*p.TasksPerIteration*(p.PriorSteps+p.ExtraPosteriorSteps); steps < 1_000_000 || steps > 1_024_000 {
		t.Errorf("%d environment steps, want the first whole iteration from 1,000,000 on", steps)
	}
	small, err := Preset("ml1/push-small")
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Check(&small); err != nil {
		t.Error(err)
	}
	q := pearl.Of(small)
	if steps := 50*q.InitialSteps + q.Iterations*q.TasksPerIteration*(q.PriorSteps+q.ExtraPosteriorSteps); steps != 440_000 || q.Iterations*q.UpdatesPerIteration != 64_000 {
		t.Errorf("%d environment steps and %d updates, want 440,000 and 64,000", steps, q.Iterations*q.UpdatesPerIteration)
	}
	if small.Family != big.Family || tcl.Of(small) != window || q.Latent != p.Latent || q.Context != p.Context || q.MetaBatch != p.MetaBatch {
		t.Errorf("the reduction is another task: %+v", small)
	}
}
