package runs

import (
	"fmt"
	"path"
	"strconv"
)

// Source is an index to export, and the folder name that its root gets in the export.
type Source struct {
	Index *Index
	Under string
}

// Exported holds everything for which the page of runs asks about one run.
type Exported struct {
	Settings map[string]string `json:"settings"`
	Detail   Detail            `json:"detail"`
	Curves   map[string]Curve  `json:"curves"` // curves by column
}

// Export calls write for every file that the page of runs needs to work without a server: list.json, and for the run at
// place n of this list, from 0 on, run-n.json. web/src/site/runs.ts reads them. Export returns the number of runs.
func Export(sources []Source, root string, write func(name string, v any) error) (int, error) {
	l := Listing{Root: root, Waiting: []Job{}, Failed: []Job{}, Making: []Making{}, Shape: "site"}
	l.Version, l.Runs = 1, []*Run{}
	for _, s := range sources {
		for _, r := range s.Index.Runs() {
			e, err := s.export(r)
			if err == nil {
				err = write("run-"+strconv.Itoa(len(l.Runs))+".json", e)
			}
			if err != nil {
				return 0, fmt.Errorf("%s: %w", r.Path, err)
			}
			moved := *r
			moved.Path, moved.Group, moved.Version = path.Join(s.Under, r.Path), path.Join(s.Under, r.Group), l.Version
			l.Runs = append(l.Runs, &moved)
		}
	}
	l.Total, l.Columns = len(l.Runs), Columns(l.Runs)
	l.fill()
	return len(l.Runs), write("list.json", l)
}

// export returns all that is known of one run.
func (s Source) export(r *Run) (e Exported, err error) {
	e = Exported{Settings: r.Settings, Curves: map[string]Curve{}}
	if e.Detail, err = (&Service{Index: s.Index}).detail(r); err != nil && r.State != Broken {
		return e, err
	}
	e.Detail.Dir = "" // the folder's path on the machine on which the site is made
	if e.Detail.Report != "" {
		e.Detail.Report = path.Join(s.Under, e.Detail.Report)
	}
	for column := range r.Latest {
		curve, err := s.Index.Curve(r, column, maxPoints)
		if err != nil {
			return e, err
		}
		curve.Path = path.Join(s.Under, r.Path)
		e.Curves[column] = curve
	}
	return e, nil
}
