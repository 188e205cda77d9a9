package browser

import (
	"fmt"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// knob is a notebook of a slider, what it is for, what reads that, and what does not.
var knob = []string{
	"import \"nacre/library/display\"\n\nspeed := 2.0\ndisplay.Slider(\"target speed\", &speed, 0, 5)",
	"far := 10 * speed",
	"far + 1",
	"for speed := range 2 { println(speed) }",
}

// marks are the cells that the page marks as stale, by their place.
func (tb *tab) marks() string {
	tb.t.Helper()
	return eval[string](tb, "[...document.querySelectorAll('.cell')].map((c, i) => c.classList.contains('is-stale') "+
		"&& !c.querySelector('.stale').hidden ? i : '').join('')")
}

func (tb *tab) awaitMarks(want string) {
	tb.t.Helper()
	tb.await(fmt.Sprintf("[...document.querySelectorAll('.cell')].map((c, i) => c.classList.contains('is-stale') ? i "+
		": '').join('') === '%s'", want))
}

// By keyboard only, from opening the notebook: a slider moves, what read its variable is marked, one key runs that.
func TestControlsByKeyboard(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	t.Run("server", func(t *testing.T) {
		s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(knob...)})
		byKeyboard(t, s.open("/notebooks/a.ipynb"))
	})
	t.Run("site", func(t *testing.T) {
		s := newStatic(t, map[string]any{"a.ipynb": notebook(knob...)})
		byKeyboard(t, s.open("?notebooks/a.ipynb", nil))
	})
}

func byKeyboard(t *testing.T, p *tab) {
	for range 4 {
		p.press("Shift-Enter")
	}
	p.idle()
	if got := p.shown(2); !strings.Contains(got, "21") || p.marks() != "" {
		t.Fatalf("the third cell shows %q, marked are %q", got, p.marks())
	}
	p.press("Escape", "Ctrl-Home", "n")
	if got := eval[string](p,
		"document.activeElement.type + ' ' + document.activeElement.labels[0].textContent"); got != "range target "+
		"speed" {
		t.Fatalf("the focus is on %q, expected the slider with its label", got)
	}
	p.press("ArrowRight", "ArrowRight")
	p.await("document.activeElement.getAttribute('aria-valuetext') === '2.10' && " +
		"nacre.notebook.cells[0].outputs[0].data['text/plain'] === 'target speed: 2.1 (0 to 5)'")
	p.awaitMarks("12")
	if got := eval[string](p, "document.querySelectorAll('.cell')[2].getAttribute('aria-label')"); !strings.Contains(
		got, "stale: Changed since it ran: far") {
		t.Errorf("of the third cell a screen reader says %q", got)
	}
	if got := p.shown(2); !strings.Contains(got, "21") {
		t.Errorf("a cell ran by itself: %q", got)
	}
	p.press("Escape", "u")
	p.await("document.querySelectorAll('.cell')[2].querySelector('.outputs').textContent.includes('22')") // 10·2.1 + 1
	p.idle()
	p.awaitMarks("")
	p.quiet()
}

// A cell told to run by itself does when what it read has changed, and what it writes makes others run; two that depend
// on each other do once each. An error ends it.
func TestReactiveCells(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(append(append([]string{}, knob...),
		"a, b := 0, 0", "a = b + 1", "b = a + int(speed)", "if speed > 4 { panic(\"too fast\") }")...)})
	p := s.open("/notebooks/a.ipynb")
	p.runAll()
	// As a user marks them: one by one, with a key. One below a stale cell that waits to be run would read what it read
	// before.
	mark := func(cells ...int) {
		for _, k := range cells {
			eval[any](p, fmt.Sprintf("nacre.selection.set(%d, 'command'); null", k))
			p.press("Shift-u")
		}
	}
	mark(2)
	slide(p, 2.5)
	p.awaitMarks("1267")
	if got := eval[string](p, "new Promise(r => setTimeout(r, 300)).then(() => "+
		"document.querySelectorAll('.cell')[2].querySelector('.outputs').textContent)"); !strings.Contains(got, "21") {
		t.Errorf("a cell ran before the one above that it reads: %s", got)
	}
	mark(1, 5, 6, 7)
	if got := eval[string](p, "JSON.stringify(nacre.notebook.cells[1].toJson().metadata.tags)"); got != `["reactive"]` {
		t.Errorf("the tags are %s", got)
	}
	slide(p, 3)
	p.await("document.querySelectorAll('.cell')[2].querySelector('.outputs').textContent.includes('31')")
	p.idle()
	counts := "new Promise(r => setTimeout(r, 700)).then(() => nacre.notebook.cells[5].count + " +
		"nacre.notebook.cells[6].count)"
	ran := eval[int](p, counts)
	if later := eval[int](p, counts); later != ran {
		t.Errorf("cells that depend on each other go on running: their counts add up to %d and then %d", ran, later)
	}
	slide(p, 4.5)
	p.await("nacre.notebook.cells[7].ok === false")
	p.idle()
	p.quiet()
}

// slide moves the slider as a drag ends.
func slide(p *tab, to float64) {
	eval[any](p, fmt.Sprintf("(i => { i.value = %v; i.dispatchEvent(new Event('input')); "+
		"})(document.querySelector('.control input')); null", to))
}

// A control is where it was left when the notebook is opened again without a kernel and when its cell runs in a new
// one; what reads it says so after a restart.
func TestControlsAreRestored(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(knob...)})
	p := s.open("/notebooks/a.ipynb")
	p.runAll()
	slide(p, 4.5)
	p.awaitMarks("12")
	second := s.more(p, "/notebooks/a.ipynb")
	second.await("document.querySelector('.control input').value === '4.5'")
	second.awaitMarks("12") // the kernel knows, not the page
	slide(second, 1.5)
	p.await("document.querySelector('.control output').textContent === '1.50'")
	eval[any](p, "nacre.link.restart().then(() => null)")
	p.awaitMarks("0123")
	p.await("document.querySelector('.control input').value === '1.5'")
	slide(p, 3.5) // no kernel has it: the notebook keeps it
	p.await("document.querySelector('.control .note').textContent.includes('run this cell')")
	p.press("Escape", "u")
	p.await("document.querySelectorAll('.cell')[2].querySelector('.outputs').textContent.includes('36')")
	p.awaitMarks("")
	eval[any](p, "nacre.saving.save().then(() => null)")
	var nb struct {
		Cells []struct {
			Outputs []struct{ Data map[string]any }
		}
	}
	s.read("a.ipynb", &nb)
	if got := nb.Cells[0].Outputs[0].Data["text/plain"]; !strings.Contains(fmt.Sprint(got),
		"target speed: 3.5 (0 to 5)") {
		t.Errorf("the file says %v", got)
	}
	p.quiet()
}

// Without a kernel what ran in another one is stale: the key starts one and runs it, and leaves alone what never ran.
func TestRunStaleWithoutKernel(t *testing.T) {
	nb := notebook(knob...)
	for k, c := range nb["cells"].([]cell)[:3] {
		c["execution_count"] = k + 1
	}
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	if p.marks() != "" {
		t.Errorf("a notebook that is only read has marks: %s", p.marks())
	}
	p.press("u")
	p.await("document.querySelectorAll('.cell')[2].querySelector('.outputs').textContent.includes('21')")
	p.idle()
	if eval[bool](p, "nacre.notebook.cells[3].count !== null") {
		t.Error("a cell that never ran has run")
	}
	p.quiet()
}

// All kinds of controls, with the elements and names that assistive programs know.
func TestControlKinds(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook(`import "nacre/library/display"
n, task, on, presses, note := 3, "left", false, 0, ""
display.Slider("tasks", &n, 1, 9)
display.Select("task", &task, "left", "right")
display.Toggle("adapt", &on)
display.Button("again", &presses)
display.TextField("note", &note)`, "import \"fmt\"\nfmt.Sprintf(\"%v %v %v %v %v\", n, task, on, presses, note)")})
	p := s.open("/notebooks/a.ipynb")
	p.runAll()
	for k, keys := range [][]string{{"ArrowRight"}, {"ArrowDown"}, {"Space"}, {"Space", "Space", "Enter"}} {
		eval[any](p, fmt.Sprintf("document.querySelectorAll('.control :is(input, select, button)')[%d].focus(); null",
			k))
		p.press(keys...)
	}
	eval[any](p, "document.querySelector('.control input[type=text]').focus(); null")
	p.write("slow & <low>")
	p.await("nacre.notebook.cells[0].outputs[4].data['text/plain'] === 'note: slow & <low>'")
	p.awaitMarks("1")
	p.press("Escape", "u")
	p.await("document.querySelectorAll('.cell')[1].querySelector('.outputs').textContent.includes('4 right true 3 " +
		"slow & <low>')")
	names := eval[string](p, "[...document.querySelectorAll('.control :is(input, select, button)')].map(i => "+
		"i.labels?.[0]?.textContent || i.textContent).join()")
	if names != "tasks,task,adapt,again,note" {
		t.Errorf("the controls are called %s", names)
	}
	p.quiet()
}

// Wherever the focus is but in text, the keys of command mode count; those that an element has itself stay its own.
// What is worked in a cell's outputs makes the cell the current one.
func TestKeysOutsideText(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang,
		map[string]any{"a.ipynb": notebook("# Title", knob[0]+"\nname, wall := \"\", \"left\"\n"+
			"display.TextField(\"name\", &name)\ndisplay.Select(\"wall\", &wall, \"left\", \"up\")", knob[1])})
	p := s.open("/notebooks/a.ipynb")
	p.runAll()
	p.await("document.querySelectorAll('.control').length === 3")
	current := func(want int) {
		t.Helper()
		if got := eval[int](p, "nacre.selection.index"); got != want {
			t.Errorf("cell %d is the current one, expected %d", got, want)
		}
	}
	focus := func(selector string) {
		t.Helper()
		eval[any](p, "document.querySelector('"+selector+"').focus(); null")
		if !eval[bool](p, "document.activeElement === document.querySelector('"+selector+"')") {
			t.Fatalf("%s does not keep the focus", selector)
		}
	}
	eval[any](p, "nacre.selection.set(0, 'command')")
	focus(".control input[type=range]")
	current(1)
	p.press("ArrowRight", "End")
	if got := eval[string](p, "document.querySelector('.control input').value"); got != "5" {
		t.Errorf("the slider's own keys leave it at %s", got)
	}
	p.awaitMarks("2")
	p.press("u")
	p.await("nacre.notebook.cells[2].outputs.length === 0 && nacre.notebook.cells[2].count === 3")
	p.idle()
	p.awaitMarks("")
	current(1)
	p.press("t")
	p.await("!document.querySelector('.outline').hidden")
	focus(".control input[type=range]")
	p.press("t", "j")
	p.await("document.querySelector('.outline').hidden")
	current(2)
	eval[any](p, "nacre.notebook.cells[0].setSource('# Other'); nacre.notebook.edited.emit()")
	focus(".control select")
	current(1)
	p.press("u", "Ctrl-s") // a letter chooses
	p.await("nacre.saving.state === 'saved'")
	if got := eval[string](p, "document.querySelector('.control select').selectedOptions[0].text"); got != "up" {
		t.Errorf("the letter of a choice leaves it at %s", got)
	}
	focus(".control input[type=text]")
	p.press("j", "t", "u")
	current(1)
	if got := eval[string](p, "document.querySelector('.control input[type=text]').value"); got != "jtu" {
		t.Errorf("what is written comes to %q", got)
	}
	// Buttons of the bar, and of what stands beside the notebook.
	focus(".top button.title")
	p.press("j")
	current(2)
	focus(".top button[aria-label^=Theme]")
	theme := eval[string](p, "localStorage.getItem('nacre.theme') ?? ''")
	p.press("Space", "h")
	p.await("document.querySelector('dialog .help')")
	if eval[string](p, "localStorage.getItem('nacre.theme') ?? ''") == theme {
		t.Error("a button's own key does nothing")
	}
	p.press("Escape")
	p.await("!document.querySelector('dialog')")
	p.press("t")
	p.await("!document.querySelector('.outline').hidden")
	focus(".outline li button")
	p.press("ArrowDown")
	if !eval[bool](p, "document.activeElement === document.querySelectorAll('.outline li button')[1]") {
		t.Error("the outline's own keys are not its own")
	}
	p.press("k")
	current(1)
	p.quiet()
}
