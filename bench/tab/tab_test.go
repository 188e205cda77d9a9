package main

import (
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	if err := value(`[{"output_type": "execute_result", "data": {"text/plain": "2"}}]`); err != nil {
		t.Error(err)
	}
	for _, outputs := range []string{`[]`, `[{"data": {"text/plain": "3"}}]`, `[{"output_type": "error"}]`, `{`} {
		if value(outputs) == nil {
			t.Errorf("the outputs %s are taken for the value of 1 + 1", outputs)
		}
	}
}

// Rows come in the order of the first calls, with the medians of all, and rates by processor time.
func TestReport(t *testing.T) {
	found := judged{Off: map[string]map[string]float64{"a": {"product": 1e-6}, "b": {"product": 0}}, Work: map[string]float64{"product": 2e9}}
	rows := rowsOf("Node", found, []call{
		{"b", "product", 0, 9, 1}, {"a", "product", 0, 9, 4}, {"a", "product", 1, 1, 2}, {"b", "product", 1, 1, 1}, {"a", "product", 2, 2, 2},
	})
	if len(rows) != 2 || rows[0].Library != "b" || rows[0].Rate != 2 || rows[0].Wall != 5 {
		t.Errorf("%+v", rows)
	}
	if a := rows[1]; a.CPU != 2 || a.Rate != 1 || a.Wall != 2 || a.Rounds != 3 || a.Off != 1e-6 {
		t.Errorf("%+v", a)
	}
}

func TestUnknown(t *testing.T) {
	if err := run(t.Context(), "update", "", "", 5, 0); err == nil || !strings.Contains(err.Error(), "-rounds 0") {
		t.Errorf("no rounds: %v", err)
	}
	if err := run(t.Context(), "else", "", "", 1, 1); err == nil || !strings.Contains(err.Error(), `-what "else"`) {
		t.Errorf("another thing: %v", err)
	}
}
