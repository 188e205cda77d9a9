package app

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"nacre/experiment"
	"nacre/sim"
	"nacre/sim/verify"
)

// PresetList is the output of nacre presets.
type PresetList []PresetLine

// PresetLine is one preset.
type PresetLine struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// Presets lists the named configurations.
func Presets(env *Env) error {
	names, about := experiment.Presets()
	list := PresetList{}
	for i := range names {
		list = append(list, PresetLine{names[i], about[i]})
	}
	return env.Print(list, list.WriteText)
}

// WriteText prints the list as text.
func (l PresetList) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range l {
		fmt.Fprintf(t, "%s\t%s\n", p.Name, p.About)
	}
	return t.Flush()
}

// FamilyList is the output of nacre envs.
type FamilyList []FamilyLine

// FamilyLine describes one family of tasks.
type FamilyLine struct {
	Name        string `json:"name"`
	Observation int    `json:"observation"`
	Action      int    `json:"action"`
	Actions     string `json:"actions"` // the space of actions, such as Box(2) or Discrete(5)
	Horizon     int    `json:"horizon"`
	TaskVector  int    `json:"task_vector"`
	TrainTasks  int    `json:"train_tasks,omitempty"` // the family's own numbers; unknown if it is not available
	TestTasks   int    `json:"test_tasks,omitempty"`
	Source      string `json:"source"`
	// what nacre verify envs compares the family with; empty if there is no reference
	Reference string `json:"reference,omitempty"`
	Available bool   `json:"available"`
	Advice    string `json:"advice,omitempty"` // what to do if the family is not available
}

// Families lists the task families.
func Families(env *Env) error {
	refs, err := verify.Open("")
	if err != nil {
		return err
	}
	list := FamilyList{}
	for _, s := range sim.Families() {
		reference, err := refs.About(s.Name)
		if err != nil {
			return err
		}
		line := FamilyLine{Reference: reference, Name: s.Name, Observation: s.ObsDim, Action: s.ActDim,
			Actions: s.Actions(), Horizon: s.Horizon, TaskVector: s.TaskDim, Source: s.Source}
		f, err := sim.Lookup(s.Name)
		if err != nil {
			line.Advice = advice(err)
			list = append(list, line)
			continue
		}
		train, test, err := f.Tasks(1, 0, 0)
		if err != nil {
			return err
		}
		line.Available, line.TrainTasks, line.TestTasks = true, len(train), len(test)
		list = append(list, line)
	}
	return env.Print(list, list.WriteText)
}

// advice returns the message of an error of sim.Lookup, without the names of the packages that wrapped it.
func advice(err error) string {
	text := err.Error()
	for e := errors.Unwrap(err); e != nil && e != sim.ErrUnavailable; e = errors.Unwrap(e) {
		text = e.Error()
	}
	return text
}

// WriteText prints the list. A family whose name has an ending, such as :v2, is a variant of the family without it;
// the endings are listed below the list.
func (l FamilyList) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "family\tobservation\taction\thorizon\ttask vector\ttrain/test tasks\tverified on\tsource")
	var endings []string
	var reasons []string
	lacking := map[string][]string{} // families by reason
	for _, f := range l {
		if _, ending, variant := strings.Cut(f.Name, ":"); variant {
			if !slices.Contains(endings, ":"+ending) {
				endings = append(endings, ":"+ending)
			}
			continue
		}
		tasks := fmt.Sprintf("%d/%d", f.TrainTasks, f.TestTasks)
		if !f.Available {
			tasks = "not available"
			if lacking[f.Advice] == nil {
				reasons = append(reasons, f.Advice)
			}
			lacking[f.Advice] = append(lacking[f.Advice], f.Name)
		}
		action := strings.TrimSuffix(strings.TrimPrefix(f.Actions, "Box("), ")")
		if action != fmt.Sprint(f.Action) {
			action = f.Actions
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%d\t%s\t%s\t%s\n", f.Name, f.Observation, action, f.Horizon, f.TaskVector,
			tasks, f.Reference, f.Source)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(endings) > 0 {
		fmt.Fprintf(w, "\nNames may end in %s: variants with another reward version or horizon; --json lists them.\n",
			strings.Join(endings, " "))
	}
	for _, reason := range reasons {
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", strings.Join(lacking[reason], ", "), reason); err != nil {
			return err
		}
	}
	return nil
}
