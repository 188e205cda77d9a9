//go:build unix

package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"nacre/cmd/nacre/app"
	"nacre/internal/fatal"
	"nacre/internal/python"
	"nacre/internal/python/pythontest"
)

// pandas and polars read the Parquet files of runs: the numbers of metrics.csv and of the evaluation, whole numbers as
// such, missing ones as null.
func TestParquetByPandasAndPolars(t *testing.T) {
	pythontest.Clients(t, "numpy", "pandas", "pyarrow", "polars")
	root := t.TempDir()
	brief(t, filepath.Join(root, "run"), 1<<63-1, "evaluation.every=2")
	for _, rows := range app.RowNames {
		var out bytes.Buffer
		o := app.RunsFileOptions{Out: filepath.Join(root, rows+".parquet"), Rows: rows}
		o.Root = root
		fatal.On(t, app.RunsFile(t.Context(), &app.Env{Out: &out, Err: &out}, o))
	}
	p, err := python.Find()
	fatal.On(t, err)
	cmd := exec.CommandContext(t.Context(), p.Path, "-c", `
import sys, numpy, pandas, polars, nacre_rl
folder = sys.argv[1]
run = nacre_rl.Run(folder + "/run")
for rows, want in (("iterations", run.metrics), ("returns", run.returns)):
    path = folder + "/" + rows + ".parquet"
    one, two = pandas.read_parquet(path), polars.read_parquet(path)
    assert list(one["seed"]) == two["seed"].to_list() == [9223372036854775807] * len(want), one["seed"]
    assert list(one.columns) == two.columns and list(one["run"]) == ["run"] * len(want)
    for column in set(want.columns) & set(one.columns):
        for got in (one[column], two[column].to_pandas()):
            assert numpy.array_equal(got.astype(float), want[column].astype(float), equal_nan=True), (column, got)
assert two["task"].dtype == polars.Int64 and two["return"].dtype == polars.Float64, two.schema
assert two["adapted"].to_list() == list(want["scored"])
two = polars.read_parquet(folder + "/iterations.parquet")
missing = [c for c in two.columns if two[c].null_count()]
assert missing and all(run.metrics[c].isna().sum() == two[c].null_count() for c in missing), missing
assert polars.read_parquet(folder + "/runs.parquet")["finished"].to_list() == [1]
`, root)
	source, err := filepath.Abs("../../../python")
	fatal.On(t, err)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1")
	if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
		t.Errorf("%v: %s", err, text)
	}
}
