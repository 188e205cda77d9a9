package browser

import (
	"testing"

	"nacre/internal/heavy"
)

// Cells are formatted in place: the cursor stays at its letter, one undo takes all back, and a cell that does not parse
// is named.
func TestFormatting(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("if  x{\ny( )\n}", "z:=1;\n", "w := := 1",
		"%time  f( x )\n!ls   -l")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Enter", "Ctrl-Home", "ArrowDown", "End", "ArrowLeft") // in front of the closing bracket
	p.press("Alt-Shift-f")
	p.await(`nacre.notebook.cells[0].source === 'if x {\n\ty()\n}'`)
	p.write("1")
	p.await(`nacre.notebook.cells[0].source === 'if x {\n\ty(1)\n}'`)
	p.press("Escape", "Escape")
	eval[any](p, "nacre.run('cell.formatAll')")
	p.await(`nacre.notebook.cells[1].source === 'z := 1'`)
	p.await(`document.querySelector('.banner')?.textContent.includes("a cell does not parse and stays as it is. ` +
		`Cell 3, line 1: expected operand")`)
	if got := eval[string](p, "nacre.notebook.cells[3].source"); got != "%time f(x)\n!ls   -l" {
		t.Errorf("the last cell is %q", got)
	}
	p.press("z")
	p.await(`nacre.notebook.cells[1].source === 'z:=1;\n' && nacre.notebook.cells[3].source.startsWith('%time  f(')`)
	p.quiet()
}

// at is the cursor: cell and offset.
const at = "[nacre.selection.index, nacre.view(nacre.selection.cell).editor.view.state.selection.main.head].join()"

// F12 and a click with Ctrl lead to definitions in cells, and to the library's documentation; Shift-F12 leads back.
func TestGoToDefinition(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("# text", "type Arm struct {\n\tLatent int\n}",
		"arm := "+
			"Arm{3}", "import \"strings\"\nstrings.Repeat(\"a\", arm.Latent)")})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "nacre.notebook.setType([nacre.notebook.cells[0]], 'markdown')")
	p.press("j", "j", "j", "Enter", "Ctrl-End", "ArrowLeft", "F12")
	p.await(at + " === '1,19'")
	p.press("Shift-F12")
	p.await(at + " === '3,47'")
	p.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft",
		"F12")
	p.await(at + " === '2,0'")
	p.press("Shift-F12")
	p.await(at + " === '3,39'")
	p.press("Home")
	for range len("strings.Re") {
		p.press("ArrowRight")
	}
	p.press("F12")
	p.await("!document.querySelector('.pager').hidden && " +
		"document.querySelector('.pager').innerText.includes('copies of the string')")
	eval[any](p, `(() => {
		const view = nacre.view(nacre.notebook.cells[3]).editor.view;
		const box = view.coordsAtPos(view.state.doc.toString().indexOf('arm.') + 1);
		view.contentDOM.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true, ctrlKey: true,
			clientX: box.left, clientY: (box.top + box.bottom) / 2, button: 0 }));
	})()`)
	p.await(at + " === '2,0'")
	p.quiet()
}

// A name is changed in all cells where it means the same, after a preview; one undo takes it back, wherever the cursor
// is.
func TestRenaming(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSiteWith(t, golang, map[string]any{"a.ipynb": notebook("größe := 1 // 🎈",
		"for größe := range 3 {\n\t_ = größe\n}",
		"😀, y := \"größe\", 2", "y + größe\nrate := 2")})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "nacre.notebook.cells[2].setSource('x, y := \"größe 😀\", 2\\nx + \"😀\"; größe += y')")
	p.press("Enter", "Ctrl-Home", "F2")
	p.await("document.querySelectorAll('.changes li').length === 3 && " +
		"document.querySelector('dialog .note').textContent === '3 places in 3 cells.'")
	if !eval[bool](p, "document.querySelector('dialog .primary').disabled") {
		t.Error("nothing is renamed to what it is, but the button can be pressed")
	}
	p.write("rate")
	p.await("document.querySelector('dialog .note').textContent.startsWith('Größe cannot be rate: the name is taken " +
		"in cell 4')")
	p.press("Ctrl-a")
	p.write("maß")
	p.await("!document.querySelector('dialog .primary').disabled")
	if got := eval[string](p, "[...document.querySelectorAll('.changes li')].map(l => l.innerText.replace(/\\s+/g, ' "+
		"')).join('|')"); got !=
		"cell 1, line 1 maß := 1 // 🎈|cell 3, line 2 x + \"😀\"; maß += y|cell 4, line 1 y + maß" {
		t.Errorf("the preview is %q", got)
	}
	p.press("Enter")
	sources := "JSON.stringify(nacre.notebook.cells.map(c => c.source))"
	before := `["größe := 1 // 🎈","for größe := range 3 {\n\t_ = größe\n}",` +
		`"x, y := \"größe 😀\", 2\nx + \"😀\"; größe += y","y + größe\nrate := 2"]`
	after := `["maß := 1 // 🎈","for größe := range 3 {\n\t_ = größe\n}",` +
		`"x, y := \"größe 😀\", 2\nx + \"😀\"; maß += y","y + maß\nrate := 2"]`
	is := func(want string) {
		t.Helper()
		p.await(sources + " === JSON.stringify(" + want + ")")
	}
	is(after)
	p.press("Ctrl-z") // in the editor
	is(before)
	p.press("Ctrl-y")
	is(after)
	p.press("End")
	p.write("!")
	p.press("Ctrl-z")
	is(after)
	p.press("Ctrl-z")
	is(before)
	p.quiet()
}
