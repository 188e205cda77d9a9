package paper_test

import (
	"strings"
	"testing"

	"nacre/experiment/paper"
)

// The figures were computed from the paper's tables by hand before this package existed.
func TestClaims(t *testing.T) {
	one, err := paper.ClaimsTable1()
	if err != nil {
		t.Fatal(err)
	}
	two, err := paper.ClaimsTable2()
	if err != nil {
		t.Fatal(err)
	}
	claims := append(append(append(one, two...), paper.ClaimsRuntime()...), paper.ClaimsTSNE()...)
	var text strings.Builder
	holds := 0
	for _, c := range claims {
		if c.Verdict == "holds" {
			holds++
		}
		text.WriteString(c.Text + ": " + c.Verdict + "\n" + strings.Join(c.Figures, "\n") + "\n")
	}
	if holds != 6 {
		t.Errorf("%d claims hold, want 6:\n%s", holds, &text)
	}
	for _, want := range []string{
		"greater in 35, equal in 2 (disassemble, pick-out-of-hole), less in 13", "p = 0.002", "pick-place 2.53 → 0.06",
		"(36 rows): mean 5.01, median 1.63, geometric mean 2.05", "(37 rows): mean 4.86, median 1.60",
		"(48 rows): mean 1.36, median 1.16",
		"dial-turn 0.09 → 4.96, 55 times; without it the mean is 3.57", "1.46", "greater in 17, equal in 1, less in 7",
		"TCL-PEARL 2.28, RL2 2.56, PEARL 3.12, MAML 3.24, MQL 3.80", "RL2 in 10, MAML in 9, MQL in 5",
		"(41 rows): mean 4.35, median 1.44", "both returns negative: basketball, drawer-close, hammer",
		"exceeds 0.15 thousand TCL-PEARL is better in 30; in the other 11 neither learned, and 5", "0 of the 50 cells",
		"MAML 4, RL2 6, MQL 3 (+1 shared), PEARL 4 (+1 shared), TCL-PEARL 7 (+1 shared)", "p = 0.064",
		"TCL-PEARL 38.05, RL2 33.71, PEARL 35.68, MAML 8.49, MQL 14.06",
		"24305.93 s = 6.75 h, PEARL 18623.79 s = 5.17 h",
		"ratio is 1.275", "ratio 1.305", "ratio 1.156", "ratio 2.575",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, &text)
		}
	}
}
