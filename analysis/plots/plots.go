// Package plots draws the figures of a study for print and for the screen: embeddings side by side in one scale with
// their centroids, and curves with intervals and reference lines. Figures are drawn with gonum/plot's vector graphics
// and written as PDF, SVG or PNG, at the size of the screen or at a paper's width. Colours differ enough for people
// with the common forms of colour blindness. Colour is never the only sign: groups have numbers, and lines have names.
//
//	f, err := plots.Embedding(
//		plots.Panel{Title: "PEARL", Y: a.Y, Label: label},
//		plots.Panel{Title: "TCL-PEARL", Y: b.Y, Label: label},
//	)
//	if err != nil {
//		return err
//	}
//	err = f.Save("tsne.pdf", plots.Width("icml-column")) // or .svg, .png
package plots

import (
	"fmt"
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// Palette has ten colours. The first ones are used first. Any two differ by at least 15 in CIELAB, both for normal
// vision and for vision without one kind of cone (Machado et al. 2009).
var Palette = []color.NRGBA{
	{0x4C, 0x72, 0xB0, 255}, {0xD5, 0x5E, 0x00, 255}, {0xE9, 0xB4, 0x4C, 255}, {0x26, 0x46, 0x53, 255},
	{0xCC, 0x79, 0xA7, 255}, {0x66, 0xB2, 0xE8, 255}, {0x7A, 0x3E, 0x00, 255}, {0x93, 0x78, 0x60, 255},
	{0x33, 0x22, 0x88, 255}, {0xDD, 0x84, 0x52, 255},
}

// PaletteOnDark has the colours for a dark page, in the order of Palette. They differ as much, and each has a contrast
// of at least 4.5 to the page.
var PaletteOnDark = []color.NRGBA{
	{0x6B, 0x90, 0xED, 255}, {0xCB, 0x69, 0x2A, 255}, {0xF5, 0xCF, 0x92, 255}, {0x96, 0xAF, 0xBB, 255},
	{0xC1, 0x76, 0x88, 255}, {0x93, 0xCA, 0xF6, 255}, {0xB3, 0x97, 0x67, 255}, {0xC5, 0xBA, 0xA7, 255},
	{0x8D, 0x85, 0xB9, 255}, {0xE4, 0xA8, 0x59, 255},
}

func fade(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(math.Round(255 * alpha))
	return c
}

// faces are the regular and bold faces of Liberation Sans, which come with gonum/plot.
var faces = func() *font.Cache { return font.NewCache(liberation.Collection()) }()

// style is a face at a size in points.
type style struct {
	size float64
	bold bool
}

func (s style) face() font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if s.bold {
		f.Weight = xfont.WeightBold
	}
	return faces.Lookup(f, vg.Length(s.size))
}

func (s style) width(text string) float64 {
	f := s.face()
	return float64(f.Width(text))
}

// capHeight is the height of capital letters and digits. Text is centred by it.
func (s style) capHeight() float64 { return 0.69 * s.size }

// familyOf is the name of a font's family.
func familyOf(face font.Face) string {
	name, err := face.Face.Name(new(sfnt.Buffer), sfnt.NameIDFamily)
	if err != nil { // the font has no names: then it has the one that gonum knows it by
		return fmt.Sprint(face.Font.Typeface, " ", face.Font.Variant)
	}
	return name
}

// pen draws with the origin at the top left and y downwards.
type pen struct {
	*look
	c       vg.Canvas
	height  float64
	logical bool // whoever shows the page puts letters into the order in which they are read
}

func newPen(c vg.Canvas, height float64, k *look) *pen { return &pen{c: c, height: height, look: k} }

type point struct{ x, y float64 }

func (p *pen) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(p.height - y)}
}

func (p *pen) path(pts []point) vg.Path {
	var path vg.Path
	for i, q := range pts {
		if i == 0 {
			path.Move(p.at(q.x, q.y))
		} else {
			path.Line(p.at(q.x, q.y))
		}
	}
	return path
}

func (p *pen) line(c color.Color, width float64, pts ...point) {
	p.c.SetColor(c)
	p.c.SetLineWidth(vg.Length(width))
	p.c.SetLineDash(nil, 0)
	p.c.Stroke(p.path(pts))
}

func (p *pen) dashed(c color.Color, width float64, pts ...point) {
	p.c.SetColor(c)
	p.c.SetLineWidth(vg.Length(width))
	p.c.SetLineDash([]vg.Length{3.5, 2.5}, 0)
	p.c.Stroke(p.path(pts))
	p.c.SetLineDash(nil, 0)
}

func (p *pen) fill(c color.Color, pts ...point) {
	path := p.path(pts)
	path.Close()
	p.c.SetColor(c)
	p.c.Fill(path)
}

func (p *pen) rect(c color.Color, x, y, w, h float64) {
	p.fill(c, point{x, y}, point{x + w, y}, point{x + w, y + h}, point{x, y + h})
}

func (p *pen) frame(c color.Color, width, x, y, w, h float64) {
	path := p.path([]point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}})
	path.Close()
	p.c.SetColor(c)
	p.c.SetLineWidth(vg.Length(width))
	p.c.Stroke(path)
}

func (p *pen) circle(x, y, r float64) vg.Path {
	var path vg.Path
	path.Move(p.at(x+r, y))
	path.Arc(p.at(x, y), vg.Length(r), 0, 2*math.Pi)
	path.Close()
	return path
}

func (p *pen) dot(c color.Color, x, y, r float64) {
	p.c.SetColor(c)
	p.c.Fill(p.circle(x, y, r))
}

func (p *pen) ring(c color.Color, width, x, y, r float64) {
	p.c.SetColor(c)
	p.c.SetLineWidth(vg.Length(width))
	p.c.Stroke(p.circle(x, y, r))
}

// text writes from x on the baseline y; align 0 starts there, 0.5 centres, 1 ends there.
func (p *pen) text(s style, c color.Color, x, y, align float64, text string) {
	if text == "" {
		return
	}
	p.c.SetColor(c)
	p.c.FillString(s.face(), p.at(x-align*s.width(text), y), p.ordered(text))
}

// ordered is text as its letters stand on paper from left to right.
func (p *pen) ordered(text string) string {
	if p.logical {
		return text
	}
	return visual(text)
}

// upright writes text turned a quarter to the left, centred on (x, y).
func (p *pen) upright(s style, c color.Color, x, y float64, text string) {
	if text == "" {
		return
	}
	p.c.Push()
	p.c.Translate(p.at(x, y))
	p.c.Rotate(math.Pi / 2)
	p.c.SetColor(c)
	p.c.FillString(s.face(), vg.Point{X: vg.Length(-s.width(text) / 2), Y: 0}, p.ordered(text))
	p.c.Pop()
}
