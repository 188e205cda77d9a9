package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/internal/heavy"
)

// What a page says above its cells, and the buttons there.
const (
	said    = "[...document.querySelectorAll('.banner')].map(b => b.querySelector('span').innerText).join('|')"
	offered = "[...document.querySelectorAll('.banner button')].map(b => b.innerText).join('|')"
)

// click clicks the button of a banner or a dialog whose text begins so.
func (tb *tab) click(label string) {
	tb.t.Helper()
	tb.await("[...document.querySelectorAll('.banner button, dialog button')].some(b => " +
		"b.innerText.startsWith('" + label + "'))")
	eval[any](tb, "[...document.querySelectorAll('dialog button, .banner button')].find(b => b.innerText.startsWith('"+
		label+"')).click()")
}

// source is the text of a cell of a file.
func (s *site) source(name string, i int) string {
	s.t.Helper()
	var file struct {
		Cells []struct {
			Source []string `json:"source"`
		} `json:"cells"`
	}
	s.read(name, &file)
	if i >= len(file.Cells) {
		return fmt.Sprintf("only %d cells", len(file.Cells))
	}
	return strings.Join(file.Cells[i].Source, "")
}

// A server goes away under an open page and comes back with the same token. What was written meanwhile is saved without
// a click. One banner says what went with the kernel and offers to run what it needs again.
func TestServerComesBack(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one", "print two", "spin", "print four")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Shift-Enter", "Shift-Enter", "Shift-Enter")
	p.await("nacre.notebook.cells[2].state === 'running' && nacre.notebook.cells[3].state === 'queued'")
	s.stop()
	p.await(said + ".startsWith('The server does not answer.')")
	eval[any](p, "nacre.notebook.cells[3].setSource('precious')")
	eval[any](p, "nacre.saving.save().then(() => null)")
	if got := eval[string](p, said); strings.Contains(got, "|") || !strings.Contains(got, "is kept in this browser") {
		t.Errorf("while the server is away the page says %q", got)
	}
	s.start(strings.TrimPrefix(s.url, "http://"))
	p.await("nacre.saving.state === 'saved' && " + said + ".includes('started again')")
	if got := s.source("a.ipynb", 3); got != "precious" {
		t.Errorf("the file has %q", got)
	}
	if got, want := eval[string](p, said), "The server was started again; the kernel ended with it while cell 3 ran. "+
		"What cells 1, 2 defined is gone. "; !strings.HasPrefix(got, want) || strings.Contains(got, "|") {
		t.Errorf("the page says %q", got)
	}
	if got := eval[string](p, offered); got != "Run above (2)|Run above and go on|Show the cell|Close" {
		t.Errorf("the page offers %s", got)
	}
	if got := eval[string](p, "nacre.notebook.cells[2].outputs.map(o => o.ename).join()"); got != "KernelDied" {
		t.Errorf("the cell that ran says %q", got)
	}
	p.click("Run above (2)")
	p.idle()
	if got := eval[string](p, "nacre.notebook.cells.slice(0, 3).map(c => c.count).join()"); got != "1,2,3" {
		t.Errorf("after running above the cells have the numbers %s", got)
	}
	if got := eval[string](p, said); got != "" {
		t.Errorf("in the end the page says %q", got)
	}
	p.press("Escape")
	eval[any](p, "nacre.execution.run([nacre.notebook.cells[0]])")
	p.await("nacre.notebook.cells[0].count === 3")
}

// A page without a kernel hears of a server that went away too, and heals without a word when it is back.
func TestServerComesBackWithoutAKernel(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("one")})
	p := s.open("/notebooks/a.ipynb")
	s.stop()
	p.await(said + ".includes('does not answer')")
	eval[any](p, "nacre.notebook.cells[0].setSource('precious')")
	eval[any](p, "nacre.saving.save().then(() => null)")
	s.start(strings.TrimPrefix(s.url, "http://"))
	p.await("nacre.saving.state === 'saved' && " + said + " === ''")
	if got := s.source("a.ipynb", 0); got != "precious" {
		t.Errorf("the file has %q", got)
	}
}

// With another token the page asks for it, once: a click, and what was written is saved. Logging in elsewhere in the
// browser does the same without a click.
func TestServerComesBackWithAnotherToken(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Ctrl-Enter")
	p.idle()
	restart := func(token string) {
		t.Helper()
		s.stop()
		p.await(said + ".includes('does not answer')")
		s.token = token
		s.start(strings.TrimPrefix(s.url, "http://"))
		p.await(said + ".includes('asks for its token')")
	}
	eval[any](p, "nacre.notebook.cells[0].setSource('precious')")
	restart("another-token-of-tests")
	if got := eval[string](p, said); strings.Contains(got, "|") {
		t.Errorf("the page says %q", got)
	}
	p.click("Log in")
	p.await("document.querySelector('dialog input')")
	p.write("http://example.org/notebooks/a.ipynb?token=wrong-token-of-tests")
	p.press("Enter")
	p.await(said + ".includes('Log in: ')")
	p.click("Close")
	p.click("Log in")
	p.await("document.querySelector('dialog input')")
	p.write(s.url + "/notebooks/a.ipynb?token=" + s.token)
	p.press("Enter")
	p.await("nacre.saving.state === 'saved' && " + said + ".includes('started again')")
	if got := s.source("a.ipynb", 0); got != "precious" {
		t.Errorf("the file has %q", got)
	}
	p.click("Close")
	eval[any](p, "nacre.notebook.cells[0].setSource('more')")
	restart("a-third-token-of-tests")
	q := s.more(p, "/notebooks/a.ipynb")
	p.await("nacre.saving.state === 'saved' && " + said + " === ''")
	q.await("nacre.notebook.cells[0].source === 'more'")
}

// A browser shows the token again, as a second tab does that is opened with the printed address: the pages that are
// open in it notice nothing.
func TestTokenShownAgain(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one")})
	p := s.open("/notebooks/a.ipynb")
	for i, ask := range []string{"fetch('/notebooks/a.ipynb?token=" + s.token + "', {redirect: 'manual'})",
		"fetch('/login?next=/&token=" + s.token + "', {redirect: 'manual'})",
		"fetch('/api/login', {method: 'POST', headers: {Authorization: 'token " + s.token + "'}})"} {
		eval[any](p, ask+".then(() => null)")
		eval[any](p, fmt.Sprintf("(nacre.notebook.cells[0].setSource('print %d'), nacre.watch.look())"+
			".then(() => nacre.saving.save()).then(() => null)", i))
		if state := eval[string](p, "nacre.saving.state + nacre.watch.health"); state != "savedwell" {
			t.Errorf("after %s the page is %s", ask, state)
		}
	}
	p.press("Ctrl-Enter")
	p.idle()
	p.quiet()
}

// A save that the server refuses because another tab has just logged in is made up for without a click, and without
// waiting for the page to save by itself.
func TestSaveWithAnOldProof(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("one")})
	p := s.open("/notebooks/a.ipynb")
	if state := eval[string](p, `(async () => {
		const proof = localStorage.getItem('nacre.proof');
		localStorage.setItem('nacre.proof', '00.00');
		nacre.notebook.cells[0].setSource('precious');
		clearTimeout(nacre.saving.autosaveTimer);
		await nacre.saving.save();
		localStorage.setItem('nacre.proof', proof);
		return nacre.saving.state;
	})()`); state != "failed" {
		t.Errorf("with another login's proof the page is %s", state)
	}
	p.await("nacre.saving.state === 'saved' && " + said + " === ''")
	if got := s.source("a.ipynb", 0); got != "precious" {
		t.Errorf("the file has %q", got)
	}
	p.quiet("403")
}

// A page whose file it renames, or that goes on with another file, follows that one; nothing comes back at the old
// name.
func TestFollowsItsFileUnderAnotherName(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one", "two")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Ctrl-Enter")
	p.idle()
	p.press("Escape")
	follows := func(p *tab, name string) {
		t.Helper()
		text, err := json.Marshal(notebook("print one", "from "+name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(s.dir, name), text, 0o644))
		p.await("nacre.notebook.cells[1].source === 'from " + name + "'")
		eval[any](p, "(nacre.notebook.cells[0].setSource('print "+name+"'), nacre.file.save()).then(() => null)")
		if got := s.source(name, 0); got != "print "+name {
			t.Errorf("%s has %q", name, got)
		}
		if got := eval[string](p, said+" + nacre.saving.state"); got != "saved" {
			t.Errorf("of %s the page says %q", name, got)
		}
		p.press("Ctrl-Enter")
		p.idle()
		if got := strings.TrimSpace(p.shown(0)); got != name {
			t.Errorf("with %s the cell shows %q", name, got)
		}
	}
	for _, name := range []string{"b.ipynb", "c.ipynb"} {
		// Saving and looking go on meanwhile.
		eval[any](p, "(nacre.notebook.cells[0].setSource('print unsaved'), void nacre.saving.save(), "+
			"void nacre.watch.look(), nacre.run('file.rename'))")
		p.await("document.querySelector('dialog input')")
		eval[any](p, "document.querySelector('dialog input').value = '"+name+"'")
		eval[any](p, "void nacre.saving.save(), void nacre.watch.look()")
		p.press("Enter")
		p.await("location.pathname === '/notebooks/" + name + "'")
		follows(p, name)
	}
	eval[any](p, "nacre.file.saveCopy().then(() => null)")
	p.await("location.pathname.startsWith('/notebooks/c-2') && document.body.dataset.ready === 'yes'")
	follows(p, eval[string](p, "nacre.path"))
	if found, _ := filepath.Glob(filepath.Join(s.dir, "*.ipynb")); len(found) != 2 {
		t.Errorf("the folder has %v", found)
	}
	p.quiet()
}

// Two pages change the same notebook. What only one has changed is merged, cell by cell; of a cell that both have
// changed the user chooses, and loses nothing.
func TestTwoPagesMerge(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("one", "two", "three")})
	p := s.open("/notebooks/a.ipynb")
	q := s.open("/notebooks/a.ipynb")
	set := func(tb *tab, i int, text string) {
		eval[any](tb, fmt.Sprintf("nacre.notebook.cells[%d].setSource(%q)", i, text))
	}
	save := func(tb *tab) { eval[any](tb, "nacre.saving.save().then(() => null)") }
	set(p, 0, "mine")
	set(q, 1, "yours")
	save(p)
	q.await("nacre.notebook.cells[0].source === 'mine' && nacre.notebook.cells[1].source === 'yours'")
	save(q)
	p.await("nacre.notebook.cells[1].source === 'yours'")
	if got := eval[string](p, "nacre.saving.state"); got != "saved" {
		t.Errorf("a page that only follows is %s", got)
	}
	for choice, want := range map[string][2]string{ // what the two cells are afterwards
		"Keep mine": {"q Keep mine", "three"},
		"Take the":  {"p Take the", "three"},
		"Keep both": {"q Keep both", "p Keep both"},
	} {
		reset := notebook("one", "two", "three")
		b, _ := json.Marshal(reset)
		must(t, os.WriteFile(filepath.Join(s.dir, "a.ipynb"), b, 0o644))
		for _, tb := range []*tab{p, q} {
			tb.await("nacre.notebook.cells.map(c => c.source).join() === 'one,two,three'")
		}
		set(q, 1, "q "+choice)
		set(p, 1, "p "+choice)
		save(p)
		q.await(said + ".startsWith('Cell 2 from the top was changed here')")
		save(q)
		if got := s.source("a.ipynb", 1); got != "p "+choice {
			t.Errorf("%s: before the choice the file has %q", choice, got)
		}
		q.click(choice)
		q.await("nacre.saving.state === 'saved' && " + said + " === ''")
		if got := [2]string{s.source("a.ipynb", 1), s.source("a.ipynb", 2)}; got != want {
			t.Errorf("%s: the file has %q", choice, got)
		}
	}
	q.press("Escape", "z")
	q.await("nacre.notebook.cells.some(c => c.source.startsWith('q '))")
	p.quiet()
	q.quiet()
}

// Another program changes the file: the page follows, also while somebody writes in it. A file that cannot be read any
// more costs nothing, and neither does one that is gone.
func TestFollowsOtherPrograms(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("one", "two", "# text")})
	p := s.open("/notebooks/a.ipynb")
	file := filepath.Join(s.dir, "a.ipynb")
	text, err := os.ReadFile(file)
	must(t, err)
	p.press("Enter")
	p.enter("first ")
	write := func(old, new string) time.Duration {
		text = bytes.Replace(text, []byte(old), []byte(new), 1)
		must(t, os.WriteFile(file, text, 0o644))
		return p.await("nacre.notebook.cells[1].source === '" + new + "'")
	}
	took := write("two", "zwei")
	t.Logf("a change of the file is seen after %v", took)
	p.enter("and more ")
	if got := eval[string](p, "nacre.notebook.cells[0].source"); !strings.Contains(got, "first and more ") {
		t.Errorf("while the file changed the cell became %q", got)
	}
	if !eval[bool](p, "document.activeElement.closest('.cm-editor') !== null") {
		t.Error("the editor lost the focus")
	}
	write("zwei", "deux")
	p.press("Escape")
	must(t, os.WriteFile(file, []byte("<<<<<<< HEAD"), 0o644))
	p.await(said + ".includes('Not saved: ')")
	must(t, os.WriteFile(file, text, 0o644))
	p.await(said + " === '' && nacre.saving.state === 'saved'")
	must(t, os.WriteFile(file, []byte("no notebook"), 0o644))
	p.await(said + ".includes('Not saved: ')")
	p.click("Save mine over it")
	p.await(said + " === '' && nacre.saving.state === 'saved'")
	if got := s.source("a.ipynb", 1); got != "deux" {
		t.Errorf("the file has %q", got)
	}
	must(t, os.Remove(file))
	p.await(said + ".includes('moved or removed the file')")
	p.click("Try again")
	p.await(said + " === '' && nacre.saving.state === 'saved'")
	if got := s.source("a.ipynb", 1); got != "deux" {
		t.Errorf("the file that was removed has %q", got)
	}
}

// A cell kills its kernel: the page says which, what its kernel took along, and runs that again at a click.
func TestKernelKilledByACell(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("pid", "print two", "spin", "print four")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Shift-Enter")
	p.idle()
	pid, err := strconv.Atoi(strings.TrimSpace(p.shown(0)))
	must(t, err)
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[2].state === 'running'")
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	p.await(said + ".startsWith('The kernel ended while cell 3 ran: ')")
	if got := eval[string](p, said); !strings.Contains(got, "killed") || !strings.Contains(got,
		"What cells 1, 2 defined is gone.") {
		t.Errorf("the page says %q", got)
	}
	p.idle()
	if got := p.shown(1); strings.TrimSpace(got) != "two" {
		t.Errorf("an output from before has become %q", got)
	}
	p.click("Run above (2)")
	p.await("nacre.notebook.cells[0].outputs[0]?.text > '' && nacre.notebook.cells[0].state === 'idle' && " +
		"nacre.notebook.cells[1].count === 2 && nacre.notebook.cells[1].state === 'idle'")
	if got := p.shown(0); strings.TrimSpace(got) == strconv.Itoa(pid) {
		t.Error("the cell did not run again")
	}
	if got := eval[string](p, said); got != "" {
		t.Errorf("in the end the page says %q", got)
	}
}
