// Package study measures end to end how well the context embeddings of PEARL and of TCL-PEARL tell tasks apart, and how
// much of the difference comes from windows and how much from the contrastive loss.
//
// For each seed it trains three arms on the same tasks. PEARL on windows is the control between the other two. It
// evaluates their adaptation, embeds four kinds of contexts of evenly spread tasks, and lays them out by t-SNE. It
// measures how well tasks are told apart, and writes pictures and tables.
//
// Everything lies in one folder. To continue an interrupted study, run it again: finished runs are kept.
//
//	plan, err := study.Find("point-goal")
//	plan.Seeds = 3
//	result, err := study.Run(ctx, "out/point-goal", plan, experiment.Host{}, progress.Silent())
//	for _, row := range result.Centroids {
//		fmt.Println(row.Arm, row.Space, row.Ratio)
//	}
package study

import (
	"time"

	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/rl/protocol"
	"nacre/tsne"
)

// Result holds the results of a study.
type Result struct {
	Plan      Plan               `json:"plan"`
	Dir       string             `json:"dir"`
	Family    string             `json:"family"`
	Window    int                `json:"window"` // transitions per embedded window
	Protocol  protocol.Protocol  `json:"protocol"`
	Session   experiment.Process `json:"session"` // device and versions with which the first run was trained
	Elapsed   time.Duration      `json:"elapsed"` // time of this call, in nanoseconds
	Centroids []CentroidRow      `json:"centroids"`
	Crossed   []CrossedRow       `json:"crossed,omitempty"`
	// Contexts, Contrasts, Attribution and ContextVerdicts are filled only if the plan names kinds of context.
	Contexts        []ContextRow  `json:"contexts,omitempty"`
	Contrasts       []Contrast    `json:"contrasts,omitempty"`
	Attribution     []Attribution `json:"attribution,omitempty"`
	ContextVerdicts []string      `json:"context_verdicts,omitempty"`
	// Effects is filled only if the arms are the combinations of factors' levels.
	Effects []Effect `json:"effects,omitempty"`
	// Outcomes holds the arms' numbers of the evaluation with their contrasts. The primary outcome comes first.
	Outcomes         []Outcome  `json:"outcomes,omitempty"`
	OutcomeContrasts []Contrast `json:"outcome_contrasts,omitempty"`

	Paper     []paper.Embedding `json:"paper"`
	Verdicts  []string          `json:"verdicts"`
	Chance    []Chance          `json:"chance"`
	Baselines []Baseline        `json:"baselines"`
	Arms      []ArmResult       `json:"arms"`
}

// Baseline holds the returns of random actions and of the controllers on the test tasks of a seed.
type Baseline struct {
	Seed uint64 `json:"seed"`
	experiment.Baselines
	// GoalWorth is the goal-knowing controller's return minus the goal-blind one's, for each task of the seed, train
	// tasks first. Train tasks are included because this worth differs much between tasks, and there are few test
	// tasks. It is nil if one of the controllers is missing.
	GoalWorth []float64 `json:"goal_worth,omitempty"`
}

// Chance compares the first arm with another one, trained with the same seed. It says which differences between their
// embeddings are so small that other windows or other layouts could make them.
type Chance struct {
	Seed  uint64            `json:"seed"`
	Arm   string            `json:"arm"`
	Lines []tsne.Comparison `json:"lines"`
}

// ArmResult is one arm's results.
type ArmResult struct {
	Arm
	Seeds []SeedResult `json:"seeds"`
}

// SeedResult is one training run's results.
type SeedResult struct {
	Seed      uint64          `json:"seed"`
	Run       string          `json:"run"` // the run's folder, relative to the study's folder
	EnvSteps  int64           `json:"env_steps"`
	Updates   int64           `json:"updates"`
	Seconds   float64         `json:"training_seconds"` // time of collection, updates and evaluations
	Commit    string          `json:"commit,omitempty"` // commit of the program that measured the run
	Key       string          `json:"key,omitempty"`    // everything else on which the numbers depend
	Untrained protocol.Result `json:"untrained"`        // results of the agent before training
	Adapted   protocol.Result `json:"adapted"`
	// Swap is nil if the protocol explores nothing, if the test tasks are all the same, and in results of programs that
	// did not measure it.
	Swap *protocol.Swapped `json:"swap,omitempty"`
	// Share is the place of the adapted return on the way from a baseline (0) to the goal-knowing controller (1). The
	// baseline is standing still or random actions, whichever returns more.
	Share *float64 `json:"share,omitempty"`
	// ShareFromBlind is the primary outcome. It is the agent's return minus the goal-blind controller's on the test
	// tasks, divided by the mean worth of the goal on all tasks. It is nil unless this worth is above 0; see
	// Result.Unsuitable.
	ShareFromBlind *float64 `json:"share_from_blind,omitempty"`

	Tasks     []string    `json:"tasks"` // names of the embedded tasks, by label
	Embedding tsne.Report `json:"embedding"`
	// Script is the same under the recipe of the paper's script. It is nil if the plan does not ask for it.
	Script *tsne.Report `json:"script_embedding,omitempty"`

	// Crossed holds the run's windows as embedded by the encoders of the other arms with the same seed.
	Crossed []Crossed `json:"crossed,omitempty"`
	// Contexts holds the results of the plan's kinds of context, in the plan's order.
	Contexts []ContextResult `json:"contexts,omitempty"`

	embeddings *tsne.Embeddings
}

// Crossed says how well an arm's encoder tells tasks apart if it gets the windows of another arm.
type Crossed struct {
	Encoder string     `json:"encoder"` // name of the encoder's arm
	Latent  tsne.Space `json:"latent"`  // posterior means

	embeddings *tsne.Embeddings
}
