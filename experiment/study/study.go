// Package study measures end to end how well the context embeddings of PEARL and of TCL-PEARL tell
// tasks apart, and what makes the difference, windows or the contrastive loss. For each seed it trains three arms on
// the same tasks (PEARL on windows is the control between both), evaluates their adaptation, embeds contexts of four
// kinds of evenly spread tasks, lays them out by t-SNE, measures how well tasks are told apart, and writes pictures and
// tables.
//
// Everything lives in one folder, and a study that was interrupted is continued by running it again: finished runs
// are kept.
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

// Result holds what a study found.
type Result struct {
	Plan      Plan               `json:"plan"`
	Dir       string             `json:"dir"`
	Family    string             `json:"family"`
	Window    int                `json:"window"` // transitions per embedded window
	Protocol  protocol.Protocol  `json:"protocol"`
	Session   experiment.Process `json:"session"` // what ran the first run: device and versions
	Elapsed   time.Duration      `json:"elapsed"` // of this call, in nanoseconds
	Centroids []CentroidRow      `json:"centroids"`
	Crossed   []CrossedRow       `json:"crossed,omitempty"`
	// Contexts, Contrasts, Attribution and ContextVerdicts are of studies whose plan names kinds of context.
	Contexts        []ContextRow  `json:"contexts,omitempty"`
	Contrasts       []Contrast    `json:"contrasts,omitempty"`
	Attribution     []Attribution `json:"attribution,omitempty"`
	ContextVerdicts []string      `json:"context_verdicts,omitempty"`
	// Outcomes are the arms' figures of the evaluation, the primary one first, with their contrasts.
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
	// GoalWorth is the return of the goal-knowing controller less that of the goal-blind one on each task of the seed,
	// train tasks first: what the goal is worth differs much between tasks, and test tasks are few. Nil without both
	// controllers.
	GoalWorth []float64 `json:"goal_worth,omitempty"`
}

// Chance says of the first arm and another, trained with one seed, which differences between their embeddings are
// within what other windows or other layouts would make.
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
	Run       string          `json:"run"` // folder, from that of the study
	EnvSteps  int64           `json:"env_steps"`
	Updates   int64           `json:"updates"`
	Seconds   float64         `json:"training_seconds"` // collection, updates and evaluations
	Commit    string          `json:"commit,omitempty"` // of the program that measured the run
	Key       string          `json:"key,omitempty"`    // what the figures depend on besides
	Untrained protocol.Result `json:"untrained"`        // the agent as it was initialised
	Adapted   protocol.Result `json:"adapted"`
	// Share is how far the adapted return is on the way from standing still or random actions, whichever returns more,
	// to the goal-knowing controller.
	Share *float64 `json:"share,omitempty"`
	// ShareFromBlind is the primary outcome: what the agent returns more than the goal-blind controller on the test
	// tasks, over what the goal is worth on all tasks. Nil where that is not above 0; see Result.Unsuitable.
	ShareFromBlind *float64 `json:"share_from_blind,omitempty"`

	Tasks     []string    `json:"tasks"` // embedded, by label
	Embedding tsne.Report `json:"embedding"`
	// Script is the same under the recipe of the paper's script; nil where the plan does not ask for it.
	Script *tsne.Report `json:"script_embedding,omitempty"`

	// Crossed are the run's windows as the encoders of the other arms, trained with the same seed, embed them.
	Crossed []Crossed `json:"crossed,omitempty"`
	// Contexts are the plan's kinds of context, in its order.
	Contexts []ContextResult `json:"contexts,omitempty"`

	embeddings *tsne.Embeddings
}

// Crossed is how well an arm's encoder tells tasks apart by the windows of another arm.
type Crossed struct {
	Encoder string     `json:"encoder"` // name of its arm
	Latent  tsne.Space `json:"latent"`  // posterior means

	embeddings *tsne.Embeddings
}
