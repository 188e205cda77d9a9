package app

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/experiment/runs"
	"nacre/internal/nearest"
	"nacre/rl/protocol"
)

// The rows of a file of runs, by their names. Each returns a run's rows; nil if the run has none yet.
var rowsOf = map[string]func(index *runs.Index, r *runs.Run) (*frame.Frame, error){
	"iterations": iterationRows, "returns": returnRows, "runs": runRow,
}

// RowNames are the names of the rows of a file of runs. The first is the default.
var RowNames = []string{"iterations", "returns", "runs"}

// RunsFileOptions are the flags of nacre runs with --out.
type RunsFileOptions struct {
	RunsOptions
	Out  string // .parquet or .csv
	Rows string // one of RowNames
}

// RunsFileReport is the output of nacre runs with --out.
type RunsFileReport struct {
	File    string `json:"file"`
	Runs    int    `json:"runs"` // that have rows
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Without int    `json:"without"` // number of runs that have no rows yet
}

// RunsFile writes the rows of the runs below a root as one table, with the columns that tell runs apart.
func RunsFile(ctx context.Context, env *Env, o RunsFileOptions) error {
	if ext := strings.ToLower(filepath.Ext(o.Out)); ext != ".parquet" && ext != ".csv" {
		return Usagef("--out %s: the name must end in .parquet or .csv", nearest.Quote(o.Out))
	}
	f, report, err := runsTable(ctx, env, o)
	if err != nil {
		return err
	}
	report.File = o.Out
	if err := f.Save(o.Out); err != nil {
		return err
	}
	return env.Print(report, report.WriteText)
}

// runsTable is the table of rows of the runs below a root, with the columns that tell runs apart.
func runsTable(ctx context.Context, env *Env, o RunsFileOptions) (f *frame.Frame, report RunsFileReport, err error) {
	rows := rowsOf[o.Rows]
	if rows == nil {
		return nil, report, Usagef("--rows %s: no such rows%s", nearest.Quote(o.Rows), nearest.Hint(o.Rows, RowNames))
	}
	index, list, err := listed(ctx, env, o.RunsOptions)
	if err != nil {
		return nil, report, err
	}
	var all []*frame.Frame
	var of []runKey
	settings := make([][]string, len(o.Columns)) // a value for each row
	for _, r := range list {
		own, err := rows(index, r)
		if err != nil {
			env.Notice(r.Path + " is left out: " + err.Error())
		}
		if err != nil || own == nil || own.Len() == 0 {
			report.Without++
			continue
		}
		report.Runs++
		all = append(all, own)
		of = append(of, slices.Repeat([]runKey{keyOf(r)}, own.Len())...)
		for k, c := range o.Columns {
			settings[k] = append(settings[k], slices.Repeat([]string{r.Value(c)}, own.Len())...)
		}
	}
	if report.Runs == 0 {
		return nil, report, fmt.Errorf("of %s below %s none has rows of %s", plural(len(list), "run"), o.Root, o.Rows)
	}
	if f, err = keyed(of, o.Columns, settings, all); err != nil {
		return nil, report, err
	}
	report.Rows, report.Columns = f.Len(), len(f.Names())
	return f, report, nil
}

// WriteText says what was written.
func (r RunsFileReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s and %s of %s\n", r.File, plural(r.Rows, "row"), plural(r.Columns, "column"),
		plural(r.Runs, "run"))
	if err == nil && r.Without > 0 {
		_, err = fmt.Fprintf(w, "%s without such rows\n", plural(r.Without, "run"))
	}
	return err
}

// runKey tells a run apart from others, in each of its rows.
type runKey struct {
	Run       string `json:"run"` // the path below the root
	Group     string `json:"group"`
	Algorithm string `json:"algorithm"`
	Family    string `json:"family"`
	Seed      uint64 `json:"seed"`
	State     string `json:"state"`
}

func keyOf(r *runs.Run) runKey {
	return runKey{r.Path, r.Group, r.Algorithm, r.Family, r.Seed, string(r.State)}
}

// keyed puts the rows of runs below each other, behind the columns that tell runs apart and the settings asked for. If
// one of these columns has the name of another, it keeps the value of the run.
func keyed(of []runKey, names []string, settings [][]string, rows []*frame.Frame) (*frame.Frame, error) {
	f, err := frame.Of(of)
	if err != nil {
		return nil, err
	}
	for k, name := range names {
		if !f.Has(name) {
			f = f.With(column(name, settings[k]))
		}
	}
	below := rows[0].Append(rows[1:]...)
	for _, name := range below.Names() {
		if !f.Has(name) {
			f = f.With(below.Column(name))
		}
	}
	return f, f.Err()
}

// column is a column of numbers if all texts are numbers or empty.
func column(name string, texts []string) frame.Column {
	x := make([]float64, len(texts))
	for i, text := range texts {
		if x[i] = math.NaN(); text == "" {
			continue
		}
		var err error
		if x[i], err = strconv.ParseFloat(text, 64); err != nil {
			return frame.Texts(name, texts)
		}
	}
	return frame.Numbers(name, x)
}

// iterationRows are the metrics of a run, or the table of another program's log.
func iterationRows(index *runs.Index, r *runs.Run) (*frame.Frame, error) {
	if r.About != "" {
		log, err := foreign.Open(index.Dir(r), foreign.Columns{})
		if err != nil {
			return nil, err
		}
		return log.Frame(), nil
	}
	run, err := experiment.View(index.Dir(r))
	if err != nil || !run.Has(experiment.MetricsFile) {
		return nil, err
	}
	metrics, err := experiment.ReadMetrics(run.Path(experiment.MetricsFile))
	if err != nil {
		return nil, err
	}
	f := frame.New()
	for _, name := range metrics.Columns {
		x, err := metrics.Column(name)
		if err != nil {
			return nil, err
		}
		f = f.With(frame.Numbers(name, x))
	}
	return f, f.Err()
}

// trajectoryRow is a trajectory of the evaluation at a run's end.
type trajectoryRow struct {
	Task       int     `json:"task"`
	Repeat     int     `json:"repeat"`
	Trajectory int     `json:"trajectory"`
	Adapted    bool    `json:"adapted"` // whether it comes after adaptation
	Return     float64 `json:"return"`
	Success    bool    `json:"success"`
	Steps      int     `json:"steps"`
}

// returnRows are the trajectories of the evaluation at a run's end.
func returnRows(index *runs.Index, r *runs.Run) (*frame.Frame, error) {
	if r.About != "" {
		return nil, nil
	}
	run, err := experiment.View(index.Dir(r))
	if err != nil || !run.Has(experiment.EvaluationFile) {
		return nil, err
	}
	result, err := run.ReadEvaluation()
	if err != nil {
		return nil, err
	}
	return frame.Of(trajectoryRows(result))
}

func trajectoryRows(result protocol.Result) (rows []trajectoryRow) {
	for _, task := range result.Tasks {
		for repeat := range task.Return {
			for k, v := range task.Return[repeat] {
				rows = append(rows, trajectoryRow{task.ID, repeat, k, k >= result.Protocol.Explore, v,
					task.Success[repeat][k], task.Len[repeat][k]})
			}
		}
	}
	return rows
}

// runRow is how far a run is and the last number of each column of its metrics.
func runRow(_ *runs.Index, r *runs.Run) (*frame.Frame, error) {
	f, err := frame.Of([]struct {
		Iterations int     `json:"iterations"`
		EnvSteps   int64   `json:"env_steps"`
		Updates    int64   `json:"updates"`
		Share      float64 `json:"share"`
		Seconds    float64 `json:"seconds"`
		Finished   bool    `json:"finished"`
	}{{r.Iterations, r.EnvSteps, r.Updates, r.Share, r.Seconds, r.Finished}})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Latest)) {
		if !f.Has(name) {
			f = f.With(frame.Numbers(name, []float64{float64(r.Latest[name])}))
		}
	}
	return f, f.Err()
}
