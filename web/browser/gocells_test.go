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
