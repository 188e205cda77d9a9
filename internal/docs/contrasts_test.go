package main

import (
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/plainfile/plainfiletest"
)

// TestContrasts writes a table by hand for two pairs of arms, one of them unknown to the page.
func TestContrasts(t *testing.T) {
	root := t.TempDir()
	write := func(text string) {
		t.Helper()
		plainfiletest.Archive(t, filepath.Join(root, "notebooks/data/mine.zip"), "results.json", text)
	}
	write(`{"contrasts": [{"a": "pearl-windows", "b": "tcl-pearl", "context": "window", "figure": "plane_ratio",
			"difference": {"mean": -0.031, "lo": -0.357, "hi": 0.243}, "sign_flip": {"p": 0.8574, "detectable": 0.5}}],
		"outcome_contrasts": [{"a": "pearl", "b": "rows", "figure": "adapted_return",
			"difference": {"mean": 20470.4, "lo": -12674, "hi": 54482}, "sign_flip": {"p": 0.0156, "detectable": 51200}}]}`)
	const want = "| measure | context | effect of the loss | `rows` minus `pearl` |\n|---|---|--:|--:|\n" +
		"| return after adaptation |  |  | **20,500** (−12,700 to 54,500), p = .016, ±51,200 |\n" +
		"| ratio in the plane | windows | **−0.03** (−0.36 to 0.24), p = .86, ±0.50 |  |\n"
	if got, err := contrasts(root, "mine"); err != nil || got != want {
		t.Errorf("%v\n%s\nexpected\n%s", err, got, want)
	}
	if got, err := contrasts(root, "mine contexts=rows"); err != nil || strings.Contains(got, "plane") {
		t.Errorf("%v\n%s\nexpected no row of windows", err, got)
	}
	for arguments, fault := range map[string]string{
		"": "want the name of a study", "mine rows": "want contexts=",
		"mine contexts=row": `no context is called "row"`, "other": "no such file",
	} {
		if _, err := contrasts(root, arguments); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("contrasts %q: %v, expected an error that says %q", arguments, err, fault)
		}
	}
	write(`{}`)
	if got, err := contrasts(root, "mine"); err != nil || !strings.Contains(got, "no control arm yet") {
		t.Errorf("%q, %v: expected a sentence that says that there is no control", got, err)
	}
}
