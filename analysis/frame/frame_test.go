package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

var nan = math.NaN()

func runs() *Frame {
	return New(
		Texts("arm", []string{"a", "b", "a", "b", "a", ""}),
		Numbers("seed", []float64{1, 1, 2, 2, 3, 1}),
		Numbers("return", []float64{3, 10, 5, nan, 7, -1}),
	)
}

// text is a frame as CSV, for comparison, or its error.
func text(f *Frame) string {
	data, err := f.CSV()
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", " / ")
}

func TestOperations(t *testing.T) {
	f := runs()
	goals := New(Texts("arm", []string{"a", "a", "c"}), Numbers("return", []float64{1, 2, 3}),
		Numbers("goal", []float64{8, 9, 7}))
	for name, c := range map[string]struct {
		got  *Frame
		want string
	}{
		"where": {f.Where(func(r Row) bool { return r.Number("return") > 4 && r.Text("arm") == "a" }),
			"arm,seed,return / a,2,5 / a,3,7"},
		"is":     {f.Is("seed", 2, 3).Is("arm", "a"), "arm,seed,return / a,2,5 / a,3,7"},
		"select": {f.Select("return", "arm").Head(1), "return,arm / 3,a"},
		"drop":   {f.Drop("arm", "seed").Tail(2), "return / 7 / -1"},
		"rename": {f.Rename("seed", "s").Head(1), "arm,s,return / a,1,3"},
		"compute": {f.Head(2).Compute("twice", func(r Row) float64 { return 2 * r.Number("return") }),
			"arm,seed,return,twice / a,1,3,6 / b,1,10,20"},
		"label": {f.Head(2).Label("arm", func(r Row) string {
			return r.Text("arm") + r.Text("seed")
		}).Drop("seed", "return"),
			"arm / a1 / b1"},
		"sort":   {f.Sort("arm", "-return"), "arm,seed,return / a,3,7 / a,2,5 / a,1,3 / b,1,10 / b,2, / ,1,-1"},
		"group":  {f.Group("arm").Max("return"), "arm,return / a,7 / b,10 / ,-1"},
		"median": {f.Group("arm").Median(), "arm,seed,return / a,2,5 / b,1.5,10 / ,1,-1"},
		"best":   {f.Group("arm").Best("return"), "arm,seed,return / a,3,7 / b,1,10 / ,1,-1"},
		"over": {f.Append(f.Is("seed", 2)).Append(New(Texts("arm", []string{"a"}), Numbers("seed", []float64{2}),
			Numbers("return", []float64{-1}))).Group("arm").Over("seed").Sum("return"),
			"arm,return / a,13 / b,10 / ,-1"},
		"over none": {f.Group("arm").Over("task").Sum("return"),
			"frame: there is no column \"task\" (known: arm, return, seed)"},
		"count":     {f.Group("seed").Count(), "seed,n / 1,3 / 2,2 / 3,1"},
		"whole":     {f.Group().Sum("return"), "return / 24"},
		"nothing":   {f.Is("seed", 9).Group("arm").Sum("return"), "arm,return"},
		"no values": {f.Is("arm", "b").Is("seed", 2).Group("arm").Sum("return"), "arm,return / b,"},
		"join": {f.Join(goals, "arm").Head(3),
			"arm,seed,return,return_2,goal / a,1,3,1,8 / a,1,3,2,9 / a,2,5,1,8"},
		"beside": {f.Tail(3).Beside(goals.Drop("return"), "arm"),
			"arm,seed,return,goal / b,2,, / a,3,7,8 / a,3,7,9 / ,1,-1,"},
		"append": {goals.Append(f.Head(1)), "arm,return,goal,seed / a,1,8, / a,2,9, / c,3,7, / a,3,,1"},
		"pivot":  {f.Pivot("seed", "arm", "return"), "seed,a,b,\"\" / 1,3,10,-1 / 2,5,, / 3,7,,"},
		"melt": {goals.Head(1).Melt("what", "value", "return", "goal"),
			"arm,what,value / a,return,1 / a,goal,8"},
		"known":    {f.Known(), "arm,seed,return / a,1,3 / b,1,10 / a,2,5 / a,3,7"},
		"known in": {f.Known("return").Tail(1), "arm,seed,return / ,1,-1"},
		"keys apart": {New(Texts("x", []string{"a|", "a"}), Texts("y", []string{"b", "|b"})).Group("x", "y").Count(),
			"x,y,n / a|,b,1 / a,|b,1"},
		"minus named": {New(Numbers("-x", []float64{2, 1})).Sort("-x"), "-x / 1 / 2"},
		"empty":       {(&Frame{}).With(Numbers("x", []float64{1})), "x / 1"},
	} {
		if name == "pivot" { // a column without a name is refused
			c.want = "frame: column 3 has no name"
		}
		if got := text(c.got); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
	if text(f) != text(runs()) {
		t.Error("an operation changed its frame")
	}
}

func TestErrors(t *testing.T) {
	f := runs()
	for want, got := range map[string]*Frame{
		`no column "retrun"; did you mean "return"?`: f.Sort("retrun").Head(2).Select("arm"),
		`no column "x"`: f.Where(func(r Row) bool { return r.Number("x") > 0 }),
		`column "arm" holds text ("a"); expected numbers`: f.Compute("y", func(r Row) float64 {
			return r.Number("arm")
		}),
		`column "seed" is compared with 1 (string); expected a num`: f.Is("seed", "1"),
		`two columns are called "arm"`:                              f.Rename("seed", "arm"),
		`column "y" has 1 rows, "arm" before it 6`:                  f.With(Numbers("y", []float64{1})),
		`column "arm" is selected twice`:                            f.Select("arm", "arm"),
		`"return" has two values where arm is a and seed`:           f.Append(f).Pivot("arm", "seed", "return"),
		`column "arm" is numbers in one frame`:                      f.Append(New(Numbers("arm", nil))),
		`join: no column is named`:                                  f.Join(f),
		`column "seed" is grouped by`: f.Group("seed").Apply(slices.Min[[]float64],
			"seed"),
	} {
		if got.Err() == nil || !strings.Contains(got.Err().Error(), want) {
			t.Errorf("error %v, want %q", got.Err(), want)
		}
		if _, err := got.MIMEBundle(); err == nil || got.Len() != 0 {
			t.Errorf("%q: shown all the same", want)
		}
		if _, err := got.Numbers("seed"); err == nil {
			t.Errorf("%q: read all the same", want)
		}
	}
}

type state int

func (s state) String() string { return [...]string{"running", "ended"}[s] }

func TestOf(t *testing.T) {
	type inner struct{ Width int8 }
	type row struct {
		inner
		Name  string `json:"name,omitempty"`
		State state  `json:"state"`
		Done  bool   `json:"done"`
		Took  time.Duration
		Sub   inner
		//lint:ignore U1000 a field that other packages cannot see is no column
		secret int
		List   []int
		Gone   float64 `json:"-"`
	}
	for name, c := range map[string]struct {
		of   any
		want string
	}{
		"structs": {[]row{{Name: "x", State: 1, Done: true, Took: 1500 * time.Millisecond, Sub: inner{4}}},
			"Width,name,state,done,Took,Sub.Width"},
		"pointers":     {[]*inner{{1}, {2}}, "Width / 1 / 2"},
		"columns":      {map[string]any{"b": []float32{1, 2}, "a": []string{"x", "y"}}, "a,b / x,1 / y,2"},
		"rows":         {[]map[string]any{{"x": 1}, {"y": "z"}}, "x,y / 1, / ,z"},
		"numbers":      {[]int{3, 4}, "value / 3 / 4"},
		"matrix":       {mat.NewDense(2, 2, []float64{1, 2, 3, 4}), "0,1 / 1,2 / 3,4"},
		"slices":       {[][]float32{{1, 2}, {3}}, "0,1 / 1,2 / 3,"},
		"nothing":      {[]inner{}, ""},
		"a number":     {3, "frame: int is no table"},
		"nil":          {nil, "frame: <nil> is no table"},
		"mixed":        {[]map[string]any{{"x": 1}, {"x": "z"}}, `frame: column "x" has values`},
		"nil pointers": {[]*inner{nil}, "frame: row 0 is"},
	} {
		f, _ := Of(c.of)
		got := text(f)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ data, want string }{
		"a.csv":   {"\ufeffx, y,z\n1,a,NA\n2,b,\n", "x,y,z / 1,a, / 2,b,"},
		"b.tsv":   {"x\ty\n1e3\t\"a b\"\n", "x,y / 1000,a b"},
		"c.jsonl": {`{"a":{"b":1},"c":[1]}` + "\n" + `{"a":{"b":2.5}}`, "a.b,c0 / 1,1 / 2.5,"},
		"d.json":  {`[{"x":"1"},{"x":null}]`, "x / 1"},
		"e.csv":   {"", "the file is empty"},
		"f.csv":   {"a,b\n1\n", "a,b / 1,"},
		"g.csv":   {"a,a\n1,2\n", "a,a_2 / 1,2"},
		"h.txt":   {"a", `not in ".txt"`},
		"i.json":  {`[1]`, "value / 1"},
		"k.csv":   {"0,0\n1,2\n", "0,1 / 0,0 / 1,2"},
		"j.csv":   {"id\n0x10\n1_000\n", "id / 0x10 / 1_000"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path)
		if f == nil {
			t.Fatal(name, err)
		}
		if got := text(f); !strings.Contains(got, strings.TrimSpace(c.want)) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if _, err := Read(filepath.Join(dir, "none.csv")); err == nil {
		t.Error("a file that is not there: no error")
	}
	f := runs()
	path := filepath.Join(dir, "out.csv")
	if err := f.WriteCSV(path); err != nil {
		t.Fatal(err)
	}
	if back, err := Read(path); err != nil || text(back) != text(f) {
		t.Errorf("read back: %v\n%s\n%s", err, text(back), text(f))
	}
}

func TestText(t *testing.T) {
	long := make([]float64, 1000)
	for i := range long {
		long[i] = float64(i) / 8
	}
	got := New(Numbers("x", long), Texts("name", slices.Repeat([]string{"a\nb"}, 1000))).String()
	if lines := strings.Split(got, "\n"); len(lines) != 23 || lines[1] != "  0.000  a b" || lines[11] != "… 980 rows" ||
		lines[21] != "124.875  a b" || lines[22] != "1000 rows of 2 columns" {
		t.Errorf("got\n%s", got)
	}
	var wide []Column
	for k := range 40 {
		wide = append(wide, Numbers(fmt.Sprint("column", k), []float64{1e-9 * float64(k+1)}))
	}
	for _, line := range strings.Split(New(wide...).String(), "\n")[:2] {
		if len(line) > textWidth {
			t.Errorf("a line of %d characters", len(line))
		}
	}
	for want, x := range map[string][]float64{
		"1.5,2.0,,+Inf":       {1.5, 2, nan, math.Inf(1)},
		"1.234e-09,1.000e+00": {1.2344e-9, 1},
		"2000,0.0001,0.00123": {2000, 1e-4, 1.23e-3},
		"9007199254740991,1":  {9007199254740991, 1},
		"123457,1":            {123456.7, 1},
		"0,-3":                {0, -3},
	} {
		f := formatOf(x)
		var got []string
		for _, v := range x {
			got = append(got, f.text(v))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%v is shown as %v, want %s", x, got, want)
		}
	}
}

func TestBundle(t *testing.T) {
	f := New(Texts("<b>", []string{"<script>", "x"}), Numbers("v", []float64{math.Inf(1), nan}))
	b, err := f.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(b[MIME]); err != nil || !strings.Contains(string(data), `"values":["+Inf",null]`) {
		t.Errorf("data %s, %v", data, err)
	}
	if h := b["text/html"].(string); strings.Contains(h, "<script>") || strings.Contains(h, "<b>") {
		t.Errorf("HTML %s", h)
	}
}

// A file that is not there is named, with the one that may be meant.
func TestReadMissing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"points.csv", "runs.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a\n1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Read(filepath.Join(dir, "pints.csv"))
	if want := `pints.csv: file does not exist; did you mean "points.csv"? (known: points.csv, runs.json)`; !errors.Is(
		err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want …%s", err, want)
	}
}
