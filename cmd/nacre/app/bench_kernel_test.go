package app

import (
	"encoding/json"
	"strings"
	"testing"

	"nacre/bench/page"
)

// Without a browser the report says so in a line, has no times of the page, and nothing has failed.
func TestNoBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("NACRE_CHROMIUM", "")
	var r KernelReport
	if err := r.openPages(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil ||
		!strings.Contains(text.String(),
			"\nthe page was not timed: no Chromium found: install one, or set NACRE_CHROMIUM to its path\n") {
		t.Errorf("%v, the text is\n%s", err, text.String())
	}
	b, err := json.Marshal(r)
	if err != nil || strings.Contains(string(b), `"page":`) ||
		!strings.Contains(string(b), `"page_problem":"no Chromium found`) {
		t.Errorf("%v, the JSON is %s", err, b)
	}
}

func TestPageTable(t *testing.T) {
	r := KernelReport{Page: []page.Result{{Cells: 20, Loads: 5, Contents: 101.4, Shown: 202.6, Fastest: 150}}}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); got != "20 cells 101 203 150 5" {
		t.Errorf("the line is %q", got)
	}
}
