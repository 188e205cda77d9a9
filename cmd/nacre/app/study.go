package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	packing "nacre/experiment/pack"
	"nacre/experiment/study"
	"nacre/sim"
)

// StudyOptions are the flags of nacre study.
type StudyOptions struct {
	Name    string
	Seeds   int    // training seeds 1 … Seeds; 0: the plan's
	Windows int    // embedded windows per task; 0: the plan's
	Layouts int    // further t-SNE layouts; -1: the plan's
	Scale   string // "small" or "paper"; if empty, the plan's
	Ablate  string // an open point whose interpretations are compared; if empty, PEARL and TCL-PEARL are compared
	// Factorial is the algorithm of a study of its loss × contexts; empty: none
	Factorial string
	Plan      bool     // only print the plan and its expected time
	Families  []string // families of the study "families"; if empty, its default families
	Sweeps    []string // folders of sweeps that train the runs
	Pack      string   // folder to pack the finished study into; empty for none
	Out       string
	Set       []string
	experiment.Host
}

// Study prints its plan, trains all arms on the same seeds and reports.
func Study(ctx context.Context, env *Env, o StudyOptions) error {
	change := func(p *study.Plan) {
		if o.Seeds > 0 {
			p.Seeds = o.Seeds
		}
		if o.Windows > 0 {
			p.Windows, p.Adaptations = o.Windows, min(p.Adaptations, o.Windows)
		}
		if o.Layouts >= 0 {
			p.Layouts = o.Layouts
		}
		p.Set = append(p.Set, o.Set...)
		p.Sweeps = o.Sweeps
	}
	if o.Device == "auto" {
		_, notice, err := experiment.OpenDevice(o.Host)
		if err != nil {
			return err
		}
		if notice != "" {
			env.Notice(notice)
		}
	}
	if slices.Contains(study.Suites, o.Name) {
		return o.suite(ctx, env, change)
	}
	plan, err := study.Find(o.Name)
	if err != nil {
		return err
	}
	if plan, err = plan.At(o.Scale); err != nil {
		return err
	}
	plan.Ablation, plan.Factorial = o.Ablate, o.Factorial
	change(&plan)
	if done, err := o.survey(ctx, env, []study.Plan{plan}, []string{o.Out}); done || err != nil {
		return err
	}
	r, err := study.Run(ctx, o.Out, plan, o.Host, env.Progress)
	if err != nil {
		return o.stopped(err)
	}
	o.Out = r.Dir
	if err := o.packed(env, r.Dir, study.Pack); err != nil {
		return err
	}
	return env.Print(r, o.reported(r.WriteText))
}

// packed packs a folder, if that was asked for.
func (o StudyOptions) packed(env *Env, dir string, pack func(from, to string) (int64, error)) error {
	if o.Pack == "" {
		return nil
	}
	var bytes int64
	var err error
	if strings.EqualFold(filepath.Ext(o.Pack), ".zip") {
		var p packing.Packed
		p, err = packing.Folder(dir, o.Pack)
		bytes = p.Bytes
	} else {
		bytes, err = pack(dir, o.Pack)
	}
	if err != nil {
		return err
	}
	env.Progress.Note(fmt.Sprintf("packed into %s: %.1f MB", o.Pack, float64(bytes)/1e6))
	return nil
}

// suite makes the studies of several families.
func (o StudyOptions) suite(ctx context.Context, env *Env, change func(*study.Plan)) error {
	plans, err := study.SuitePlans(o.Name, o.Families)
	if err != nil {
		return err
	}
	var folders []string
	for i := range plans {
		change(&plans[i])
		folders = append(folders, filepath.Join(o.Out, plans[i].Name))
	}
	if done, err := o.survey(ctx, env, plans, folders); done || err != nil {
		return err
	}
	r, err := study.RunSuite(ctx, o.Out, o.Name, plans, o.Host, env.Progress)
	if err != nil {
		return o.stopped(err)
	}
	if err := o.packed(env, r.Dir, study.PackSuite); err != nil {
		return err
	}
	return env.Print(r, o.reported(r.WriteText))
}

// survey prints the plan and its expected time; done is true if nothing more was asked for.
func (o StudyOptions) survey(ctx context.Context, env *Env, plans []study.Plan,
	folders []string) (done bool, err error) {
	var all []study.Estimate
	for i, plan := range plans {
		e, err := study.Survey(ctx, folders[i], plan, o.Host)
		if errors.Is(err, sim.ErrUnavailable) {
			continue // said when this study begins
		}
		if err != nil {
			return false, o.stopped(err)
		}
		all = append(all, e)
		if !o.Plan {
			for _, line := range strings.Split(e.String(), "\n") {
				env.Progress.Note(line)
			}
		}
	}
	if !o.Plan {
		return false, nil
	}
	return true, env.Print(all, func(w io.Writer) error {
		for _, e := range all {
			if _, err := fmt.Fprintln(w, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// ExtendStudyOptions are the flags of nacre study extend.
type ExtendStudyOptions struct {
	Dir    string
	Arm    string
	Sweeps []string
	Pack   string
	experiment.Host
}

// ExtendStudy adds an arm to a study.
func ExtendStudy(ctx context.Context, env *Env, o ExtendStudyOptions) error {
	s := StudyOptions{Out: o.Dir, Pack: o.Pack}
	r, err := study.Extend(ctx, o.Dir, o.Arm, o.Sweeps, o.Host, env.Progress)
	if err != nil {
		return s.stopped(err)
	}
	if err := s.packed(env, r.Dir, study.Pack); err != nil {
		return err
	}
	return env.Print(r, s.reported(r.WriteText))
}

// CheckStudyOptions are the flags of nacre study check.
type CheckStudyOptions struct {
	Dir     string
	Layouts bool // also repeat t-SNE from random starts
}

// CheckStudy computes the figures of a study or of a packed study again.
func CheckStudy(ctx context.Context, env *Env, o CheckStudyOptions) error {
	c, err := study.Check(ctx, o.Dir, o.Layouts, env.Progress)
	if err != nil {
		return err
	}
	err = env.Print(c, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %d numbers computed again, %d differences\n", o.Dir, c.Numbers, len(c.Differences))
		for _, d := range c.Differences {
			fmt.Fprintf(w, "  %s\n", d)
		}
		return nil
	})
	if err == nil && len(c.Differences) > 0 {
		err = fmt.Errorf("%s does not agree with what is stored beside it", o.Dir)
	}
	return err
}

// stopped adds to the error of an interrupted study how to continue.
func (o StudyOptions) stopped(err error) error {
	if errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the same command continues where it stopped", err)
	}
	return err
}

// reported prints the tables and then the path of the report.
func (o StudyOptions) reported(tables func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		if err := tables(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "report: %s\n", filepath.Join(o.Out, study.PageFile))
		return err
	}
}
