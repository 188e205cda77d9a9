package browser

import (
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
	shows "nacre/library/display"
)

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

// A tab that is closed while a cell runs, and a page opened again while it still runs: everything that was printed is
// there, once and in order, and the queue goes on.
func TestTabClosedWhileRunning(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	end := filepath.Join(t.TempDir(), "end")
	s := newSite(t, map[string]any{"a.ipynb": notebook("until "+end, "print last")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Ctrl-Enter")
	p.await("nacre.notebook.cells[0].outputs[0]?.text.startsWith('1\\n2\\n3\\n')")
	again := s.more(p, "/tree") // a browser without tabs would end
	p.close()
	time.Sleep(150 * time.Millisecond)
	running := s.more(again, "/notebooks/a.ipynb")
	if got := eval[string](running, "nacre.notebook.cells.map(c => c.state).join()"); got != "running,queued" {
		t.Errorf("the reopened page has cells %s, expected running,queued", got)
	}
	if err := os.WriteFile(end, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	running.idle()
	got := strings.Fields(eval[string](running, "nacre.notebook.cells[0].outputs.map(o => o.text).join('')"))
	if len(got) < 5 || got[len(got)-1] != "end" {
		t.Fatalf("the page opened while the cell ran has %q", got)
	}
	for i, line := range got[:len(got)-1] {
		if line != strconv.Itoa(i+1) {
			t.Fatalf("line %d is %q", i+1, line)
		}
	}
	running.await("document.querySelectorAll('.cell')[0].querySelector('.outputs').textContent.trim().endsWith('end')")
	if got := running.shown(1); strings.TrimSpace(got) != "last" {
		t.Errorf("the queued cell shows %q", got)
	}
	running.quiet()
}

func TestClosedAndOpenedAfterTheEnd(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("curve 40 10", "count 10 5")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Ctrl-Enter")
	p.await("nacre.notebook.cells[0].outputs.length === 1")
	again := s.more(p, "/tree")
	p.close()
	time.Sleep(600 * time.Millisecond)
	later := s.more(again, "/notebooks/a.ipynb")
	later.idle()
	if n := eval[int](later, "nacre.notebook.cells[0].outputs[0].data['"+shows.CurvesMIME+
		"'].series[0].y.length"); n != 40 {
		t.Errorf("the curve has %d points, expected 40", n)
	}
	if got := later.shown(1); strings.TrimSpace(got) != strings.TrimSpace(lines(1, 10)) {
		t.Errorf("the page opened afterwards shows %q", got)
	}
	later.await("document.querySelector('.curves canvas')")
	later.quiet()
}

// An error of a cell with the tag raises-exception is part of the notebook: the cells that wait run. Another error
// stops them.
func TestCellsThatMayFail(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	nb := notebook("fail Oops expected", "print after", "fail Oops unexpected", "print never")
	nb["cells"].([]cell)[0]["metadata"] = cell{"tags": []string{"slow", "raises-exception"}}
	nb["cells"].([]cell)[2]["metadata"] = cell{"tags": "raises-exception"} // no list: no tag
	s := newSite(t, map[string]any{"a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	p.runAll()
	got := eval[string](p, "nacre.notebook.cells.map(c => "+
		"c.outputs.map(o => o.evalue ?? o.text.trim()).join()).join('|')")
	if want := "expected|after|unexpected|"; got != want {
		t.Errorf("the cells give %s, want %s", got, want)
	}
	p.quiet()
}

// A page that is opened while a cell runs, or after it ended alone, tells how long this run takes or took, not the one
// before.
func TestTimesOfThisRun(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	end := filepath.Join(t.TempDir(), "end")
	must(t, os.WriteFile(end, nil, 0o644))
	s := newSite(t, map[string]any{"a.ipynb": notebook("until " + end)})
	p := s.open("/notebooks/a.ipynb")
	earlier := time.Now()
	p.press("Ctrl-Enter")
	p.idle()
	eval[any](p, "nacre.saving.save().then(() => null)")
	must(t, os.Remove(end))
	time.Sleep(1500 * time.Millisecond)
	began := time.Now()
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[0].state === 'running' && nacre.notebook.cells[0].outputs.length")
	other := s.more(p, "/tree")
	p.close()
	p = s.more(other, "/notebooks/a.ipynb")
	p.await("nacre.notebook.cells[0].state === 'running'")
	if ms := eval[float64](p, "nacre.notebook.cells[0].runningMs"); ms <= 0 ||
		ms > float64(time.Since(began).Milliseconds()) {
		t.Errorf("it is said to run for %.0f ms; it began %v ago, the run before it %v", ms, time.Since(began),
			time.Since(earlier))
	}
	p.close()
	must(t, os.WriteFile(end, nil, 0o644))
	time.Sleep(200 * time.Millisecond)
	p = s.more(other, "/notebooks/a.ipynb")
	p.idle()
	if ms := eval[float64](p, "nacre.notebook.cells[0].tookMs"); ms <= 0 ||
		ms > float64(time.Since(began).Milliseconds()) {
		t.Errorf("it is said to have taken %.0f ms; it began %v ago, the run before it %v", ms, time.Since(began),
			time.Since(earlier))
	}
	p.quiet()
}

// What ran while a page could not hear it, and what another program wrote into the file, took as long as was recorded.
func TestTimesOfOtherRuns(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("print short")})
	p := s.open("/notebooks/a.ipynb")
	p.runAll()
	q := s.more(p, "/notebooks/a.ipynb")
	eval[any](p, "nacre.execution.receive = () => {}; null")
	eval[any](q, "nacre.notebook.cells[0].setSource('sleep 700'); null")
	q.runAll()
	eval[any](p, "delete nacre.execution.receive; nacre.catchUp().then(() => null)")
	p.await("nacre.notebook.cells[0].count === 2")
	if ms := eval[float64](p, "nacre.notebook.cells[0].tookMs"); ms < 700 {
		t.Errorf("a run of 700 ms that was missed is said to have taken %.0f", ms)
	}
	eval[any](q, "nacre.saving.save().then(() => null)")
	nb := notebook("print short")
	nb["cells"].([]cell)[0]["metadata"] = cell{"execution": cell{"iopub.execute_input": "2026-01-01T00:00:00Z",
		"shell.execute_reply": "2026-01-01T00:02:05Z"}}
	b, err := json.Marshal(nb)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.dir, "a.ipynb"), b, 0o644))
	eval[any](q, "nacre.file.reload().then(() => null)")
	q.await("document.querySelector('.timing').textContent === '2 min 5 s'")
	p.quiet()
	q.quiet()
}

// The updates of a display that was shown before the page was loaded find it.
func TestReloadKeepsDisplays(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("display d first", "update d second")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter")
	p.idle()
	q := s.more(p, "/notebooks/a.ipynb")
	q.press("j", "Ctrl-Enter")
	q.idle()
	q.await("document.querySelectorAll('.cell')[0].querySelector('.outputs').textContent.trim() === 'second'")
	p.await("document.querySelectorAll('.cell')[0].querySelector('.outputs').textContent.trim() === 'second'")
}

func TestInterrupt(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("spin", "print after")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Shift-Enter")
	p.await("nacre.notebook.cells[0].state === 'running' && nacre.notebook.cells[1].state === 'queued'")
	p.press("Escape", "k", "i", "i")
	took := p.await("nacre.notebook.cells.every(c => c.state === 'idle')")
	t.Logf("from the keys to the end of the cell: %v", took)
	if got := p.shown(0); !strings.Contains(got, "Interrupted") {
		t.Errorf("the interrupted cell shows %q", got)
	}
	if got := p.shown(1); got != "" {
		t.Errorf("the cell behind it ran and shows %q", got)
	}
	p.quiet()
}

// A kernel's process is killed: the cell says so, the page says so, another kernel takes its place, the server lives.
func TestKernelKilled(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("pid", "spin", "print alive")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter")
	p.idle()
	pid, err := strconv.Atoi(strings.TrimSpace(p.shown(0)))
	if err != nil {
		t.Fatal(err)
	}
	p.press("Ctrl-Enter")
	p.await("nacre.notebook.cells[1].state === 'running'")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.await("document.querySelector('.banner[data-kind=error]')?.innerText.includes('The kernel ended')")
	p.idle()
	p.await("document.querySelectorAll('.cell')[1].querySelector('.outputs').textContent.includes('KernelDied')")
	p.press("j", "Ctrl-Enter")
	p.await("document.querySelectorAll('.cell')[2].querySelector('.outputs').textContent.trim() === 'alive'")
}

func TestRestartAndRunAll(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("pid", "# text", "print end")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Ctrl-Enter")
	p.idle()
	first := p.shown(0)
	eval[any](p, "nacre.run('run.restartAll')")
	p.await("document.querySelector('dialog .primary')")
	p.press("Enter")
	p.await("nacre.notebook.cells[2].outputs.length === 1")
	p.idle()
	if second := p.shown(0); second == first || strings.TrimSpace(second) == "" {
		t.Errorf("after a restart the process is %q, before it was %q", second, first)
	}
	if count := eval[int](p, "nacre.notebook.cells[0].count"); count != 1 {
		t.Errorf("the first cell of a new kernel counts %d", count)
	}
	p.quiet()
}

func TestInput(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("input Name:", "password Secret:", "input Never:")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter")
	p.await("document.activeElement.matches('.stdin input[type=text]')")
	p.write("Ada")
	p.press("Enter")
	p.idle()
	if got := p.shown(0); !strings.Contains(got, "Name:Ada") || !strings.Contains(got, "got Ada") {
		t.Errorf("the cell shows %q", got)
	}
	eval[any](p, "nacre.selection.set(1, 'command')")
	p.press("Shift-Enter")
	p.await("document.activeElement.matches('.stdin input[type=password]')")
	p.write("hunter2")
	p.press("Enter")
	p.idle()
	if got := p.shown(1); strings.Contains(strings.Split(got, "got")[0], "hunter2") {
		t.Errorf("the password is shown: %q", got)
	}
	// An interrupt takes the question back.
	eval[any](p, "nacre.selection.set(2, 'command')")
	p.press("Ctrl-Enter")
	p.await("document.querySelector('.stdin input')")
	eval[any](p, "nacre.running.interrupt().then(() => null)")
	p.idle()
	p.await("!document.querySelector('.stdin')")
	p.quiet()
}

func TestOutputs(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook(
		`stream "10%\r20%\r\x1b[32m100%\x1b[0m\nab\bc\n"`,
		"again d text/plain first", "change d text/markdown **second**",
		"print old\nclear wait\nprint new",
		"show text/latex $x^2$",
		"show text/html <table><tr><th>a</th></tr><tr><td>1</td></tr></table>",
		"show application/vnd.unknown nothing",
		"fail CompileError 2:3: undefined: y",
		"show "+shows.CurvesMIME+" {\"version\":9}",
	)})
	p := s.open("/notebooks/a.ipynb")
	for i := range 9 {
		eval[any](p, fmt.Sprintf("nacre.running.range(%d, %d).then(() => null)", i, i+1))
		p.idle()
	}
	p.await("document.querySelectorAll('.cell')[8].querySelector('.output')")
	want := map[int]string{0: "100%\nac", 1: "second", 3: "new", 6: "Nothing here can show application/vnd.unknown",
		8: "version 9; expected 1"}
	for i, w := range want {
		if got := p.shown(i); !strings.Contains(got, w) {
			t.Errorf("cell %d shows %q, expected %q", i, got, w)
		}
	}
	if strings.Contains(p.shown(3), "old") {
		t.Error("clear(wait) kept the old output")
	}
	for what, expression := range map[string]string{
		"colour":   "document.querySelector('.stream .ansi-green-fg').textContent === '100%'",
		"markdown": "document.querySelectorAll('.cell')[1].querySelector('strong').textContent === 'second'",
		"math":     "document.querySelectorAll('.cell')[4].querySelector('.katex')",
		"table":    "document.querySelectorAll('.cell')[5].querySelector('td').textContent === '1'",
	} {
		if !eval[bool](p, "!!("+expression+")") {
			t.Errorf("%s is not shown", what)
		}
	}
	// The place in the error is a link to it.
	eval[any](p, "nacre.notebook.cells[7].setSource('line one\\n  yes')")
	eval[any](p, "document.querySelector('.place').click()")
	p.await("nacre.selection.mode === 'edit' && " +
		"nacre.view(nacre.notebook.cells[7]).editor.view.state.selection.main.head === 11")
	p.quiet()
}

// 100,000 points are drawn, and a lasso recomputes the figures of what it holds. The corners' figures are known: points
// one away from four centroids at the corners of a square of side 20.
func TestEmbedding(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"a.ipynb": notebook("embedding 100000")})
	p := s.open("/notebooks/a.ipynb")
	p.press("Ctrl-Enter")
	p.idle()
	p.await("document.querySelector('.embedding figcaption')")
	caption := func() string { return eval[string](p, "document.querySelector('.embedding figcaption').textContent") }
	// Four sides of 20 and two diagonals of 20·√2: (80 + 40·√2)/6 = 22.76.
	for _, want := range []string{"all points", "1.00 within", "22.8 between", "22.8 ratio"} {
		if got := caption(); !strings.Contains(got, want) {
			t.Errorf("the figures are %q, expected %q", got, want)
		}
	}
	// A lasso around the two upper corners (c and d): 50,000 points, centroids 20 apart.
	eval[any](p, `(() => {
		const plot = document.querySelector('.viewport'), box = plot.getBoundingClientRect();
		const at = (type, x, y) => plot.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: box.left + x * box.width, clientY: box.top + y * box.height, shiftKey: true }));
		plot.setPointerCapture = () => {};
		at('pointerdown', 0.01, 0.01);
		for (const [x, y] of [[0.99, 0.01], [0.99, 0.5], [0.01, 0.5]]) at('pointermove', x, y);
		at('pointerup', 0.01, 0.5);
	})()`)
	for _, want := range []string{"50,000 selected", "1.00 within", "20.0 between"} {
		if got := caption(); !strings.Contains(got, want) {
			t.Errorf("the figures of the selection are %q, expected %q", got, want)
		}
	}
	frame := eval[float64](p, `(() => { const v = document.querySelector('.viewport'); const t = []; for (let i = 0; i < 12; i++) { const a = performance.now(); v.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true })); t.push(a); }
		return new Promise(done => { const times = []; let last = performance.now(), n = 0; const step = () => { const now = performance.now(); times.push(now - last); last = now; v.dispatchEvent(new KeyboardEvent('keydown', { key: n++ % 2 ? 'ArrowLeft' : 'ArrowRight', bubbles: true })); n < 40 ? requestAnimationFrame(step) : done(times.sort((a, b) => a - b)[20]); }; requestAnimationFrame(step); }); })()`)
	t.Logf("median time between frames while panning 100,000 points: %.1f ms", frame)
	p.quiet()
}

func TestThreeHundredCells(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	var sources []string
	for i := range 300 {
		if i%3 == 0 {
			sources = append(sources, fmt.Sprintf("## Section %d\n\nText with $x_{%d}$ and *emphasis*.", i, i))
		} else {
			sources = append(sources, fmt.Sprintf("print %d", i))
		}
	}
	s := newSite(t, map[string]any{"many.ipynb": notebook(sources...), "twenty.ipynb": notebook(sources[:20]...)})
	for _, name := range []string{"twenty", "many"} {
		p := s.open("/notebooks/" + name + ".ipynb")
		t.Logf("%s: contents loaded after %.0f ms, cells on the page after %.0f ms", name,
			eval[float64](p, "performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart"),
			eval[float64](p, "performance.getEntriesByName('nacre.shown')[0].startTime"))
		if name == "twenty" {
			continue
		}
		if n := eval[int](p, "document.querySelectorAll('.cell').length"); n != 300 {
			t.Fatalf("%d cells on the page", n)
		}
		p.runAll()
		if got := p.shown(299); strings.TrimSpace(got) != "299" {
			t.Errorf("the last cell shows %q", got)
		}
		p.press("Ctrl-End")
		p.await("nacre.selection.index === 299")
		p.await("document.querySelectorAll('.cell')[299].getBoundingClientRect().bottom <= innerHeight + 400")
		p.quiet()
	}
}

func TestBrokenFiles(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	s := newSite(t, map[string]any{"text.ipynb": []byte("this is no JSON"),
		"new.ipynb": []byte(`{"nbformat": 5, "nbformat_minor": 0, "metadata": {}, "cells": []}`)})
	for name, want := range map[string]string{"text.ipynb": "not a notebook", "new.ipynb": "5",
		"missing.ipynb": "missing.ipynb"} {
		p := s.openBroken("/notebooks/" + name)
		if got := eval[string](p, "document.querySelector('.problem').innerText"); !strings.Contains(got, want) {
			t.Errorf("%s: the page says %q, expected something about %s", name, got, want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(s.dir, "text.ipynb")); err != nil || string(b) != "this is no JSON" {
		t.Errorf("the broken file was changed: %q %v", b, err)
	}
}
