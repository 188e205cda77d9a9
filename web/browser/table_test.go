package browser

import (
	"strings"
	"testing"

	"nacre/analysis/frame"
)

// A table is sorted, filtered and paged by pointer and by keyboard; its numbers keep their decimals.
func TestTable(t *testing.T) {
	x, arm := make([]float64, 40), make([]string, 40)
	for i := range x {
		x[i], arm[i] = float64((i*7)%40)/8-2, []string{"PEARL", "TCL-PEARL"}[i%2]
	}
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(display(wire(t, frame.New(frame.Numbers("return", x), frame.Texts("arm", arm)))))})
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
	if sorted := eval[string](p, "document.querySelector('figure.table th').getAttribute('aria-sort')"); sorted != "ascending" {
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
	p.quiet()
}
