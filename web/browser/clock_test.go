package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
)

// setClock moves the clock of a page.
const setClock = `(() => {
	const real = window.realDate ??= Date;
	const shift = %d;
	window.Date = class extends real {
		constructor(...a) { if (a.length) super(...a); else super(real.now() + shift); }
		static now() { return real.now() + shift; }
	};
})()`

// The clock of a page that runs a cell is set by hours, back and forth, and so are the times of the notebook's file:
// the page says how long the cell runs, saves, and takes nobody's change for its own or its own for somebody else's.
func TestClockThatIsSet(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	for _, hours := range []int{-7, 7} {
		s := newSite(t, map[string]any{"a.ipynb": notebook("print one", "count 80 50", "print last")})
		p := s.open("/notebooks/a.ipynb")
		eval[any](p, fmt.Sprintf(setClock, hours*3_600_000))
		p.press("Shift-Enter")
		p.idle()
		p.press("Shift-Enter")
		p.await("nacre.notebook.cells[1].state === 'running'")
		eval[any](p, fmt.Sprintf(setClock, -hours*3_600_000))
		p.await("document.querySelectorAll('.cell')[1].querySelector('.timing').textContent")
		time.Sleep(1100 * time.Millisecond) // the time is drawn every second
		for _, part := range []string{"document.querySelectorAll('.cell')[0].querySelector('.timing')",
			"document.querySelectorAll('.cell')[1].querySelector('.timing')"} {
			if text := eval[string](p, part+".textContent"); !strings.HasSuffix(text, "s") {
				t.Errorf("with a clock %d hours wrong a cell takes %q", hours, text)
			}
		}
		p.idle()
		// Saved by this page, then moved in time by somebody who copies files: no conflict.
		eval[any](p, "(nacre.notebook.cells[2].setSource('print changed'), nacre.saving.save()).then(() => null)")
		file := filepath.Join(s.dir, "a.ipynb")
		at := time.Now().Add(time.Duration(hours) * time.Hour)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		eval[any](p, "(nacre.notebook.cells[2].setSource('print again'), nacre.saving.save()).then(() => null)")
		if state := eval[string](p, "nacre.saving.state"); state != "saved" {
			t.Errorf("after the file's time went %d hours on: %s", hours, state)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "print again") {
			t.Errorf("the file has %.200s, %v", text, err)
		}
		// Somebody else's change is noticed, though it has the time of the page's own.
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "print again", "print other", 1)),
			0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		eval[any](p, "(nacre.notebook.cells[2].setSource('print mine'), nacre.saving.save()).then(() => null)")
		if state := eval[string](p, "nacre.saving.state"); state == "saved" {
			t.Errorf("somebody else's change of the same time is written over: %s", state)
		}
	}
}
