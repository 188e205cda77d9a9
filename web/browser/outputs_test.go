package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing"

	"nacre/internal/heavy"
	shows "nacre/library/display"
	"nacre/web"
)

// wire is a bundle as a notebook's file has it.
func wire(t *testing.T, r shows.Renderer) map[string]any {
	t.Helper()
	bundle, err := r.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(bundle)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func without(bundle map[string]any, mimes ...string) map[string]any {
	m := maps.Clone(bundle)
	for _, mime := range mimes {
		delete(m, mime)
	}
	return m
}

// built reports whether a script of the built front end has a text.
func built(t *testing.T, text string) (found bool) {
	t.Helper()
	files, _ := web.Files()
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		script, err := fs.ReadFile(files, name)
		found = found || bytes.Contains(script, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every output type is drawn, gives way to its static form where its data cannot be shown, and stands in an HTML file
// by that form; an output that lacks it says so there.
func TestOutputTypes(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	for _, o := range shows.Types() {
		t.Run(o.Name, func(t *testing.T) {
			whole := wire(t, o.Sample())
			broken := maps.Clone(whole)
			broken[o.MIME] = map[string]any{"version": 9}
			s := newSite(t, map[string]any{
				"whole.ipynb": withOutputs(display(whole)), "broken.ipynb": withOutputs(display(broken)),
				"bare.ipynb": withOutputs(display(without(whole, o.Static))),
			})
			if !built(t, o.MIME) {
				t.Fatalf("the front end was built before it knew %s: run make web", o.MIME)
			}
			p := s.open("/notebooks/whole.ipynb")
			shown := fmt.Sprintf(".rich[data-mime='%s'] figure", o.MIME)
			p.await("document.querySelector(\"" + shown + "\")")
			p.await(`/* the figure has a shape, a picture, a cell, a control, or a canvas of more than one colour */
			document.querySelector("` + shown + ` :is(svg :is(polyline, polygon, line, rect, circle, ellipse, path), img, td,"
				+ "input, meter, progress)") || [...document.querySelectorAll("` + shown + ` canvas")].some(c => {
				if (!c.width || !c.height) return false;
				const flat = document.createElement('canvas');
				Object.assign(flat, { width: c.width, height: c.height });
				const g = flat.getContext('2d');
				g.drawImage(c, 0, 0);
				const d = new Uint32Array(g.getImageData(0, 0, c.width, c.height).data.buffer);
				return d.some(v => v !== d[0]);
			})`)
			p.quiet()
			note := "(" + o.Name + ") has no form for files"
			data, _ := whole[o.Static].(string)
			if html := p.exported(); strings.Contains(html, note) || o.Static == "image/png" &&
				!strings.Contains(html, "data:image/png;base64,"+data) {
				t.Errorf("the exported file has not the form %s: %.200s", o.Static,
					html[strings.Index(html, "<body>"):])
			}
			p = s.open("/notebooks/broken.ipynb")
			p.await(fmt.Sprintf("document.querySelector(\".rich[data-mime='%s']\")", o.Static))
			if said := p.shown(0); !strings.Contains(said, "expected") {
				t.Errorf("data that cannot be shown are not spoken of: %q", said)
			}
			html := s.open("/notebooks/bare.ipynb").exported()
			if text := strings.Split(whole["text/plain"].(string), "\n")[0]; !strings.Contains(html, note) ||
				!strings.Contains(html, text) {
				t.Errorf("the file of an output without %s says neither %q nor %q", o.Static, note, text)
			}
		})
	}
}

// What goes wrong only when an output is drawn makes room for the next form too.
func TestDrawingFails(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("embedding 12", "print last")})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "(HTMLCanvasElement.prototype.getContext = () => { throw new Error('no canvas today'); }, null)")
	p.runAll()
	p.await("document.querySelector(\".rich[data-mime='text/plain']\")")
	if got := p.shown(0); !strings.Contains(got, "no canvas today") || !strings.Contains(got, "an embedding") {
		t.Errorf("the first cell shows %q", got)
	}
	if got := p.shown(1); got != "last\n" {
		t.Errorf("the next cell shows %q", got)
	}
}

// Types that nobody here knows are named above their text, on the page and in a file; beside a richer form they need no
// word.
func TestUnknownTypes(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(
		display(map[string]any{"application/vnd.other.v1+json": map[string]any{}, "text/plain": "the text of another"}),
		display(map[string]any{"application/vnd.alone": "x"}),
		display(map[string]any{"application/vnd.beside": "x", "text/html": "<b>rich enough</b>"}),
		display(map[string]any{}),
		display(map[string]any{"image/png": "no picture", "text/plain": "instead of it"}),
	)})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('.cell .outputs').textContent.includes('instead of it')")
	if got := p.shown(0); !strings.Contains(got, "These data are no picture of type image/png.") {
		t.Errorf("a picture that is none is not spoken of: %q", got)
	}
	html := p.exported()
	for where, text := range map[string]string{"the page": p.shown(0),
		"the file": html[strings.Index(html, "<body>"):]} {
		line, beneath := strings.Index(text, "Nothing here can show application/vnd.other.v1+json."),
			strings.Index(text, "the text of another")
		if line < 0 || beneath < line {
			t.Errorf("%s does not name the type above the text: %q", where, text)
		}
		for _, want := range []string{"Nothing here can show application/vnd.alone.", "rich enough",
			"An empty output."} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %q", where, want, text)
			}
		}
		if strings.Contains(text, "vnd.beside") {
			t.Errorf("%s speaks of a type beside a form that is shown: %q", where, text)
		}
	}
}

// awkward are texts that have made, or could make, what shows them fail.
var awkward = []string{
	"[a](caf%E9.png)", `<img src="50%.png">`, "![x](attachment:100%)", "![x](%)", "[x](%E0%A4%A)",
	"<a href='%zz'>x</a>", "100 % and %",
	"[a](caf%C3%A9.png)", "# %", strings.Repeat("> ", 3000) + "deep", strings.Repeat("[", 5000),
	strings.Repeat("<div>", 5000), "$" + strings.Repeat("{", 3000) + "$",
	`$\def\x{\x\x}\x$`, "$$\\begin{align}$$", "| a |\n|--|\n" + strings.Repeat("| b ", 500), "\x00\x1b[999999m",
	"\\(" + strings.Repeat("\\frac{", 400),
}

// A page survives any document: every cell is there, whatever stands in the others, in the notebook and in its HTML.
func TestPageSurvivesDocuments(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	var sources []string
	for _, a := range awkward {
		sources = append(sources, "# cell\n\n"+a)
	}
	sources = append(sources, "print last")
	nb := notebook(sources...)
	cells := nb["cells"].([]cell)
	var outputs []map[string]any
	for _, a := range awkward {
		for _, mime := range []string{"text/markdown", "text/html", "text/latex", "image/svg+xml", "image/png",
			"text/plain"} {
			outputs = append(outputs, display(map[string]any{mime: a}))
		}
	}
	for _, o := range shows.Types() {
		whole := wire(t, o.Sample())
		for _, data := range []any{nil, 1, "text", []any{}, map[string]any{}, map[string]any{"version": 1},
			map[string]any{"version": 1, "n": 1e9}} {
			outputs = append(outputs, display(map[string]any{o.MIME: data, "text/plain": "plain"}))
		}
		for key := range whole[o.MIME].(map[string]any) {
			for _, v := range []any{nil, -1, "%", []any{nil}, map[string]any{"x": nil}} {
				data := maps.Clone(whole[o.MIME].(map[string]any))
				data[key] = v
				outputs = append(outputs, display(map[string]any{o.MIME: data, "text/plain": "plain"}))
			}
		}
	}
	outputs = append(outputs, map[string]any{"output_type": "error", "ename": "E", "evalue": "%", "traceback": awkward},
		map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Join(awkward, "\n")})
	last := cells[len(cells)-1]
	last["outputs"] = append(outputs, display(map[string]any{"text/plain": "the end"}))
	odd := map[string]any{"toString": 1, "valueOf": 1}
	last["metadata"] = cell{"execution": map[string]any{"iopub.execute_input": odd, "shell.execute_reply": odd},
		"jupyter": "%", "scrolled": odd, "collapsed": nil}
	cells[0]["metadata"] = cell{"heading_collapsed": "%", "jupyter": nil, "execution": 7}
	cells[1]["attachments"] = map[string]any{"100%": map[string]any{"image/png": "%"}, "%": map[string]any{}}
	s := newSite(t, map[string]any{"a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('.outputs')?.isConnected && [...document.querySelectorAll('.cell " +
		".output')].at(-1)?.textContent.includes('the end')")
	if n := eval[int](p, "document.querySelectorAll('.cell').length"); n != len(sources) {
		t.Errorf("%d cells are on the page, expected %d", n, len(sources))
	}
	if n := eval[int](p, "[...document.querySelectorAll('.cell')].filter(c => c.dataset.type === 'markdown' && "+
		"!c.querySelector('.prose').textContent.trim()).length"); n != 0 {
		t.Errorf("%d text cells are empty", n)
	}
	if n := eval[int](p, "document.querySelectorAll('.cell .output').length"); n != len(outputs)+1 {
		t.Errorf("%d outputs are on the page, expected %d", n, len(outputs)+1)
	}
	if n := eval[int](p, "[...document.querySelectorAll('.rich')].filter(o => !o.childElementCount).length"); n != 0 {
		t.Errorf("%d outputs are blank", n)
	}
	if html := p.exported(); strings.Count(html, "<section") != len(sources) || !strings.Contains(html, "the end") {
		t.Errorf("the exported file has %d cells, expected %d", strings.Count(html, "<section"), len(sources))
	}
	p.quiet("Failed to load resource") // pictures that are none
}

// A curve that has grown is a line without marks, however few points it had when it was first drawn.
func TestCurvesGrowWithoutMarks(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("curve 30 20")})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "(localStorage.setItem('nacre.theme', 'dark'), document.documentElement.dataset.theme = 'dark', "+
		"document.dispatchEvent(new CustomEvent('nacre:theme')), null)")
	p.press("Ctrl-Enter")
	p.await("document.querySelector('.curves canvas')")
	p.idle()
	p.shown(0)
	// Marks are filled with white, which nothing else on dark paper is.
	white := eval[int](p, `(() => {
		const c = document.querySelector('.curves canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 0; i < d.length; i += 4) if (d[i] > 250 && d[i + 1] > 250 && d[i + 2] > 250 && d[i + 3] > 250) n++;
		return n;
	})()`)
	if white > 0 {
		t.Errorf("%d pixels of marks", white)
	}
	p.quiet()
}
