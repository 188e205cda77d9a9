package browser

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
)

// A training is followed until the user scrolls, tells in the header and the title how far it is, draws small panels,
// and is paused and goes on.
func TestTrainingIsWatched(t *testing.T) {
	heavy.Skip(t, "a browser and a training for some seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("# Text\n\n"+strings.Repeat("A paragraph.\n\n", 60),
		`import "nacre/library/lab"`,
		`runs := lab.Compare("quick/point-goal", []string{"pearl", "tcl-pearl"}, []int{1, 2}, lab.Iterations(200),
	lab.Set("pearl.updates_per_iteration=12", "pearl.hidden=32", "evaluation.every=1"))`)})
	p := s.open("/notebooks/a.ipynb")
	if y := eval[float64](p, "scrollY"); y != 0 {
		t.Fatalf("the page begins at %v", y)
	}
	eval[any](p, "(nacre.running.range(0, 3), null)")
	p.await("document.querySelectorAll('.small-plot canvas').length >= 4")
	p.await(`/^\d+ % a – Nacre$/.test(document.title)`)
	p.await(`/^\d+ % · .*left/.test(document.querySelector('.progress.now').textContent)`)
	p.await("document.querySelector('.top progress.whole').value > 0")
	p.await("document.querySelector('.top .uses').textContent.includes('memory ')")
	const inView = `(r => r.top >= 0 && r.top < innerHeight - 100)(
		document.querySelectorAll('.cell')[2].querySelector('.output-area').getBoundingClientRect())`
	p.await("scrollY > 0 && " + inView)
	titles := eval[[]string](p, `[...document.querySelectorAll('.small-plot h4 span')].map(e => e.textContent)`)
	if strings.Join(titles[:2], ", ") != "loss of the critic, loss of the policy" {
		t.Errorf("the panels are %q", titles)
	}
	// The wheel is the user's: the page stays where he went, while the training goes on and is drawn.
	wheel := input.DispatchMouseEventParams{Type: "mouseWheel", X: 300, Y: 400, DeltaX: 0.01, DeltaY: -100000}
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, wheel); err != nil {
		t.Fatal(err)
	}
	p.await("scrollY === 0")
	before := eval[float64](p, "document.querySelector('.top progress.whole').value")
	eval[any](p, "(window.was = document.querySelector('.top progress.whole').value, null)")
	p.await("document.querySelector('.top progress.whole').value > was + 0.005")
	if y := eval[float64](p, "scrollY"); y != 0 {
		t.Errorf("at %v of the training the page was scrolled to %v", before, y)
	}
	eval[any](p, "nacre.run('cell.running')")
	p.await(inView)
	eval[any](p, "[...document.querySelectorAll('.top button')].find(b => b.textContent === 'Pause').click()")
	p.await(`/^paused at \d+ %/.test(document.querySelector('.progress.now').textContent)`)
	p.await("nacre.notebook.cells[2].outputs.some(o => JSON.stringify(o.data ?? '').includes('run the cell again'))")
	share := eval[float64](p, "document.querySelector('.top progress.whole').value")
	eval[any](p, "[...document.querySelectorAll('.top button')].find(b => b.textContent === 'Go on').click()")
	p.await("nacre.notebook.cells[2].state === 'running' && document.querySelector('.top progress.whole').value > 0")
	p.await(`/ % · /.test(document.querySelector('.progress.now').textContent)`)
	if now := eval[float64](p, "document.querySelector('.top progress.whole').value"); now < share-0.02 {
		t.Errorf("paused at %v of the whole, it goes on at %v", share, now)
	}
	eval[any](p, "nacre.run('kernel.interrupt')")
	p.idle()
	p.quiet()
}

// The browser is asked for notes on a click only, and a note says what ended a kernel while nobody looked.
func TestNotes(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("pid", "spin")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter")
	p.idle()
	pid, err := strconv.Atoi(strings.TrimSpace(p.shown(0)))
	if err != nil {
		t.Fatal(err)
	}
	eval[any](p, `(() => {
		window.asked = 0;
		window.notes = [];
		window.Notification = class {
			static permission = 'default';
			static async requestPermission() { asked++; return (this.permission = 'granted'); }
			constructor(title, { body }) { notes.push(title + ': ' + body); }
			close() {}
		};
		document.hasFocus = () => false;
	})()`)
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[1].state === 'running'")
	if asked := eval[int](p, "asked"); asked != 0 {
		t.Errorf("the page asked %d times unasked", asked)
	}
	p.await("[...document.querySelectorAll('.top button')].some(b => /desktop/.test(b.title) && !b.hidden)")
	eval[any](p, "[...document.querySelectorAll('.top button')].find(b => /desktop/.test(b.title)).click()")
	p.await("asked === 1 && document.querySelector('.top button[aria-pressed=true]')?.title.includes('Click for none')")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.await("notes.length === 1")
	if note := eval[string](p, "notes[0]"); !strings.HasPrefix(note, "a: the kernel ended: The kernel ended while") {
		t.Errorf("the note says %q", note)
	}
}
