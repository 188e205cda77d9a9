package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"text/tabwriter"

	"nacre/sim"
	"nacre/sim/mujoco"
	"nacre/sim/verify"
)

// ErrVerify is returned by nacre verify envs if a family differs from its reference.
var ErrVerify = errors.New("verify envs: families differ from their references by more than they should, see above")

// VerifyOptions are the flags of nacre verify envs.
type VerifyOptions struct {
	Families []string // families to verify; if empty, all that have a reference
	From     string   // folder of references; if empty, those in the program
	Forced   bool     // put the environments into the reference's states even if they could run freely
}

// VerifyReport is the output of nacre verify envs.
type VerifyReport struct {
	MuJoCo   string          `json:"mujoco"`
	Families []verify.Result `json:"families"`
	Missing  []string        `json:"missing,omitempty"` // families that have a reference but that this build cannot run
	Advice   string          `json:"advice,omitempty"`  // what to do about Missing
}

// VerifyEnvs compares families with the packages that define them.
func VerifyEnvs(ctx context.Context, env *Env, o VerifyOptions) error {
	refs, err := verify.Open(o.From)
	if err != nil {
		return err
	}
	names := o.Families
	if len(names) == 0 {
		for _, s := range sim.Families() {
			names = append(names, s.Name)
		}
		names = refs.Of(names)
	}
	r := VerifyReport{MuJoCo: mujoco.Version(), Families: []verify.Result{}}
	stage := env.Progress.Stage("verify", len(names))
	defer stage.Done()
	failed := false
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		stage.Describe(name)
		family, err := sim.Lookup(name)
		if errors.Is(err, sim.ErrUnavailable) {
			r.Missing, r.Advice = append(r.Missing, name), advice(err)
			continue
		}
		if err != nil {
			return err
		}
		res, err := refs.Check(family, o.Forced)
		if err != nil {
			return err
		}
		failed = failed || !res.Passed
		r.Families = append(r.Families, res)
		stage.Add(1)
	}
	stage.Done()
	if err := env.Print(r, r.WriteText); err != nil {
		return err
	}
	if len(r.Families) == 0 {
		return fmt.Errorf("verify envs: no family could be compared: %w", fallback(r.Advice))
	}
	if failed {
		return ErrVerify
	}
	return nil
}

func fallback(advice string) error {
	if advice == "" {
		return fs.ErrNotExist
	}
	return errors.New(advice)
}

// vectors says how many task vectors equal the package's.
func vectors(f verify.Result) string {
	if f.TaskVectors == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", f.TaskVectors-f.OtherTaskVectors, f.TaskVectors)
}

// WriteText prints the report as text.
func (r VerifyReport) WriteText(w io.Writer) error {
	var worst struct{ step, reward float64 }
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "family\treward\tmode\ttasks\tsteps\tposes\tobservation\treward\tflags\ttask vectors\tresult")
	for _, f := range r.Families {
		result := "pass"
		if !f.Passed {
			result = "FAIL"
		}
		if !f.Passed && f.SameFormulas() {
			result = "FAIL: this MuJoCo moves otherwise"
		}
		if f.Error != "" {
			result += ": " + f.Error
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%.2g\t%.2g\t%d\t%s\t%s\n", f.Family, f.Reward, f.Mode, f.Tasks,
			f.Steps, f.Poses,
			f.Observation.Largest, f.RewardDiff.Largest, f.Flags, vectors(f), result)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range r.Families {
		if f.Mode == "forced" {
			worst.step, worst.reward = max(worst.step, f.StepObservation.Largest),
				max(worst.reward, f.StepReward.Largest)
		}
	}
	if worst != (struct{ step, reward float64 }{}) {
		fmt.Fprintf(w, "\nAfter one control step from the reference's states: at most %.2g in observations, %.2g in "+
			"rewards.\n", worst.step, worst.reward)
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(w, "\nnot compared: %v: %s\n", r.Missing, r.Advice)
	}
	_, err := fmt.Fprintf(w, "\nLargest absolute differences over all steps; MuJoCo %s, references made with %s.\n",
		r.MuJoCo, verify.ReferenceVersion)
	return err
}
