package app

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"nacre/analysis/frame"
	"nacre/experiment/paper"
)

// TableOptions are the arguments of nacre table.
type TableOptions struct {
	Name string // one of TableNames
	File TableFile
}

// TableFile says how a table is written to a file.
type TableFile struct {
	Path      string // ends in .tex, .md or .csv; empty: none
	PlusMinus bool   // intervals as ±
}

// write writes a table, if a file is asked for, and prints it as text or JSON.
func (env *Env) write(file TableFile, f *frame.Frame, v any, text func(io.Writer) error) error {
	if file.Path == "" {
		return env.Print(v, text)
	}
	if err := makeParent(file.Path); err != nil {
		return err
	}
	var options []frame.PrintOption
	if file.PlusMinus {
		options = append(options, frame.PlusMinus())
	}
	if err := f.Save(file.Path, options...); err != nil {
		return err
	}
	return env.Print(v, func(w io.Writer) error {
		if err := text(w); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, "\n"+file.Path)
		return err
	})
}

// TableNames lists the names that nacre table accepts for the paper's tables.
func TableNames() []string { return []string{"ml1", "ml1-all", "tsne", "runtime"} }

// PaperTable is one table of the paper, with what its cells say about the paper's claims.
type PaperTable struct {
	Name         string        `json:"name"`
	Title        string        `json:"title"`
	Methods      []string      `json:"methods"`
	Environments []string      `json:"rows"`
	Rows         [][]float64   `json:"cells"`
	Claims       []paper.Claim `json:"claims"`
}

// Table prints a table of the paper and recomputes the statistics that the paper draws from it.
func Table(env *Env, o TableOptions) error {
	t := PaperTable{Name: o.Name}
	var err error
	fill := func(title string, p paper.Table) {
		t.Title, t.Methods, t.Environments, t.Rows = title, p.Methods, p.Environments, p.Rows
	}
	const unit = "thousands of return, mean over the last 100,000 of 1,000,000 environment steps and 3 seeds"
	switch o.Name {
	case "ml1":
		fill("Table 1 of the paper, Meta-World ML1, "+unit, paper.Table1())
		t.Claims, err = paper.ClaimsTable1()
	case "ml1-all":
		fill("Table 2 of the paper, Meta-World ML1, "+unit, paper.Table2())
		t.Claims, err = paper.ClaimsTable2()
	case "runtime":
		fill("Run times of the paper, seconds of 1,000,000 environment steps on 8 Tesla M40 and 16 cores",
			paper.Runtime())
		t.Claims = paper.ClaimsRuntime()
	case "tsne":
		t.Title = "The paper's t-SNE study of push-v1, 8 tasks of 200 rollouts, mean distances in the plane"
		t.Methods = []string{"to centroid", "between centroids", "ratio"}
		for _, e := range paper.TSNE() {
			t.Environments, t.Rows = append(t.Environments, e.Method),
				append(t.Rows, []float64{e.ToCentroid, e.Between, e.Ratio()})
		}
		t.Claims = paper.ClaimsTSNE()
	default:
		return Usagef("table %q: expected one of %s", o.Name, strings.Join(TableNames(), ", "))
	}
	if err != nil {
		return err
	}
	return env.write(o.File, t.frame(), t, t.WriteText)
}

// frame is the table as columns.
func (t PaperTable) frame() *frame.Frame {
	f := frame.New(frame.Texts("environment", t.Environments))
	for j, method := range t.Methods {
		column := make([]float64, len(t.Rows))
		for i := range t.Rows {
			column[i] = t.Rows[i][j]
		}
		f = f.With(frame.Numbers(method, column))
	}
	return f.Note(t.Title)
}

// WriteText prints the table and the claims as text.
func (t PaperTable) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", t.Title)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "\t%s\t\n", strings.Join(t.Methods, "\t"))
	for i, name := range t.Environments {
		fmt.Fprint(tw, name)
		for _, v := range t.Rows[i] {
			fmt.Fprintf(tw, "\t%.2f", v)
		}
		fmt.Fprint(tw, "\t\n")
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprint(w, "\nWhat the paper says of it, recomputed from these cells\n")
	for _, c := range t.Claims {
		fmt.Fprintf(w, "\n%s: %s\n", c.Text, c.Verdict)
		for _, f := range c.Figures {
			if _, err := fmt.Fprintf(w, "  - %s\n", f); err != nil {
				return err
			}
		}
	}
	return nil
}
