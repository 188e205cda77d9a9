package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/tsne"
)

// The coordinates lie beside the picture, with the labels and what else the file tells of its rows.
func TestTSNEWritesCoordinates(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("name,a,b,c,digit\n")
	for i := range 24 {
		fmt.Fprintf(&b, "row %d,%d,%d,%d,%d\n", i, 10*(i%2), i%5, i%7, int64(1)<<53+int64(i%4))
	}
	input := filepath.Join(dir, "own.csv")
	if err := os.WriteFile(input, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "tsne", input, "--perplexity", "5", "--out", dir)
	f, err := frame.Read(filepath.Join(dir, "tsne.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Names(), " "); got != "x y label name digit" && got != "x y label name" {
		t.Errorf("columns %s", got)
	}
	labels, _ := f.Texts("label")
	names, _ := f.Texts("name")
	if f.Len() != 24 || labels[5] != "9007199254740993" || labels[7] != "9007199254740995" || names[5] != "row 5" {
		t.Errorf("%d rows, the sixth is %s with label %s", f.Len(), names[5], labels[5])
	}
	e, err := tsne.Load(filepath.Join(dir, "tsne.npz"), "")
	if err != nil {
		t.Fatal(err)
	}
	y, _ := f.Numbers("y")
	if e.Mean.Rows != 24 || e.Mean.Cols != 2 || e.Mean.Data[2*7+1] != y[7] || e.Label[5] != 1<<53+1 {
		t.Errorf("arrays of %d×%d", e.Mean.Rows, e.Mean.Cols)
	}
}

// A table without a header loses no row.
func TestTSNEWithoutHeader(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for i := range 24 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%3, i%5, i%2)
	}
	input := filepath.Join(dir, "own.csv")
	if err := os.WriteFile(input, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "tsne", input, "--label", "2", "--perplexity", "5", "--out", dir)
	f, err := frame.Read(filepath.Join(dir, "tsne.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Names(), " "); got != "x y label" || f.Len() != 24 {
		t.Errorf("columns %s, %d rows", got, f.Len())
	}
}
