package paper_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment/paper"
)

func Example() {
	t := paper.Table1()
	better, equal, worse, err := stats.Paired(t.Column("PEARL"), t.Column("TCL-PEARL"))
	fmt.Println(better, equal, worse, err)
	fmt.Printf("sign test p = %.3f\n", stats.SignTest(better, worse))
	// Output:
	// 35 2 13 <nil>
	// sign test p = 0.002
}

// near compares at the precision the expected figure is stated with.
func near(t *testing.T, what string, got, want, digits float64) {
	t.Helper()
	if scale := math.Pow(10, digits); math.Round(got*scale) != math.Round(want*scale) {
		t.Errorf("%s = %.4f, want %g", what, got, want)
	}
}

// ratios returns TCL-PEARL over PEARL of the rows keep accepts.
func ratios(t paper.Table, keep func(pearl, tcl float64) bool) []float64 {
	var out []float64
	pearl, tcl := t.Column("PEARL"), t.Column("TCL-PEARL")
	for i := range pearl {
		if keep(pearl[i], tcl[i]) {
			out = append(out, tcl[i]/pearl[i])
		}
	}
	return out
}

func TestTable1Gains(t *testing.T) {
	table := paper.Table1()
	if len(table.Rows) != 50 {
		t.Fatalf("%d environments, want 50", len(table.Rows))
	}
	positive := ratios(table, func(p, q float64) bool { return p > 0 && q > 0 })
	pearlPositive := ratios(table, func(p, q float64) bool { return p > 0 })
	nonZero := ratios(table, func(p, q float64) bool { return p != 0 && q != 0 })
	if len(positive) != 36 || len(pearlPositive) != 37 || len(nonZero) != 48 {
		t.Errorf("rows with ratios: %d, %d, %d; want 36, 37, 48", len(positive), len(pearlPositive), len(nonZero))
	}
	near(t, "mean of 36", stats.Mean(positive), 5.0053, 4)
	near(t, "median of 36", stats.Median(positive), 1.63, 2)
	geometric, err := stats.GeometricMean(positive)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "geometric mean of 36", geometric, 2.05, 2)
	near(t, "mean of 37", stats.Mean(pearlPositive), 4.86, 2)
	near(t, "median of 37", stats.Median(pearlPositive), 1.60, 2)
	near(t, "mean of 48", stats.Mean(nonZero), 1.36, 2)
	near(t, "median of 48", stats.Median(nonZero), 1.16, 2)

	dial := slices.Index(table.Environments, "dial-turn")
	largest := table.Rows[dial][1] / table.Rows[dial][0]
	near(t, "dial-turn's ratio", largest, 55, 0)
	without := ratios(table, func(p, q float64) bool { return p > 0 && q > 0 && q/p != largest })
	near(t, "mean without dial-turn", stats.Mean(without), 3.57, 2)
	sum := func(x []float64) float64 { return stats.Mean(x) * float64(len(x)) }
	near(t, "ratio of sums", sum(table.Column("TCL-PEARL"))/sum(table.Column("PEARL")), 1.46, 2)
}

func TestTable1Learning(t *testing.T) {
	learned, better, idle, idleBetter := 0, 0, 0, 0
	for _, row := range paper.Table1().Rows {
		pearl, tcl := row[0], row[1]
		if max(pearl, tcl) > 0.15 {
			learned++
			if tcl > pearl {
				better++
			}
			continue
		}
		idle++
		if tcl > pearl {
			idleBetter++
		}
	}
	if learned != 39 || better != 30 || idle != 11 || idleBetter != 5 {
		t.Errorf("learned %d (better in %d), idle %d (better in %d); want 39 (30), 11 (5)", learned, better,
			idle, idleBetter)
	}
}

func TestTable2(t *testing.T) {
	table := paper.Table2()
	if len(table.Rows) != 25 {
		t.Fatalf("%d environments, want 25", len(table.Rows))
	}
	ranks, err := stats.MeanRanks(table.Rows)
	if err != nil {
		t.Fatal(err)
	}
	wins, err := stats.Wins(table.Rows)
	if err != nil {
		t.Fatal(err)
	}
	tcl := table.Column("TCL-PEARL")
	for _, c := range []struct {
		method     string
		rank, mean float64
		wins       stats.WinCount
		beatsTCL   int
	}{
		{"TCL-PEARL", 2.28, 38.05, stats.WinCount{Outright: 7, Shared: 1}, 0},
		{"RL2", 2.56, 33.71, stats.WinCount{Outright: 6}, 10},
		{"PEARL", 3.12, 35.68, stats.WinCount{Outright: 4, Shared: 1}, 7},
		{"MAML", 3.24, 8.49, stats.WinCount{Outright: 4}, 9},
		{"MQL", 3.80, 14.06, stats.WinCount{Outright: 3, Shared: 1}, 5},
	} {
		j := slices.Index(table.Methods, c.method)
		column := table.Column(c.method)
		near(t, c.method+" mean rank", ranks[j], c.rank, 2)
		near(t, c.method+" mean return", stats.Mean(column), c.mean, 2)
		if wins[j] != c.wins {
			t.Errorf("%s wins %v, want %v", c.method, wins[j], c.wins)
		}
		if beats, _, _, err := stats.Paired(tcl, column); err != nil || beats != c.beatsTCL {
			t.Errorf("%s beats TCL-PEARL in %d, want %d (%v)", c.method, beats, c.beatsTCL, err)
		}
	}
	better, equal, worse, err := stats.Paired(table.Column("PEARL"), tcl)
	if err != nil || better != 17 || equal != 1 || worse != 7 {
		t.Errorf("TCL-PEARL against PEARL: %d better, %d equal, %d worse (%v); want 17, 1, 7", better,
			equal, worse, err)
	}
}

func TestTablesAgree(t *testing.T) {
	one, two := paper.Table1(), paper.Table2()
	for i, env := range two.Environments {
		k := slices.Index(one.Environments, env)
		if k < 0 {
			t.Errorf("%s of table 2 is not in table 1", env)
			continue
		}
		if one.Rows[k][0] != two.Column("PEARL")[i] || one.Rows[k][1] != two.Column("TCL-PEARL")[i] {
			t.Errorf("%s differs between the tables", env)
		}
	}
	for _, env := range paper.Runtime().Environments {
		if !slices.Contains(one.Environments, env) {
			t.Errorf("%s of the run times is not in table 1", env)
		}
	}
}

func TestRuntimeAndTSNE(t *testing.T) {
	run := paper.Runtime()
	if len(run.Rows) != 50 {
		t.Fatalf("%d environments, want 50", len(run.Rows))
	}
	tcl, pearl := stats.Mean(run.Column("TCL-PEARL")), stats.Mean(run.Column("PEARL"))
	near(t, "TCL-PEARL seconds", tcl, 24305.93, 2)
	near(t, "PEARL seconds", pearl, 18623.79, 2)
	near(t, "ratio", tcl/pearl, 1.305, 3)
	rows := paper.TSNE()
	near(t, rows[0].Method, rows[0].Ratio(), 1.156, 3)
	near(t, rows[1].Method, rows[1].Ratio(), 2.575, 3)
	for family, want := range map[string]int{"ml1/push": 2, "ml1-2020/push": 2, "ml1-2020/push:redrawn": 2,
		"point-goal": 0, "cheetah-vel": 0, "ml1/push-wall": 0, "ml1-2020/push-back": 0, "push": 0, "": 0} {
		if got := len(paper.TSNEOf("point-goal", family)); got != want {
			t.Errorf("%d rows beside %q; want %d", got, family, want)
		}
	}
	if run.Column("MAML") != nil {
		t.Error("a column for a method the table does not have")
	}
}

// The logs: 25 evaluations of MAML's whole run, 10 of each of RL2's, and what RL2's first run had reached at 820,000
// steps.
func TestPushCurves(t *testing.T) {
	points := map[string]int{}
	for _, c := range paper.PushCurves() {
		points[fmt.Sprint(c.Method, " ", c.Run)] = len(c.EnvSteps)
		if !slices.IsSorted(c.EnvSteps) || len(c.Return) != len(c.EnvSteps) || len(c.Success) != len(c.EnvSteps) {
			t.Errorf("%s %d: %v", c.Method, c.Run, c.EnvSteps)
		}
		if c.Method == "RL2" && c.Run == 0 && (c.EnvSteps[4] != 820_000 || c.Return[4] != 19_270 ||
			c.Success[4] != 0.2) {
			t.Errorf("RL2, run 0: %+v", c)
		}
	}
	want := "map[MAML 0:25 MAML 2:7 MAML 4:3 MAML 5:3 MAML 6:3 RL2 0:10 RL2 1:10 RL2 2:10]"
	if got := fmt.Sprint(points); got != want {
		t.Errorf("points by run %s, want %s", got, want)
	}
	if got := paper.Table1().Row("push"); !slices.Equal(got, []float64{4.56, 26.36}) {
		t.Errorf("table 1, push: %v", got)
	}
	if paper.Table1().Row("pull") != nil {
		t.Error("an environment that is not there has a row")
	}
}

func TestEnvironment(t *testing.T) {
	for family, want := range map[string]struct {
		name string
		same bool
	}{
		"ml1/push": {"push", false}, "ml1-2020/push": {"push", true}, "ml1-2020/push:redrawn": {"push", false},
		"ml1-2020/soccer:redrawn": {"soccer", true}, "ml1-2020/soccer": {"soccer", false}, "cheetah-vel": {"", false},
	} {
		if name, same := paper.Environment(family); name != want.name || same != want.same {
			t.Errorf("%s: %q, %v; want %q, %v", family, name, same, want.name, want.same)
		}
	}
	count := 0
	for _, e := range paper.Table1().Environments {
		if paper.Redrawn(e) {
			count++
			if paper.Table2().Row(e) != nil {
				t.Errorf("%s is of the older interface and in table 2", e)
			}
		}
	}
	if count != 25 {
		t.Errorf("%d rows of the older interface, want 25", count)
	}
}
