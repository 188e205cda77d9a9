package frame

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whole numbers of 64 bits stay apart in groups, joins, order, selections and files.
func TestExactIntegers(t *testing.T) {
	f := parse("a.csv", []byte("seed,return\n9007199254740993,1\n9007199254740992,2\n9007199254740993,3\n"+
		"18446744073709551615,4\n"))
	for name, c := range map[string]struct {
		got  *Frame
		want string
	}{
		"group": {f.Group("seed").Count(),
			"seed,n / 9007199254740993,2 / 9007199254740992,1 / 18446744073709551615,1"},
		"over": {f.Group().Over("seed").Mean("return").Select("return_n"), "return_n / 3"},
		"sort": {f.Sort("-seed").Select("seed"),
			"seed / 18446744073709551615 / 9007199254740993 / 9007199254740993 / 9007199254740992"},
		"is":   {f.Is("seed", int64(9007199254740993)).Select("return"), "return / 1 / 3"},
		"join": {f.Join(f.Tail(1), "seed").Select("return"), "return / 4"},
		"append": {f.Head(1).Append(New(Numbers("x", []float64{7})), f.Tail(1)).Select("seed"),
			"seed / 9007199254740993 /  / 18446744073709551615"},
		"large": {New(Numbers("x", []float64{1e15, 1e15 + 1, 1<<53 - 1, 1 << 53, 1e22, -4e15})),
			"x / 1000000000000000 / 1000000000000001 / 9007199254740991 / 9.007199254740992e+15 / 1e+22 / " +
				"-4000000000000000"},
		"of": {of(map[string][]uint64{"id": {math.MaxUint64, 1}}), "id / 18446744073709551615 / 1"},
	} {
		got := strings.ReplaceAll(text(c.got), `""`, "")
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "back.csv")
	if err := f.WriteCSV(path); err != nil {
		t.Fatal(err)
	}
	if back, err := Read(path); err != nil || text(back) != text(f) {
		t.Errorf("written and read: %v, %v", text(back), err)
	}
	if s := f.String(); !strings.Contains(s, "9007199254740993") || !strings.Contains(s, "18446744073709551615") {
		t.Errorf("shown as\n%s", s)
	}
}

// Quartiles are those of pandas: the values are pandas.Series.quantile's.
func TestDescribe(t *testing.T) {
	for _, c := range []struct{ x, q1, q3 string }{
		{"1,2,3,4,5", "2", "4"}, {"1,2,3", "1.5", "2.5"}, {"1,2,3,4", "1.75", "3.25"}, {"7", "7", "7"},
		{"3,-1,10,4.5,0,2", "0.5", "4.125"},
	} {
		d := parse("a.csv", []byte("x\n"+strings.ReplaceAll(c.x, ",", "\n")+"\n")).Describe()
		if got := text(d.Select("25 %", "75 %")); got != fmt.Sprintf("25 %%,75 %% / %s,%s", c.q1, c.q3) {
			t.Errorf("%s: %s", c.x, got)
		}
	}
	s := parse("a.csv", []byte("step,lr,loss\n1000,3e-4,1.2e-5\n2000,2e-4,1.1e-5\n3000,1e-4,1e-6\n")).
		Describe().String()
	for _, want := range []string{"2.000e-04", "1.000e-06", "2.000e+03"} {
		if !strings.Contains(s, want) {
			t.Errorf("%s is not in\n%s", want, s)
		}
	}
}

// However large a frame is, what a cell shows of it is less than a megabyte, and says what is hidden.
func TestLargeFramesAreShown(t *testing.T) {
	long := strings.Repeat("<b>", 100_000)
	for _, c := range []struct{ rows, cols int }{{1000, 1500}, {40, 30_000}, {3, 1500}, {200_000, 3}} {
		var columns []Column
		for k := range c.cols {
			x := make([]float64, c.rows)
			for i := range x {
				x[i] = math.Sin(float64(i*c.cols + k))
			}
			columns = append(columns, Numbers(fmt.Sprintf("MetaTest/task-%d-v2/AverageReturn", k), x))
		}
		bundleSize(t, fmt.Sprint(c), New(columns...), c.cols > dataColumns)
	}
	bundleSize(t, "long texts", New(Texts(long, []string{long, long}), Texts("b", []string{long, "x"})), false)
}

func bundleSize(t *testing.T, name string, f *Frame, hidden bool) {
	t.Helper()
	b, err := f.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	inFile := strings.Repeat(" ", 5) // what stands before an output's data there
	raw, err := json.MarshalIndent(b, inFile, " ")
	if err != nil || len(raw) > 1_000_000 {
		t.Errorf("%s: %d bytes, %v", name, len(raw), err)
	}
	for _, of := range []string{"text/plain", "text/html"} {
		if hidden && !strings.Contains(b[of].(string), "not shown: ") {
			t.Errorf("%s: %s does not say what is hidden", name, of)
		}
	}
	if notes, _ := b[MIME].(map[string]any)["notes"].([]string); hidden && len(notes) != 1 {
		t.Errorf("%s: notes %q", name, notes)
	}
}

// What was assumed when a file was read is shown with whatever is made of it.
func TestNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a;b\n1,5;x\n2,5;y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `read as: separator ";"; decimal comma`
	for name, g := range map[string]*Frame{
		"read": f, "head": f.Head(1), "group": f.Group("b").Mean("a"),
		"join": New(Texts("b", []string{"x"})).Join(f, "b"), "rename": f.Rename("a", "c"),
		"melt": f.Melt("k", "v", "a"), "describe": f.Describe(), "append": New(Numbers("a", []float64{1})).Append(f),
	} {
		if n := g.Notes(); len(n) != 1 || n[0] != want || !strings.HasSuffix(g.String(), want) {
			t.Errorf("%s: %q, %v", name, n, g.Err())
		}
	}
	if g, err := Read(path, Separator(';'), Decimal('.')); err != nil || text(g) != "a,b / 15,x / 25,y" &&
		!strings.HasPrefix(text(g), "a,b / \"1,5\"") {
		t.Errorf("overruled: %s, %v", text(g), err)
	}
}
