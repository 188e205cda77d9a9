package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
)

// What hands that know Jupyter do without thinking.
func TestHabits(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("# Title", "print one", "print two")})
	p := s.open("/notebooks/a.ipynb")
	state := func(want string) {
		t.Helper()
		if got := eval[string](p, "`${nacre.selection.range.join('-')} ${nacre.selection.mode}`"); got != want {
			t.Fatalf("the selection is %q, expected %q", got, want)
		}
	}
	cells := func(want string) {
		t.Helper()
		if got := p.sources(); got != want {
			t.Fatalf("the cells are %q, expected %q", got, want)
		}
	}
	state("0-0 command")
	p.press("j", "j", "k")
	state("1-1 command")
	p.press("Enter")
	state("1-1 edit")
	p.press("End")
	p.write(" more")
	p.press("Ctrl-Enter")
	p.idle()
	state("1-1 command")
	if got := p.shown(1); got != "one more\n" && got != "one more" {
		t.Fatalf("the output is %q", got)
	}
	p.press("Shift-Enter")
	p.idle()
	state("2-2 command")
	p.press("Shift-Enter") // at the end a new cell is made, to write in
	p.idle()
	state("3-3 edit")
	p.press("Escape", "d", "d")
	cells("## Title|print one more|print two")
	p.press("a", "b")
	cells("## Title|print one more|||print two")
	p.press("z", "z")
	cells("## Title|print one more|print two")
	p.press("Shift-z")
	cells("## Title|print one more||print two")
	p.press("z", "k", "k", "k", "c", "j", "v")
	cells("## Title|print one more|## Title|print two")
	state("2-2 command")
	p.press("x")
	cells("## Title|print one more|print two")
	p.press("k", "Shift-v")
	cells("## Title|## Title|print one more|print two")
	p.press("d", "d", "m")
	cells("## Title|#print one more|print two")
	p.press("y", "Shift-j", "Shift-m")
	cells("## Title|print one more\nprint two")
	p.press("z")
	cells("## Title|print one more|print two")
	p.press("k", "Ctrl-Shift-ArrowDown")
	cells("print one more|## Title|print two")
	p.press("s")
	p.await("nacre.saving.state === 'saved'")
	var file struct {
		Cells []struct {
			Source []string `json:"source"`
		} `json:"cells"`
	}
	s.read("a.ipynb", &file)
	if len(file.Cells) != 3 || strings.Join(file.Cells[0].Source, "") != "print one more" {
		t.Errorf("the file has %v", file)
	}
	p.quiet()
}

// An empty notebook says how to begin, until it has.
func TestFirstKeys(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook(), "b.ipynb": notebook(""), "c.ipynb": notebook("print x")})
	const hint = "document.querySelector('.first-keys')"
	p := s.open("/notebooks/a.ipynb")
	if got := eval[string](p, hint+"?.innerText ?? ''"); !strings.Contains(got, "Shift+Enter runs") ||
		!strings.Contains(got, "Escape, then H: all keys") {
		t.Errorf("an empty notebook says %q", got)
	}
	if !eval[bool](p, hint+".getBoundingClientRect().bottom < innerHeight / 2") {
		t.Error("what it says is far below the cell")
	}
	p.press("Enter")
	p.enter("print x")
	if !eval[bool](p, hint+" !== null") {
		t.Error("the keys go before the first cell has run")
	}
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[0].outputs.length === 1 && " + hint + " === null")
	p.quiet()
	other := s.more(p, "/notebooks/b.ipynb")
	if !eval[bool](other, hint+" !== null") {
		t.Error("a notebook with an empty cell says nothing")
	}
	other.press("b")
	other.await("nacre.notebook.cells.length === 2 && " + hint + " === null")
	other.press("d", "d")
	if eval[bool](s.more(p, "/notebooks/c.ipynb"), hint+" !== null") {
		t.Error("a notebook with text says how to begin")
	}
}

// The list of keys, longer than a window, is read by keys too.
func TestLongDialog(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("")})
	p := s.open("/notebooks/a.ipynb")
	p.do(chromedp.EmulateViewport(900, 500))
	p.press("h")
	const top = "document.querySelector('dialog .body').scrollTop"
	p.await(top + " === 0")
	p.press("PageDown")
	p.await(top + " > 100")
	p.press("Home")
	p.await(top + " === 0")
	p.press("ArrowDown")
	p.await(top + " === 40")
	p.press("Escape")
	p.await("!document.querySelector('dialog')")
}

// The bar says what is so at the moment at which it is.
func TestBarSaysWhatIs(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("print x")})
	p := s.open("/notebooks/a.ipynb")
	if got := eval[string](p, `(() => {
		nacre.notebook.cells[0].setSource('print y');
		nacre.notebook.edited.emit();
		const said = [document.querySelector('.saved').textContent];
		const saved = nacre.saving.save();
		return saved.then(() => said.concat(document.querySelector('.saved').textContent).join());
	})()`); got != "Edited,Saved" {
		t.Errorf("after an edit, and after saving, the bar says %s", got)
	}
	if got := eval[string](p, `(() => {
		nacre.link.renamed = () => new Promise(() => {});
		void nacre.moved('b.ipynb');
		return document.title;
	})()`); got != "b – Nacre" {
		t.Errorf("renamed, the page is called %q", got)
	}
	p.quiet()
}

func TestSplitAtCursor(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one\nprint two")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Enter", "ArrowUp", "Home", "ArrowDown", "Ctrl-Shift--")
	if got := p.sources(); got != "print one|print two" {
		t.Errorf("split into %q", got)
	}
}

func TestCompletionAndInspection(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Enter")
	p.write("disp")
	p.press("Tab")
	p.await("nacre.notebook.cells[0].source === 'display'") // the only one there is
	p.press("Shift-Tab")
	p.await("document.querySelector('.inspection')?.innerText.includes('command display')")
	p.press("Escape")
	p.await("!document.querySelector('.inspection')")
	p.write("\np")
	p.press("Tab")
	p.await("[...document.querySelectorAll('.cm-tooltip-autocomplete li')].map(l => " +
		"l.querySelector('.cm-completionLabel').textContent).sort().join() === 'page,panic,password,print'")
	p.press("Escape")
	p.await("!document.querySelector('.cm-tooltip-autocomplete')")
	if mode := eval[string](p, "nacre.selection.mode"); mode != "edit" {
		t.Errorf("closing the tooltip left the editor: mode %s", mode)
	}
	p.quiet()
}

func TestSearchAndReplace(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("# goal", "goals := 1", "Goal")})
	p := s.open("/notebooks/a.ipynb")
	p.press("f")
	p.write("goal")
	p.await("document.querySelector('.searchbar .count').textContent === '1 of 3'")
	p.press("Enter")
	p.await("document.querySelector('.searchbar .count').textContent === '2 of 3'")
	eval[any](p, "document.querySelector('.searchbar input[placeholder^=Replace]').focus()")
	p.write("task")
	eval[any](p, "[...document.querySelectorAll('.searchbar button')].find(b => b.textContent === 'Replace "+
		"all').click()")
	if got := p.sources(); got != "## task|tasks := 1|task" {
		t.Errorf("replaced: %q", got)
	}
	p.press("Escape", "z")
	if got := p.sources(); got != "## goal|goals := 1|Goal" {
		t.Errorf("one undo gives %q", got)
	}
}

func TestFolding(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("# A", "print x", "## B", "print y", "# C", "print z")})
	p := s.open("/notebooks/a.ipynb")
	visible := func() string {
		return eval[string](p, "[...document.querySelectorAll('.cell')].map(c => c.hidden ? '-' : '+').join('')")
	}
	p.press("ArrowLeft")
	if got := visible(); got != "+---++" {
		t.Errorf("folded: %s", got)
	}
	p.press("j")
	if got := eval[int](p, "nacre.selection.index"); got != 4 {
		t.Errorf("down from a folded section goes to cell %d, expected 4", got)
	}
	p.press("k", "ArrowRight")
	if got := visible(); got != "++++++" {
		t.Errorf("unfolded: %s", got)
	}
	eval[any](p, "nacre.running.range(1, 2).then(() => null)")
	p.idle()
	p.press("j", "o")
	p.await("document.querySelectorAll('.cell')[1].querySelector('.outputs').offsetHeight === 0")
}

func TestFiles(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("print x"), "notes.md": []byte("text")})
	p := s.open("/tree")
	names := func() string {
		return eval[string](p, "[...document.querySelectorAll('tbody tr')].map(r => r.dataset.path).join(' ')")
	}
	if got := names(); got != "a.ipynb notes.md" {
		t.Errorf("the list is %q", got)
	}
	click := func(row, label string) {
		eval[any](p, "document.querySelector('tr[data-path=\""+row+"\"] button[aria-label^="+label+"]').click()")
	}
	click("notes.md", "Rename")
	p.await("document.querySelector('dialog input')")
	eval[any](p, "document.querySelector('dialog input').value = 'renamed.md'")
	p.press("Enter")
	p.await("document.querySelector('tr[data-path=\"renamed.md\"]')")
	click("a.ipynb", "Duplicate")
	p.await("document.querySelectorAll('tbody tr').length === 3")
	click("renamed.md", "Delete")
	p.await("document.querySelector('dialog .danger')")
	eval[any](p, "document.querySelector('dialog .danger').click()")
	p.await("document.querySelectorAll('tbody tr').length === 2")
	eval[any](p, `(() => { const d = new DataTransfer(); d.items.add(new File(['héllo'], 'up.txt')); document.querySelector('.files').dispatchEvent(new DragEvent('drop', { dataTransfer: d, bubbles: true, cancelable: true })); })()`)
	p.await("document.querySelector('tr[data-path=\"up.txt\"]')")
	if got := eval[string](p, "fetch(document.querySelector('tr[data-path=\"up.txt\"] a[download]').href).then(r => "+
		"r.text())"); got != "héllo" {
		t.Errorf("the uploaded file holds %q", got)
	}
	p.quiet()
}

// However narrow, the page is not wider than its window: what its bar has no room for is in the menus.
func TestNarrowPage(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("# Title", "print one")})
	p := s.open("/notebooks/a.ipynb")
	for _, width := range []int64{1000, 900, 620, 470, 390, 340} {
		p.do(chromedp.EmulateViewport(width, 900))
		p.await(fmt.Sprintf("innerWidth === %d", width))
		if got := eval[int64](p, "document.documentElement.scrollWidth"); got > width {
			t.Errorf("in a window of %d pixels the page has %d", width, got)
		}
	}
	p.quiet()
}

// The home page says what there is: notebooks as cards with their pictures, what ran last, where else to go; on a phone
// nothing runs out of it.
func TestHome(t *testing.T) {
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	nb := notebook("# A title\n\nWhat it **shows**.", "print x")
	nb["cells"].([]cell)[1]["outputs"] = []map[string]any{display(map[string]any{"image/png": dot})}
	s := newSite(t, map[string]any{"quickstart.ipynb": nb, "other.ipynb": notebook("print y")})
	s.folders(1, func(int) string { return "runs/mine" }, 3, func(int) []string { return nil })
	p := s.open("/")
	p.await("[...document.querySelectorAll('.cards img')].map(i => i.naturalWidth).join() === '1'")
	p.await("document.querySelector('.last a')")
	got := eval[[]string](p, "[...document.querySelectorAll('.cards a, .start-page .actions a, .last li')].map(a => "+
		"a.textContent)")
	for k, want := range []string{"Open the quickstart", "Runs", "Embeddings", "t-SNE of your own file", "other",
		"A titleWhat it shows.", "TCL-PEARL on point-goal, seed 0interrupted"} {
		if len(got) != 7 || !strings.HasPrefix(got[k], want) {
			t.Fatalf("the page has %q", got)
		}
	}
	shots(t, p, "home")
	p.do(chromedp.EmulateViewport(390, 844))
	p.await("document.documentElement.scrollWidth <= innerWidth && " +
		"document.querySelector('.top .i-theme').getClientRects().length > 0")
	shots(t, p, "home-narrow")
	p.quiet()
}
