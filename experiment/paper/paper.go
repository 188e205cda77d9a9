// Package paper holds the published numbers with which nacre compares its own: the tables of the TCL-PEARL paper
// ("Improving Context-Based Meta-Reinforcement Learning with Self-Supervised Trajectory Contrastive Learning", Wang,
// Xu, Keutzer, Gao and Wu, 2021, arXiv:2103.06386), cell by cell. They have the paper's rounding, ties and
// contradictions. Nothing here was measured by nacre.
//
//	t := paper.Table1()
//	pearl, tcl := t.Column("PEARL"), t.Column("TCL-PEARL")
//	better, equal, worse, err := stats.Paired(pearl, tcl)
package paper

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
)

// Table is a table of numbers: one row per environment, one column per method.
type Table struct {
	Methods      []string
	Environments []string
	Rows         [][]float64 // Rows[i][j] belongs to Environments[i] and Methods[j]
}

//go:embed table1.csv
var table1 string

//go:embed table2.csv
var table2 string

//go:embed runtime.csv
var runtime string

// Table1 compares PEARL and TCL-PEARL on the 50 ML1 environments of Meta-World v1: thousands of return, averaged over
// the last 100,000 of 1,000,000 environment steps and over 3 seeds.
func Table1() Table { return parse(table1) }

// Table2 compares MAML, RL2, MQL, PEARL and TCL-PEARL on 25 of those environments, in the unit of Table1.
func Table2() Table { return parse(table2) }

// Runtime has the wall-clock time of one run of 1,000,000 environment steps in seconds, per environment of Table1, on
// the paper's machine (8 Tesla M40, 16 cores).
func Runtime() Table { return parse(runtime) }

//go:embed push_curves.csv
var pushCurves string

// Curve is one logged training run of a method.
type Curve struct {
	Method   string    `json:"method"`
	Run      int       `json:"run"` // the run's number in the logs
	EnvSteps []float64 `json:"env_steps"`
	Return   []float64 `json:"return"` // mean return after adaptation on test tasks
	Success  []float64 `json:"success"`
}

// PushCurves returns the learning curves on push-v1 from the authors' public logs, over their first 2,000,000
// environment steps. There are five of MAML, of which four were logged in part, and three of RL2. The logs' three runs
// of TCL-PEARL on push (results/tcl_pearl_new_env_{no,2x,4x}_reduce/push-v1) are not among them. No run of PEARL on
// push is known.
func PushCurves() []Curve {
	records := must(csv.NewReader(strings.NewReader(pushCurves)).ReadAll())
	var out []Curve
	for _, r := range records[1:] {
		var v [4]float64
		for j := range v {
			v[j] = must(strconv.ParseFloat(r[1+j], 64))
		}
		if n := len(out); n == 0 || out[n-1].Method != r[0] || out[n-1].Run != int(v[0]) {
			out = append(out, Curve{Method: r[0], Run: int(v[0])})
		}
		c := &out[len(out)-1]
		c.EnvSteps, c.Return, c.Success = append(c.EnvSteps, v[1]), append(c.Return, v[2]), append(c.Success, v[3])
	}
	return out
}

// Row returns the numbers of an environment, by method; nil if the table has no such environment.
func (t Table) Row(environment string) []float64 {
	if i := slices.Index(t.Environments, environment); i >= 0 {
		return t.Rows[i]
	}
	return nil
}

// Embedding is one row of the paper's t-SNE study: 8 tasks of push-v1, 200 rollouts each, distances in the plane.
// The unit is t-SNE's own, so only the ratio Between/ToCentroid can be compared with another embedding.
type Embedding struct {
	Method     string  `json:"method"`
	ToCentroid float64 `json:"to_centroid"` // mean distance of points to their task's centroid
	Between    float64 `json:"between"`     // mean distance between the centroids of tasks
}

// Ratio is Between divided by ToCentroid. It says how well tasks are separated.
func (e Embedding) Ratio() float64 { return e.Between / e.ToCentroid }

// TSNE returns the rows of the t-SNE study.
func TSNE() []Embedding {
	return []Embedding{{"PEARL", 38.8, 44.86}, {"TCL-PEARL", 26.6, 68.5}}
}

// TSNEOf returns the rows of the t-SNE study if a family is Meta-World's push, which the study is of. Beside other
// families the rows would say nothing, so there are none.
func TSNEOf(families ...string) []Embedding {
	for _, f := range families {
		if name, _ := Environment(f); name == "push" {
			return TSNE()
		}
	}
	return nil
}

// Column returns a method's numbers in the order of Environments; nil if the table has no such method.
func (t Table) Column(method string) []float64 {
	j := slices.Index(t.Methods, method)
	if j < 0 {
		return nil
	}
	column := make([]float64, len(t.Rows))
	for i, row := range t.Rows {
		column[i] = row[j]
	}
	return column
}

// parse reads an embedded table.
func parse(text string) Table {
	records := must(csv.NewReader(strings.NewReader(text)).ReadAll())
	t := Table{Methods: records[0][1:]}
	for _, record := range records[1:] {
		row := make([]float64, len(t.Methods))
		for j, cell := range record[1:] {
			row[j] = must(strconv.ParseFloat(cell, 64))
		}
		t.Environments = append(t.Environments, record[0])
		t.Rows = append(t.Rows, row)
	}
	return t
}

// must returns a part of an embedded table. The tables are part of the program, so a malformed one is a defect of the
// build.
func must[T any](v T, err error) T {
	if err != nil {
		panic("paper: " + err.Error())
	}
	return v
}
