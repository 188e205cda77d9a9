package tables_test

import (
	"strings"
	"testing"

	"nacre/experiment/paper"
	"nacre/experiment/tables"
)

// The paper's rows stand in the table of push, with what they are of.
func TestPaperInTableOfEmbeddings(t *testing.T) {
	for _, family := range []string{"ml1/push", "cheetah-vel"} {
		table := tables.EmbeddingTable{Recipe: "paper", Paper: paper.TSNEOf(family),
			Rows: []tables.EmbeddingRow{{System: "pearl", Family: family, Points: 1600}}}
		var b strings.Builder
		if err := table.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(b.String()), " ")
		for _, what := range []string{"the paper TCL-PEARL 1 1600 26.60 68.50 2.58", "the paper's are of push-v1"} {
			if strings.Contains(words, what) != (family == "ml1/push") {
				t.Errorf("%s: %q in %s", family, what, words)
			}
		}
	}
}
