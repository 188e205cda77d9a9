package plots_test

import (
	"fmt"
	"os"
	"path/filepath"

	"nacre/analysis/plots"
	"nacre/tsne"
)

// Two planes side by side, as one picture for print and one for the screen.
func ExampleEmbedding() {
	dir, err := os.MkdirTemp("", "plots")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	label := []int{0, 0, 1, 1}
	near := tsne.Matrix{Rows: 4, Cols: 2, Data: []float64{-3, 0, 3, 0, -1, 2, 5, 2}}
	far := tsne.Matrix{Rows: 4, Cols: 2, Data: []float64{-9, 0, -8, 0, 8, 1, 9, 1}}
	figure, err := plots.Embedding(
		plots.Panel{Title: "PEARL", Y: near, Label: label},
		plots.Panel{Title: "TCL-PEARL", Y: far, Label: label},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"tsne.png", "tsne.svg"} {
		if err := figure.Save(filepath.Join(dir, name)); err != nil {
			fmt.Println(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	// Output:
	// tsne.png
	// tsne.svg
}
