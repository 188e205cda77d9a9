package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nacre/internal/plainfile"
)

// studyContrasts are the paired differences between arms in the results.json of a study.
type studyContrasts struct {
	Contrasts []contrast `json:"contrasts"`         // of embeddings, with their context
	Outcomes  []contrast `json:"outcome_contrasts"` // of returns
}

type contrast struct {
	A, B, Context, Figure string
	Difference            struct{ Mean, Lo, Hi float64 }
	SignFlip              struct {
		P, Least, Detectable float64
	} `json:"sign_flip"`
}

// pair is two arms, of which a contrast is B less A.
type pair struct{ a, b, head string }

// contrastColumns are the pairs that a table of contrasts sets side by side; those of further arms come behind them.
var contrastColumns = []pair{
	{"pearl", "pearl-windows", "effect of the windows"},
	{"pearl-windows", "tcl-pearl", "effect of the loss"},
	{"pearl", "tcl-pearl", "both together"},
}

var contrastFigures = []struct{ figure, name string }{
	{"share_from_blind", "share of the way (goal-blind 0, goal-knowing 1)"},
	{"adapted_return", "return after adaptation"},
	{"adaptation_gain", "adaptation gain"},
	{"plane_ratio", "ratio in the plane"},
	{"latent_ratio", "ratio among posterior means"},
	{"linear_probe_accuracy", "linear probe"},
}

var contrastContexts = map[string]string{
	"window": "windows", "rows": "independent rows", "rollout": "whole rollouts",
	"meta-test": "the meta-test’s",
}

// contrasts writes what arms of a study differ by: "push", or "push contexts=window,meta-test" for some kinds of
// context.
func contrasts(root, arguments string) (string, error) {
	fields := strings.Fields(arguments)
	if len(fields) == 0 || len(fields) > 2 {
		return "", fmt.Errorf("contrasts: %q, want the name of a study, and contexts=… or nothing", arguments)
	}
	archive, within, _ := strings.Cut(fields[0], "/")
	text, err := plainfile.Read(filepath.Join(root, "notebooks/data", archive+".zip", within, "results.json"), 1<<26)
	if err != nil {
		return "", err
	}
	var s studyContrasts
	if err := json.Unmarshal(text, &s); err != nil {
		return "", fmt.Errorf("%s: results.json: %w", fields[0], err)
	}
	if len(s.Contrasts)+len(s.Outcomes) == 0 {
		return "This study has no control arm yet; its table of differences comes with the control.", nil
	}
	kinds := []string{""}
	list, found := strings.CutPrefix(strings.Join(fields[1:], ""), "contexts=")
	if len(fields) == 2 && !found {
		return "", fmt.Errorf("contrasts: %q, want contexts=…", fields[1])
	}
	list = cmp.Or(list, "window")
	return s.table(append(kinds, strings.Split(list, ",")...))
}

// table has a row for every figure and kind of context ("" for returns) and a column for every pair of arms.
func (s studyContrasts) table(kinds []string) (string, error) {
	var b strings.Builder
	all := append(s.Outcomes, s.Contrasts...)
	columns := pairsOf(all)
	b.WriteString("| measure | context |")
	for _, c := range columns {
		b.WriteString(" " + c.head + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("--:|", len(columns)) + "\n")
	for _, kind := range kinds {
		if kind != "" && contrastContexts[kind] == "" {
			return "", fmt.Errorf("contrasts: no context is called %q", kind)
		}
		for _, f := range contrastFigures {
			cells, some := "", false
			for _, c := range columns {
				cell := ""
				for _, d := range all {
					if d.A == c.a && d.B == c.b && d.Context == kind && d.Figure == f.figure {
						cell, some = d.String(), true
					}
				}
				cells += " " + cell + " |"
			}
			if some {
				fmt.Fprintf(&b, "| %s | %s |%s\n", f.name, contrastContexts[kind], cells)
			}
		}
	}
	return b.String(), nil
}

// pairsOf are the pairs of arms that contrasts are of: the known ones first.
func pairsOf(all []contrast) (columns []pair) {
	there := func(p pair) func(contrast) bool {
		return func(c contrast) bool { return c.A == p.a && c.B == p.b }
	}
	for _, p := range contrastColumns {
		if slices.ContainsFunc(all, there(p)) {
			columns = append(columns, p)
		}
	}
	for _, c := range all {
		if !slices.ContainsFunc(columns, func(p pair) bool { return there(p)(c) }) {
			columns = append(columns, pair{c.A, c.B, "`" + c.B + "` minus `" + c.A + "`"})
		}
	}
	return columns
}

// String is the mean difference, its 95 % interval, p, and, after ±, the difference that a t test of this number of
// pairs finds with probability 0.8.
func (c contrast) String() string {
	digits := 2
	if strings.HasSuffix(c.Figure, "return") || c.Figure == "adaptation_gain" {
		if d := c.Difference; max(d.Hi, -d.Lo) >= 1000 {
			digits = -2
		}
	}
	p := decimal(c.SignFlip.P, 2)
	if c.SignFlip.P < 0.1 {
		p = decimal(c.SignFlip.P, 3)
	}
	return fmt.Sprintf("**%s** (%s to %s), p = %s, ±%s", decimal(c.Difference.Mean, digits),
		decimal(c.Difference.Lo, digits),
		decimal(c.Difference.Hi, digits), strings.TrimPrefix(p, "0"), decimal(c.SignFlip.Detectable, digits))
}
