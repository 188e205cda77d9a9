package runs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment/runs"
	"nacre/tsne"
)

// The report of a run says what its files say, letter by letter where people typed it, and needs nothing beside it.
func TestReport(t *testing.T) {
	root := t.TempDir()
	empty := synthetic(t, root, "empty", 0)
	if _, _, err := runs.Report(empty); !errors.Is(err, runs.ErrUntrained) {
		t.Errorf("of a run without an iteration: %v", err)
	}
	dir := synthetic(t, root, "one", 7, "seed=3", "pearl.latent=4")
	must(t, os.WriteFile(filepath.Join(dir, runs.NoteFile),
		[]byte(`{"text": "<b>look</b>\n# no heading", "tags": ["best"]}`), 0o644))
	text, learning, err := runs.Report(dir)
	must(t, err)
	if _, err := png.Decode(bytes.NewReader(learning)); err != nil {
		t.Errorf("the picture: %v", err)
	}
	for _, want := range []string{" on point-goal\n", "Seed 3: 7000 environment steps", "in 7 iterations",
		"has not ended", "[best]", "| adapted_return | ", "\n    latent = 4\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "[record]") || strings.Contains(text, "held-out") {
		t.Errorf("the report has what is not known or not asked for:\n%s", text)
	}

	// With the figures of a layout.
	figures, err := json.Marshal(map[string]any{"planes": []any{map[string]any{"report": tsne.Report{
		Points: 40, Dimensions: 4, Labels: 8,
		Plane: tsne.Space{Accuracy: 0.625, Clusters: tsne.Clusters{Intra: 2, Inter: 7, Ratio: 3.5}},
	}}}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, runs.TSNEFile), figures, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "tsne.png"), learning, 0o644))
	file := filepath.Join(t.TempDir(), "report.html")
	must(t, runs.WriteReport(dir, file))
	page, err := os.ReadFile(file)
	must(t, err)
	for _, want := range []string{"<td>the plane</td>", "<td><strong>3.500</strong></td>", "<td>0.625</td>",
		"&lt;b&gt;look&lt;/b&gt;"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(string(page), `src="data:image/png;base64,`); n != 2 ||
		strings.Count(string(page), "src=") != 2 || strings.Contains(string(page), "<h1>no heading") {
		t.Errorf("the page has %d pictures inside", n)
	}
	must(t, os.WriteFile(filepath.Join(dir, runs.TSNEFile), []byte(`{"planes": []}`), 0o644))
	if err := runs.WriteReport(dir, file); err == nil || !strings.Contains(err.Error(), "tsne.json: no plane") {
		t.Errorf("of damaged figures: %v", err)
	}
}
