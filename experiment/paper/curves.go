package paper

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
)

//go:embed curves.csv
var curves string

// Curves are the learning curves of an ML1 environment ("push") that the authors' public training logs hold (GitHub,
// Simon0xzx/garage, branch simon_work_new), none for an environment without. Each point is the mean return on test
// tasks over the evaluations of 100,000 environment steps and stands in their middle; the first 2,500,000 steps are
// kept. There are 20 environments of PEARL and TCL-PEARL, of the 25 in the logs, and 25 of MAML and RL2, with one to
// three runs, some of them cut short. The averages over 900,000 to 1,000,000 steps are those of Table1 to its rounding.
// Among MAML's runs are some whose columns say that they are of push.
func Curves(environment string) []Curve {
	records, err := csv.NewReader(strings.NewReader(curves)).ReadAll()
	if err != nil {
		panic("paper: " + err.Error())
	}
	var out []Curve
	for _, r := range records[1:] {
		if r[1] != environment {
			continue
		}
		c := Curve{Method: r[0]}
		if c.Run, err = strconv.Atoi(r[2]); err != nil {
			panic("paper: " + err.Error())
		}
		for j, cell := range r[3:] {
			if cell == "" {
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				panic("paper: " + err.Error())
			}
			end, err := strconv.ParseFloat(records[0][3+j], 64)
			if err != nil {
				panic("paper: " + err.Error())
			}
			c.EnvSteps, c.Return = append(c.EnvSteps, 1000*end-50_000), append(c.Return, v)
		}
		out = append(out, c)
	}
	return out
}
