package tables

import (
	"fmt"
	"strings"

	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/internal/plainfile"
)

// loadLogs reads the logs of other programs that a folder or a file holds. Otherwise it returns none.
func loadLogs(path string, c foreign.Columns) ([]Run, error) {
	refs := []string{path}
	if _, err := plainfile.Stat(path); err == nil || !isLog(path) {
		if refs, err = foreign.Find(path); err != nil {
			return nil, err
		}
	}
	var out []Run
	for _, ref := range refs {
		r, err := readLog(ref, c)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// isLog reports whether a folder, a file, or a run in one is the log of another program.
func isLog(ref string) bool {
	if _, err := plainfile.Stat(ref); err == nil {
		return foreign.Tool(ref) != ""
	}
	file, _, ok := strings.Cut(ref, "#")
	return ok && foreign.Tool(file) != ""
}

// readLog makes a run of a log. The run counts as finished, because only its own program knows.
func readLog(ref string, c foreign.Columns) (Run, error) {
	l, err := foreign.Open(ref, c)
	if err != nil {
		return Run{}, err
	}
	r := Run{Dir: ref, System: l.System, Log: l, Config: experiment.Default()}
	r.Config.Algorithm, r.Config.Family, r.Config.Seed = l.System, l.Family, l.Seed
	for _, p := range l.Points {
		r.Curve = append(r.Curve, Point{p.Steps, p.Return, p.Success})
	}
	r.lost, r.end = l.Lost, l.End
	r.Standing = experiment.Standing{Iterations: len(r.Curve), Share: 1, Finished: true, EnvSteps: l.EnvSteps()}
	return r, nil
}

// Said returns notes about runs: which columns of other programs' logs were read, what was left out, and what is wrong
// with run folders. Each note appears once and names all runs it is true for.
func Said(runs []Run) (notes []string) {
	var order []string
	of := map[string][]string{}
	add := func(r Run, text string) {
		if of[text] == nil {
			order = append(order, text)
		}
		of[text] = append(of[text], r.Dir)
	}
	for _, r := range runs {
		if r.Log != nil {
			add(r, r.Log.Tool+"'s log: "+r.Log.Rule())
		}
	}
	for _, r := range runs {
		if r.Log != nil {
			for _, n := range r.Log.Notes {
				add(r, n)
			}
		}
		for _, n := range r.Notes {
			add(r, n)
		}
	}
	for _, text := range order {
		who := of[text][0]
		if n := len(of[text]); n > 1 {
			who = fmt.Sprintf("%s and %d more", who, n-1)
		}
		notes = append(notes, who+": "+text)
	}
	return notes
}
