// Command figures writes the tables that the figures of web/screenshots/kinds.ipynb are drawn from, as CSV files, so
// that other libraries draw the same numbers: bench/figures/run.sh.
package main

import (
	"log"
	"os"
	"path/filepath"

	"nacre/library/lab"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("figures: expected the folder to write to")
	}
	runs, err := lab.OpenAll("notebooks/data/cheetah-vel.zip/runs")
	if err == nil {
		err = runs.Metrics().WriteCSV(filepath.Join(os.Args[1], "metrics.csv"))
	}
	if err == nil {
		err = runs.Returns().WriteCSV(filepath.Join(os.Args[1], "returns.csv"))
	}
	if err != nil {
		log.Fatal("figures: ", err)
	}
}
