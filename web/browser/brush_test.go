package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// The shipped notebook as it is read, without a kernel, on a server and as static files: by keyboard its scrubber goes
// through the checkpoints, and what is selected in one view is in the others.
func TestScrubberAndBrushing(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	file, err := os.ReadFile("../../notebooks/controls.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("server", func(t *testing.T) {
		scrub(t, newSite(t, map[string]any{"a.ipynb": file}).open("/notebooks/a.ipynb"))
	})
	t.Run("site", func(t *testing.T) {
		scrub(t, newStatic(t, map[string]any{"a.ipynb": file}).open("?notebooks/a.ipynb", nil))
	})
}

func scrub(t *testing.T, p *tab) {
	cell := eval[int](p, "nacre.notebook.cells.findIndex(c => c.source.startsWith('run.Scrubber'))")
	eval[any](p, fmt.Sprintf("nacre.goToCell(%d); null", cell))
	p.await("document.querySelector('.scrubber .rollout').dataset.ready")
	p.press("n")
	if got := eval[string](p, "document.activeElement.getAttribute('aria-label')"); got != "Checkpoint" {
		t.Fatalf("the focus is on %q, expected the scrubber", got)
	}
	at := "document.querySelector('.scrubber').dataset.at"
	titles := "[...document.querySelectorAll('.scrubber .parts figure header .title')].map(e => " +
		"e.textContent).slice(0, 2).join()"
	last := eval[string](p, at)
	p.await("(window.picture = document.querySelector('.scrubber .embedding canvas').toDataURL()).length > 5000")
	p.press("Home")
	p.await(at + " === 'iteration 0' && " + titles + " === 'iteration 0,iteration 0'")
	p.await("document.querySelector('.scrubber .embedding canvas').toDataURL() !== window.picture")
	p.press("End")
	p.await(at + " === " + fmt.Sprintf("%q", last))
	p.await("document.querySelector('.scrubber .embedding canvas').toDataURL() === window.picture")
	// A curve is chosen by its name: the same task is in the embedding and in the rollout.
	eval[any](p, "document.querySelectorAll('.scrubber .values button')[1].focus(); null")
	p.press("Enter")
	name := "document.querySelectorAll('.scrubber .legend button')[1].textContent"
	p.await("document.querySelector('.scrubber figcaption').textContent.includes('40 selected')")
	shown := "[...document.querySelectorAll('.scrubber .rollout .legend button')].map(b => " +
		"b.getAttribute('aria-pressed')).join()"
	if got := eval[string](p, shown); got != "false,true,false,false,false" {
		t.Errorf("the rollout shows %s", got)
	}
	if got := eval[string](p, "document.querySelector('.scrubber header .count').textContent"); !strings.Contains(got,
		eval[string](p, name)) {
		t.Errorf("selected is %q", got)
	}
	// It stays while the checkpoint changes.
	eval[any](p, "document.querySelector('.scrubber input').focus(); null")
	p.press("ArrowLeft")
	p.await(at + " !== " + fmt.Sprintf("%q", last) +
		" && document.querySelector('.scrubber figcaption').textContent.includes('40 selected')")
	// An episode besides: a second task in the others.
	eval[any](p, "document.querySelectorAll('.scrubber .rollout .legend button')[3].focus(); null")
	p.press("Enter")
	p.await("document.querySelector('.scrubber figcaption').textContent.includes('80 selected')")
	p.await("[...document.querySelectorAll('.scrubber .values button')].map(b => " +
		"b.getAttribute('aria-pressed')).join() === 'false,true,false,true,false'")
	// The embedding lets go: all are back.
	eval[any](p, "document.querySelector('.scrubber .embedding .viewport').focus(); null")
	p.press("Escape")
	p.await("document.querySelector('.scrubber figcaption').textContent.includes('all points')")
	p.await("[...document.querySelectorAll('.scrubber .values button')].every(b => b.getAttribute('aria-pressed') " +
		"=== 'false')")
	// With the pointer: a lasso around the left end, where not all tasks have points.
	eval[any](p, `(() => {
		const plot = document.querySelector('.scrubber .embedding .viewport'), box = plot.getBoundingClientRect();
		const at = (type, x, y) => plot.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: box.left + x * box.width, clientY: box.top + y * box.height, shiftKey: true }));
		plot.setPointerCapture = () => {};
		at('pointerdown', 0.01, 0.01);
		for (const [x, y] of [[0.14, 0.01], [0.14, 0.99], [0.01, 0.99]]) at('pointermove', x, y);
		at('pointerup', 0.01, 0.99);
	})()`)
	p.await("/^[1-9]\\d* selected/.test(document.querySelector('.scrubber figcaption').textContent)")
	curves := "[...document.querySelectorAll('.scrubber .values button')].map(b => " +
		"b.getAttribute('aria-pressed')).join()"
	p.await(curves + ".includes('true')")
	if a, b := eval[string](p, curves), eval[string](p, shown); a != b || !strings.Contains(a, "false") {
		t.Errorf("the lasso has the curves %s and the episodes %s", a, b)
	}
	p.quiet()
}
