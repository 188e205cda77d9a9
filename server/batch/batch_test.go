package batch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"nacre/kernel/kerneltest"
	"nacre/server/batch"
	"nacre/server/nbformat"
	"nacre/server/process"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if os.Getenv("BATCH_TEST_KERNEL") != "" {
		_ = process.Serve(context.Background(), &kerneltest.Session{})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// notebook has a code cell for each source; those beginning with "# " are markdown.
func notebook(sources ...string) *nbformat.Notebook {
	nb := nbformat.New("test", "test", "go")
	for i, s := range sources {
		c := nbformat.NewCode(fmt.Sprint("c", i+1), s)
		if strings.HasPrefix(s, "# ") {
			c = nbformat.Cell{"cell_type": "markdown", "id": fmt.Sprint("c", i+1), "metadata": map[string]any{},
				"source": s}
		}
		nb.Insert(i, c)
	}
	return nb
}

func options() batch.Options {
	return batch.Options{Process: process.Config{Argv: []string{os.Args[0]}, Env: []string{"BATCH_TEST_KERNEL=1"}}}
}

func outputs(nb *nbformat.Notebook, id string) string {
	b, _ := json.Marshal(nb.Cell(id)["outputs"])
	return string(b)
}

func TestRun(t *testing.T) {
	nb := notebook("# title", "print a\ndisplay d one", "", "update d two\nvalue 3")
	nb.Cell("c2").SetOutputs([]nbformat.Output{{Type: "error"}}, 9)
	var order []string
	nb.Cell("c2").SetExecution(map[string]string{"iopub.execute_input": "2020-01-01T00:00:00Z"})
	o := options()
	o.Started = func(number, of int, c nbformat.Cell) {
		order = append(order, fmt.Sprintf("%d/%d %s", number, of, c.ID()))
	}
	o.Ended = func(number, _ int, _ nbformat.Cell) error { order = append(order, fmt.Sprint(number)); return nil }
	if err := batch.Run(t.Context(), nb, o); err != nil {
		t.Fatal(err)
	}
	if err := nb.Validate(); err != nil {
		t.Error(err)
	}
	if meta := nb.Cell("c2").Metadata(); len(meta) > 0 {
		t.Errorf("times of an earlier run: %v", meta)
	}
	if fmt.Sprint(order) != "[2/4 c2 2 4/4 c4 4]" {
		t.Error(order)
	}
	want := `[{"name":"stdout","output_type":"stream","text":"a\n"},{"data":{"text/plain":"two"},"metadata":{},"output_type":"display_data"}]`
	if got := outputs(nb, "c2"); got != want { // a later cell has changed the display
		t.Errorf("got %s, want %s", got, want)
	}
	if got := outputs(nb, "c4"); !strings.Contains(got, `"text/plain":"3"`) || nb.Cell("c4")["execution_count"] != 2 {
		t.Errorf("%s %v", got, nb.Cell("c4")["execution_count"])
	}
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		sources []string
		want    batch.CellError
		output  string
	}{
		"error": {[]string{"value 1", "print x\nfail Boom it broke", "print never"},
			batch.CellError{Number: 2, ID: "c2", FirstLine: "print x", Name: "Boom", Value: "it broke"},
			`"ename":"Boom"`},
		"death": {[]string{"native why\nexit 3"}, batch.CellError{Number: 1, ID: "c1", FirstLine: "native why",
			Name: "KernelDied", Value: "the kernel ended with exit status 3: why"}, "KernelDied"},
		"no stdin": {[]string{"input who"}, batch.CellError{Number: 1, ID: "c1", FirstLine: "input who",
			Name: "InputRefused", Value: "this client cannot be asked for input"}, "InputRefused"},
	} {
		nb := notebook(test.sources...)
		err := batch.Run(t.Context(), nb, options())
		var got *batch.CellError
		if !errors.As(err, &got) || *got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, err, test.want)
		}
		if o := outputs(nb, test.want.ID); !strings.Contains(o, test.output) {
			t.Errorf("%s: %s", name, o)
		}
		if err := nb.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c := nb.Cell("c3"); c != nil && (c.HasOutputs() || c["execution_count"] != nil) {
			t.Errorf("%s: a later cell was run", name)
		}
	}
	nb := notebook("fail Boom on purpose", "print after")
	nb.Cell("c1").Metadata()["tags"] = []any{"raises-exception"}
	if err := batch.Run(t.Context(), nb, options()); err != nil || !strings.Contains(outputs(nb, "c2"), "after") {
		t.Errorf("%v %s", err, outputs(nb, "c2"))
	}
}

// What the process prints itself, and what goroutines of earlier cells print, is in the notebook.
func TestOtherOutput(t *testing.T) {
	nb := notebook("print one\nnative two", "native-late 0 three\nlate 0 four\nsleep 300\nlate 50 five",
		"sleep 300\nnative-late 1 six\nlate 1 seven", "sleep 300")
	if err := batch.Run(t.Context(), nb, options()); err != nil {
		t.Fatal(err)
	}
	if got := outputs(nb, "c1"); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("the first cell shows %s", got)
	}
	all := ""
	for _, c := range nb.Cells() {
		all += outputs(nb, c.ID())
	}
	for _, word := range []string{"three", "four", "five", "six", "seven"} { // when they come decides whose they are
		if strings.Count(all, word) != 1 {
			t.Errorf("%s is not there once: %s", word, all)
		}
	}
}

func TestTimeout(t *testing.T) {
	cause := errors.New("time is up")
	nb := notebook("print begun\nspin")
	for limit := 200 * time.Millisecond; ; limit *= 4 { // on a busy machine a cell begins late
		ctx, cancel := context.WithTimeoutCause(t.Context(), limit, cause)
		err := batch.Run(ctx, nb, options())
		cancel()
		var got *batch.CellError
		if !errors.As(err, &got) || got.Name != "Timeout" || got.Value != "time is up" {
			t.Errorf("%v", err)
		}
		if o := outputs(nb, "c1"); !strings.Contains(o, "time is up") || limit > time.Minute {
			t.Fatal(o)
		} else if strings.Contains(o, "begun") {
			return
		}
	}
}

func TestParameters(t *testing.T) {
	make := func() *nbformat.Notebook {
		nb := notebook("print 1", "n := 3\nvar (\n\tname = \"x\"\n\trate float64 = 0.5\n)\nvar deep, on = 1, true\n"+
			"if n == 3 {}", "print n")
		nb.Cell("c2").Metadata()["tags"] = []any{"parameters"}
		return nb
	}
	nb := make()
	if err := batch.SetParameters(nb, []string{"n=5", "name=ant-dir", "rate=1e-3", `name="7"`}); err != nil {
		t.Fatal(err)
	}
	c := nb.Cells()[2]
	if want := "n = 5\nname = \"ant-dir\"\nrate = 1e-3\nname = \"7\""; c.Source() != want ||
		!c.Tagged("injected-parameters") {
		t.Errorf("%v", c)
	}
	if err := nb.Validate(); err != nil {
		t.Error(err)
	}
	if err := batch.SetParameters(nb, []string{"n=6"}); err != nil || len(nb.Cells()) != 4 ||
		nb.Cells()[2].Source() != "n = 6" {
		t.Errorf("%v, %d cells", err, len(nb.Cells()))
	}
	for value, want := range map[string]string{
		"epochs=3": `the notebook has n, name, rate`, "n": "expected name=value",
	} {
		if err := batch.SetParameters(make(), []string{value}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := batch.SetParameters(notebook("print 1"), []string{"n=1"}); err == nil ||
		!strings.Contains(err.Error(), `the tag "parameters"`) {
		t.Error(err)
	}
	if err := batch.SetParameters(notebook("print 1"), nil); err != nil {
		t.Error(err)
	}
}

func TestTiming(t *testing.T) {
	nb := notebook("print a")
	o := options()
	o.Timing = true
	if err := batch.Run(t.Context(), nb, o); err != nil {
		t.Fatal(err)
	}
	times, _ := nb.Cell("c1").Metadata()["execution"].(map[string]any)
	began, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(times["iopub.execute_input"]))
	ended, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(times["shell.execute_reply"]))
	if began.IsZero() || ended.Before(began) {
		t.Errorf("times %v", times)
	}
}

// Values are read as the parameter's type asks.
func TestParametersHaveTypes(t *testing.T) {
	const cell = `import "time"
import (
	"fmt"
)
name := "x"
seed := 1
rate, on := 0.5, true
var small float32
var big uint64 = 1
xs := []int{1, 2}
names := []string{}
grid := [][]float64{{1}}
wait := 5 * time.Second
low := -3
m := map[string]int{}
n := int64(4)`
	for value, want := range map[string]string{
		"name=2026": `name = "2026"`, `name="2026"`: `name = "2026"`,
		"name=true": `name = "true"`, "name=": `name = ""`,
		"name=a b": `name = "a b"`, "seed=7": "seed = 7", "seed=0x10": "seed = 0x10", "seed=-1": "seed = -1",
		"seed=010": "octal in Go; write 10 or 0o10", "seed=1.5": "expected a whole number",
		"seed=many": "expected a whole number", "seed=1e6": "seed = 1000000", "seed=7.0": "seed = 7",
		"seed=1_000": "seed = 1_000",
		"low=-2e3":   "low = -2000", "seed=0.5e1": "seed = 5", "xs=1e3,2.0": "xs = []int{1000, 2}",
		"seed=1e99": "expected a whole number from -9223372036854775808 to 18446744073709551615",
		"big=1e19":  "big = 10000000000000000000", "seed=1e-3": "expected a whole number", "rate=1e99": "rate = 1e99",
		"rate=1": "rate = 1", "rate=1e-3": "rate = 1e-3",
		"rate=007":  "rate = 7",
		"rate=fast": "expected a number", "rate=NaN": "expected a number", "on=false": "on = false",
		"on=1": "expected true or false", "small=2": "small = 2",
		"big=18446744073709551615": "big = 18446744073709551615",
		"xs=3,4, 5":                "xs = []int{3, 4, 5}", "xs=[3,4]": "xs = []int{3, 4}", "xs=": "xs = []int{}",
		"xs=[]int{9}": "xs = []int{9}", "xs=1,a": "element 2: expected a whole number", "xs=[1,": "as a JSON array",
		"names=a,b c": `names = []string{"a", "b c"}`, `names=["a,b", "c"]`: `names = []string{"a,b", "c"}`,
		"grid=[[1,2],[3.5]]": "grid = [][]float64{[]float64{1, 2}, []float64{3.5}}",
		"wait=2*time.Minute": "wait = 2*time.Minute", "wait=two minutes": "expected a value as it is written in Go",
		"low=4": "low = 4", `m=map[string]int{"a": 1}`: `m = map[string]int{"a": 1}`, "n=5": "n = 5",
		"nam=x": "the notebook has name, seed, rate, on, small",
	} {
		nb := notebook(cell)
		nb.Cell("c1").Metadata()["tags"] = []any{"parameters"}
		err := batch.SetParameters(nb, []string{value})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = nb.Cells()[1].Source()
		}
		if err == nil && got != want || err != nil && !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	nb := notebook("x := := 1")
	nb.Cell("c1").Metadata()["tags"] = []any{"parameters"}
	err := batch.SetParameters(nb, []string{"x=1"})
	if err == nil || !strings.Contains(err.Error(), `tag "parameters"`) {
		t.Error(err)
	}
}

// A cell with the tag skip-execution is not run and keeps what it shows.
func TestSkippedCells(t *testing.T) {
	nb := notebook("fail Boom never", "print ran")
	nb.Cell("c1").Metadata()["tags"] = []any{"skip-execution"}
	nb.Cell("c1").SetOutputs([]nbformat.Output{{Type: "error", EName: "kept", Traceback: []string{}}}, 4)
	o := options()
	var skipped []int
	o.Skipped = func(number int, _ nbformat.Cell) { skipped = append(skipped, number) }
	if err := batch.Run(t.Context(), nb, o); err != nil {
		t.Fatal(err)
	}
	if got := outputs(nb, "c1"); !strings.Contains(got, "kept") || nb.Cell("c1")["execution_count"] != 4 ||
		len(skipped) != 1 || skipped[0] != 1 {
		t.Errorf("%s, count %v, skipped %v", got, nb.Cell("c1")["execution_count"], skipped)
	}
	if got := outputs(nb, "c2"); !strings.Contains(got, "ran") {
		t.Error(got)
	}
}
