package tables

import (
	"slices"

	"nacre/analysis/stats"
	"nacre/experiment"
)

// Statistics compare the columns of a table over the environments in which all of them have a cell.
type Statistics struct {
	Environments int          `json:"environments"`
	Columns      []ColumnRank `json:"columns"`
	Pairs        []Comparison `json:"pairs"`
}

// ColumnRank compares a column with all others by rank.
type ColumnRank struct {
	System   string         `json:"system"`
	Mean     float64        `json:"mean"`
	MeanRank float64        `json:"mean_rank"` // 1 is the greatest
	Wins     stats.WinCount `json:"wins"`
}

// Comparison compares a column with another over the environments in which both have a cell.
type Comparison struct {
	System       string  `json:"system"`
	Against      string  `json:"against"`
	Environments int     `json:"environments"`
	Better       int     `json:"better"`
	Equal        int     `json:"equal"`
	Worse        int     `json:"worse"`
	P            float64 `json:"sign_test_p"` // two-sided, ties left out

	// Ratios counts the environments in which both are positive. The means over them are nil if there is none.
	Ratios    int      `json:"ratios"`
	Geometric *float64 `json:"geometric_mean_ratio"`
	Mean      *float64 `json:"mean_ratio"`
	Median    *float64 `json:"median_ratio"`

	// Seeded counts the environments where both columns have several seeds. Above and Below count those of them where
	// every seed of one column lies above every seed of the other.
	Seeded int `json:"seeded,omitempty"`
	Above  int `json:"every_seed_above,omitempty"`
	Below  int `json:"every_seed_below,omitempty"`
}

// statisticsOf compares columns; rows[i][j] is environment i, column j. All columns are compared with the one of index
// against.
func statisticsOf(names []string, rows [][]float64, against int) (*Statistics, error) {
	if len(rows) == 0 {
		return &Statistics{}, nil
	}
	ranks, err := stats.MeanRanks(rows)
	if err != nil {
		return nil, err
	}
	wins, err := stats.Wins(rows)
	if err != nil {
		return nil, err
	}
	s := &Statistics{Environments: len(rows)}
	for j, name := range names {
		s.Columns = append(s.Columns, ColumnRank{System: name, Mean: stats.Mean(column(rows, j)), MeanRank: ranks[j],
			Wins: wins[j]})
	}
	for j, name := range names {
		if j == against {
			continue
		}
		c, err := compare(name, names[against], column(rows, j), column(rows, against))
		if err != nil {
			return nil, err
		}
		s.Pairs = append(s.Pairs, c)
	}
	return s, nil
}

func column(rows [][]float64, j int) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = row[j]
	}
	return out
}

// compare compares column a with column b.
func compare(nameA, nameB string, a, b []float64) (Comparison, error) {
	c := Comparison{System: nameA, Against: nameB, Environments: len(a)}
	var err error
	if c.Better, c.Equal, c.Worse, err = stats.Paired(b, a); err != nil {
		return c, err
	}
	c.P = stats.SignTest(c.Better, c.Worse)
	var ratios []float64
	for i := range a {
		if a[i] > 0 && b[i] > 0 {
			ratios = append(ratios, a[i]/b[i])
		}
	}
	if c.Ratios = len(ratios); c.Ratios == 0 {
		return c, nil
	}
	geometric, err := stats.GeometricMean(ratios)
	if err != nil {
		return c, err
	}
	mean, median := stats.Mean(ratios), stats.Median(ratios)
	c.Geometric, c.Mean, c.Median = &geometric, &mean, &median
	return c, nil
}

// statistics compares a grid's columns, values rounded as they are shown, with the one of index against.
func (g *Grid) statistics(against int) (*Statistics, error) {
	all := make([]int, len(g.Systems))
	for j := range all {
		all[j] = j
	}
	s, err := statisticsOf(titles(g.Systems), g.values(g.complete(all...), all, func(c Cell) float64 {
		return c.Return.Mean
	}), against)
	if err != nil {
		return nil, err
	}
	// A pair needs no third column.
	s.Pairs = nil
	for j := range g.Systems {
		if j == against {
			continue
		}
		both := g.complete(j, against)
		rows := g.values(both, []int{j, against}, func(c Cell) float64 { return c.Return.Mean })
		c, err := compare(experiment.Title(g.Systems[j]), experiment.Title(g.Systems[against]), column(rows, 0),
			column(rows, 1))
		if err != nil {
			return nil, err
		}
		for _, i := range both {
			c.separate(g.Cells[i][j], g.Cells[i][against])
		}
		s.Pairs = append(s.Pairs, c)
	}
	return s, nil
}

// separate counts an environment whose seeds tell the columns apart.
func (c *Comparison) separate(a, b Cell) {
	if a.counted() < 2 || b.counted() < 2 {
		return
	}
	c.Seeded++
	if slices.Min(a.Seeds) > slices.Max(b.Seeds) {
		c.Above++
	}
	if slices.Max(a.Seeds) < slices.Min(b.Seeds) {
		c.Below++
	}
}

// values are the cells of some rows and columns, rounded as they are shown.
func (g *Grid) values(rows, columns []int, of func(Cell) float64) [][]float64 {
	var out [][]float64
	for _, i := range rows {
		var row []float64
		for _, j := range columns {
			row = append(row, round(of(g.Cells[i][j])))
		}
		out = append(out, row)
	}
	return out
}

// paperStatistics are those of the paper's figures over the environments and columns that have both those and cells of
// our own, nil where there are less than two columns.
func (g *Grid) paperStatistics(against int) (*Statistics, error) {
	var columns []int
	at := -1
	for j := range g.Systems {
		if !slices.ContainsFunc(g.Cells, func(row []Cell) bool { return row[j].Paper != nil }) {
			continue
		}
		if j == against {
			at = len(columns)
		}
		columns = append(columns, j)
	}
	if at < 0 || len(columns) < 2 {
		return nil, nil
	}
	var rows []int
	for _, i := range g.complete(columns...) {
		if !slices.ContainsFunc(columns, func(j int) bool { return g.Cells[i][j].Paper == nil }) {
			rows = append(rows, i)
		}
	}
	var names []string
	for _, j := range columns {
		names = append(names, experiment.Title(g.Systems[j]))
	}
	return statisticsOf(names, g.values(rows, columns, func(c Cell) float64 { return *c.Paper }), at)
}

func titles(systems []string) []string {
	out := make([]string, len(systems))
	for j, s := range systems {
		out[j] = experiment.Title(s)
	}
	return out
}
