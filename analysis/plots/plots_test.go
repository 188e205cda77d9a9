package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nacre/tsne"
)

// Cone-deficiency matrices on linear RGB at full severity, from Machado, Oliveira and Fernandes (2009).
var sight = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func apply(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i := range m {
		for j := range v {
			out[i] += m[i][j] * v[j]
		}
	}
	return out
}

func lab(c color.NRGBA, m [3][3]float64) [3]float64 {
	var rgb [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		if s := float64(v) / 255; s <= 0.04045 {
			rgb[i] = s / 12.92
		} else {
			rgb[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	rgb = apply(m, rgb)
	for i := range rgb {
		rgb[i] = min(max(rgb[i], 0), 1)
	}
	xyz := apply([3][3]float64{
		{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041},
	}, rgb)
	var f [3]float64
	for i, white := range []float64{0.95047, 1, 1.08883} {
		f[i] = math.Cbrt(xyz[i] / white)
		if xyz[i]/white <= 216.0/24389 {
			f[i] = xyz[i]/white*841/108 + 4.0/29
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

func TestPaletteKeepsApart(t *testing.T) {
	for ground, palette := range map[string][]color.NRGBA{"light": Palette, "dark": PaletteOnDark} {
		for name, m := range sight {
			for i := range palette {
				for j := range i {
					a, b := lab(palette[i], m), lab(palette[j], m)
					d := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
					if d < 15 {
						t.Errorf("%s, %s: colours %d and %d differ by %.1f", ground, name, j, i, d)
					}
				}
			}
		}
	}
	// Relative luminance from L*, and the contrast of WCAG to the page's ground in its dark theme.
	luminance := func(c color.NRGBA) float64 { return math.Pow((lab(c, sight["normal"])[0]+16)/116, 3) }
	page := color.NRGBA{0x14, 0x17, 0x1A, 255}
	for i, c := range PaletteOnDark {
		if r := (luminance(c) + 0.05) / (luminance(page) + 0.05); r < 4.5 {
			t.Errorf("colour %d has a contrast of %.2f to the dark page", i, r)
		}
	}
	if len(PaletteOnDark) != len(Palette) {
		t.Errorf("%d colours on dark, %d on light", len(PaletteOnDark), len(Palette))
	}
	// CIELAB of white, and of sRGB red by Lindbloom's calculator.
	if w := lab(light.paper, sight["normal"]); math.Abs(w[0]-100) > 0.01 || math.Abs(w[1]) > 0.02 {
		t.Errorf("white is %v", w)
	}
	if r := lab(color.NRGBA{255, 0, 0, 255}, sight["normal"]); math.Abs(r[0]-53.24) > 0.02 ||
		math.Abs(r[1]-80.09) > 0.05 {
		t.Errorf("red is %v", r)
	}
}

func twoPlanes() []Panel {
	a := tsne.Matrix{Rows: 6, Cols: 2, Data: []float64{-50, 0, -48, 2, 0, 50, 2, 48, 50, 0, 48, -2}}
	b := tsne.Matrix{Rows: 6, Cols: 2, Data: []float64{-5, 0, -4, 1, 0, 5, 1, 4, 5, 0, 4, -1}}
	label := []int{3, 3, 8, 8, 5, 5}
	name := func(l int) string { return map[int]string{3: "west & up", 5: "east", 8: "north"}[l] }
	return []Panel{{Title: "wide", Y: a, Label: label, Name: name}, {Title: "narrow", Y: b, Label: label}}
}

// texts returns the character data of every text element, checking that the SVG is well-formed.
func texts(t *testing.T, f *Figure) []string {
	t.Helper()
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		t.Fatal(err)
	}
	var out []string
	d := xml.NewDecoder(&buf)
	inside := false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			inside = e.Name.Local == "text"
		case xml.CharData:
			if inside {
				out = append(out, string(e))
			}
			inside = false
		}
	}
}

func TestEmbeddingSaysWhatItShows(t *testing.T) {
	panels := twoPlanes()
	f, err := Embedding(panels...)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(texts(t, f), "|")
	// By hand: pairs 2√2 apart, centroids (−49,1), (1,49), (49,−1): 2·√(50²+48²)/3 + √(98²+2²)/3 … = 78.88.
	for _, want := range []string{
		"wide|in the plane: to centroid 1.41 · between centroids 78.9 · ratio 55.78",
		"narrow|in the plane: to centroid 0.707",
		"west & up", "east", "north", "|20|",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if panels[0].Note != "" {
		t.Error("the caller's panels were changed")
	}
	if i, j := strings.Index(got, "west"), strings.Index(got, "east|"); i > j {
		t.Error("the legend is not in the order of the labels")
	}
	panels[0].Name = nil
	f, err = Embedding(panels[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, f)[2:]; !reflect.DeepEqual(got, []string{"3", "5", "8", "20"}) {
		t.Errorf("without names the texts are %q", got)
	}
}

// Without labels there are no centroids to write about and none to mark: the note and the scale bar's 20 are all.
func TestEmbeddingWithoutLabels(t *testing.T) {
	p := twoPlanes()[0]
	p.Label, p.Name, p.Note = nil, nil, "no labels"
	f, err := Embedding(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, f); !reflect.DeepEqual(got, []string{"wide", "no labels", "20"}) {
		t.Errorf("the texts are %q", got)
	}
}

func TestPanelsShareTheScale(t *testing.T) {
	panels := twoPlanes()
	both := sharedScale(panels, planeSide)
	if want := (planeSide/2 - 10) / 50; math.Abs(both-want) > 1e-12 {
		t.Errorf("scale %v, want %v points per unit", both, want)
	}
	if alone := sharedScale(panels[1:], planeSide); math.Abs(alone-10*both) > 1e-12 {
		t.Errorf("the narrow plane alone has scale %v", alone)
	}
}

func TestPNGHasTwiceTheResolution(t *testing.T) {
	f, err := Embedding(twoPlanes()...)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := f.WritePNG(&a); err != nil {
		t.Fatal(err)
	}
	if err := f.WritePNG(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("a second drawing differs, %v", err)
	}
	img, err := png.Decode(&a)
	if err != nil {
		t.Fatal(err)
	}
	w, h := f.Size()
	if s := img.Bounds().Size(); math.Abs(float64(s.X)-w*192/72) > 1 || math.Abs(float64(s.Y)-h*192/72) > 1 {
		t.Errorf("%v pixels for %v×%v points", s, w, h)
	}
	// The first badge's ring is there, in the first colour, where its centroid is.
	scale, pixel := sharedScale(twoPlanes(), planeSide), 192.0/72
	x := onScreen.edge + planeSide/2 - 49*scale - onScreen.badgeRadius
	y := onScreen.edge + 38 + planeSide/2 - (1-24)*scale
	if c := color.NRGBAModel.Convert(img.At(int(x*pixel), int(y*pixel))); c != color.Color(Palette[0]) {
		t.Errorf("the ring is %v, want %v", c, Palette[0])
	}
}

func TestBadgesDoNotOverlap(t *testing.T) {
	at := make([]point, 9)
	for i := range at {
		at[i] = point{100 + float64(i%2), 100}
	}
	b := spreadOut(at, onScreen.badgeRadius, 0, 200, 0, 200)
	for i := range b {
		for j := range i {
			if d := math.Hypot(b[i].x-b[j].x, b[i].y-b[j].y); d < 2*onScreen.badgeRadius+2 {
				t.Errorf("badges %d and %d are %.1f apart", j, i, d)
			}
		}
		if d := math.Hypot(b[i].x-100.5, b[i].y-100); d > 40 {
			t.Errorf("badge %d went %.0f away", i, d)
		}
	}
	free := []point{{10, 10}, {60, 60}}
	if got := spreadOut(free, onScreen.badgeRadius, 0, 200, 0, 200); !reflect.DeepEqual(got, free) {
		t.Errorf("free badges moved to %v", got)
	}
}

func TestMixedIsAPermutation(t *testing.T) {
	for _, n := range []int{1, 2, 3, 12, 1600} {
		seen := map[int]bool{}
		for _, i := range mixed(n) {
			seen[i] = true
		}
		if len(seen) != n || seen[n] || seen[-1] {
			t.Errorf("%d: %d distinct", n, len(seen))
		}
	}
}

func TestTicksAndNumbers(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		whole  bool
		want   string
	}{
		{0, 3, 6, true, "0 1 2 3"}, {-24.3, -4.9, 5, false, "−20 −15 −10 −5"},
		{0, 1, 5, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 120000, 6, false, "0 20k 40k 60k 80k 100k 120k"}, {0, 2.5e6, 5, false, "0 500k 1M 1.5M 2M 2.5M"},
		{-0.02, 0.03, 5, false, "−0.02 −0.01 0.00 0.01 0.02 0.03"},
	} {
		at, decimals := ticks(c.lo, c.hi, c.n, c.whole)
		var s []string
		for _, v := range at {
			s = append(s, number(v, decimals))
		}
		if got := strings.Join(s, " "); got != c.want {
			t.Errorf("[%v, %v]: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
	for v, want := range map[float64]string{68.5: "68.5", 38.83: "38.8", 7.156: "7.16", 1203: "1203", 0.01234: "0.0123",
		0: "0"} {
		if got := figures3(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

func TestCurves(t *testing.T) {
	nan := math.NaN()
	f, err := Curves(
		CurvePanel{
			Title: "Adaptation", XLabel: "trajectory", YLabel: "return", Whole: true,
			Series: []Series{
				{Name: "PEARL", X: []float64{0, 1, 2}, Y: []float64{-9, -4, -3}, Lo: []float64{-10, -5, -4},
					Hi: []float64{-8, -3, -2}},
				{Name: "TCL-PEARL", X: []float64{0, 1, 2}, Y: []float64{-9, nan, -3}},
			},
			References: []Reference{{Name: "random policy", Y: -12}, {Name: "knows the goal", Y: -1}},
		},
		CurvePanel{Title: "one point",
			Series: []Series{{Name: "TCL-PEARL", X: []float64{5}, Y: []float64{2}, Lo: []float64{1},
				Hi: []float64{3}}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(texts(t, f), "|")
	for _, want := range []string{"Adaptation", "|trajectory|return|", "knows the goal|", "TCL-PEARL", "random policy",
		"one point"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if err := f.WritePNG(io.Discard); err != nil {
		t.Error(err)
	}
}

// Points that are all equal are drawn in one place, alone and beside others.
func TestOnePlace(t *testing.T) {
	one := twoPlanes()[0]
	one.Y = tsne.NewMatrix(one.Y.Rows, 2)
	for _, panels := range [][]Panel{{one}, {one, twoPlanes()[1]}} {
		f, err := Embedding(panels...)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := f.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") ||
			!strings.Contains(s, "ratio 0.00") {
			t.Error(s)
		}
	}
}

func TestRefusals(t *testing.T) {
	p := twoPlanes()[0]
	one, short, flat, nan := p, p, p, p
	one.Label = make([]int, 6)
	short.Label = p.Label[:4]
	flat.Y = tsne.NewMatrix(3, 3)
	nan.Y = tsne.NewMatrix(6, 2)
	nan.Y.Data[3] = math.NaN()
	for _, c := range []struct {
		p    []Panel
		want string
	}{
		{nil, "no panels"}, {[]Panel{p, one}, "panel 1: tsne: every point has label 0"},
		{[]Panel{short}, "4 labels for 6 points"},
		{[]Panel{flat}, "positions are 3×3"}, {[]Panel{nan}, "row 1, column 1 (counted from 0) is NaN"},
	} {
		if _, err := Embedding(c.p...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		s    Series
		want string
	}{
		{Series{Name: "a"}, `series "a": no points`},
		{Series{X: []float64{1, 2}, Y: []float64{1}}, "1 values of y for 2 of x"},
		{Series{X: []float64{1, 1}, Y: []float64{1, 2}}, "point 1 is (1, 2)"},
		{Series{X: []float64{1}, Y: []float64{1}, Lo: []float64{0}}, "1 and 0 ends"},
		{Series{X: []float64{1}, Y: []float64{1}, Lo: []float64{2}, Hi: []float64{0}}, "is [2, 0]"},
		{Series{X: []float64{1}, Y: []float64{math.NaN()}}, "no values to draw"},
	} {
		if _, err := Curves(CurvePanel{Series: []Series{c.s}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	f, err := Embedding(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save(filepath.Join(t.TempDir(), "a.gif")); err == nil ||
		!strings.Contains(err.Error(), `.pdf, .svg or .png, not ".gif"`) {
		t.Errorf("got %v", err)
	}
	dir := t.TempDir()
	if err := f.Save(filepath.Join(dir, "a.svg")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files were left", len(left))
	}
}
