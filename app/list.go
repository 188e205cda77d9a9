package app

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"nacre/experiment"
	"nacre/sim"
)

// PresetList is what nacre presets prints.
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

// WriteText prints the list for a person.
func (l PresetList) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range l {
		fmt.Fprintf(t, "%s\t%s\n", p.Name, p.About)
	}
	return t.Flush()
}

// FamilyList is what nacre envs prints.
type FamilyList []FamilyLine

// FamilyLine describes one family of tasks.
type FamilyLine struct {
	Name        string `json:"name"`
	Observation int    `json:"observation"`
	Action      int    `json:"action"`
	Horizon     int    `json:"horizon"`
	TaskVector  int    `json:"task_vector"`
	TrainTasks  int    `json:"train_tasks,omitempty"` // the family's own numbers; unknown where it is not available
	TestTasks   int    `json:"test_tasks,omitempty"`
	Source      string `json:"source"`
	Available   bool   `json:"available"`
	Advice      string `json:"advice,omitempty"` // what to do where it is not
}

// Families lists the task families.
func Families(env *Env) error {
	list := FamilyList{}
	for _, s := range sim.Families() {
		line := FamilyLine{Name: s.Name, Observation: s.ObsDim, Action: s.ActDim, Horizon: s.Horizon, TaskVector: s.TaskDim, Source: s.Source}
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

// advice is the message of an error of sim.Lookup without the packages it came through.
func advice(err error) string {
	text := err.Error()
	for e := errors.Unwrap(err); e != nil && !errors.Is(sim.ErrUnavailable, e); e = errors.Unwrap(e) {
		text = e.Error()
	}
	return text
}

// WriteText prints the list for a person. Variants, whose names are those of other families with endings after a colon, are
// named by their endings below the table.
func (l FamilyList) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "family\tobservation\taction\thorizon\ttask vector\ttrain/test tasks\tsource")
	var reasons, endings []string
	lacking := map[string][]string{} // families by reason
	variants := map[string]int{}     // families by ending
	for _, f := range l {
		if _, ending, ok := strings.Cut(f.Name, ":"); ok {
			if variants[ending]++; variants[ending] == 1 {
				endings = append(endings, ending)
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
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", f.Name, f.Observation, f.Action, f.Horizon, f.TaskVector, tasks, f.Source)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, e := range endings {
		if _, err := fmt.Fprintf(w, "with the ending :%s also %d of them\n", e, variants[e]); err != nil {
			return err
		}
	}
	for _, reason := range reasons {
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", strings.Join(lacking[reason], ", "), reason); err != nil {
			return err
		}
	}
	return nil
}
