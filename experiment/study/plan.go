package study

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/internal/nearest"
	"nacre/pearl"
	contrast "nacre/tcl"
	"nacre/tcl/tclpearl"
	"nacre/tsne"
)

// Arms lists the arms that studies compare, in the order of tables and pictures.
var Arms = []string{"pearl", tclpearl.Windows, "tcl-pearl"}

// Plan describes a study.
type Plan struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Scale   string   `json:"scale,omitempty"` // one of Scales
	Preset  string   `json:"preset"`          // name of a preset of package experiment
	Set     []string `json:"set,omitempty"`   // key=value changes to it
	Seeds   int      `json:"seeds"`           // training seeds 1 … Seeds per arm
	Repeats int      `json:"repeats"`         // repeats of the final evaluation on each test task
	Tasks   int      `json:"tasks"`           // number of embedded tasks
	Windows int      `json:"windows"`         // number of embedded windows per task
	// Contexts lists the kinds of context to embed. If it is empty, only windows are embedded.
	Contexts []experiment.ContextKind `json:"contexts,omitempty"`
	// Adaptations is the number of contexts of the meta-test per task, each of a whole exploration.
	Adaptations int `json:"adaptations,omitempty"`
	Layouts     int `json:"layouts"` // further t-SNE layouts from random starts, for the spread over t-SNE's own seed
	// VaryStart draws the start of every embedded rollout (experiment.EmbedOptions).
	VaryStart bool `json:"vary_start,omitempty"`
	// Script also lays the embeddings out by the recipe of the paper's script.
	Script bool `json:"paper_script,omitempty"`
	// Sweeps lists folders of sweeps (package sweep) that train the runs. Finished runs are copied into the study,
	// which trains the missing ones itself. Results do not depend on which of them trained a run.
	Sweeps []string `json:"-"`
	// Ablation names an open point of the paper; the arms are then its possible readings. If it is empty, the study
	// compares Arms.
	Ablation string `json:"ablation,omitempty"`
	// Factorial names an algorithm with a loss on PEARL's encoder. The factors are then those of LossByContexts, with
	// contexts as long as TCL's windows.
	Factorial string `json:"factorial,omitempty"`
	// Factors says what the study varies instead: there is an arm for every combination of their levels.
	Factors []Factor `json:"factors,omitempty"`
}

// Arm is an algorithm, with changes to the plan's configuration, that a study trains and compares.
type Arm struct {
	Name      string   `json:"name"`  // name of its run folders
	Title     string   `json:"title"` // name in tables and pictures
	Algorithm string   `json:"algorithm"`
	Set       []string `json:"set,omitempty"`
	Levels    []At     `json:"levels,omitempty"` // of a study with factors
}

// Scales lists the sizes of studies: the paper's, and a smaller one for a processor with two cores. docs/study.md says
// how the smaller one differs from the paper's.
var Scales = []string{"small", "paper"}

var plans = []Plan{
	{Name: "point-goal", About: "the point robot to the end, three seeds, up to an hour on two cores",
		Preset: "study/point-goal",
		Seeds:  3, Repeats: 10, Tasks: 8, Windows: 200, Contexts: experiment.ContextKinds, Adaptations: 100,
		Layouts: 5},
	{Name: "cheetah-vel", About: "the half-cheetah at many velocities, half an hour per run on two cores (needs " +
		"MuJoCo)",
		Scale: "small", Preset: "study/cheetah-vel", Seeds: 1, Repeats: 4, Tasks: 8, Windows: 200,
		Contexts: experiment.ContextKinds, Adaptations: 40, Layouts: 5},
	{Name: "push", About: "the paper's own: Meta-World push, half an hour per run on two cores (needs MuJoCo)",
		Scale: "small", Preset: "ml1/push-small", Seeds: 2, Repeats: 2, Tasks: 8, Windows: 200,
		Contexts: experiment.ContextKinds, Adaptations: 40, Layouts: 5,
		VaryStart: true, Script: true},
}

// atPaperScale has the presets of studies that can have the paper's size.
var atPaperScale = map[string]string{"cheetah-vel": "paper/cheetah-vel", "push": "ml1/push"}

// quick are the plans of the quickstart; the folder of each has the name of its family.
var quick = []Plan{
	{Name: "point-goal", About: "the point robot, briefly", Preset: "quick/point-goal",
		Seeds: 1, Repeats: 4, Tasks: 8, Windows: 200, Contexts: experiment.ContextKinds, Adaptations: 100, Layouts: 2},
	{Name: "cheetah-vel", About: "half-cheetah velocity, briefly", Preset: "quick/cheetah-vel",
		Seeds: 1, Repeats: 2, Tasks: 8, Windows: 200, Contexts: experiment.ContextKinds, Adaptations: 40, Layouts: 2},
}

// Quickstart is the name of the study that runs every family once, briefly.
const Quickstart = "quickstart"

// Families is the name of the study of several ML1 families.
const Families = "families"

// defaultFamilies are the families of the study Families unless others are named. They were chosen by a rule, before
// any family but push was trained (docs/study.md).
var defaultFamilies = []string{
	"ml1/push", "ml1/reach", "ml1/pick-place", "ml1/plate-slide", "ml1/soccer", "ml1/coffee-push", "ml1/push-wall",
	"ml1/coffee-pull",
}

// Line is a study's name with a line about it.
type Line struct{ Name, About string }

// List lists the studies, the quickstart first.
func List() []Line {
	out := []Line{{Quickstart, "a complete small study, in under ten minutes on two cores"}}
	for _, p := range plans {
		out = append(out, Line{p.Name, p.About})
	}
	return append(out, Line{Families,
		"several ML1 families by the recipe of push, three seeds each, and all of them together (needs MuJoCo)"})
}

// Find returns a plan by name. For an unknown name the error has the nearest name.
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

// At returns the plan at one of Scales. An empty scale returns the plan as it is.
func (p Plan) At(scale string) (Plan, error) {
	preset, has := atPaperScale[p.Name]
	switch {
	case scale == "" || scale == p.Scale:
		return p, nil
	case !has:
		return p, fmt.Errorf("study %s: scale %q; it has one scale only", p.Name, scale)
	case !slices.Contains(Scales, scale):
		return p, fmt.Errorf("study %s: scale %q; expected %s", p.Name, scale, strings.Join(Scales, " or "))
	}
	p.Scale, p.Preset = scale, preset
	return p, nil
}

// Layout is the t-SNE recipe of studies. It follows the present practice of the field, and uses all pairs of points. It
// is fixed, so that results of different versions can be compared.
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

// ablation is an open point of the paper with the readings to compare. The first arm is the plan's own configuration.
type ablation struct {
	name, about string
	arms        func(experiment.Config) []Arm
}

var ablations = []ablation{
	{"momentum", "direction of the momentum: key ← 0.995 key + 0.005 query, or as printed, the other way round", tcl(
		reading{"literal", "momentum as printed", "tcl.literal_momentum=true"})},
	{"window", "length of the training windows, half and twice; all are embedded by windows of the plan's length",
		func(c experiment.Config) []Arm {
			w := contrast.Of(c).Window
			return tcl(windows(w/2), windows(2*w))(c)
		}},
	{"scale", "weight of the contrastive loss, and PEARL on windows, without it", func(c experiment.Config) []Arm {
		readings := tcl(reading{"scale-10", "c = 10", "tcl.scale=10"},
			reading{"scale-100", "c = 100", "tcl.scale=100"})(c)
		return append(readings, armOf(tclpearl.Windows))
	}},
	{"pair", "where the two windows of a pair come from: one trajectory, or any two of the task", tcl(
		reading{"same-task", "pairs from the task", "tcl.pair=same-task"})},
	{"rows", "loss times kind of context: TCL's loss on windows and on independent rows, and both without it",
		func(c experiment.Config) []Arm {
			return []Arm{
				armOf("tcl-pearl"), armWith("tcl-pearl-rows", "TCL-PEARL, rows", "tcl-pearl",
					"tcl.sampling=rows", "tcl.pair=same-task"),
				armOf(tclpearl.Windows), armOf("pearl"),
			}
		}},
	{"sigma", "spread in the distance of posteriors: standard deviations or variances", tcl(
		reading{"variance", "variances", "tcl.sigma=var"})},
	{"authors", "the authors' setting: PEARL of half the encoder's width (200/64 at the paper's scale), the others " +
		"with twice the window (400/128)", func(c experiment.Config) []Arm {
		p, w := pearl.Of(c), contrast.Of(c).Window
		narrow := armWith("pearl-authors", fmt.Sprintf("PEARL, %d/%d", p.EncoderHidden/2, w), "pearl",
			fmt.Sprintf("pearl.encoder_hidden=%d", p.EncoderHidden/2), fmt.Sprintf("pearl.context=%d", w))
		out := []Arm{narrow}
		for _, name := range Arms[1:] {
			title := fmt.Sprintf("%s, %d/%d", experiment.Title(name), p.EncoderHidden, 2*w)
			out = append(out, armWith(name+"-authors", title, name, fmt.Sprintf("tcl.window=%d", 2*w)))
		}
		return out
	}},
	{"encoder", "PEARL with half the encoder's width, as its logs have it, and with twice the context",
		func(c experiment.Config) []Arm {
			p := pearl.Of(c)
			return []Arm{
				armOf("pearl"),
				armWith("pearl-narrow", fmt.Sprintf("PEARL, %d/%d", p.EncoderHidden/2, p.Context), "pearl",
					fmt.Sprintf("pearl.encoder_hidden=%d", p.EncoderHidden/2)),
				armWith("pearl-wide", fmt.Sprintf("PEARL, %d/%d", p.EncoderHidden, 2*p.Context), "pearl",
					fmt.Sprintf("pearl.context=%d", 2*p.Context)),
			}
		}},
}

// reading is a change to TCL-PEARL.
type reading struct{ name, title, set string }

func windows(w int) reading {
	return reading{fmt.Sprintf("window-%d", w), fmt.Sprintf("windows of %d", w), fmt.Sprintf("tcl.window=%d", w)}
}

// tcl makes arms of TCL-PEARL and changes to it.
func tcl(readings ...reading) func(experiment.Config) []Arm {
	return func(experiment.Config) []Arm {
		out := []Arm{armOf("tcl-pearl")}
		for _, r := range readings {
			out = append(out, armWith("tcl-pearl-"+r.name, "TCL-PEARL, "+r.title, "tcl-pearl", r.set))
		}
		return out
	}
}

// armWith is an arm with changes to the plan's configuration.
func armWith(name, title, algorithm string, set ...string) Arm {
	return Arm{Name: name, Title: title, Algorithm: algorithm, Set: set}
}

// armOf is the arm of an algorithm with the plan's configuration.
func armOf(algorithm string) Arm {
	return Arm{Name: algorithm, Title: experiment.Title(algorithm), Algorithm: algorithm}
}

// Ablations lists the open points of the paper for which a study can compare readings.
func Ablations() []Line {
	var out []Line
	for _, a := range ablations {
		out = append(out, Line{a.name, a.about})
	}
	return out
}

// arms returns the arms that the plan compares.
func (p Plan) arms() ([]Arm, error) {
	if len(p.Factors) > 0 || p.Factorial != "" {
		return p.combinations()
	}
	if p.Ablation == "" {
		var out []Arm
		for _, name := range Arms {
			out = append(out, armOf(name))
		}
		return out, nil
	}
	var names []string
	for _, a := range ablations {
		if a.name != p.Ablation {
			names = append(names, a.name)
			continue
		}
		cfg, err := p.config()
		if err != nil {
			return nil, err
		}
		return a.arms(cfg), nil
	}
	return nil, fmt.Errorf("ablation %q does not exist%s", p.Ablation, nearest.Hint(p.Ablation, names))
}

// combinations returns the arms of a plan with factors.
func (p Plan) combinations() ([]Arm, error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	factors := p.Factors
	if p.Ablation != "" || len(factors) > 0 && p.Factorial != "" {
		return nil, fmt.Errorf("study %s: two of ablation, factorial and factors are given; want one of them", p.Name)
	}
	if p.Factorial != "" {
		if factors, err = LossByContexts(p.Factorial, contrast.Of(cfg).Window); err != nil {
			return nil, err
		}
	}
	return combine(factors, cfg)
}

// reportsIn is the folder of the report inside the study's: a study of other arms than Arms has its own.
func (p Plan) reportsIn() string {
	switch {
	case p.Ablation != "":
		return filepath.Join("ablations", p.Ablation)
	case p.Factorial != "":
		return filepath.Join("factorial", p.Factorial)
	case len(p.Factors) > 0:
		return "factors"
	}
	return ""
}

// config returns the configuration that all arms share.
func (p Plan) config() (experiment.Config, error) {
	cfg, err := experiment.Preset(p.Preset)
	if err != nil {
		return cfg, err
	}
	return cfg, experiment.Change(&cfg, p.Set...)
}
