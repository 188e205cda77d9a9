package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
)

// enter writes into the current editor as a keyboard does, letter by letter.
func (tb *tab) enter(text string) {
	tb.t.Helper()
	for _, r := range text {
		tb.press(string(r))
	}
}

// settle waits until a list that has just come takes keys: before that they go into the text.
func settle() { time.Sleep(200 * time.Millisecond) }

// listed are the first entries of a list that answers all that was written.
const listed = "[...document.querySelectorAll('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) " +
	".cm-completionLabel')].slice(0, 5).map(l => l.textContent)"

// A newcomer's cell from nothing: the package is found while typing and imported by choosing it, the call shows its
// parameters, what is wrong is underlined before it runs and goes when it is right.
func TestWriting(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang,
		map[string]any{"a.ipynb": notebook("type Arm struct {\n\tLatent int // of the posterior\n}\narm := Arm{3}",
			"")})
	p := s.open("/notebooks/a.ipynb")
	p.press("j", "Enter")
	p.enter("strings.repe")
	p.await("(" + listed + ").includes('Repeat')")
	p.await("document.querySelector('.cm-completionInfo')?.innerText.includes('copies of the string')")
	settle()
	p.press("Enter")
	p.await("nacre.notebook.cells[1].source === 'import \"strings\"\\nstrings.Repeat'")
	p.enter("(")
	p.await("document.querySelector('.signature b')?.textContent === 's string'")
	p.enter("\"a\", ")
	p.await("document.querySelector('.signature b')?.textContent === 'count int'")
	if got := eval[string](p, "document.querySelector('.signature').textContent"); !strings.HasPrefix(got,
		"Repeat(s string, count int) string") {
		t.Errorf("the signature is %q", got)
	}
	p.enter("arm.lat") // of the cell above, which has not run
	p.await("(" + listed + ").includes('Latent')")
	settle()
	p.press("Tab")
	p.await("nacre.notebook.cells[1].source.endsWith('strings.Repeat(\"a\", arm.Latent)')")
	p.press("End")
	p.await("!document.querySelector('.cm-lintRange')")
	p.press("Enter")
	p.write("fmt.Println(arm.Latend)")
	p.await("document.querySelectorAll('.cm-lintRange').length === 2")
	if got := eval[[]string](p,
		"[...document.querySelectorAll('.cm-lintRange')].map(m => m.textContent)"); !slices.Equal(got,
		[]string{"fmt", "Latend"}) {
		t.Errorf("underlined: %q", got)
	}
	if got := eval[string](p, "document.querySelectorAll('.cell')[1].getAttribute('aria-label')"); got != "Code "+
		"cell, 2 problems" {
		t.Errorf("a screen reader hears %q", got)
	}
	p.press("Escape", "Escape", "Enter", "Ctrl-Home", "F8")
	p.await("document.querySelector('.cm-tooltip .cm-diagnosticAction')")
	eval[any](p, "document.querySelector('.cm-diagnosticAction').dispatchEvent(new MouseEvent('mousedown', { "+
		"bubbles: true }))")
	p.await("nacre.notebook.cells[1].source.includes('import \"fmt\"') && " +
		"document.querySelectorAll('.cm-lintRange').length === 1")
	eval[any](p, "nacre.notebook.cells[0].setSource('type Arm struct{ Latend int }\\narm := Arm{3}')")
	p.await("document.querySelector('.cm-lintRange')?.textContent === 'Latent'")
	if got := eval[int](p, "nacre.notebook.cells.filter(c => c.count !== null || c.outputs.length).length"); got != 0 {
		t.Errorf("%d cells ran by being checked", got)
	}
	p.quiet()
}

// What a cell that runs or waits declares is known below it, then and when it has run.
func TestProblemsWhileRunning(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang,
		map[string]any{"a.ipynb": notebook("import \"time\"\nslow := func() int { time.Sleep(2 * time.Second); "+
			"return 1 }()", "slow + 1")})
	p := s.open("/notebooks/a.ipynb")
	const problems = "[...document.querySelectorAll('.cell')].some(c => " +
		"c.getAttribute('aria-label').includes('problem'))"
	began := time.Now()
	p.runAll()
	for time.Since(began) < 4*time.Second {
		settle()
		if eval[bool](p, problems) {
			t.Fatalf("a problem %v after the cells were run", time.Since(began))
		}
	}
	if got := eval[string](p, "nacre.notebook.cells[1].outputs[0].data['text/plain']"); got != "2" {
		t.Errorf("the second cell shows %q", got)
	}
}

// Enter ends a line where the list has nothing that was begun to be written.
func TestEnterWhileCompleting(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("alpha := 1", "")})
	p := s.open("/notebooks/a.ipynb")
	p.press("j", "Enter")
	p.enter("alpha")
	p.await("(" + listed + ").includes('alpha')")
	p.press("Enter")
	p.enter("alp")
	p.await("(" + listed + ").includes('alpha')")
	time.Sleep(150 * time.Millisecond) // an entry is not taken in the moment in which it appears
	p.press("Enter", "Enter")
	if got := eval[string](p, "nacre.notebook.cells[1].source"); got != "alpha\nalpha\n" {
		t.Errorf("the cell is %q", got)
	}
}

// A list of names that is asked for in the moment in which its cell is run does not open after the cell was left.
// A setting that is completed awaits its value.
func TestLeftWhileCompleting(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("alpha := 1", "")})
	p := s.open("/notebooks/a.ipynb")
	p.press("j", "Enter")
	p.enter("alpha")
	p.await("(" + listed + ").includes('alpha')") // the kernel is there
	for range 5 {
		p.press("End", "Escape", "Enter", "End")
		p.write("\nalpha")
		p.press("Ctrl-Enter")
		p.idle()
		time.Sleep(300 * time.Millisecond)
		if got := eval[[]string](p, listed); len(got) > 0 {
			t.Fatalf("a list stands over a cell that was left: %q", got)
		}
		p.press("Enter")
	}
	p.press("Ctrl-a", "Backspace")
	p.write("import \"nacre/library/lab\"\n")
	p.enter("lab.Set(\"tcl.win")
	p.await("(" + listed + `)[0] === '"tcl.window="'`) // all of what is written has been asked for
	settle()
	p.press("Tab")
	p.await("nacre.notebook.cells[1].source.endsWith('window=\")')")
	p.enter("20")
	if got := eval[string](p, "nacre.notebook.cells[1].source"); !strings.HasSuffix(got,
		"\nlab.Set(\"tcl.window=20\")") {
		t.Errorf("the cell is %q", got)
	}
}

// The parameters of a call stand where they cover neither the line that is written, nor the page's bar, nor at a cell's
// end anything of the cell; the list of names is below them.
func TestSignaturePlace(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("import \"strings\"\n", "a\nb\nc\n\nd")})
	p := s.open("/notebooks/a.ipynb")
	type box struct{ Top, Bottom float64 }
	at := func(expression string) box {
		t.Helper()
		return eval[box](p, "(() => { const { top, bottom } = "+expression+"; return { top, bottom }; })()")
	}
	const view = "nacre.view(nacre.selection.cell).editor.view"
	const signature = "document.querySelector('.signature').getBoundingClientRect()"
	check := func(where string, below bool) (popup, line box) {
		t.Helper()
		p.await("document.querySelector('.signature b') && " +
			"document.querySelector('.signature').getBoundingClientRect().top > 0")
		settle()
		popup, line = at(signature), at(view+".coordsAtPos("+view+".state.selection.main.head)")
		if bar := at("document.querySelector('.top').getBoundingClientRect()"); popup.Top < bar.Bottom {
			t.Errorf("%s: the parameters at %v are over the bar, which ends at %v", where, popup.Top, bar.Bottom)
		}
		if below && popup.Top < line.Bottom || !below && popup.Bottom > line.Top {
			t.Errorf("%s: the parameters are at %+v, the line is at %+v; below it: %v", where, popup, line, below)
		}
		return popup, line
	}
	p.press("Enter", "Ctrl-End")
	p.enter("strings.Replace(")
	check("at the end of the first cell", true)
	p.enter("str")
	p.await("(" + listed + ").includes('strings')")
	popup, _ := check("with a list", true)
	if list := at(
		"document.querySelector('.cm-tooltip-autocomplete').getBoundingClientRect()"); list.Top < popup.Bottom {
		t.Errorf("the list at %v is over the parameters, which end at %v", list.Top, popup.Bottom)
	}
	p.press("Escape", "Enter")
	p.enter("1,")
	check("in a call of several lines", true)
	p.press("Escape", "Escape", "j", "Enter", "Ctrl-Home", "ArrowDown", "ArrowDown", "ArrowDown")
	p.enter("strings.Repeat(")
	check("with lines below", false)
	p.press("Escape", "Escape", "k", "Enter", "Ctrl-Home")
	p.enter("len(")
	check("in the page's first line", true)
	p.quiet()
}

// What is typed comes to what was meant, brackets and quotes that the editor closes by itself included, however lines
// end between.
func TestTypingOver(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Enter")
	for _, c := range []struct{ typed, want string }{
		{"fmt.Println()", ""},
		{"fmt.Println(\"a\", m['b'], `c`, len([]int{1}))", ""},
		{"for {\nfmt.Println()\n}", "for {\n\tfmt.Println()\n}"},
		{"for {\nif x {\ny()\n}\n}\nz()", "for {\n\tif x {\n\t\ty()\n\t}\n}\nz()"},
		{"f(\na,\nb,\n)", "f(\n\ta,\n\tb,\n)"},
		{"x := []T{\n{1},\n{2}}", "x := []T{\n\t{1},\n\t{2}}"},
		// Here the first bracket that is typed closes the second that was opened.
		{"if a {\nif b {|\n}", "if a {\n\tif b {\n\t}\n}"},
	} {
		eval[any](p, "(v => { v.dispatch({ changes: { from: 0, to: v.state.doc.length } }); v.focus(); "+
			"})(nacre.view(nacre.notebook.cells[0]).ensureEditor().view)")
		for _, r := range c.typed {
			switch r {
			case '\n':
				p.press("Enter")
			case '|': // the closing bracket that came by itself goes
				eval[any](p, "(v => { const at = v.state.doc.toString().indexOf('if b {') + 6; v.dispatch({ changes: "+
					"{ from: at, to: at + 1 } }); })(nacre.view(nacre.notebook.cells[0]).ensureEditor().view)")
			default:
				p.press(string(r))
			}
		}
		want := c.want
		if want == "" {
			want = c.typed
		}
		if got := p.sources(); got != want {
			t.Errorf("typed %q and have %q, want %q", c.typed, got, want)
		}
	}
	p.quiet()
}

// Opening and reading start no kernel; writing and running do.
func TestNoKernelToRead(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("# Title", "print one"), "b.ipynb": notebook("print two")})
	kernels := func() int {
		t.Helper()
		r, err := http.Get(s.url + "/api/kernels?token=" + token)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var list []any
		if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	p := s.open("/notebooks/a.ipynb")
	p.press("j", "k", "t", "Escape", "ArrowLeft", "ArrowRight", "o")
	p.press("j", "Enter", "Escape")
	if n := kernels(); n != 0 {
		t.Fatalf("%d kernels run after reading", n)
	}
	if got := eval[string](p, "document.querySelector('.kernel .state').textContent"); got != "starts when needed" {
		t.Errorf("the kernel's state is %q", got)
	}
	p.press("Shift-Enter")
	p.await("nacre.notebook.cells[1].outputs.length === 1")
	p.idle()
	if n := kernels(); n != 1 {
		t.Errorf("%d kernels run after a cell", n)
	}
	again := s.more(p, "/notebooks/a.ipynb") // joins the one that runs
	again.await("nacre.link.state === 'idle'")
	other := s.more(p, "/notebooks/b.ipynb")
	if n := kernels(); n != 1 {
		t.Errorf("%d kernels run after another notebook was opened", n)
	}
	other.press("Enter", "End")
	other.enter(" x")
	other.await("nacre.link.state === 'idle'")
	if n := kernels(); n != 2 {
		t.Errorf("%d kernels run after it was written in", n)
	}
	p.quiet()
	other.quiet()
}

// The same in a tab without a server: the kernel's program is not even fetched.
func TestNoKernelToReadSite(t *testing.T) {
	s := newStatic(t, map[string]any{"a.ipynb": notebook("# Title", "1 + 1")})
	p := s.open("?notebooks/a.ipynb", nil)
	p.press("j", "k", "j")
	fetched := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.ContainsFunc(s.asked, func(url string) bool {
			return strings.Contains(url, "kernel-") && strings.Contains(url, ".wasm")
		})
	}
	if fetched() || eval[string](p, "nacre.link.state") != "unneeded" {
		t.Error("reading starts the tab's kernel")
	}
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[1].outputs.length === 1")
	if got := p.shown(1); got != "2" {
		t.Errorf("the cell shows %q", got)
	}
}

func TestOutline(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("# One", "print x", "## *Two*", "sleep 5000", "# Three",
		"print z")})
	p := s.open("/notebooks/a.ipynb")
	p.press("t")
	p.await("document.querySelector('.outline:not([hidden])')")
	lines := func() string {
		return eval[string](p, "[...document.querySelectorAll('.outline button[style]')].map(b => "+
			"getComputedStyle(b).getPropertyValue('--depth').trim() + b.textContent).join('|')")
	}
	if got := lines(); got != "0One|1print x|1Two|2sleep 5000|0Three|1print z" {
		t.Errorf("the outline is %q", got)
	}
	p.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "Enter")
	p.await("nacre.selection.index === 4 && document.activeElement.closest('.cell')?.dataset.id === 'cell-4'")
	eval[any](p, "nacre.running.range(3, 4).then(() => null)")
	p.await("document.querySelector('.outline [data-state=running]')?.textContent === 'sleep 5000'")
	p.press("g")
	p.await("nacre.selection.index === 3")
	eval[any](p, "document.querySelector('.outline button[aria-label=Close]').focus()")
	p.press("Escape")
	p.await("document.querySelector('.outline').hidden")
	p.quiet()
}

func TestLibraryPanel(t *testing.T) {
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("x := 1")})
	p := s.open("/notebooks/a.ipynb")
	p.press("e")
	p.write("strings repeat")
	p.await("document.querySelector('.library .entry code')?.textContent === 'strings.Repeat'")
	p.press("ArrowDown", "Enter")
	p.await("document.querySelector('.library .more:not([hidden])')?.innerText.includes('func Repeat(s string, count " +
		"int) string')")
	eval[any](p, "document.querySelector('.library .insert').click()")
	p.await("nacre.notebook.cells[0].source === 'import \"strings\"\\nx := 1\\nstrings.Repeat(s, count)'")
	p.quiet()
}

// Cells go where they are dropped, a folded section with its heading, and one undo brings them back.
func TestDragCells(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("# A", "print x", "# B", "print y")})
	p := s.open("/notebooks/a.ipynb")
	drag := func(from, to int, share float64) {
		t.Helper()
		eval[any](p, fmt.Sprintf(`(() => {
			const cells = [...document.querySelectorAll('.cell')], data = new DataTransfer();
			const send = (dom, type, y) => dom.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, clientY: y }));
			send(cells[%d].querySelector('.gutter'), 'dragstart', 0);
			const box = cells[%d].getBoundingClientRect(), y = box.top + %f * box.height;
			send(cells[%[2]d].querySelector('.main'), 'dragover', y);
			if (!document.querySelector('.drop-above, .drop-below')) throw new Error('no mark where the cell would go');
			send(cells[%[2]d].querySelector('.main'), 'drop', y);
			send(cells[%[1]d].querySelector('.gutter'), 'dragend', 0);
		})()`, from, to, share))
	}
	drag(3, 0, 0.1)
	if got := p.sources(); got != "print y|## A|print x|## B" {
		t.Errorf("after the first: %q", got)
	}
	eval[any](p, "nacre.run('cell.undo')")
	p.await("nacre.notebook.cells[0].source === '# A'")
	eval[any](p, "nacre.selection.set(0, 'command')")
	p.press("ArrowLeft")
	drag(0, 3, 0.9)
	if got := p.sources(); got != "## B|print y|## A|print x" {
		t.Errorf("a folded section: %q", got)
	}
	p.quiet()
}
