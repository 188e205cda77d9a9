package tables

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment/foreign"
)

// longCase is a table of several runs that a test made, with the mean that each cell must have.
type longCase struct {
	text string
	want map[string]float64 // by family and system
	runs int
}

// longTable makes a table whose runs are told apart by the given columns, with rows in one of three orders. Returns are
// different whole numbers, so that a row of another run changes the mean.
func longTable(r *rand.Rand, family, system, seed string) longCase {
	c := longCase{want: map[string]float64{}}
	families, systems := []string{"environment not named"}, []string{"long"}
	if family != "" {
		families = []string{"push", "reach"}
	}
	if system != "" {
		systems = []string{"tcl", "pearl"}
	}
	seeds, evaluations := 1, 10 // the last lies in the last tenth
	if seed != "" {
		seeds = 3
	}
	var rows [][]string
	for _, f := range families {
		for _, s := range systems {
			sum := 0
			for k := range seeds {
				for e := 1; e <= evaluations; e++ {
					v := r.IntN(1000)
					if e == evaluations {
						sum += v
					}
					row := []string{fmt.Sprint(1000 * e), fmt.Sprint(v)}
					for _, x := range [][2]string{{family, f}, {system, s}, {seed, fmt.Sprint(k)}} {
						if x[0] != "" {
							row = append(row, x[1])
						}
					}
					rows = append(rows, row)
				}
				c.runs++
			}
			c.want[f+" "+s] = float64(sum) / float64(seeds)
		}
	}
	switch r.IntN(3) {
	case 0: // mixed
		delay := map[string]int{}
		when := func(row []string) int {
			run, step := strings.Join(row[2:], " "), 0
			if _, ok := delay[run]; !ok {
				delay[run] = r.IntN(5000)
			}
			fmt.Sscan(row[0], &step)
			return step + delay[run]
		}
		slices.SortStableFunc(rows, func(a, b []string) int { return when(a) - when(b) })
	case 1: // side by side
		slices.SortStableFunc(rows, func(a, b []string) int { return strings.Compare(pad(a[0]), pad(b[0])) })
	}
	head := []string{"step", "return"}
	for _, name := range []string{family, system, seed} {
		if name != "" {
			head = append(head, name)
		}
	}
	c.text = strings.Join(head, ",") + "\n"
	for _, row := range rows {
		c.text += strings.Join(row, ",") + "\n"
	}
	return c
}

func pad(s string) string { return fmt.Sprintf("%12s", s) }

// A table with columns of environment, system and seed is a run for each; the table and the last point of the curves
// are the means of the rows that belong together, in whatever order these stand.
func TestLongTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, family := range []string{"", "env", "Task", "environment"} {
		for _, system := range []string{"", "algo", "Method", "exp_name"} {
			for _, seed := range []string{"", "seed", "run", "Trial"} {
				if family+system+seed == "" {
					continue
				}
				c := longTable(r, family, system, seed)
				path := filepath.Join(t.TempDir(), "long.csv")
				if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
					t.Fatal(err)
				}
				runs, _, err := Load(path)
				if err != nil || len(runs) != c.runs {
					t.Fatalf("%s, %s, %s: %d runs, %v; want %d", family, system, seed, len(runs), err, c.runs)
				}
				got := bothWays(t, runs)
				for name, want := range c.want {
					if v := got[name]; math.Abs(v[0]-want) > 1e-9 || math.Abs(v[1]-want) > 1e-9 ||
						len(got) != len(c.want) {
						t.Errorf("%s, %s, %s: %s is %v in the table and in the curves; want %v", family, system, seed,
							name, v, want)
					}
				}
			}
		}
	}
}

// bothWays are the values of each cell: in the table, and at the end of its curve.
func bothWays(t *testing.T, runs []Run) map[string][2]float64 {
	t.Helper()
	table, err := Build("runs", runs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	panels, _, err := Curves(runs, CurveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][2]float64{}
	for i, family := range table.Families {
		for j, system := range table.Systems {
			name := family + " " + strings.TrimSuffix(system, " (table)")
			v := [2]float64{table.Cells[i][j].Return.Mean, math.NaN()}
			for _, p := range panels {
				for _, s := range p.Series {
					if p.Title == family && s.Name == system {
						v[1] = s.Y[len(s.Y)-1]
					}
				}
			}
			out[name] = v
		}
	}
	return out
}

// Where a column of an unknown name tells runs apart, the table is refused with the column's name; a run that was
// resumed in a file with remarks is not.
func TestLongTableOfAnUnknownColumn(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"below":        {"kind,step,return\na,1,1\na,2,2\nb,1,3\nb,2,4\nc,1,5\nc,2,6\n", `column "kind" has 3 values`},
		"side by side": {"step,return,kind\n1,1,a\n1,3,b\n2,2,a\n2,4,b\n", `column "kind" has 2 values (a, b)`},
		"resumed":      {"step,return,host\n1,1,x\n2,2,x\n3,3,x\n2,4,y\n3,5,y\n", ""},
	} {
		path := filepath.Join(t.TempDir(), "mine.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		runs, _, err := Load(path)
		if c.want == "" && (err != nil || len(runs) != 1) {
			t.Errorf("%s: %v, %v", name, runs, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	dir := filepath.Join(t.TempDir(), "a")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	text := "algo,step,return\nx,1,1\ny,1,2\n"
	if err := os.WriteFile(filepath.Join(dir, "progress.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), `2 runs (x, y), which column "algo"`) {
		t.Errorf("progress.csv with two systems: %v", err)
	}
}

// A returned value that was lost is told, and a seed that has none in the last tenth of its log's steps has no value,
// whatever it had before; blanks between evaluations are neither.
func TestLostReturns(t *testing.T) {
	values := func(of func(k int) string) string {
		text := "step,return,loss\n"
		for k := 1; k <= 20; k++ {
			text += fmt.Sprintf("%d,%s,1\n", 100*k, of(k))
		}
		return text
	}
	number := func(k int) string { return fmt.Sprint(k) }
	for name, c := range map[string]struct {
		of    func(k int) string
		value float64 // NaN: none
		said  string
	}{
		"whole": {number, 19.5, ""}, // of steps above 1800: 19 and 20
		"NaN from the third on": {func(k int) string {
			if k > 2 {
				return "nan"
			}
			return number(k)
		}, math.NaN(), "the return is NaN in 18 of 20 rows, first at step 300"},
		"NaN at the end": {func(k int) string {
			if k > 18 {
				return "NaN"
			}
			return number(k)
		}, math.NaN(), "the return is NaN in 2 of 20 rows, first at step 1900"},
		"NaN at the very end": {func(k int) string {
			if k > 19 {
				return "NaN"
			}
			return number(k)
		}, 19, "the return is NaN in 1 of 20 rows, first at step 2000"},
		"NaN within": {func(k int) string {
			if k == 7 {
				return "-nan"
			}
			return number(k)
		}, 19.5, "the return is NaN in 1 of 20 rows, first at step 700"},
		"every third": {func(k int) string {
			if k%3 > 0 {
				return ""
			}
			return number(k)
		}, 18, ""}, // step 1800 is not in the last tenth, and the next would come after the end
		"NaN among blanks": {func(k int) string {
			switch {
			case k%5 > 0:
				return ""
			case k == 20:
				return "nan"
			}
			return number(k)
		}, math.NaN(), "the return is NaN in 1 of 20 rows, first at step 2000"},
		"blank from the third on": {func(k int) string {
			if k > 2 {
				return "null"
			}
			return number(k)
		}, math.NaN(), "the last return is at step 200, and the log goes on to step 2000"},
		"infinite at the end": {func(k int) string {
			if k > 18 {
				return "inf"
			}
			return number(k)
		}, math.NaN(), "the return is infinite in 2 of 20 rows"},
		"too large at the end": {func(k int) string {
			if k > 18 {
				return "1e302"
			}
			return number(k)
		}, math.NaN(), "values beyond 1e+300 are left out: 2, the first at 1900 steps"},
		"two at the end": {func(k int) string {
			if k == 20 {
				return "50,1\n2000,80"
			}
			return number(k)
		}, 49.5, "of several values at one place the last counts: 1 are left out, the first at 2000 steps"},
	} {
		text := values(c.of)
		for ending, text := range map[string]string{".csv": text, ".jsonl": lines(text)} {
			path := filepath.Join(t.TempDir(), "log"+ending)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			runs, _, err := Load(path)
			if err != nil || len(runs) != 1 {
				t.Fatalf("%s: %v, %v", name, runs, err)
			}
			said := strings.Join(Said(runs), "; ")
			if strings.Contains(said, "left out") != (c.said != "" && !strings.Contains(c.said, "goes on")) ||
				!strings.Contains(said, c.said) {
				t.Errorf("%s%s: said %q, want %q", name, ending, said, c.said)
			}
			v, _, ok := runs[0].Return(0)
			if ok == math.IsNaN(c.value) || ok && v != c.value || runs[0].EnvSteps != 2000 {
				t.Errorf("%s%s: %v, %v, %d steps; want %v of 2000 steps", name, ending, v, ok, runs[0].EnvSteps,
					c.value)
			}
			table, err := Build("runs", runs, Options{})
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(table.Notes, "; ")
			if strings.Contains(notes, "has no evaluation that counts in the last tenth of 2000 environment steps") ==
				ok {
				t.Errorf("%s%s: a value is there: %v; notes %q", name, ending, ok, notes)
			}
		}
	}
}

// lines writes a table as JSON lines.
func lines(text string) string {
	rows := strings.Split(strings.TrimSpace(text), "\n")
	out := ""
	for _, row := range rows[1:] {
		v := strings.Split(row, ",")
		for i := range v {
			switch strings.ToLower(v[i]) {
			case "":
				v[i] = "null"
			case "nan", "-nan":
				v[i] = "NaN"
			case "inf":
				v[i] = "Infinity"
			}
		}
		out += fmt.Sprintf("{\"step\": %s, \"return\": %s, \"loss\": %s}\n", v[0], v[1], v[2])
	}
	return out
}

// Steps need not be whole or small: the last tenth is taken of the log's own numbers.
func TestStepsOfAnyUnit(t *testing.T) {
	for _, unit := range []float64{1e-6, 1, 1e6, 1e22} {
		text := "step,return\n"
		for k := 1; k <= 20; k++ {
			text += fmt.Sprintf("%v,%d\n", unit*float64(k), k)
		}
		path := filepath.Join(t.TempDir(), "mine.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := readLog(path, foreign.Columns{})
		if err != nil {
			t.Fatal(err)
		}
		if v, n, ok := r.Return(0); v != 19.5 || n != 2 || !ok {
			t.Errorf("in units of %v: %v of %d, %v", unit, v, n, ok)
		}
		table, err := Build("runs", []Run{r}, Options{})
		if err != nil || table.Cells[0][0].Budget.EnvStepsHi != 20*unit {
			t.Errorf("in units of %v: %+v, %v", unit, table, err)
		}
	}
}
