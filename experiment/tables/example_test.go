package tables_test

import (
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/experiment/tables"
)

// The table of a sweep that was only just begun: one evaluation, and the rest of the grid empty.
func Example() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	folder, err := sweep.Prepare(sweep.Plan{Name: "begun", Out: dir, Families: []string{"point-goal"},
		Seeds: []uint64{1}, Preset: "quick/point-goal",
		Systems: []sweep.System{{Algorithm: "pearl"}, {Algorithm: "tcl-pearl"}}})
	if err != nil {
		panic(err)
	}
	t, err := experiment.Start(folder.RunDir(folder.Runs[0]), folder.Runs[0].Config, experiment.Host{Workers: 1})
	if err != nil {
		panic(err)
	}
	t.Close()
	runs, _, err := tables.Load(dir)
	fmt.Println(len(runs), filepath.Base(runs[1].Dir), err)
	table, err := tables.Build("runs", runs, tables.Options{})
	fmt.Println(table.Systems, table.Notes[0], err)
	// Output:
	// 2 point-goal-tcl-pearl-seed1 <nil>
	// [pearl tcl-pearl] incomplete grid: 2 of 2 cells are empty, 0 of 2 runs counted <nil>
}
