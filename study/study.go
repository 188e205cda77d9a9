// Package study answers one question end to end: how well do the context embeddings of PEARL and of TCL-PEARL tell
// tasks apart? For each seed it trains both arms on the same tasks, evaluates their adaptation, embeds windows of
// evenly spread tasks, lays them out by t-SNE and measures the centroids, and writes the pictures and the tables.
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
	"fmt"
	"time"

	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/internal/nearest"
	"nacre/protocol"
	"nacre/tsne"
)

// Arms are the systems compared, in the order of tables and pictures.
var Arms = []string{"pearl", "tcl-pearl"}

// Plan says what a study does.
type Plan struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Preset  string   `json:"preset"`        // of package experiment
	Set     []string `json:"set,omitempty"` // key=value changes to it
	Seeds   int      `json:"seeds"`         // training seeds 1 … Seeds per arm
	Repeats int      `json:"repeats"`       // of the final evaluation on each test task
	Tasks   int      `json:"tasks"`         // embedded tasks
	Windows int      `json:"windows"`       // per task
	Layouts int      `json:"layouts"`       // further t-SNE layouts from random starts, for the spread over t-SNE's own seed
}

var plans = []Plan{
	{Name: "point-goal", About: "the point robot to the end, three seeds, up to an hour on two cores", Preset: "study/point-goal",
		Seeds: 3, Repeats: 10, Tasks: 8, Windows: 200, Layouts: 5},
	{Name: "cheetah-vel", About: "the half-cheetah at many velocities, half an hour per run on two cores (needs MuJoCo)",
		Preset: "study/cheetah-vel", Seeds: 1, Repeats: 4, Tasks: 8, Windows: 200, Layouts: 5},
}

// quick are the plans of the quickstart; the folder of each has the name of its family.
var quick = []Plan{
	{Name: "point-goal", About: "the point robot, briefly", Preset: "quick/point-goal",
		Seeds: 1, Repeats: 4, Tasks: 8, Windows: 200, Layouts: 2},
	{Name: "cheetah-vel", About: "half-cheetah velocity, briefly", Preset: "quick/cheetah-vel",
		Seeds: 1, Repeats: 2, Tasks: 8, Windows: 200, Layouts: 2},
}

// Quickstart is the name of the study that runs every family once, briefly.
const Quickstart = "quickstart"

// Line is a study's name with a line about it.
type Line struct{ Name, About string }

// List lists the studies, the quickstart first.
func List() []Line {
	out := []Line{{Quickstart, "the whole way once, in under ten minutes on two cores"}}
	for _, p := range plans {
		out = append(out, Line{p.Name, p.About})
	}
	return out
}

// Find returns a plan by name. The error of an unknown name carries the nearest one.
func Find(name string) (Plan, error) {
	var names []string
	for _, p := range plans {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Plan{}, fmt.Errorf("study %q does not exist%s", name, nearest.Hint(name, names))
}

// Layout is the t-SNE recipe of studies, pinned so that figures of different versions can be compared: the field's
// present practice over all pairs of points.
func Layout() tsne.Recipe {
	return tsne.Recipe{
		Name: "study", Perplexity: 30, Neighbours: tsne.AllNeighbours, Method: tsne.MethodExact,
		Start: tsne.StartPCA, StartStd: 1e-4, StepClip: 5,
		Phases: []tsne.Phase{
			{Iterations: 250, Exaggeration: 12, Momentum: 0.8},
			{Iterations: 500, Exaggeration: 1, Momentum: 0.8, Restart: true},
		},
	}
}

// Result is what a study found.
type Result struct {
	Plan      Plan               `json:"plan"`
	Dir       string             `json:"dir"`
	Family    string             `json:"family"`
	Window    int                `json:"window"` // transitions per embedded window
	Protocol  protocol.Protocol  `json:"protocol"`
	Session   experiment.Session `json:"session"` // what ran the first run: device and versions
	Elapsed   time.Duration      `json:"elapsed"` // of this call, in nanoseconds
	Centroids []CentroidRow      `json:"centroids"`
	Paper     []paper.Embedding  `json:"paper"`
	Verdicts  []string           `json:"verdicts"`
	Baselines []Baseline         `json:"baselines"`
	Arms      []Arm              `json:"arms"`
}

// Baseline holds the two yardsticks on the test tasks of a seed.
type Baseline struct {
	Seed   uint64           `json:"seed"`
	Random protocol.Result  `json:"random"`
	Goal   *protocol.Result `json:"goal_knowing,omitempty"` // nil where the family has no goal-knowing controller
}

// Arm is one system's results.
type Arm struct {
	Name  string       `json:"name"`
	Seeds []SeedResult `json:"seeds"`
}

// SeedResult is one training run's results.
type SeedResult struct {
	Seed      uint64          `json:"seed"`
	Run       string          `json:"run"` // folder
	EnvSteps  int64           `json:"env_steps"`
	Updates   int64           `json:"updates"`
	Seconds   float64         `json:"training_seconds"` // collection, updates and evaluations
	Untrained protocol.Result `json:"untrained"`        // the agent as it was initialised
	Adapted   protocol.Result `json:"adapted"`
	// Share is how far the adapted return is on the way from the random policy to the goal-knowing controller.
	Share     *float64    `json:"share,omitempty"`
	Embedding tsne.Report `json:"embedding"`

	embeddings *tsne.Embeddings
}
