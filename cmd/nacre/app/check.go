package app

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"nacre/sim"
	"nacre/sim/pyfamily"
	"nacre/sim/simtest"
)

// ErrFamily is the verdict of nacre envs --check on a family that breaks its contract.
var ErrFamily = errors.New("envs --check: the family does not keep what a family must, see above")

// CheckReport is what nacre envs --check prints.
type CheckReport struct {
	FamilyLine
	Convention string             `json:"convention,omitempty"` // how a class in Python offers tasks
	Notices    []string           `json:"notices,omitempty"`
	Findings   []pyfamily.Finding `json:"findings"`
}

// CheckFamily checks one family: its contract, and the mistakes that a class in Python can make besides (see
// pyfamily.Check).
func CheckFamily(env *Env, name string) error {
	f, err := sim.Lookup(name)
	if err != nil {
		return err
	}
	train, test, err := f.Tasks(1, 0, 0)
	if err != nil {
		return err
	}
	s := f.Spec()
	r := CheckReport{FamilyLine: FamilyLine{Name: s.Name, Observation: s.ObsDim, Action: s.ActDim,
		Actions: s.Actions(), Horizon: s.Horizon, TaskVector: s.TaskDim, TrainTasks: len(train),
		TestTasks: len(test), Source: s.Source, Available: true}}
	if p, is := f.(*pyfamily.Family); is {
		r.Convention = p.Describe().Convention
	}
	if n, is := f.(sim.Noticer); is {
		r.Notices = n.Notices()
	}
	if r.Findings, err = pyfamily.Check(f); err != nil {
		return err
	}
	r.Findings = append(r.Findings, pyfamily.Contract(f, simtest.Check(f)))
	if err := env.Print(r, r.WriteText); err != nil {
		return err
	}
	for _, f := range r.Findings {
		if f.Broken {
			return ErrFamily
		}
	}
	return nil
}

// WriteText prints the report for a person.
func (r CheckReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: observations of %d numbers, actions %s, %d steps, %d train and %d test tasks of %d\n",
		r.Name, r.Observation, r.Actions, r.Horizon, r.TrainTasks, r.TestTasks, r.TaskVector)
	if r.Convention != "" {
		fmt.Fprintf(w, "Tasks: %s.\n", r.Convention)
	}
	fmt.Fprintf(w, "%s\n", r.Source)
	for _, n := range r.Notices {
		fmt.Fprintf(w, "Note: %s.\n", n)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.Findings {
		mark := "ok"
		if f.Broken {
			mark = "broken"
		}
		for i, line := range strings.Split(f.Says, "\n") {
			if i == 0 {
				fmt.Fprintf(t, "%s\t%s\t%s\n", mark, f.What, line)
			} else {
				fmt.Fprintf(t, "\t\t%s\n", line)
			}
		}
	}
	return t.Flush()
}
