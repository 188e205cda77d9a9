package experiment

import (
	"slices"
	"strings"
	"testing"

	_ "nacre/sim/families"
)

// Under a protocol that takes test tasks in turn, each evaluation of a run is of the next of them, and the last
// evaluation's is what the run leaves. A run of the authors' algorithm that was made longer, off the beat of its
// evaluations too, is one that was longer from its beginning.
func TestTestTasksInTurn(t *testing.T) {
	cfg := tinyRun(t, "tcl-pearl", "evaluation.protocol.name=garage-2020-new", "evaluation.protocol.tasks=3",
		"evaluation.protocol.explore=1", "test_tasks=5",
		"pearl.critic=target-q", "pearl.temperature=per-task", "pearl.actor_latent=redrawn", "pearl.init=xavier",
		"pearl.encoder_layers=4",
		"tcl.query=own", "tcl.contrast=transitions", "tcl.shared_layers=2", "tcl.key_gradient=true")
	host := Host{Workers: 1}
	four := wholeRun(t, cfg, 4, Host{Workers: 2})
	run, err := View(four)
	if err != nil {
		t.Fatal(err)
	}
	result, err := run.ReadEvaluation()
	if err != nil {
		t.Fatal(err)
	}
	var on []int
	for _, task := range result.Tasks {
		on = append(on, task.ID-cfg.TrainTasks)
	}
	if !slices.Equal(on, []int{1, 2, 3}) { // after 0 1 2, of the first iteration, and 3 4 0, of the third
		t.Errorf("the third evaluation, of the last iteration, is of test tasks %v, want 1 2 3", on)
	}
	dir := wholeRun(t, cfg, 2, host)
	longer, _, err := Extend(dir, host, func(c *Config) error { length(t, c, 4); return nil })
	end(t, longer, err)
	equalRuns(t, dir, four)
}

// An agent without a belief that could be carried over is refused before it is trained.
func TestNoBeliefToCarry(t *testing.T) {
	_, err := NewAgent(tinyRun(t, "maml", "evaluation.protocol.name=garage-2020-old"), Host{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "evaluation.protocol.carry_belief = true with maml") {
		t.Errorf("error %v", err)
	}
}
