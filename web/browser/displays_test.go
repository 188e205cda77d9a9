package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
)

// Tens of thousands of displays in one cell, and two hundred thousand if NACRE_SOAK is set. The server keeps 10,000 of
// them, with a note, and the page draws a thousand at once: it answers while the cell runs, and the note, an error and
// the next cell are there.
func TestManyDisplays(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	displays := 20_000
	if os.Getenv("NACRE_SOAK") != "" {
		displays = 200_000
	}
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(
		fmt.Sprintf("import (\"nacre/library/display\"; \"strconv\")\n"+
			"for i := range %d { display.Show(display.Text(strconv.Itoa(i))) }\npanic(\"at the end\")", displays),
		`println("last")`)})
	p := s.open("/notebooks/a.ipynb")
	p.press("Ctrl-Enter")
	slowest, end := time.Duration(0), time.Now().Add(3*time.Minute)
	for running := true; running && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		began := time.Now()
		running = eval[bool](p, "nacre.notebook.cells[0].state !== 'idle'")
		slowest = max(slowest, time.Since(began))
	}
	p.idle()
	kept := eval[int](p, "nacre.notebook.cells[0].outputs.length")
	shown := p.shown(0)
	drawn := eval[int](p, "document.querySelectorAll('.cell .output').length")
	t.Logf("%d outputs are kept and %d drawn, on %d nodes, with %.0f MB; the slowest answer took %v", kept, drawn,
		eval[int](p, "document.querySelectorAll('*').length"),
		eval[float64](p, "performance.memory.usedJSHeapSize / 1e6"), slowest.Round(time.Millisecond))
	if kept < 6000 || kept > 10_100 || drawn < 1000 || drawn > 1100 || !strings.Contains(shown, "left out") ||
		!strings.Contains(shown, "at the end") {
		t.Errorf("%d outputs are kept, %d drawn: …%s", kept, drawn, shown[max(0, len(shown)-300):])
	}
	more := "document.querySelector('.output-area > .folded-note')"
	if text := eval[string](p, more+".textContent"); !strings.Contains(text, "more outputs: show 1000 of them") {
		t.Errorf("of the rest the page says %q", text)
	}
	eval[any](p, more+".click()")
	p.await("document.querySelectorAll('.cell .output').length > 2000")
	if !eval[bool](p, "(([...all]) => all.slice(0, 2000).every((o, i) => +o.textContent === i) && "+
		"all.at(-1).dataset.kind === 'error')(document.querySelectorAll('.cell .output'))") {
		t.Error("the outputs are not in order")
	}
	p.press("ArrowDown", "Ctrl-Enter")
	p.idle()
	if got := p.shown(1); !strings.Contains(got, "last") {
		t.Errorf("the next cell shows %q", got)
	}
	p.quiet()
}
