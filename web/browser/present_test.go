package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/internal/heavy"
)

// presented is a notebook of a title, a wide chart, a wide table and a long one, under two headings.
func presented(t *testing.T) map[string]any {
	t.Helper()
	n := 60
	columns := []frame.Column{}
	for k := range 14 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i*k) / 7
		}
		columns = append(columns, frame.Numbers(fmt.Sprintf("column %d", k), x))
	}
	f := frame.New(columns...)
	nb := notebook("# A talk", "run(\"a secret source\")", "## The second slide", "print run")
	cells := nb["cells"].([]cell)
	cells[1]["outputs"] = []any{display(wire(t, plots.Line(f, "column 1", "column 2", plots.Labels("x", "y"))))}
	cells[3]["outputs"] = []any{display(wire(t, f))}
	return nb
}

// saves runs a command that saves a file, and returns its text.
func (tb *tab) saves(command string) string {
	tb.t.Helper()
	return eval[string](tb, `(async () => {
		const blobs = [], made = URL.createObjectURL, clicked = HTMLAnchorElement.prototype.click;
		URL.createObjectURL = b => (blobs.push(b), 'blob:none');
		HTMLAnchorElement.prototype.click = () => {};
		nacre.run('`+command+`');
		while (!blobs.length) await new Promise(r => setTimeout(r, 20));
		URL.createObjectURL = made;
		HTMLAnchorElement.prototype.click = clicked;
		return blobs[0].text();
	})()`)
}

// Code is hidden by a command, in the page and in what is exported; slides begin at headings.
func TestPresent(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": presented(t)})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.chart svg') && document.querySelector('figure.table tbody tr')")
	seen := func() bool {
		return eval[bool](p, "document.querySelectorAll('.cell')[1].querySelector('.source').offsetHeight > 0")
	}
	if !seen() || !strings.Contains(p.saves("file.html"), "a secret source") {
		t.Error("code is not shown before it is hidden")
	}
	eval[any](p, "nacre.run('view.hideCode')")
	if seen() {
		t.Error("hidden code is seen in the page")
	}
	html, slides := p.saves("file.html"), p.saves("file.slides")
	for name, file := range map[string]string{"HTML": html, "slides": slides} {
		if strings.Contains(file, "a secret source") || !strings.Contains(file, "A talk") ||
			!strings.Contains(file, "<img") || strings.Contains(file, "<script") {
			t.Errorf("%s: %.2000s", name, file)
		}
	}
	eval[any](p, "nacre.selection.set(3, 'command'), nacre.run('slide.begin')")
	if mark := eval[string](p, "document.querySelectorAll('.cell')[3].querySelector('.slide-type').innerText"); mark !=
		"slide" || strings.Count(p.saves("file.slides"), `class="slide"`) != 2 {
		t.Errorf("the cell that begins a slide is marked %q", mark)
	}
	eval[any](p, "nacre.run('slide.begin')")
	if n := strings.Count(slides, `class="slide"`); n != 2 {
		t.Errorf("%d slides, expected one for each heading", n)
	}
	eval[any](p, "nacre.run('view.hideCode')")
	if !seen() {
		t.Error("code does not come back")
	}
	p.quiet()
}

// On paper nothing is cut: no word of the page's PDF lies beyond its margins, and each row of a table is on one page.
func TestPrint(t *testing.T) {
	heavy.Skip(t, "a browser prints")
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed; the package poppler-utils has it")
	}
	s := newSite(t, map[string]any{"a.ipynb": presented(t)})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.chart svg') && document.querySelector('figure.table tbody tr')")
	file := p.printed()
	if keep := os.Getenv("NACRE_KEEP"); keep != "" {
		_ = os.WriteFile(keep, file, 0o644)
	}
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pdftotext", "-bbox", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for line := range strings.Lines(string(out)) {
		var lo, top, hi, bottom float64
		_, err := fmt.Sscanf(strings.TrimSpace(line), `<word xMin="%g" yMin="%g" xMax="%g" yMax="%g"`, &lo, &top, &hi,
			&bottom)
		if err != nil {
			continue
		}
		words++
		if lo < 20 || hi > 612-20 || top < 20 || bottom > 792-20 {
			t.Errorf("beyond the margins of the page: %s", line)
		}
	}
	text := string(out)
	for _, want := range []string{"talk", "secret"} {
		if !strings.Contains(text, want) {
			t.Errorf("the print of %d words has no %s", words, want)
		}
	}
	if n := strings.Count(text, ">column<"); n != 14 {
		t.Errorf("the print has the names of %d of 14 columns", n)
	}
	if strings.Contains(text, ">Save<") || strings.Contains(text, ">CSV<") {
		t.Error("the print has buttons")
	}
}

// printed is the page as the browser saves it as a PDF, on letter paper.
func (tb *tab) printed() []byte {
	tb.t.Helper()
	background := true
	out, err := chromedp.Call(tb.ctx, page.PrintToPDF, page.PrintToPDFParams{PrintBackground: &background})
	if err != nil {
		tb.t.Fatal(err)
	}
	return out.Data
}
