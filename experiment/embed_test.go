package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/pearl"
	"nacre/rl/config"
	"nacre/sim"
	"nacre/tcl"
)

func TestTaskNames(t *testing.T) {
	tasks := []sim.Task{{Params: []float64{0, 0.65, -0.075, 0.825}}, {Params: []float64{0, 0.65, 0.075, 0.825}},
		{Params: []float64{0, 0.65, 0.075, 0.875}}}
	if got, want := taskNames(tasks), []string{"task 0 (-0.075, 0.825)", "task 1 (0.075, 0.825)",
		"task 2 (0.075, 0.875)"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := taskNames(tasks[:2]), []string{"task 0 (-0.075)", "task 1 (0.075)"}; !reflect.DeepEqual(got, want) {
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

// Contexts of one rollout are taken of the same one, whatever else is asked for; that of the meta-test is all of its
// protocol's exploration.
func TestContexts(t *testing.T) {
	cfg, err := Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAgent(cfg, Host{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	o := EmbedOptions{Tasks: 3, Windows: 4, Length: 5, Seed: 7}
	all, err := a.Contexts(t.Context(), o, ContextKinds...)
	if err != nil {
		t.Fatal(err)
	}
	width := a.Spec.ObsDim + a.Spec.ActDim + 1
	rows := func(c []float32) (out []string) {
		for r := range slices.Chunk(c, width) {
			out = append(out, fmt.Sprint(r))
		}
		return out
	}
	for k, want := range []int{5, 5, a.Spec.Horizon, cfg.Evaluation.Protocol.Explore * a.Spec.Horizon} {
		c := all[k]
		if c.Kind != ContextKinds[k] || len(c.Rows) != 12 ||
			!slices.Equal(c.Label, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}) {
			t.Fatalf("%s: %d contexts, labels %v", c.Kind, len(c.Rows), c.Label)
		}
		for i, context := range c.Rows {
			if len(context) != want*width {
				t.Errorf("%s, context %d: %d numbers, want %d rows of %d", c.Kind, i, len(context), want, width)
			}
		}
		alone, err := a.Contexts(t.Context(), o, c.Kind)
		if err != nil || !reflect.DeepEqual(alone[0], c) {
			t.Errorf("%s alone is another, %v", c.Kind, err)
		}
	}
	for i, whole := range all[2].Rows {
		rollout := rows(whole)
		at := slices.Index(rollout, rows(all[0].Rows[i])[0])
		if at < 0 || !slices.Equal(rollout[at:at+5], rows(all[0].Rows[i])) {
			t.Errorf("window %d is not one of its rollout", i)
		}
		for _, r := range rows(all[1].Rows[i]) {
			if !slices.Contains(rollout, r) {
				t.Errorf("context %d of rows has one that is not in its rollout", i)
			}
		}
	}
	if _, err := a.Contexts(t.Context(), o, "rolout"); err == nil ||
		!strings.Contains(err.Error(), `did you mean "rollout"?`) {
		t.Errorf("misspelt: %v", err)
	}
	adapted, err := a.Contexts(t.Context(), o, AdaptedContext)
	if err != nil {
		t.Fatal(err)
	}
	for i, context := range adapted[0].Rows {
		if len(context) != 5*width || slices.Contains(rows(all[3].Rows[i]), rows(context)[0]) {
			t.Errorf("window %d of what was done after adaptation: %d numbers, or one of exploration", i, len(context))
		}
	}
	a.Config.Evaluation.Protocol.ContextLimit = 6
	c, err := a.Contexts(t.Context(), o, MetaTestContext)
	if err != nil || len(c[0].Rows[0]) != 6*width {
		t.Errorf("%d numbers with a limit of 6 rows, %v", len(c[0].Rows[0]), err)
	}
	for _, r := range rows(c[0].Rows[3]) {
		if !slices.Contains(rows(all[3].Rows[3]), r) {
			t.Error("a limited context has another row")
		}
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
	got := []any{big.Family, big.TrainTasks, big.TestTasks, p.Latent, p.Hidden, p.EncoderHidden, p.Context,
		window.Window, p.MetaBatch, p.Batch,
		p.RewardScale, p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps, p.UpdatesPerIteration,
		big.Evaluation.Protocol.Explore}
	want := []any{"ml1/push", 50, 10, 7, 400, 400, 64, 64, 16, 256, 10.0, 4000, 15, 800, 800, 4000, 10}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if steps := 50*p.InitialSteps +
		p.Iterations*p.TasksPerIteration*(p.PriorSteps+p.ExtraPosteriorSteps); steps < 1_000_000 || steps > 1_024_000 {
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
	if steps := 50*q.InitialSteps +
		q.Iterations*q.TasksPerIteration*(q.PriorSteps+q.ExtraPosteriorSteps); steps != 440_000 ||
		q.Iterations*q.UpdatesPerIteration != 64_000 {
		t.Errorf("%d environment steps and %d updates, want 440,000 and 64,000", steps,
			q.Iterations*q.UpdatesPerIteration)
	}
	if small.Family != big.Family || tcl.Of(small) != window || q.Latent != p.Latent || q.Context != p.Context ||
		q.MetaBatch != p.MetaBatch {
		t.Errorf("the reduction is another task: %+v", small)
	}
}
