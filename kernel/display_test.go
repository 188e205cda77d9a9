package kernel

import (
	"testing"

	"nacre/library/display"
)

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
	if len(out.shown) != 3 || out.shown[0].MIME["text/markdown"] != "**a**" || out.shown[1].MIME["text/plain"] != "3" {
		t.Errorf("shown %v", out.shown)
	}
	if len(out.updates) != 1 || out.updates[0].ID != out.shown[2].ID || out.shown[2].ID == "" || out.updates[0].MIME["text/plain"] != `"second"` {
		t.Errorf("updated %v", out.updates)
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
	out.mu.Lock()
	defer out.mu.Unlock()
	last := out.updates[len(out.updates)-1].MIME[display.CurvesMIME].(map[string]any)
	if n := len(last["series"].([]map[string]any)[0]["x"].([]any)); n != 50 {
		t.Errorf("the last update has %d points", n)
	}
	if len(out.updates) > 20 {
		t.Errorf("%d updates of 50 points", len(out.updates))
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
