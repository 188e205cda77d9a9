package tables

import (
	"fmt"
	"slices"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment/paper"
)

// What was recomputed from the paper's cells by other means before this package existed.
func TestStatisticsOfThePaper(t *testing.T) {
	one := paper.Table1()
	s, err := statisticsOf(one.Methods, one.Rows, slices.Index(one.Methods, "PEARL"))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Pairs[0]
	got := fmt.Sprintf("%d %d %d %.3f %d %.2f %.2f", p.Better, p.Equal, p.Worse, p.P, p.Ratios, *p.Geometric, *p.Median)
	if want := "35 2 13 0.002 36 2.05 1.63"; got != want {
		t.Errorf("table 1: %s, want %s", got, want)
	}
	two := paper.Table2()
	if s, err = statisticsOf(two.Methods, two.Rows, slices.Index(two.Methods, "TCL-PEARL")); err != nil {
		t.Fatal(err)
	}
	wins := map[string]stats.WinCount{"MAML": {Outright: 4}, "RL2": {Outright: 6}, "MQL": {Outright: 3, Shared: 1},
		"PEARL": {Outright: 4, Shared: 1}, "TCL-PEARL": {Outright: 7}}
	ranks := map[string]string{"MAML": "3.24 8.49", "RL2": "2.56 33.71", "MQL": "3.80 14.06", "PEARL": "3.12 35.68",
		"TCL-PEARL": "2.28 38.05"}
	for _, c := range s.Columns {
		if got := fmt.Sprintf("%.2f %.2f", c.MeanRank, c.Mean); got != ranks[c.System] {
			t.Errorf("%s: mean rank and mean %s, want %s", c.System, got, ranks[c.System])
		}
		if c.System != "TCL-PEARL" && c.Wins != wins[c.System] {
			t.Errorf("%s wins %v, want %v", c.System, c.Wins, wins[c.System])
		}
	}
	above := map[string]int{"MAML": 9, "RL2": 10, "MQL": 5, "PEARL": 7}
	for _, p := range s.Pairs {
		if p.Better != above[p.System] || p.Against != "TCL-PEARL" {
			t.Errorf("%s above %s in %d, want %d", p.System, p.Against, p.Better, above[p.System])
		}
	}
}
