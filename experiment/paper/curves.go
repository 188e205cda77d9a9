package paper

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
)

//go:embed curves.csv
var curves string

// Curves returns the learning curves of an ML1 environment ("push") from the authors' public training logs (GitHub,
// Simon0xzx/garage, branch simon_work_new). It returns none if the logs lack the environment. Each point is the mean
// return on test tasks over the evaluations of 100,000 environment steps, and stands in the middle of these steps. The
// first 2,500,000 steps are kept. For PEARL and TCL-PEARL there are 20 of the 25 logged environments, for MAML and RL2
// all 25. Each has one to three runs; some runs were cut short. The averages over 900,000 to 1,000,000 steps equal
// those of Table1 to its rounding. Some of the runs that are logged as MAML's on another environment are runs on push:
// the names of their columns say so.
func Curves(environment string) []Curve {
	records := must(csv.NewReader(strings.NewReader(curves)).ReadAll())
	var out []Curve
	for _, r := range records[1:] {
		if r[1] != environment {
			continue
		}
		c := Curve{Method: r[0], Run: must(strconv.Atoi(r[2]))}
		for j, cell := range r[3:] {
			if cell == "" {
				continue
			}
			end := must(strconv.ParseFloat(records[0][3+j], 64))
			c.EnvSteps = append(c.EnvSteps, 1000*end-50_000)
			c.Return = append(c.Return, must(strconv.ParseFloat(cell, 64)))
		}
		out = append(out, c)
	}
	return out
}
