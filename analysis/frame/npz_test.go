package frame

import (
	"path/filepath"
	"strings"
	"testing"

	"nacre/tsne"
)

// Embeddings are a table as they are and as a file has them.
func TestEmbeddings(t *testing.T) {
	e := &tsne.Embeddings{
		Mean:  tsne.Matrix{Rows: 3, Cols: 2, Data: []float64{1, 2, 3, 4, 5, 6}},
		Std:   tsne.Matrix{Rows: 3, Cols: 2, Data: []float64{.1, .2, .3, .4, .5, .6}},
		Label: []int{1, 0, 1}, Names: []string{"left", "right"},
	}
	f, err := Of(e)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(f.Head(1)), "label,mean0,mean1,std0,std1 / right,1,2,0.1,0.2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	path := filepath.Join(t.TempDir(), "e.npz")
	if err := e.Save(path); err != nil {
		t.Fatal(err)
	}
	if f, err = Read(path); err != nil {
		t.Fatal(err)
	}
	if got, want := text(f.Tail(1)), "mean0,mean1,std0,std1,label,label_name / 5,6,0.5,0.6,1,right"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if f, err = Of(e.Mean); err != nil || strings.Join(f.Names(), " ") != "0 1" {
		t.Errorf("a matrix is %v, %v", f, err)
	}
}
