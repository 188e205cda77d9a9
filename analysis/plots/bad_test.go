package plots

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/frame"
)

// badInput are frames with columns x and y, a group and a seed, that a chart draws sensibly or refuses in a sentence.
func badInput() map[string]*frame.Frame {
	nan, inf := math.NaN(), math.Inf(1)
	of := func(x, y []float64, group []string) *frame.Frame {
		seed := make([]float64, len(x))
		return frame.New(frame.Numbers("x", x), frame.Numbers("y", y), frame.Texts("g", group),
			frame.Numbers("seed", seed))
	}
	words := func(n int, word func(int) string) (out []string) {
		for k := range n {
			out = append(out, word(k))
		}
		return out
	}
	same := func(n int, word string) []string { return words(n, func(int) string { return word }) }
	numbers := func(n int, v func(float64) float64) (out []float64) {
		for k := range n {
			out = append(out, v(float64(k)))
		}
		return out
	}
	id := func(v float64) float64 { return v }
	out := map[string]*frame.Frame{
		"missing":  of([]float64{0, 1, 2, nan}, []float64{1, nan, 3, 4}, same(4, "a")),
		"nothing":  of(nil, nil, nil),
		"all-nan":  of([]float64{nan, nan}, []float64{nan, nan}, same(2, "a")),
		"infinite": of([]float64{0, 1}, []float64{1, inf}, same(2, "a")),
		"point":    of([]float64{5}, []float64{-3}, same(1, "a")),
		"equal":    of([]float64{5, 5, 5}, []float64{-3, -3, -3}, same(3, "a")),
		"negative": of([]float64{-2, -1, 3}, []float64{-5, 2, 9}, same(3, "a")),
		"huge":     of([]float64{-1e300, 1e300}, []float64{1e-300, 1e300}, same(2, "a")),
		"groups200": of(numbers(200, id), numbers(200, math.Sin), words(200, func(k int) string {
			return fmt.Sprint("g", k)
		})),
		"groups10": of(numbers(20, id), numbers(20, math.Sin), words(20, func(k int) string {
			return fmt.Sprintf("a group with a longer name %d", k%10)
		})),
		"long": of(numbers(6, id), numbers(6, math.Sin), words(6, func(k int) string {
			return fmt.Sprint(k%2, " ", strings.Repeat("name", 50))
		})),
		"rtl": of(numbers(6, id), numbers(6, math.Sin), words(6, func(k int) string {
			return []string{"שלום abc", "مرحبا"}[k%2]
		})),
		"math": of(numbers(6, id), numbers(6, math.Sin), words(6, func(k int) string {
			return []string{"∑ θᵢ² ≤ ½", "𝔼[π]"}[k%2]
		})),
	}
	return out
}

// kinds are the charts that are made of each frame.
var kinds = map[string]func(*frame.Frame, ...Option) *Chart{
	"line":    func(f *frame.Frame, o ...Option) *Chart { return Line(f, "x", "y", append(o, By("g"), Count())...) },
	"scatter": func(f *frame.Frame, o ...Option) *Chart { return Scatter(f, "x", "y", append(o, By("g"))...) },
	"bar":     func(f *frame.Frame, o ...Option) *Chart { return Bar(f, "g", "y", o...) },
	"box":     func(f *frame.Frame, o ...Option) *Chart { return Box(f, "g", "y", o...) },
	"strip":   func(f *frame.Frame, o ...Option) *Chart { return Strip(f, "g", "y", o...) },
	"bins":    func(f *frame.Frame, o ...Option) *Chart { return Histogram(f, "y", append(o, By("g"))...) },
	"heat":    func(f *frame.Frame, o ...Option) *Chart { return Heat(f, "x", "g", "y", o...) },
	"arrows":  func(f *frame.Frame, o ...Option) *Chart { return Arrows(f, "x", "y", "y", "x", o...) },
	"text":    func(f *frame.Frame, o ...Option) *Chart { return Line(f, "x", "g", o...) },
	"panels":  func(f *frame.Frame, o ...Option) *Chart { return Scatter(f, "x", "y", append(o, Panels("g"))...) },
}

// A sensible picture or one sentence: no panic, no NaN on the page, nothing beside it.
func TestBadInput(t *testing.T) {
	dir := os.Getenv("NACRE_PICTURES")
	options := map[string][]Option{"": nil, "-log": {LogX(), LogY()}, "-limits": {XLim(1, 4), YLim(-0.5, 0.5)},
		"-shape": {Equal(), Circle(1, 1, 0.5), Rect(0, 0, 1, 2), Arrow(0, 0, 2, 1, "wind"), AtX("here", 2),
			At("there", 0)}}
	for input, f := range badInput() {
		for kind, chart := range kinds {
			for name, o := range options {
				name = input + "-" + kind + name
				c := chart(f, append(o[:len(o):len(o)], Title(strings.Repeat("A long title of a chart. ", 4)))...)
				figure, err := c.Figure()
				if err != nil {
					sentence(t, name, err)
					continue
				}
				widths := []string{"", "1.2in", "3.25in"}
				if testing.Short() {
					widths = widths[1:2]
				}
				for _, width := range widths {
					var file []FileOption
					if width != "" {
						file = append(file, Width(width))
					}
					var svg bytes.Buffer
					if err := figure.WriteSVG(&svg, file...); err != nil {
						sentence(t, name, err)
						continue
					}
					_, body, _ := strings.Cut(svg.String(), "</style>")
					if strings.Contains(body, "NaN") || strings.Contains(body, "Inf") {
						t.Errorf("%s at %q: a number that is none is on the page", name, width)
					}
					var pdf bytes.Buffer
					if err := figure.WritePDF(&pdf, file...); err != nil {
						t.Errorf("%s at %q: %v", name, width, err)
					}
				}
				if dir == "" || strings.HasSuffix(name, "-log") || strings.HasSuffix(name, "-limits") {
					continue
				}
				if err := figure.Save(filepath.Join(dir, "bad-"+name+".png"), Width("3.25in")); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// sentence checks that an error is one sentence that is not too long and names this package.
func sentence(t *testing.T, name string, err error) {
	t.Helper()
	text := err.Error()
	if strings.Contains(text, "\n") || len(text) > 260 ||
		!strings.HasPrefix(text, "plots: ") && !strings.HasPrefix(text, "frame: ") {
		t.Errorf("%s: the error is %q", name, text)
	}
}

func TestBadOptions(t *testing.T) {
	f := frame.New(frame.Numbers("x", []float64{1, 2}), frame.Numbers("y", []float64{3, -4}))
	for want, o := range map[string][]Option{
		"XLim(2, 1): expected two finite numbers, the smaller first": {XLim(2, 1)},
		"YLim(NaN, 1)":                                           {YLim(math.NaN(), 1)},
		"XLim(-1, 1): the axis is logarithmic":                   {LogX(), XLim(-1, 1)},
		"XTicks has +Inf":                                        {XTicks(math.Inf(1))},
		"Aspect(0): expected 0.1 to 10":                          {Aspect(0)},
		"Aspect and Equal both":                                  {Aspect(1), Equal()},
		"Equal: units of a logarithmic axis":                     {Equal(), LogX()},
		"a circle has the radius -1":                             {Circle(0, 0, -1)},
		"arrow at (0, NaN)":                                      {Arrow(0, math.NaN(), 1, 1, "")},
		`the line "a" is at NaN; expected a place that the axis`: {AtX("a", math.NaN())},
		`column "y" has the value -4; expected a positive one`:   {LogY()},
		`there is no column "g"`:                                 {By("g")},
	} {
		if err := Scatter(f, "x", "y", o...).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; expected %q", err, want)
		}
	}
}

func TestLimitsTicksAndCounts(t *testing.T) {
	f := frame.New(frame.Numbers("x", []float64{0, 1, 2, 0, 1, 2}), frame.Numbers("y", []float64{0, 5, 100, 1, 6, 90}),
		frame.Numbers("seed", []float64{1, 1, 1, 2, 2, 2}))
	c := Line(f, "x", "y", YLim(0, 10), XTicks(0, 1, 2, 3), Count(), Aspect(1))
	figure, err := c.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Notes, "|"); got != "1 of the values lie outside of the axes' limits.|n = 2 seeds." {
		t.Errorf("notes %q", got)
	}
	l, err := newLayout(c, onScreen)
	if err != nil || l.y.lo != 0 || l.y.hi != 10 || len(l.x.ticks) != 3 || math.Abs(l.h-l.w) > 1e-9 {
		t.Errorf("axes %+v %+v, %v×%v, %v", l.x, l.y, l.w, l.h, err)
	}
	var b bytes.Buffer
	if err := figure.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	// Nothing but the page is above the axes: the line that leaves them is cut.
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for x := range img.Bounds().Dx() {
		if r, g, b, _ := img.At(x, 12).RGBA(); r&g&b != 0xFFFF {
			t.Fatalf("something is drawn above the axes, at %d", x)
		}
	}
}

// Numbers on an even grid become an axis of numbers; other values keep a label each.
func TestHeatOnNumbers(t *testing.T) {
	var x, y, v []float64
	for i := range 12 {
		for j := range 3 {
			x, y, v = append(x, float64(i)/10), append(y, float64(j)), append(v, float64(i*j))
		}
	}
	c := Heat(frame.New(frame.Numbers("x", x), frame.Numbers("y", y), frame.Numbers("v", v)), "x", "y", "v")
	if c.Err() != nil || c.X.Categories != nil || len(c.Y.Categories) != 3 {
		t.Fatalf("%v: axes %+v %+v", c.Err(), c.X, c.Y)
	}
	if l := c.X.Limits; math.Abs(l[0]+0.05) > 1e-12 || math.Abs(l[1]-1.15) > 1e-12 {
		t.Errorf("the cells reach from %v to %v", l[0], l[1])
	}
}
