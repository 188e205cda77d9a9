package browser

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nacre/analysis/frame"
	"nacre/internal/heavy"
)

// A table is sorted, filtered and paged by pointer and by keyboard; its numbers keep their decimals.
func TestTable(t *testing.T) {
	x, arm := make([]float64, 40), make([]string, 40)
	for i := range x {
		x[i], arm[i] = float64((i*7)%40)/8-2, []string{"PEARL", "TCL-PEARL"}[i%2]
	}
	s := newSite(t, map[string]any{
		"a.ipynb": withOutputs(display(wire(t, frame.New(frame.Numbers("return", x), frame.Texts("arm", arm)))))})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.table tbody tr')")
	first := func() string { return eval[string](p, "document.querySelector('figure.table tbody tr').innerText") }
	count := func() string { return eval[string](p, "document.querySelector('figure.table .count').innerText") }
	expect := func(row, rows string) {
		t.Helper()
		if first() != row || count() != rows {
			t.Errorf("first row %q of %q; want %q of %q", first(), count(), row, rows)
		}
	}
	expect("−2.000\tPEARL", "1–15 of 40")
	eval[any](p, "document.querySelector('figure.table th button').click()")
	expect("2.875\tTCL-PEARL", "1–15 of 40")
	eval[any](p, "document.querySelector('figure.table th button').focus()")
	p.press("Enter")
	expect("−2.000\tPEARL", "1–15 of 40")
	if sorted := eval[string](p,
		"document.querySelector('figure.table th').getAttribute('aria-sort')"); sorted != "ascending" {
		t.Errorf("the column says %q of its order", sorted)
	}
	eval[any](p, "document.querySelector('figure.table [aria-label=\"Next page\"]').click()")
	expect("−0.125\tTCL-PEARL", "16–30 of 40")
	eval[any](p, "document.querySelector('figure.table input').focus()")
	p.write("arm=pearl return>=2.5")
	expect("2.500\tPEARL", "2 rows of 40")
	p.write(" nothing")
	if got := count(); !strings.HasPrefix(got, "no row") {
		t.Errorf("a filter that nothing passes leaves %q", got)
	}
	p.press("Escape")
	p.await("document.querySelector('figure.table input').value === ''")
	if got := count(); !strings.HasPrefix(got, "1–15 of 40") && !strings.HasPrefix(got, "16–30 of 40") {
		t.Errorf("emptied by Escape, the filter leaves %q", got)
	}
	if got := eval[string](p, "document.querySelector('figure.table input').placeholder"); got != "filter: a word, "+
		"return>0.500" {
		t.Errorf("the filter's hint is %q", got)
	}
	p.quiet()
}

// An interval is one column, decimal points stand below each other, headers show how values are distributed, and the
// filter says what it hides.
func TestTableReads(t *testing.T) {
	n := 12
	value, lo, hi, loss, arm := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
		make([]string, n)
	for i := range n {
		value[i], arm[i], loss[i] = -21.03+float64(i), []string{"PEARL", "TCL-PEARL"}[i%2], math.Pow(10, float64(i%6-4))
		lo[i], hi[i] = value[i]-6.8, value[i]+6.8
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(display(wire(t, frame.New(frame.Texts("arm", arm),
		frame.Numbers("return", value), frame.Numbers("return_lo", lo), frame.Numbers("return_hi", hi),
		frame.Numbers("loss", loss)))))})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.table tbody tr')")
	if got := eval[string](p, "document.querySelector('figure.table tbody tr').innerText"); got !=
		"PEARL\t−21.0 [−27.8, −14.2]\t0.0001" {
		t.Errorf("the first row reads %q", got)
	}
	if got := eval[string](p, "[...document.querySelectorAll('figure.table th button')].map(b => "+
		"b.innerText).join()"); got != "arm,return,loss" {
		t.Errorf("the columns are %q", got)
	}
	// Where the points of the column of losses are, in pixels.
	points := eval[[]float64](p, `[...document.querySelectorAll('figure.table tbody tr')].map(tr => {
		const text = [...tr.lastElementChild.childNodes].map(n => n.firstChild ?? n).find(n => n.data.includes('.'));
		const range = document.createRange(), at = text.data.indexOf('.');
		range.setStart(text, at);
		range.setEnd(text, at + 1);
		return range.getBoundingClientRect().x;
	})`)
	for i, x := range points {
		if math.Abs(x-points[0]) > 1 {
			t.Errorf("the decimal point of row %d is at %.1f pixels, of the first at %.1f", i, x, points[0])
		}
	}
	bars := func(what string) float64 {
		return eval[float64](p, "[...document.querySelectorAll('figure.table th .bars')][0].querySelectorAll('"+what+
			"').length")
	}
	if all, kept := bars("i"), bars("b:not([style*=\"height:0%\"])"); all != 16 || kept < 11 {
		t.Errorf("%v bars, %v of them with rows", all, kept)
	}
	eval[any](p, "document.querySelector('figure.table input')?.focus()")
	p.quiet()
}

// A filter says how many rows it hides, and a click shows them again.
func TestFilterSaysWhatItHides(t *testing.T) {
	x := make([]float64, 30)
	for i := range x {
		x[i] = float64(i)
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(display(wire(t, frame.New(frame.Numbers("seed", x)))))})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.table input')")
	eval[any](p, "document.querySelector('figure.table input').focus()")
	p.write("seed<3")
	p.await("document.querySelector('figure.table .hides')")
	if got := eval[string](p, "document.querySelector('figure.table .hides').innerText"); got !=
		"The filter hides 27: show all" {
		t.Errorf("the filter says %q", got)
	}
	eval[any](p, "document.querySelector('figure.table .hides').click()")
	p.await("!document.querySelector('figure.table .hides')")
	if got := eval[string](p, "document.querySelector('figure.table .count').innerText"); got != "1–15 of 30" {
		t.Errorf("after that the table says %q", got)
	}
	p.quiet()
}

// A table wider than the text uses what is free beside it, and no more; on a narrow page, and beside what is open
// there, it is scrolled.
func TestWideTable(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	columns := make([]frame.Column, 11)
	for i := range columns {
		columns[i] = frame.Numbers(fmt.Sprintf("centroid %d", i), []float64{-1.25, 2.5, 1e3})
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(display(wire(t, frame.New(columns...))),
		map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Repeat("long ", 200)})})
	p := s.open("/notebooks/a.ipynb")
	p.await("document.querySelector('figure.table tbody tr')")
	// look is how wide table, text and page are, and what is hidden.
	type seen struct{ Table, Text, Hidden, Page, Panel float64 }
	look := func(width int64) seen {
		t.Helper()
		p.do(chromedp.EmulateViewport(width, 900))
		p.await(fmt.Sprintf("innerWidth === %d", width))
		return eval[seen](p, `(() => {
			const right = q => document.querySelector(q)?.getBoundingClientRect().right ?? 0, grid = document.querySelector('figure.table .viewport');
			const panel = document.querySelector('.side:not([hidden])')?.getBoundingClientRect().left ?? innerWidth;
			return { Table: right('figure.table'), Text: right('.cell .source'), Hidden: grid.scrollWidth - grid.clientWidth, Page: document.documentElement.scrollWidth, Panel: panel };
		})()`)
	}
	wide := look(1600)
	if wide.Hidden > 0 || wide.Table <= wide.Text || wide.Table > 1600 || wide.Page > 1600 {
		t.Errorf("on a page with room: %+v", wide)
	}
	if end := eval[float64](p,
		"document.querySelector('.output[data-kind=stream] pre').getBoundingClientRect().right"); end > wide.Text {
		t.Errorf("text beside the table goes to %v, the cell's to %v", end, wide.Text)
	}
	tools := eval[float64](p, "(t => t.left - document.querySelector('.cell .source').getBoundingClientRect().right)"+
		"(document.querySelector('.cell-tools').getBoundingClientRect())")
	if tools < 0 {
		t.Errorf("the cell's buttons begin %v pixels within the text", -tools)
	}
	if over := eval[float64](p, "document.querySelector('.cell-tools').getBoundingClientRect().bottom - "+
		"document.querySelector('figure.table').getBoundingClientRect().top"); over > 0 {
		t.Errorf("the cell's buttons go %v pixels over the table", over)
	}
	for _, width := range []int64{1280, 1000, 900, 700, 390} {
		if got := look(width); got.Hidden <= 0 || got.Table > float64(width) {
			t.Errorf("on a page of %d pixels: %+v", width, got)
		}
	}
	p.press("t")
	p.await("!document.querySelector('.outline').hidden")
	for _, width := range []int64{1900, 1600, 1300} {
		if got := look(width); got.Table > got.Panel || got.Page > float64(width) {
			t.Errorf("beside the outline, on a page of %d pixels: %+v", width, got)
		}
	}
	p.quiet()
}
