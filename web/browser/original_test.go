package browser

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
)

// A notebook that is not written stays as it is, byte for byte: reading it makes nothing, the first run makes a copy
// beside it and goes on there with kernel and file, and who opens it again is led to the copy.
func TestOriginal(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print one", "# text", "print two")})
	file := filepath.Join(s.dir, "a.ipynb")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := s.open("/notebooks/a.ipynb")
	said := func(text string) {
		t.Helper()
		p.await("document.querySelector('.banner[data-key=original]')?.innerText.includes(" + `"` + text + `"` + ")")
	}
	said("a is not written: what you run or change goes to a copy beside it")
	p.press("Ctrl-Enter")
	p.await("location.pathname === '/notebooks/a-Copy1.ipynb'")
	p.idle()
	said("This is a-Copy1, a copy of a, which stays as it was")
	p.await("document.querySelector('.top .title').textContent === 'a-Copy1'")
	eval[any](p, "(nacre.notebook.cells[2].setSource('print changed'), nacre.saving.save()).then(() => null)")
	if state := eval[string](p, "nacre.saving.state"); state != "saved" {
		t.Errorf("the copy is %s", state)
	}
	copied, err := os.ReadFile(filepath.Join(s.dir, "a-Copy1.ipynb"))
	if err != nil || !strings.Contains(string(copied), "print changed") || !strings.Contains(string(copied), "one\\n") {
		t.Errorf("the copy has %.500s, %v", copied, err)
	}
	// The page looks at the copy from now on.
	changed := strings.Replace(string(copied), "# text", "# other text", 1)
	must(t, os.WriteFile(filepath.Join(s.dir, "a-Copy1.ipynb"), []byte(changed), 0o644))
	p.await("nacre.notebook.cells[1].source === '# other text' && nacre.saving.state === 'saved'")
	answer, err := http.Get(s.url + "/api/sessions?token=" + token)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var sessions []struct{ Path string }
	if err := json.NewDecoder(answer.Body).Decode(&sessions); err != nil || len(sessions) != 1 ||
		sessions[0].Path != "a-Copy1.ipynb" {
		t.Errorf("kernels run for %v, %v", sessions, err)
	}
	again := s.more(p, "/notebooks/a.ipynb")
	again.await("document.querySelector('.banner[data-key=original] button')?.innerText === 'Open a-Copy1'")
	// Writing makes a copy too, once, when it is saved.
	eval[any](again, "(nacre.notebook.cells[0].setSource('print mine'), nacre.saving.save(), "+
		"nacre.saving.save()).then(() => null)")
	again.await("location.pathname === '/notebooks/a-Copy2.ipynb'")
	if found, _ := filepath.Glob(filepath.Join(s.dir, "*.ipynb")); len(found) != 3 {
		t.Errorf("the folder has %v", found)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the original was changed: %v", err)
	}
	p.quiet()
	again.quiet()
}
