package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// asPython is a notebook with one cell of text as Jupyter's library writes it.
func asPython(metadata, cell string, minor int) string {
	return "{\n \"cells\": [\n  {\n" + cell + "  }\n ],\n \"metadata\": " + metadata + ",\n \"nbformat\": 4,\n" +
		fmt.Sprintf(" \"nbformat_minor\": %d\n}\n", minor)
}

// textCell is a cell's fields; the source is its last.
func textCell(fields, source string) string {
	return "   \"cell_type\": \"markdown\",\n" + fields + "   \"source\": [\n    \"" + source + "\"\n   ]\n"
}

// A page that changes a text changes that text and nothing else of the file, byte for byte.
func TestPageKeepsTheFile(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	const id, plain = "   \"id\": \"a\",\n", "   \"metadata\": {},\n"
	python := `{
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  },
  "language_info": {
   "name": "python"
  }
 }`
	gonb := strings.NewReplacer("Python 3", "Go (gonb)", "python3", "gonb", "python", "go").Replace(python)
	const odd = `   "metadata": {
    "x": [
     9007199254740993,
     1.0,
     1e5,
     NaN,
     -Infinity
    ]
   },
`
	const sql = `  },
  {
   "cell_type": "sql",
   "id": "b",
   "query": "select"
`
	const ran = `  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "c",
   "metadata": {
    "execution": {
     "iopub.execute_input": "2026-01-01T00:00:00Z"
    }
   },
   "outputs": [],
   "source": []
`
	files := map[string]string{
		"python":  asPython(python, textCell(id+plain, "old"), 5),
		"gonb":    asPython(gonb, textCell(id+plain, "old"), 5),
		"none":    asPython("{}", textCell(id+plain, "old"), 5),
		"minor 2": asPython("{}", textCell(plain, "old"), 2),
		"minor 4": asPython(python, textCell(plain, "old"), 4),
		"no id":   asPython("{}", textCell(plain, "old"), 5),
		"numbers": asPython("{}", textCell(id+odd, "old"), 5),
		"unknown": asPython("{}", textCell(id+plain, "old")+sql, 5),
		"fields":  asPython("{}", textCell(id+plain+"   \"news\": 1,\n", "old"), 7),
		"mark":    "\ufeff" + asPython("{}", textCell(id+plain, "old"), 5),
		"halves":  asPython("{\n  \"x\": \"\\ud83d\"\n }", textCell(id+plain, "old"), 5),
		"times":   asPython("{}", textCell(id+plain, "old")+ran, 5),
	}
	s := newSite(t, map[string]any{})
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name+".ipynb"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var p *tab
	for name, text := range files {
		if p == nil {
			p = s.open("/notebooks/" + name + ".ipynb")
		} else {
			p = s.more(p, "/notebooks/"+name+".ipynb")
		}
		for _, change := range [][2]string{{"old", "old"}, {"old", "new"}, {"new", "old"}} {
			eval[any](p, "(nacre.notebook.cells[0].setSource('"+change[1]+"'), nacre.saving.save()).then(() => null)")
			b, err := os.ReadFile(filepath.Join(s.dir, name+".ipynb"))
			if want := strings.Replace(text, `"old"`, `"`+change[1]+`"`, 1); err != nil || string(b) != want {
				t.Errorf("%s, %s: %v, the page says %s %s\n%s\nwant\n%s", name, change[1], err,
					eval[string](p, "nacre.saving.state"), eval[string](p, "nacre.saving.problem"), b, want)
			}
		}
	}
	p = s.more(p, "/notebooks/python.ipynb")
	p.await("document.querySelector('.banner[data-key=language]')?.innerText.includes('written for “Python 3”')")
	eval[any](p, "document.querySelector('.banner[data-key=language] button').click()")
	eval[any](p, "nacre.saving.save().then(() => null)")
	if b, _ := os.ReadFile(filepath.Join(s.dir, "python.ipynb")); !strings.Contains(string(b), `"name": "nacre"`) ||
		strings.Contains(string(b), "python") {
		t.Errorf("after the user has chosen the kernel:\n%s", b)
	}
	p.quiet()
}

// What a save would convert or repair is asked, and what the file was stays as its checkpoint.
func TestRepairIsAskedInThePage(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	old := `{"nbformat":3,"nbformat_minor":0,"metadata":{},"worksheets":[{"cells":[{"cell_type":"code","input":"print one","outputs":[]}]}]}`
	bad := `{"nbformat":4,"nbformat_minor":5,"cells":[{"id":"a","cell_type":"markdown","source":null},{"id":"b c","cell_type":"sql","metadata":{},"source":"select"}]}`
	s := newSite(t, map[string]any{})
	for name, text := range map[string]string{"old": old, "bad": bad} {
		if err := os.WriteFile(filepath.Join(s.dir, name+".ipynb"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(s.dir, name))
		return string(b)
	}
	p := s.open("/notebooks/old.ipynb")
	p.await("document.querySelector('.banner[data-key=format]')?.innerText.includes('notebook format 3')")
	p.press("Ctrl-Enter")
	p.idle()
	eval[any](p, "(nacre.notebook.cells[0].setSource('print two'), nacre.saving.save()).then(() => null)")
	if state := eval[string](p, "nacre.saving.state"); state != "failed" || read("old.ipynb") != old {
		t.Errorf("saved without a question: %s\n%s", state, read("old.ipynb"))
	}
	p.await("document.querySelector('.banner[data-key=state]')?.innerText.includes('only when you agree')")
	eval[any](p, "document.querySelector('.banner[data-key=format] button').click()")
	p.await("nacre.saving.state === 'saved' && " +
		"document.querySelector('.banner[data-key=format]')?.innerText.includes('Saved as format 4')")
	if got := read("old.ipynb"); !strings.Contains(got, "print two") || !strings.Contains(got, `"nbformat": 4`) {
		t.Errorf("after the user has agreed:\n%s", got)
	}
	if got := read(".ipynb_checkpoints/old-checkpoint.ipynb"); got != old {
		t.Errorf("the checkpoint is\n%s", got)
	}

	p = s.more(p, "/notebooks/bad.ipynb")
	p.await("document.querySelector('.banner[data-key=format]')?.innerText.includes('does not follow')")
	p.await("document.querySelector('.cell:nth-child(2)').innerText.includes('a cell of type \"sql\"')")
	eval[any](p, "document.querySelector('.banner[data-key=format] button').click()")
	p.await("document.querySelector('.banner[data-key=format]')?.innerText.includes('Repaired: ')")
	if got := read("bad.ipynb"); strings.Contains(got, "null") || strings.Contains(got, "b c") ||
		!strings.Contains(got, "select") {
		t.Errorf("repaired:\n%s", got)
	}
	p.quiet()
}

// A notebook without cells shows one to write in, which is in the file when something was written.
func TestSaveWithoutCells(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	text := "{\n \"cells\": [],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 4\n}\n"
	s := newSite(t, map[string]any{"a.ipynb": []byte(text)})
	p := s.open("/notebooks/a.ipynb")
	if got := eval[bool](p, "nacre.notebook.cells.length === 1 && nacre.saving.save()"); !got {
		t.Error("it was not saved, or has not one cell")
	}
	file := filepath.Join(s.dir, "a.ipynb")
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("after a save without a change it is %s, %v", got, err)
	}
	p.press("Enter")
	p.write("print 1")
	p.press("Ctrl-Enter")
	p.idle()
	eval[any](p, "nacre.saving.save()")
	var nb struct {
		Cells []struct {
			Source  any
			Outputs []any
		}
	}
	s.read("a.ipynb", &nb)
	if len(nb.Cells) != 1 || len(nb.Cells[0].Outputs) != 1 {
		t.Errorf("after the cell ran the file has %+v", nb)
	}
	p.quiet()
}
