//go:build !js

package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// WritePDF writes the figure as PDF of one page. Text stays text, and its fonts lie in the file. The page has no date,
// so that the same figure gives the same bytes.
func (f *Figure) WritePDF(w io.Writer, options ...FileOption) error {
	k, d, err := f.in(options)
	if err != nil {
		return err
	}
	c := newPDF(d.width, d.height)
	names, texts := f.about()
	for i, name := range names {
		map[string]func(string, bool){
			"Title": c.doc.SetTitle, "Description": c.doc.SetKeywords, "Software": c.doc.SetCreator,
		}[name](texts[i], true)
	}
	d.draw(newPen(c, d.height, k))
	if err := c.doc.Output(w); err != nil {
		return fmt.Errorf("plots: writing the PDF: %w", err)
	}
	return nil
}

// pdfCanvas draws on a page of PDF. Unlike that of gonum it takes every letter that the font has, not only those of
// Windows-1252, and colours that are partly transparent keep their hue.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	height float64
	stack  []pdfState
	fonts  map[string]bool
	images int
}

// pdfState is what Push saves.
type pdfState struct {
	colour color.Color
	width  vg.Length
	dash   []vg.Length
	offset vg.Length
	m      [6]float64 // from the canvas to the page with its origin at the lower left: x = m0·x + m2·y + m4, …
}

func newPDF(width, height float64) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetProducer("fpdf", true)
	doc.AddPage()
	c := &pdfCanvas{doc: doc, height: height, fonts: map[string]bool{},
		stack: []pdfState{{colour: color.Black, m: [6]float64{1, 0, 0, 1, 0, 0}}}}
	vg.Initialize(c)
	return c
}

func (c *pdfCanvas) top() *pdfState { return &c.stack[len(c.stack)-1] }

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.top().width = w }

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.top().dash, c.top().offset = pattern, offset
}

// SetColor implements vg.Canvas.
func (c *pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.top().colour = clr
}

// use sends the colour to the page.
func (c *pdfCanvas) use() {
	v := color.NRGBAModel.Convert(c.top().colour).(color.NRGBA)
	r, g, b := int(v.R), int(v.G), int(v.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(v.A)/255, "Normal")
}

// after appends a transformation, which applies before those that there are.
func (s *pdfState) after(t [6]float64) {
	m := s.m
	s.m = [6]float64{
		m[0]*t[0] + m[2]*t[1], m[1]*t[0] + m[3]*t[1], m[0]*t[2] + m[2]*t[3], m[1]*t[2] + m[3]*t[3],
		m[0]*t[4] + m[2]*t[5] + m[4], m[1]*t[4] + m[3]*t[5] + m[5],
	}
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.top().after([6]float64{cos, sin, -sin, cos, 0, 0})
}

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(pt vg.Point) {
	c.top().after([6]float64{1, 0, 0, 1, float64(pt.X), float64(pt.Y)})
}

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) { c.top().after([6]float64{x, 0, 0, y, 0, 0}) }

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() { c.stack = append(c.stack, *c.top()) }

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() { c.stack = c.stack[:len(c.stack)-1] }

// at is a point on the page, with y downwards as fpdf has it.
func (c *pdfCanvas) at(p vg.Point) (x, y float64) {
	m, px, py := c.top().m, float64(p.X), float64(p.Y)
	return m[0]*px + m[2]*py + m[4], c.height - (m[1]*px + m[3]*py + m[5])
}

// size is the factor by which lengths grow.
func (s *pdfState) size() float64 { return math.Sqrt(math.Abs(s.m[0]*s.m[3] - s.m[1]*s.m[2])) }

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(p vg.Path) {
	s := c.top()
	if s.width <= 0 || len(p) == 0 {
		return
	}
	c.use()
	c.doc.SetLineWidth(float64(s.width) * s.size())
	dash := make([]float64, len(s.dash))
	for i, d := range s.dash {
		dash[i] = float64(d) * s.size()
	}
	c.doc.SetDashPattern(dash, float64(s.offset)*s.size())
	c.path(p)
	c.doc.DrawPath("D")
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(p vg.Path) {
	if len(p) == 0 {
		return
	}
	c.use()
	c.path(p)
	c.doc.DrawPath("F")
}

func (c *pdfCanvas) path(path vg.Path) {
	var here vg.Point
	for _, comp := range path {
		switch comp.Type {
		case vg.MoveComp:
			here = comp.Pos
			c.doc.MoveTo(c.at(here))
		case vg.LineComp:
			here = comp.Pos
			c.doc.LineTo(c.at(here))
		case vg.ArcComp:
			here = c.arc(comp)
		case vg.CurveComp:
			var ctl [2]vg.Point
			if len(comp.Control) == 1 { // a quadratic curve as a cubic one
				q := comp.Control[0]
				ctl[0] = vg.Point{X: here.X + (q.X-here.X)*2/3, Y: here.Y + (q.Y-here.Y)*2/3}
				ctl[1] = vg.Point{X: comp.Pos.X + (q.X-comp.Pos.X)*2/3, Y: comp.Pos.Y + (q.Y-comp.Pos.Y)*2/3}
			} else {
				copy(ctl[:], comp.Control)
			}
			here = comp.Pos
			c.curve(ctl[0], ctl[1], here)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
}

func (c *pdfCanvas) curve(a, b, to vg.Point) {
	ax, ay := c.at(a)
	bx, by := c.at(b)
	x, y := c.at(to)
	c.doc.CurveBezierCubicTo(ax, ay, bx, by, x, y)
}

// arc draws a part of a circle as curves of at most a quarter of it, and returns its end.
func (c *pdfCanvas) arc(comp vg.PathComp) vg.Point {
	on := func(angle float64) (at, along vg.Point) {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: comp.Pos.X + comp.Radius*vg.Length(cos), Y: comp.Pos.Y + comp.Radius*vg.Length(sin)},
			vg.Point{X: -comp.Radius * vg.Length(sin), Y: comp.Radius * vg.Length(cos)}
	}
	from, along := on(comp.Start)
	c.doc.LineTo(c.at(from))
	n := int(math.Ceil(math.Abs(comp.Angle)/(math.Pi/2) - 1e-9))
	step := comp.Angle / float64(max(n, 1))
	k := vg.Length(4.0 / 3 * math.Tan(step/4))
	for i := range n {
		to, next := on(comp.Start + step*float64(i+1))
		c.curve(vg.Point{X: from.X + k*along.X, Y: from.Y + k*along.Y},
			vg.Point{X: to.X - k*next.X, Y: to.Y - k*next.Y}, to)
		from, along = to, next
	}
	return from
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(face font.Face, pt vg.Point, text string) {
	if face.Font.Size == 0 || text == "" {
		return
	}
	name := face.Name()
	if !c.fonts[name] {
		var source bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &source); err != nil {
			c.doc.SetError(fmt.Errorf("reading the font %s: %w", name, err))
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", source.Bytes())
		c.fonts[name] = true
	}
	s := c.top()
	c.doc.SetFont(name, "", float64(face.Font.Size)*s.size())
	c.use()
	x, y := c.at(pt)
	turn := math.Atan2(s.m[1], s.m[0]) * 180 / math.Pi
	if turn != 0 {
		c.doc.TransformBegin()
		c.doc.TransformRotate(turn, x, y)
	}
	c.doc.Text(x, y, strings.Map(func(r rune) rune {
		if r > 0xFFFF { // the font has none
			return '\uFFFD'
		}
		return r
	}, text))
	if turn != 0 {
		c.doc.TransformEnd()
	}
}

// DrawImage implements vg.Canvas. The image is not turned.
func (c *pdfCanvas) DrawImage(rect vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		c.doc.SetError(err)
		return
	}
	name := fmt.Sprint("image", c.images)
	c.images++
	o := fpdf.ImageOptions{ImageType: "png"}
	c.doc.RegisterImageOptionsReader(name, o, &b)
	x, y := c.at(vg.Point{X: rect.Min.X, Y: rect.Max.Y})
	size := rect.Size()
	c.doc.ImageOptions(name, x, y, float64(size.X)*c.top().size(), float64(size.Y)*c.top().size(), false, o, 0, "")
}
