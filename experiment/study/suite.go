package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/sim"
)

// Suite holds the results of several studies: one per family that this build can run, and all families together.
type Suite struct {
	Name       string        `json:"name"`
	Dir        string        `json:"dir"`
	Studies    []*Result     `json:"studies"`
	Aggregates []Aggregate   `json:"aggregates,omitempty"` // over at least two families
	Missing    []string      `json:"missing,omitempty"`    // families that were left out, and what to do about it
	Elapsed    time.Duration `json:"elapsed"`              // time of this call, in nanoseconds
}

// suiteFile is the written form of a suite. It names the folders of the studies, which hold their results.
type suiteFile struct {
	Name       string      `json:"name"`
	Studies    []string    `json:"studies"`
	Aggregates []Aggregate `json:"aggregates,omitempty"`
	Missing    []string    `json:"missing,omitempty"`
}

// profilesFile is the picture of the performance profiles, without its ending.
const profilesFile = "profiles"

// Suites lists the names of studies of several families.
var Suites = []string{Quickstart, Families}

// SuitePlans returns the plans of a suite, one per family. The folder of each has the family's name. The argument
// families names the families of the suite "families", such as ml1/push; if it is empty, the suite's default families
// are used.
func SuitePlans(name string, families []string) ([]Plan, error) {
	if name == Quickstart {
		return slices.Clone(quick), nil
	}
	push, err := Find("push")
	if err != nil {
		return nil, err
	}
	if len(families) == 0 {
		families = defaultFamilies
	}
	var out []Plan
	for _, f := range families {
		short, isML1 := strings.CutPrefix(f, "ml1/")
		if !isML1 {
			return nil, fmt.Errorf("study families: %q is no ML1 family; expected a name such as ml1/push", f)
		}
		p := push
		p.Name, p.About, p.Set, p.Seeds = strings.ReplaceAll(short, ":", "-"), f+" by the recipe of push",
			[]string{"family=" + f}, 3
		p.Script = false
		p.Windows = 50
		out = append(out, p)
	}
	return out, nil
}

// RunSuite executes every plan in its own folder under dir, and writes a report with links to all of them. A family
// that this build cannot run is left out; the report says so.
func RunSuite(ctx context.Context, dir, name string, plans []Plan, host experiment.Host,
	show progress.Progress) (*Suite, error) {
	started := time.Now()
	out := &Suite{Name: name, Dir: dir}
	for _, plan := range plans {
		cfg, err := plan.config()
		if err != nil {
			return nil, err
		}
		if _, err := sim.Lookup(cfg.Family); errors.Is(err, sim.ErrUnavailable) {
			reason := strings.TrimPrefix(err.Error(), "sim: ")
			out.Missing = append(out.Missing, reason)
			show.Note("left out: " + reason)
			continue
		} else if err != nil {
			return nil, err
		}
		show.Note(fmt.Sprintf("%s: %s", plan.Name, plan.About))
		r, err := Run(ctx, filepath.Join(dir, plan.Name), plan, host, show)
		if err != nil {
			return nil, err
		}
		out.Studies = append(out.Studies, r)
	}
	out.Elapsed = time.Since(started)
	if err := out.write(); err != nil {
		return nil, err
	}
	file := suiteFile{Name: out.Name, Aggregates: out.Aggregates, Missing: out.Missing}
	for _, r := range out.Studies {
		file.Studies = append(file.Studies, r.Plan.Name)
	}
	return out, atomicfile.WriteJSON(filepath.Join(dir, ResultsFile), file)
}

// write makes the aggregates and the report with links to all studies.
func (s *Suite) write() (err error) {
	if s.Aggregates, err = aggregates(s.Studies); err != nil {
		return err
	}
	if len(s.Aggregates) > 0 {
		figure, err := profiles(s.Aggregates)
		if err != nil {
			return err
		}
		for _, ext := range []string{".png", ".svg"} {
			if err := figure.Save(filepath.Join(s.Dir, profilesFile+ext)); err != nil {
				return fmt.Errorf("study: %w", err)
			}
		}
	}
	report := s.report()
	if err := atomicfile.WriteBytes(filepath.Join(s.Dir, ReportFile), []byte(report)); err != nil {
		return err
	}
	return writePage(s.Dir, s.title(), report)
}

func (s *Suite) title() string { return strings.ToUpper(s.Name[:1]) + s.Name[1:] }

func (s *Suite) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nThe same arms, trained with the same seeds on the same tasks of each family, and what "+
		"their context encoders make of\n"+
		"trajectories. The whole took %s.", s.title(), duration(s.Elapsed))
	if s.Name == Quickstart {
		b.WriteString(" Runs this short show that everything works; they say little about the algorithms.")
	}
	b.WriteString("\n" + s.familyTable() + s.aggregateSection())
	for _, r := range s.Studies {
		link := r.Plan.Name + "/" + ReportFile
		fmt.Fprintf(&b, "\n## [%s](%s)\n\n[![t-SNE of the encoders](%s/tsne.png)](%s)\n\n", r.Family, link,
			r.Plan.Name, link)
		b.WriteString(r.centroidTables())
		fmt.Fprintf(&b, "\n%sThe [full report](%s) has the adaptation and learning curves and how it was run.\n",
			r.brief(), link)
	}
	for _, m := range s.Missing {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", m)
	}
	return b.String()
}

// brief is the outcome of adaptation in a sentence or two.
func (r *Result) brief() string {
	var parts []string
	explained := ""
	for _, a := range r.Arms {
		value, share := r.returned(a.Name)
		part := a.Title + " " + value
		if share != "" {
			part += " (" + share + ")"
			explained = " In brackets is the share of the way from standing still or random actions, whichever " +
				"returns more, to the goal-knowing controller."
		}
		parts = append(parts, part)
	}
	return "Return on new tasks after adaptation: " + strings.Join(parts, ", ") + "." + explained + "\n"
}

// WriteText prints the tables and where the report is.
func (s *Suite) WriteText(w io.Writer) error {
	for _, r := range s.Studies {
		if err := r.WriteText(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, m := range s.Missing {
		fmt.Fprintf(w, "left out: %s\n", m)
	}
	return nil
}
