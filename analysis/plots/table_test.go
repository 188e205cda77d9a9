package plots

import (
	"strings"
	"testing"
)

// The table stands below the planes, cell by cell, and the figure grows by its rows alone.
func TestTableBelowThePlanes(t *testing.T) {
	plain, err := Embedding(twoPlanes()...)
	if err != nil {
		t.Fatal(err)
	}
	table := Table{Head: []string{"", "space", "ratio"},
		Rows: [][]string{{"PEARL", "plane", "1.156"}, {"TCL", "plane", "2.575"}}}
	f, err := EmbeddingTable(table, twoPlanes()...)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(texts(t, f), "|"); !strings.HasSuffix(got, "space|ratio|PEARL|plane|1.156|TCL|plane|2.575") {
		t.Errorf("texts %q", got)
	}
	was, is := plain.own, f.own
	if grown := is.height - was.height; is.width != was.width || grown < 3*tableRow || grown > 5*tableRow {
		t.Errorf("%v×%v became %v×%v", was.width, was.height, is.width, is.height)
	}
	table.Rows = append(table.Rows, []string{strings.Repeat("a very long name ", 12), "plane", "1"})
	if f, err = EmbeddingTable(table, twoPlanes()...); err != nil || f.own.width <= was.width {
		t.Errorf("a wide table gives a figure %v wide, %v", f.own.width, err)
	}
}
