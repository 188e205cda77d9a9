package library_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/library"
	"nacre/library/display"
)

var execute = kerneltest.Execute

// start starts a session with the whole library.
func start(t testing.TB) kernel.Session {
	t.Helper()
	if raced {
		t.Skip("cells do not run under the race detector")
	}
	s, err := kernel.New(kernel.Options{Library: library.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// cellsTest runs cells one after another, each with what it must print followed by what it must show.
func cellsTest(t *testing.T, steps [][2]string) {
	t.Helper()
	kerneltest.Cells(t, start(t), steps)
}

// Symbols are the packages' own, also where the interpreter's tables have something else, as for log.Logger.
func TestSymbolsAreThePackages(t *testing.T) {
	for path, table := range library.Symbols() {
		for name, v := range table {
			from := ""
			switch {
			case v.Kind() == reflect.Func:
				from = runtime.FuncForPC(v.Pointer()).Name()
			case v.Kind() == reflect.Pointer && name[0] != '_':
				from = v.Type().Elem().PkgPath()
			}
			if library.Importable(path) && strings.Contains(from, "yaegi") {
				t.Errorf("%s.%s is %s", path, name, from)
			}
		}
	}
}

// What gonum draws with by default is gonum's in cells: figures are drawn in this project's style when they are shown.
func TestDefaultsOfPlotsAreGonums(t *testing.T) {
	cellsTest(t, [][2]string{
		{"import (\n\t\"image/color\"\n\t\"gonum.org/v1/plot/plotter\"\n\t\"gonum.org/v1/plot/plotutil\"\n)\n" +
			"plotter.DefaultLineStyle.Color == color.Black && plotter.DefaultGlyphStyle.Color == color.Black", "true"},
		{"plotutil.Color(0) == plotutil.SoftColors[0]", "true"},
	})
}

// What cannot be shown ends the cell that shows it, as any error does that is left out.
func TestShowFails(t *testing.T) {
	s := start(t)
	for _, value := range []string{`t.Sort("no")`, `plots.Line(t.Sort("no"), "a", "a")`, `plots.Line(t, "a", "no")`} {
		r, out := execute(s, `import ("nacre/analysis/frame"; "nacre/analysis/plots"; "nacre/library/display")
t := frame.Of(map[string][]float64{"a": {1, 2}})
display.Show(t, `+value+`, t)
print("on")`)
		if r.Error == nil || !strings.Contains(r.Error.Message, `display.Show: `) ||
			!strings.Contains(r.Error.Message, `"no"`) {
			t.Fatalf("%s: %v", value, r.Error)
		}
		if len(out.Shown()) != 1 || strings.Contains(out.Stderr(), "on") {
			t.Errorf("%s: shown %v, printed %q", value, out.Shown(), out.Stderr())
		}
	}
}

func TestDisplay(t *testing.T) {
	s := start(t)
	r, out := execute(s, `import ("nacre/library/display"; "gonum.org/v1/plot"; "gonum.org/v1/plot/plotter"; "math")
display.Show(display.Markdown("**a**"), 3)
h := display.Updating("first")
h.Update("second")
p := plot.New()
p.Title.Text = "sine"
p.Add(plotter.NewFunction(math.Sin))
p`)
	if r.Error != nil {
		t.Fatal(r.Error.Message)
	}
	if b, ok := r.Value.MIME["image/png"].([]byte); !ok || string(b[1:4]) != "PNG" {
		t.Errorf("the plot shows %v", r.Value.MIME)
	}
	if len(out.Shown()) != 3 || out.Shown()[0].MIME["text/markdown"] != "**a**" ||
		out.Shown()[1].MIME["text/plain"] != "3" {
		t.Errorf("shown %v", out.Shown())
	}
	if len(out.Updates()) != 1 || out.Updates()[0].ID != out.Shown()[2].ID || out.Shown()[2].ID == "" ||
		out.Updates()[0].MIME["text/plain"] != `"second"` {
		t.Errorf("updated %v", out.Updates())
	}
}

func TestLiveCurvesAreSentAtTheEnd(t *testing.T) {
	s := start(t)
	r, out := execute(s, `import "nacre/library/display"
c := display.NewCurves("t", "x", "y").Live()
for i := range 50 { c.Add("a", float64(i), float64(i)) }
c.Flush()`)
	if r.Error != nil {
		t.Fatal(r.Error.Message)
	}
	last := out.Updates()[len(out.Updates())-1].MIME[display.CurvesMIME].(map[string]any)
	if n := len(last["series"].([]map[string]any)[0]["x"].([]any)); n != 50 {
		t.Errorf("the last update has %d points", n)
	}
	if len(out.Updates()) > 20 {
		t.Errorf("%d updates of 50 points", len(out.Updates()))
	}
}

func TestCellTypesImplementNativeInterfaces(t *testing.T) {
	cellsTest(t, [][2]string{
		{`import ("fmt"; "gonum.org/v1/gonum/mat"; "gonum.org/v1/plot"; "gonum.org/v1/plot/plotter"; "gonum.org/v1/plot/vg/draw")
type Twice struct{ m mat.Matrix }
func (t Twice) Dims() (int, int) { return t.m.Dims() }
func (t Twice) At(i, j int) float64 { return 2 * t.m.At(i, j) }
func (t Twice) T() mat.Matrix { return mat.Transpose{Matrix: t} }
d := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
mat.Sum(Twice{d})`, "20"},
		{`type Span struct{ top float64 }
func (s Span) Plot(c draw.Canvas, p *plot.Plot) {}
func (s Span) DataRange() (a, b, c, d float64) { return 0, 1, 0, s.top }
p := plot.New()
p.Add(Span{7})
p.Y.Max`, "7"},
		{`type Squares int
func (s Squares) Len() int { return int(s) }
func (s Squares) XY(i int) (x, y float64) { return float64(i), float64(i * i) }
l, err := plotter.NewLine(Squares(4))
fmt.Println(l.XYs, err)`, "[{0 0} {1 1} {2 4} {3 9}] <nil>\n"},
		{`import "gorgonia.org/gorgonia"
g := gorgonia.NewGraph()
x := gorgonia.NewScalar(g, gorgonia.Float64, gorgonia.WithName("x"))
y := gorgonia.Must(gorgonia.Square(x))
grads, err := gorgonia.Grad(y, x)
vm := gorgonia.NewTapeMachine(g)
gorgonia.Let(x, 3.0)
fmt.Println(vm.RunAll(), y.Value(), grads[0].Value())`, "<nil> 9 6\n"},
	})
}

// A type of a cell is shown in the forms that it gives, with its own text where it gives none.
func TestCellTypesSayHowTheyAreShown(t *testing.T) {
	s := start(t)
	r, _ := execute(s, "type T struct{ A int }\nfunc (t T) MIMEBundle() (map[string]any, error) { return "+
		"map[string]any{\"text/html\": \"<b>t</b>\"}, nil }\nT{3}")
	if r.Error != nil || r.Value.MIME["text/html"] != "<b>t</b>" || r.Value.MIME["text/plain"] != "{A:3}" {
		t.Errorf("%v %v", r.Error, r.Value)
	}
	kerneltest.Cells(t, s, [][2]string{
		{"import \"errors\"\ntype E struct{}\nfunc (E) MIMEBundle() (map[string]any, error) { return nil, " +
			"errors.New(\"no forms\") }\nE{}", "Error: no forms"},
		// another method of that name
		{"type N struct{ A int }\nfunc (N) MIMEBundle() int { return 1 }\nN{5}", "{A:5}"},
	})
}

func TestVariablesAreBrief(t *testing.T) {
	s := start(t)
	execute(s, "import \"gorgonia.org/tensor\"\nlarge := tensor.New(tensor.WithShape(20, 30), "+
		"tensor.Of(tensor.Float64))\nvar none *tensor.Dense")
	got := map[string]kernel.Variable{}
	for _, v := range s.Variables() {
		got[v.Name] = v
	}
	if v := got["large"]; v.Value != "tensor (20, 30) of float64" || v.Size != 600 {
		t.Errorf("a large tensor is %+v", v)
	}
	if v := got["none"]; v.Size != -1 {
		t.Errorf("a nil tensor is %+v", v)
	}
}

func TestOwnPackages(t *testing.T) {
	s := start(t)
	if r, _ := execute(s, `import ("nacre/pearl"; "nacre/tsne")`); r.Error != nil {
		t.Fatal(r.Error)
	}
	c := s.Complete(t.Context(), "pearl.New", 9)
	if len(c.Matches) == 0 || c.Matches[0].Text != "New" || c.Matches[0].Kind != "function" {
		t.Errorf("completions of pearl.New: %v", c.Matches)
	}
	i := s.Inspect(t.Context(), "tsne.WithPerplexity", 8, 0)
	if !i.Found || !strings.Contains(i.Data.MIME["text/plain"].(string), "func WithPerplexity(p float64) tsne.Option") {
		t.Errorf("WithPerplexity is described by %v", i.Data.MIME["text/plain"])
	}
	if r, _ := execute(s, `import "gonum.org/stat"`); r.Error == nil ||
		!strings.HasSuffix(r.Error.Message, `there is "gonum.org/v1/gonum/stat"`) {
		t.Errorf("a package under a shorter path: %+v", r.Error)
	}
	r, _ := execute(s, `import "my/stats"`)
	if r.Error == nil || !strings.HasSuffix(r.Error.Message, `there is "nacre/analysis/stats"`) {
		t.Errorf("a package under another path: %+v", r.Error)
	}
}

// An interrupt ends native code that was given the cell's context.
func TestInterruptOfNativeCode(t *testing.T) {
	s := start(t)
	begun := filepath.Join(t.TempDir(), "begun")
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				time.Sleep(100 * time.Millisecond) // so that it is most likely the native code that is interrupted
				s.Interrupt()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	r, _ := execute(s, `import ("nacre/library/cell"; "nacre/tsne"; "os")
data := make([]float64, 48000)
for k := range data { data[k] = float64(k*k%9973) }
os.WriteFile(`+strconv.Quote(begun)+`, nil, 0o644)
_, err := tsne.New().Fit(cell.Context(), tsne.Matrix{Rows: 6000, Cols: 8, Data: data})
for {}`)
	if r.Error == nil || r.Error.Name != "Interrupted" {
		t.Fatalf("got %+v", r.Error)
	}
	kerneltest.Cells(t, s, [][2]string{{"1 + 1", "2"}})
}

// Texts among the arguments of a call are completed: names of registries, also within a list, files, and nothing
// elsewhere.
func TestTextCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("points.csv", []byte("a\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	for code, want := range map[string]string{
		"lab.Train(\"quick/point": `"quick/point-goal"`,
		"import \"nacre/library/lab\"\nruns := lab.Compare(\"quick/point-goal\", []string{\"tcl": `"tcl-pearl"`,
		"sim.Lookup(\"cheetah-v": `"cheetah-vel"`, "frame.Read(\"poi": `"points.csv"`,
		"lab.Train(\"quick/point-goal\", lab.Algorithm(\"orac":          `"oracle"`,
		"lab.Train(\"quick/point-goal\", lab.Set(\"seed=2\", \"tcl.win": `"tcl.window="`,
		"lab.Set(\"pearl.updates":                                       `"pearl.updates_per_iteration="`,
		"lab.Over(\"pearl.lat":                                          `"pearl.latent"`,
		"fmt.Println(\"quick/point":                                     "",
		"lab.Train(\"quick/point-goal\", lab.Folder(\"quick/p":          "",
	} {
		got := ""
		if c := s.Draft().Complete(code, utf8.RuneCountInString(code)); len(c.Matches) > 0 {
			got = c.Matches[0].Text
		}
		if got != want {
			t.Errorf("%s is completed by %s, want %s", code, got, want)
		}
	}
}

// A table or chart with an error, such as of a column that is not there, ends the cell that shows it, with the line.
func TestFailedValue(t *testing.T) {
	s := start(t)
	code := "import (\n\"nacre/analysis/frame\"\n\"nacre/analysis/plots\"\n)\n" +
		"f := frame.New(frame.Numbers(\"steps\", []float64{1}))\nplots.Histogram(f, \"stepps\")"
	reply, _ := execute(s, code)
	if reply.Error == nil || !strings.Contains(reply.Error.Message, `no column "stepps"; did you mean "steps"?`) ||
		len(reply.Error.Positions) != 1 || reply.Error.Positions[0].Line != 6 {
		t.Errorf("the cell ends with %+v", reply.Error)
	}
	if reply, _ := execute(s, "f.Select(\"stepps\").Err() != nil"); reply.Error != nil {
		t.Errorf("who asks for the error gets %v", reply.Error)
	}
}

// After a cell that was refused, the first recover of a notebook has the functions before it lowered again: their
// bodies may have been checked with other objects meanwhile.
func TestLoweredAgainAfterARefusal(t *testing.T) {
	cellsTest(t, [][2]string{
		{`import "encoding/asn1"
type Node struct{ Kids []*Node }
func (n *Node) Size() int {
	s := 1
	for _, k := range n.Kids {
		s += k.Size()
	}
	return s
}
func count(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + count(n-1)
}`, ""},
		{`type Pair struct{ A, B int }
func (n *Node) Twice() int { return 2*n.Size() + count(2) }
func more() { asn1.Marshal(Pair{}) }`, "CompileError: 3:28: encoding/asn1.Marshal looks into its argument by " +
			"reflection, which shows no types of cells; convert main.Pair to a type without names from cells first"},
		{`f := func() (r any) {
	defer func() { r = recover() }()
	panic((&Node{[]*Node{{}, {}}}).Size() + count(3))
}
f()`, "6"},
	})
}

// A cell that uses an old name is told the new one, once, and works.
func TestDeprecated(t *testing.T) {
	s := start(t)
	cell := `import "nacre/sim"
func again() error {
	f, err := sim.Lookup("point-goal")
	if err != nil {
		return err
	}
	return sim.Register(sim.WithReward(f, "own-reward", nil))
}
again()`
	for _, want := range []string{"sim.Register is deprecated: use sim.Define. The next release removes this name.\n",
		""} {
		if r, out := kerneltest.Execute(s, cell); r.Error != nil || out.Stderr() != want {
			t.Errorf("error %v, standard error %q, want %q", r.Error, out.Stderr(), want)
		}
	}
}
