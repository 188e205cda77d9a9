package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"nacre/analysis/stats"
)

// A log is one training run of the authors' public logs: a progress.csv of garage.
type log struct {
	older                   bool // its columns are those of the older interface
	steps, returns, success []float64
}

// runs reads the logs of a family below a folder: push-v1, push-v1_1, push-v1_2.
func runs(folder, family string) ([]log, error) {
	var out []log
	for k := range 10 {
		name := family + "-v1"
		if k > 0 {
			name += "_" + strconv.Itoa(k)
		}
		l, err := readLog(filepath.Join(folder, name, "progress.csv"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// readLog reads the evaluations of a run.
func readLog(path string) (log, error) {
	f, err := os.Open(path)
	if err != nil {
		return log{}, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	head, err := r.Read()
	if err != nil {
		return log{}, fmt.Errorf("%s: %w", path, err)
	}
	l := log{older: slices.Contains(head, "MetaTest/Average/NumTrajs")}
	for line := 2; ; line++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		if err != nil {
			return l, fmt.Errorf("%s: %w", path, err)
		}
		var v [3]float64
		for k, column := range []string{"TotalEnvSteps", "MetaTest/Average/AverageReturn",
			"MetaTest/Average/SuccessRate"} {
			at := slices.Index(head, column)
			if at < 0 {
				return l, fmt.Errorf("%s has no column %s; expected a log of garage's meta-evaluator", path, column)
			}
			if v[k], err = strconv.ParseFloat(record[at], 64); err != nil {
				return l, fmt.Errorf("%s, line %d, column %s: %w", path, line, column, err)
			}
		}
		l.steps, l.returns, l.success = append(l.steps, v[0]), append(l.returns, rate*v[1]), append(l.success, v[2])
	}
}

// last is the mean return over the paper's window, the evaluations after 900,000 and up to 1,000,000 steps; NaN without
// one.
func (l log) last() float64 {
	var in []float64
	for k, s := range l.steps {
		if s > 900_000 && s <= 1_000_000 {
			in = append(in, l.returns[k])
		}
	}
	return stats.Mean(in)
}

// run20 is how many evaluations a highest mean is over: 200 episodes.
const run20 = 20

// highest is the highest mean of 20 consecutive evaluations, and the success there.
func (l log) highest() (mean, success float64) {
	mean, success = math.NaN(), math.NaN()
	for k := 0; k+run20 <= len(l.returns); k++ {
		if m := stats.Mean(l.returns[k : k+run20]); !(m <= mean) {
			mean, success = m, stats.Mean(l.success[k:k+run20])
		}
	}
	return mean, success
}

// arm is a method's runs on a family.
type arm []log

func (a arm) lasts() []float64 {
	out := make([]float64, len(a))
	for k, l := range a {
		out[k] = l.last()
	}
	return out
}

// highest is that of any run.
func (a arm) highest() (mean, success float64) {
	mean, success = math.NaN(), math.NaN()
	for _, l := range a {
		if m, s := l.highest(); !(m <= mean) {
			mean, success = m, s
		}
	}
	return mean, success
}

// authors are the logs of a checkout of github.com/Simon0xzx/garage, branch simon_work_new.
type authors struct{ folder string }

// old returns both methods' runs on a family of the older interface, and checks that they are the row's.
func (a authors) old(family string, cells []float64) (pearl, tcl arm, err error) {
	for k, name := range []string{"pearl", "tcl-pearl"} {
		logs, err := runs(filepath.Join(a.folder, "results", name), family)
		if err != nil {
			return nil, nil, err
		}
		if len(logs) == 0 {
			return nil, nil, fmt.Errorf("%s has no results/%s/%s-v1/progress.csv; expected a checkout of "+
				"github.com/Simon0xzx/garage at its branch simon_work_new",
				a.folder, name, family)
		}
		for _, l := range logs {
			if !l.older {
				return nil, nil, fmt.Errorf("results/%s/%s-v1: a log without the column NumTrajs; expected those of "+
					"the older interface", name, family)
			}
		}
		got := stats.Mean(arm(logs).lasts())
		if math.Abs(got-cells[k]) > 0.006 {
			return nil, nil, fmt.Errorf("results/%s/%s-v1: the mean is %.3f and the paper's cell %.2f; expected "+
				"equal ones", name, family, got, cells[k])
		}
		if k == 0 {
			pearl = logs
		} else {
			tcl = logs
		}
	}
	return pearl, tcl, nil
}

// later are the folders with TCL-PEARL's single runs on the newer interface.
var later = []struct{ folder, name string }{
	{"tcl_pearl_new_env_no_reduce", "no_reduce"}, {"tcl_pearl_new_env_2x_reduce", "2x_reduce"},
	{"tcl_pearl_new_env_4x_reduce", "4x_reduce"},
}

// new returns TCL-PEARL's single runs on a family of the newer interface, in the order of later.
func (a authors) new(family string) ([]log, error) {
	var out []log
	for _, f := range later {
		logs, err := runs(filepath.Join(a.folder, "results", f.folder), family)
		if err != nil {
			return nil, err
		}
		if len(logs) != 1 || logs[0].older {
			return nil, fmt.Errorf("results/%s/%s-v1: %d logs; expected one, with the column NumEpisodes", f.folder,
				family, len(logs))
		}
		out = append(out, logs[0])
	}
	return out, nil
}
