package notebooks_test

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// kindsPath is the notebook of every kind of figure.
const kindsPath = "../web/screenshots/kinds.ipynb"

// keep is a cell that saves a figure as the gallery shows it.
const keep = `type savedFigure interface {
	Save(string, ...plots.FileOption) error
}

func keepFigure(name string, f savedFigure) error {
	if err := f.Save(galleryFolder+"/"+name+"-light.svg"); err != nil {
		return err
	}
	if err := f.Save(galleryFolder+"/"+name+"-dark.svg", plots.Dark()); err != nil {
		return err
	}
	return f.Save(galleryFolder+"/"+name+"-paper.svg", plots.Width("icml-column"))
}
`

// kind is a figure of the gallery: a cell whose last line is it.
type kind struct{ name, code string }

// kinds are the cells of kinds.ipynb that show a figure which can be saved, and the notebook's set-up.
func kinds(t *testing.T) (setup string, list []kind) {
	t.Helper()
	data, err := os.ReadFile(kindsPath)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			ID     string   `json:"id"`
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		}
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		code := strings.TrimSpace(strings.Join(c.Source, ""))
		last := code[strings.LastIndexByte(code, '\n')+1:]
		switch {
		case c.ID == "setup":
			setup = code
		case c.Kind == "code" && (strings.HasPrefix(last, "plots.") || strings.HasPrefix(last, "lab.Plane") ||
			last == "c"):
			list = append(list, kind{c.ID, code})
		}
	}
	return setup, list
}

// The gallery is a page that shows each kind of figure with its line of code: light, dark, and as wide as a column on
// paper. With NACRE_GALLERY it is written to that folder.
func TestGallery(t *testing.T) {
	heavy.Skip(t, "draws every kind of figure three times")
	dir := os.Getenv("NACRE_GALLERY")
	if dir == "" {
		dir = t.TempDir()
	}
	setup, list := kinds(t)
	for _, f := range []string{"Line", "Scatter", "Bar", "Histogram", "Box", "Strip", "Heat", "Arrows"} {
		if !strings.Contains(fmt.Sprint(list), "plots."+f+"(") {
			t.Errorf("%s has no plots.%s", kindsPath, f)
		}
	}
	data, err := filepath.Abs("data")
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{setup, fmt.Sprintf("const galleryFolder = %q", dir), keep}
	for i, k := range list {
		at := strings.LastIndexByte(k.code, '\n') + 1
		cells = append(cells, fmt.Sprintf("%sfigure%d := %s\nkeepFigure(%q, figure%d)", k.code[:at], i, k.code[at:],
			k.name, i))
	}
	var nb struct {
		Cells    []map[string]any `json:"cells"`
		Metadata map[string]any   `json:"metadata"`
		Major    int              `json:"nbformat"`
		Minor    int              `json:"nbformat_minor"`
	}
	nb.Major, nb.Minor, nb.Metadata = 4, 5, map[string]any{}
	for i, code := range cells {
		nb.Cells = append(nb.Cells, map[string]any{"cell_type": "code", "id": fmt.Sprint("cell-", i),
			"outputs": []any{}, "execution_count": nil, "metadata": map[string]any{},
			"source": strings.ReplaceAll(code, "../../notebooks/data", data)})
	}
	text, err := json.Marshal(nb)
	path := filepath.Join(t.TempDir(), "gallery.ipynb")
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	run(t, path)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(galleryPage(t, dir, list)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// galleryPage is the gallery's page. Each picture must be there, in the colours and at the width that it is to have.
func galleryPage(t *testing.T, dir string, list []kind) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Figures</title>
<meta name="viewport" content="width=device-width">
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem;color:#22262b}
pre{white-space:pre-wrap;background:#f4f4f1;padding:.6rem .8rem;border-radius:7px}
div{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}img{max-width:100%}</style>
<h1>Figures</h1><p>Each line of code makes the three pictures below it: by itself, with <code>plots.Dark()</code>, and
with <code>plots.Width("icml-column")</code>.</p>
`)
	signs := map[string]string{"light": "fill:#FFFFFF", "dark": "fill:#14171A", "paper": `width="234pt"`}
	for _, k := range list {
		fmt.Fprintf(&b, "<h2 id=\"%s\">%s</h2><pre>%s</pre><div>", k.name, k.name, html.EscapeString(k.code))
		for _, look := range []string{"light", "dark", "paper"} {
			name := k.name + "-" + look + ".svg"
			picture, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
			} else if !strings.Contains(string(picture), signs[look]) {
				t.Errorf("%s has no %s", name, signs[look])
			}
			fmt.Fprintf(&b, "<img src=\"%s\" alt=\"%s, %s\">", name, k.name, look)
		}
		b.WriteString("</div>\n")
	}
	return b.String() + "</html>\n"
}
