package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nacre/analysis/stats"
)

// Claim is a statement of the paper about one of its tables, checked with the cells of this table.
type Claim struct {
	Text    string   `json:"claim"`
	Verdict string   `json:"verdict"` // "holds", "does not follow", or the reading under which it holds
	Figures []string `json:"figures"` // recomputed numbers, one sentence for each
}

const (
	holds    = "holds"
	noFollow = "does not follow from the table"
	idle     = 0.15 // thousands of return at or below which a method learned nothing
)

// verdict is "holds" if the claim holds, otherwise the text `otherwise`.
func verdict(ok bool, otherwise string) string {
	if ok {
		return holds
	}
	return otherwise
}

// ClaimsTable1 recomputes the paper's statements on Table1, TCL-PEARL against PEARL on 50 environments.
func ClaimsTable1() ([]Claim, error) {
	t := Table1()
	pearl, tcl := t.Column("PEARL"), t.Column("TCL-PEARL")
	better, equal, worse, err := stats.Paired(pearl, tcl)
	if err != nil {
		return nil, err
	}
	var ties, negative []string
	for i, name := range t.Environments {
		switch {
		case pearl[i] == tcl[i]:
			ties = append(ties, name)
		case pearl[i] < tcl[i] && tcl[i] < 0:
			negative = append(negative, name)
		}
	}
	gain, err := gains(t)
	if err != nil {
		return nil, err
	}
	return []Claim{
		{"better in 35 of 50 environments", verdict(better == 35, noFollow), []string{
			fmt.Sprintf("strictly greater in %d, equal in %d (%s), less in %d", better, equal, strings.Join(ties, ", "),
				worse),
			fmt.Sprintf("sign test over the %d that differ: p = %.3f", better+worse, stats.SignTest(better, worse)),
			learning(t),
			"counted as better with both returns negative: " + strings.Join(negative, ", "),
		}},
		{"comparable in 9 of the other 15", "only where the paper's two criteria are read generously", []string{
			fmt.Sprintf("of the other %d, TCL-PEARL is less in %d; among those the paper counts as comparable are %s "+
				"and %s",
				equal+worse, worse, t.pair("pick-place"), t.pair("push-back")),
		}},
		{"4.3 times PEARL's return on average, 1.4 times in the median", noFollow, gain},
	}, nil
}

// pair writes the two numbers of an environment in Table1, PEARL first.
func (t Table) pair(environment string) string {
	row := t.Rows[slices.Index(t.Environments, environment)]
	return fmt.Sprintf("%s %.2f → %.2f", environment, row[0], row[1])
}

// learning says in how many rows of Table1 nothing was learned by either method.
func learning(t Table) string {
	learned, better, unlearned, unlearnedBetter := 0, 0, 0, 0
	for _, row := range t.Rows {
		n, b := &learned, &better
		if max(row[0], row[1]) <= idle {
			n, b = &unlearned, &unlearnedBetter
		}
		*n++
		if row[1] > row[0] {
			*b++
		}
	}
	return fmt.Sprintf("in the %d environments where either method exceeds %g thousand TCL-PEARL is better in %d; in "+
		"the other %d neither learned, and %d of them count as better",
		learned, idle, better, unlearned, unlearnedBetter)
}

// gains gives the ratio of TCL-PEARL to PEARL under each natural definition, since the paper states none.
func gains(t Table) ([]string, error) {
	definitions := []struct {
		text string
		keep func(pearl, tcl float64) bool
	}{
		{"both positive", func(p, q float64) bool { return p > 0 && q > 0 }},
		{"PEARL positive", func(p, q float64) bool { return p > 0 }},
		{"neither zero", func(p, q float64) bool { return p != 0 && q != 0 }},
	}
	var out []string
	for k, d := range definitions {
		ratios, _ := t.ratios(d.keep)
		text := fmt.Sprintf("%s (%d rows): mean %.2f, median %.2f", d.text, len(ratios), stats.Mean(ratios),
			stats.Median(ratios))
		if k == 0 {
			geometric, err := stats.GeometricMean(ratios)
			if err != nil {
				return nil, err
			}
			text += fmt.Sprintf(", geometric mean %.2f", geometric)
		}
		out = append(out, text)
	}
	near := t.withoutComparable()
	out = append(out, fmt.Sprintf("nearest: without the 9 comparable rows, and 0 where not both are positive (%d "+
		"rows): mean %.2f, median %.2f",
		len(near), stats.Mean(near), stats.Median(near)))
	ratios, names := t.ratios(definitions[0].keep)
	k := slices.Index(ratios, slices.Max(ratios))
	largest, name := ratios[k], names[k]
	out = append(out, fmt.Sprintf("one row drives the mean: %s, %.0f times; without it the mean is %.2f",
		t.pair(name), largest,
		stats.Mean(slices.Delete(ratios, k, k+1))))
	return append(out, fmt.Sprintf("sum of TCL-PEARL over sum of PEARL: %.2f",
		stats.Mean(t.Column("TCL-PEARL"))/stats.Mean(t.Column("PEARL")))), nil
}

// withoutComparable returns the ratios of Table1 without the environments that the paper counts as comparable. A ratio
// is 0 unless both returns are positive. The table lists the 35 better environments, then the 9 comparable ones, then
// the rest.
func (t Table) withoutComparable() []float64 {
	var out []float64
	for _, row := range slices.Concat(t.Rows[:35], t.Rows[44:]) {
		if row[0] > 0 && row[1] > 0 {
			out = append(out, row[1]/row[0])
		} else {
			out = append(out, 0)
		}
	}
	return out
}

// ratios returns TCL-PEARL divided by PEARL for the environments that keep accepts, and the names of these
// environments.
func (t Table) ratios(keep func(pearl, tcl float64) bool) (ratios []float64, environments []string) {
	pearl, tcl := t.Column("PEARL"), t.Column("TCL-PEARL")
	for i, name := range t.Environments {
		if keep(pearl[i], tcl[i]) {
			ratios, environments = append(ratios, tcl[i]/pearl[i]), append(environments, name)
		}
	}
	return ratios, environments
}

// ClaimsTable2 recomputes the paper's statements on Table2, five methods on 25 environments.
func ClaimsTable2() ([]Claim, error) {
	t := Table2()
	tcl := t.Column("TCL-PEARL")
	better, equal, worse, err := stats.Paired(t.Column("PEARL"), tcl)
	if err != nil {
		return nil, err
	}
	wins, err := stats.Wins(t.Rows)
	if err != nil {
		return nil, err
	}
	ranks, err := stats.MeanRanks(t.Rows)
	if err != nil {
		return nil, err
	}
	var won, ranked, means, beaten []string
	order := make([]int, len(t.Methods))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	for j, method := range t.Methods {
		won = append(won, fmt.Sprintf("%s %s", method, wins[j]))
	}
	for _, j := range order {
		method := t.Methods[j]
		ranked = append(ranked, fmt.Sprintf("%s %.2f", method, ranks[j]))
		means = append(means, fmt.Sprintf("%s %.2f", method, stats.Mean(t.Column(method))))
		if method != "TCL-PEARL" && method != "PEARL" {
			more, _, _, err := stats.Paired(tcl, t.Column(method))
			if err != nil {
				return nil, err
			}
			beaten = append(beaten, fmt.Sprintf("%s in %d", method, more))
		}
	}
	return []Claim{
		agreement(t),
		{"TCL-PEARL above PEARL in 17 of 25 environments", verdict(better == 17, noFollow), []string{
			fmt.Sprintf("greater in %d, equal in %d, less in %d; sign test p = %.3f", better, equal, worse,
				stats.SignTest(better, worse))}},
		{"wins 4, 6, 4, 4 and 7 (MAML, RL2, MQL, PEARL, TCL-PEARL)",
			"only if the tie at pick-out-of-hole goes to MQL alone", []string{
				"wins: " + strings.Join(won, ", ")}},
		{"TCL-PEARL outperforms all others in 7 environments",
			verdict(wins[slices.Index(t.Methods, "TCL-PEARL")].Outright == 7, noFollow), []string{
				"mean rank: " + strings.Join(ranked, ", "),
				"mean return in thousands: " + strings.Join(means, ", "),
				"above TCL-PEARL: " + strings.Join(beaten, ", "),
			}},
	}, nil
}

// agreement reports whether the cells of PEARL and TCL-PEARL in Table2 equal those in Table1.
func agreement(two Table) Claim {
	one, differ := Table1(), 0
	for i, name := range two.Environments {
		for _, method := range one.Methods {
			if one.Row(name)[slices.Index(one.Methods, method)] != two.Rows[i][slices.Index(two.Methods, method)] {
				differ++
			}
		}
	}
	return Claim{"PEARL and TCL-PEARL as in Table 1", verdict(differ == 0, noFollow), []string{
		fmt.Sprintf("%d of the %d cells that are in both tables differ", differ,
			len(two.Environments)*len(one.Methods))}}
}

// ClaimsRuntime recomputes the paper's statements on Runtime.
func ClaimsRuntime() []Claim {
	t := Runtime()
	tcl, pearl := stats.Mean(t.Column("TCL-PEARL")), stats.Mean(t.Column("PEARL"))
	figures := []string{fmt.Sprintf("mean of the table's cells: TCL-PEARL %.2f s = %.2f h, PEARL %.2f s = %.2f h, "+
		"ratio %.3f", tcl, tcl/3600, pearl, pearl/3600, tcl/pearl)}
	return []Claim{
		{"6.75 h and 5.17 h per run (text)", verdict(fmt.Sprintf("%.2f %.2f", tcl/3600, pearl/3600) == "6.75 5.17",
			noFollow), figures},
		{"10.16 h and 7.97 h per run (the table's caption)", noFollow,
			append(figures, fmt.Sprintf("the caption's own ratio is %.3f", 10.16/7.97))},
	}
}

// ClaimsTSNE recomputes the statements that follow from TSNE.
func ClaimsTSNE() []Claim {
	rows := TSNE()
	var figures []string
	for _, e := range rows {
		figures = append(figures, fmt.Sprintf("%s: %.4g to the centroid, %.4g between centroids, ratio %.3f", e.Method,
			e.ToCentroid, e.Between, e.Ratio()))
	}
	return []Claim{{"TCL-PEARL's clusters are tighter and further apart",
		verdict(rows[1].ToCentroid < rows[0].ToCentroid && rows[1].Between > rows[0].Between, noFollow),
		append(figures, "one layout of one run each, without intervals; distances in a t-SNE plane have no unit and "+
			"depend on its recipe")}}
}
