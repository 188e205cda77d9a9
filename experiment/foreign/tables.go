package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/frame"
	"nacre/internal/plainfile"
	"nacre/internal/table"
)

// tools tell who writes a progress.csv by a column that only they have.
var tools = []struct{ column, tool string }{
	{"AverageReturn_all_test_tasks", "oyster"}, {"AverageReturn_all_train_tasks", "oyster"},
	{"Number of env steps total", "rlkit"},
	{"exploration/num steps total", "rlkit"}, {"TotalEnvSteps", "garage"},
	{"time/total_timesteps", "Stable-Baselines3"}, {"eval/mean_reward", "Stable-Baselines3"},
	{"misc/total_timesteps", "Baselines"}, {"TimestepsSoFar", "Baselines"}, {"total_timesteps", "Baselines"},
	{"timesteps_total", "RLlib"}, {"num_env_steps_sampled_lifetime", "RLlib"},
	{"charts/episodic_return", "CleanRL"}, {"charts/SPS", "CleanRL"}, {"_step", "W&B"},
}

// toolOf is who has written a table, as far as its columns tell.
func toolOf(f *frame.Frame, otherwise string) string {
	for _, t := range tools {
		if f.Has(t.column) {
			return t.tool
		}
	}
	return otherwise
}

// progress is the table that a logger of rlkit's kin keeps: a row an iteration.
type progress struct{}

func (progress) sources(dir string, names []string) []source {
	if !slices.Contains(names, "progress.csv") {
		return nil
	}
	return []source{tabular(filepath.Join(dir, "progress.csv"), "progress.csv")}
}

// evaluations holds what Stable-Baselines3's EvalCallback keeps.
type evaluations struct{}

func (evaluations) sources(dir string, names []string) []source {
	if !slices.Contains(names, "evaluations.npz") {
		return nil
	}
	path := filepath.Join(dir, "evaluations.npz")
	s := tabular(path, "Stable-Baselines3")
	read := s.read
	s.read = func(run string) (*frame.Frame, about, error) {
		if err := fitting(path); err != nil {
			return nil, about{}, err
		}
		f, a, err := read(run)
		if err == nil {
			if slices.ContainsFunc(meanOfEpisodes(f), math.IsNaN) {
				a.notes = append(a.notes, "an evaluation in which an episode's return is NaN has no mean")
			}
		}
		return f, a, err
	}
	return []source{s}
}

// fitting returns an error if the arrays of evaluations.npz have different numbers of evaluations.
func fitting(path string) error {
	data, err := plainfile.Read(path, maxMonitor)
	if err != nil {
		return err
	}
	f, err := table.Read(path, data, table.Options{})
	if err != nil {
		return err
	}
	steps, ok := f.Find("timesteps")
	if !ok || len(steps.Shape) != 1 {
		return nil
	}
	for _, name := range []string{results, "successes"} {
		if a, ok := f.Find(name); ok && len(a.Shape) > 0 && a.Shape[0] != steps.Shape[0] {
			return fmt.Errorf("timesteps has %d values but %s has %d rows; expected one row for each timestep: save "+
				"both again with the same number of evaluations", steps.Shape[0], name, a.Shape[0])
		}
	}
	return nil
}

// tabular is a file that frame.Read reads.
func tabular(path, tool string) source {
	return source{tool: tool, files: []string{path}, read: func(string) (*frame.Frame, about, error) {
		f, err := frame.Read(path)
		if err != nil {
			return nil, about{}, plain(err, path)
		}
		if g, err := groupsOf(f); err == nil && len(g.values) > 1 {
			return nil, about{}, fmt.Errorf("it has %d runs (%s), which column %s tells apart; expected one: give the "+
				"file another name, such as results.csv, and name it", len(g.values), few(g.names),
				strconv.Quote(g.columns[0]))
		}
		return f, about{tool: toolOf(f, tool), notes: f.Notes()}, nil
	}}
}

// plain is an error without the path that stands before it already.
func plain(err error, path string) error {
	if text, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return fmt.Errorf("%s", text)
	}
	return err
}

// tableFile is a file that was named and that no format knows by its name: any table.
func tableFile(path string) []source {
	known, err := frame.Files(filepath.Dir(path))
	if err != nil || !slices.Contains(known, filepath.Base(path)) {
		return nil
	}
	if list := (export{}).file(path); list != nil {
		return list
	}
	return groupsIn(path)
}

// export is W&B's CSV of a chart: a column "run - metric" a run, and one each with __MIN and __MAX.
type export struct{}

func (export) sources(dir string, names []string) (list []source) {
	for _, name := range names {
		if ok, _ := filepath.Match("wandb_export*.csv", name); !ok {
			continue
		}
		path := filepath.Join(dir, name)
		found := export{}.file(path)
		if found == nil {
			found = []source{tabular(path, "W&B")}
		}
		list = append(list, found...)
	}
	return list
}

// file is the source of an export, nothing of a file that is none.
func (export) file(path string) []source {
	f, err := frame.Read(path)
	if err != nil || len(exportedRuns(f)) == 0 {
		return nil
	}
	return []source{{
		tool: "W&B", files: []string{path},
		runs: func() ([]string, error) { return exportedRuns(f), nil },
		read: func(run string) (*frame.Frame, about, error) {
			out := frame.New()
			for _, name := range f.Names() {
				metric, of := strings.CutPrefix(name, run+" - ")
				if !of && strings.Contains(name, " - ") || strings.HasSuffix(name, "__MIN") ||
					strings.HasSuffix(name, "__MAX") {
					continue
				}
				v, err := f.Numbers(name)
				if err != nil {
					continue
				}
				out = out.With(frame.Numbers(metric, v))
			}
			a := about{tool: "W&B", notes: f.Notes()}
			if together(f, run) {
				a.notes = append(a.notes, "its values are means that W&B made, of runs of a group or of steps: the "+
					"columns __MIN and __MAX differ")
			}
			return out, a, nil
		},
	}}
}

// together reports whether values of a run stand for several: their least and greatest differ.
func together(f *frame.Frame, run string) bool {
	for _, name := range f.Names() {
		metric, is := strings.CutSuffix(name, "__MIN")
		if !is || !strings.HasPrefix(name, run+" - ") {
			continue
		}
		least, err := f.Numbers(name)
		most, err2 := f.Numbers(metric + "__MAX")
		if err != nil || err2 != nil {
			continue
		}
		for i, v := range least {
			if v < most[i] {
				return true
			}
		}
	}
	return false
}

// exportedRuns are the runs of an export, in their order.
func exportedRuns(f *frame.Frame) (runs []string) {
	names := f.Names()
	for _, name := range names {
		run, _, ok := cutLast(name, " - ")
		if ok && slices.Contains(names, name+"__MIN") && !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return runs
}

// monitor holds what Stable-Baselines3's and Baselines' Monitor keeps of every episode: r, l, t, behind a line of JSON.
type monitor struct{}

func (monitor) sources(dir string, names []string) []source {
	var files []string
	for _, name := range names {
		if isMonitor(name) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	if len(files) == 0 {
		return nil
	}
	return []source{{tool: "Stable-Baselines3", files: files, read: func(string) (*frame.Frame, about, error) {
		return episodes(files)
	}}}
}

func isMonitor(name string) bool {
	return strings.HasSuffix(name, "monitor.csv")
}

// ended holds what a monitor tells of an episode.
type ended struct{ r, l, t, success float64 }

// episodes joins the files of the environments of one training. Episodes are in the order in which they ended; the
// times of a file are seconds since its t_start. The steps are those of all environments until then.
func episodes(files []string) (*frame.Frame, about, error) {
	var all []ended
	a := about{tool: "Stable-Baselines3"}
	for _, path := range files {
		data, err := plainfile.Read(path, maxMonitor)
		if err != nil {
			return nil, a, err
		}
		list, family, note, err := monitored(string(data))
		if err != nil {
			return nil, a, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		if all, a.family = append(all, list...), cmp.Or(family, a.family); note != "" {
			a.notes = append(a.notes, filepath.Base(path)+": "+note)
		}
	}
	slices.SortStableFunc(all, func(a, b ended) int { return cmp.Compare(a.t, b.t) })
	columns := make([][]float64, 5)
	steps := 0.0
	for _, e := range all {
		steps += e.l
		for k, v := range []float64{steps, e.r, e.l, e.t, e.success} {
			columns[k] = append(columns[k], v)
		}
	}
	out := frame.New()
	for k, name := range []string{"timesteps", "r", "l", "t", "success"} {
		out = out.With(frame.Numbers(name, columns[k]))
	}
	if len(files) > 1 {
		a.notes = append(a.notes, fmt.Sprintf("episodes of %d environments, in the order in which they ended",
			len(files)))
	}
	return out, a, nil
}

// monitored reads a monitor's file: a line "#{JSON}", the names of the columns, and one line per episode. All such
// files have this form. Only an incomplete last line is left out.
func monitored(text string) (list []ended, family, note string, err error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if last := len(lines) - 1; lines[last] != "" {
		note = "its last line is cut off and left out"
		lines = lines[:last]
	}
	var names []string
	start := 0.0
	for i, line := range lines {
		head, isHead := strings.CutPrefix(line, "#")
		switch {
		case isHead:
			var about struct {
				EnvID string  `json:"env_id"`
				Start float64 `json:"t_start"`
			}
			_ = json.Unmarshal([]byte(head), &about) // one without it names no environment
			family, start = cmp.Or(about.EnvID, family), cmp.Or(about.Start, start)
			continue
		case line == "":
			continue
		case names == nil:
			if names = strings.Split(line, ","); !slices.Contains(names, "r") || !slices.Contains(names, "l") ||
				!slices.Contains(names, "t") {
				return nil, "", "", fmt.Errorf("line %d: columns %s; expected r, l and t among them", i+1, line)
			}
			continue
		}
		e := ended{success: math.NaN()}
		cells := strings.Split(line, ",")
		for k, to := range map[string]*float64{"r": &e.r, "l": &e.l, "t": &e.t, "is_success": &e.success} {
			j := slices.Index(names, k)
			if j < 0 {
				continue
			}
			if len(cells) != len(names) {
				return nil, "", "", fmt.Errorf("line %d: %d values; expected %d", i+1, len(cells), len(names))
			}
			switch cells[j] {
			case "True":
				*to = 1
			case "False":
				*to = 0
			default:
				if *to, err = strconv.ParseFloat(cells[j], 64); err != nil {
					return nil, "", "", fmt.Errorf("line %d: %s = %q; expected a number", i+1, k, cells[j])
				}
			}
		}
		e.t += start
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, "", "", fmt.Errorf("no episode has ended yet")
	}
	return list, family, note, nil
}

// environmentOf returns what the monitors in a folder say of the environment, for the logs beside them.
func environmentOf(dir string) string {
	entries, err := plainfile.ReadDir(dir)
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return isMonitor(e.Name()) })
	if i < 0 {
		return ""
	}
	data, err := plainfile.Read(filepath.Join(dir, entries[i].Name()), maxMonitor)
	if err != nil {
		return ""
	}
	var about struct {
		EnvID string `json:"env_id"`
	}
	line, _, _ := strings.Cut(string(data), "\n")
	_ = json.Unmarshal([]byte(strings.TrimPrefix(line, "#")), &about) // one without it names no environment
	return about.EnvID
}

// maxMonitor bounds a monitor.csv.
const maxMonitor = 1 << 30
