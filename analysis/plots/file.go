package plots

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"nacre/internal/atomicfile"
	"nacre/internal/version"
)

// FileOption changes how a figure is written to a file.
type FileOption func(*fileOptions)

type fileOptions struct {
	width string
	dark  bool
}

// Width draws the figure at its width on paper, with text of 8 points. The argument width is one of Widths, such as
// icml-column, neurips, ieee-column or slide, or a length such as 3.25in, 8.5cm, 85mm or 240pt. Panels that are too
// narrow go into the next row. A table below embeddings is left out, as a paper has it as text.
func Width(width string) FileOption { return func(o *fileOptions) { o.width = width } }

// Dark draws the figure in the colours of a dark page. Without it a file is light.
func Dark() FileOption { return func(o *fileOptions) { o.dark = true } }

// lookOf is the look that options ask for.
func lookOf(options []FileOption) (*look, error) {
	var o fileOptions
	for _, option := range options {
		option(&o)
	}
	k := *onScreen
	if o.width != "" {
		p, err := lookAt(o.width)
		if err != nil {
			return nil, err
		}
		k = *p
	}
	if o.dark {
		k.theme = dark
	}
	return &k, nil
}

// CheckFile reports whether options can be met, before anything is drawn.
func CheckFile(options ...FileOption) error {
	_, err := lookOf(options)
	return err
}

// drawing is a figure laid out in a look.
type drawing struct {
	width, height float64 // points
	draw          func(*pen)
}

// Figure is a finished drawing. The same figure writes the same bytes. Its files name what it shows: title, runs, and
// the commit of the program that drew it.
type Figure struct {
	lay   func(*look) (drawing, error)
	own   drawing // on the screen
	title string
	runs  []string
}

// newFigure lays the figure out for the screen.
func newFigure(title string, lay func(*look) (drawing, error)) (*Figure, error) {
	own, err := lay(onScreen)
	if err != nil {
		return nil, err
	}
	return &Figure{lay: lay, own: own, title: title}, nil
}

// Describe sets the title and the runs that the figure's files name. It returns the figure.
func (f *Figure) Describe(title string, runs ...string) *Figure {
	f.title, f.runs = title, runs
	return f
}

// Size is the figure's own width and height in points (1/72 inch).
func (f *Figure) Size() (width, height float64) { return f.own.width, f.own.height }

// in lays the figure out as options ask.
func (f *Figure) in(options []FileOption) (*look, drawing, error) {
	if len(options) == 0 {
		return onScreen, f.own, nil
	}
	k, err := lookOf(options)
	if err != nil {
		return nil, drawing{}, err
	}
	d, err := f.lay(k)
	return k, d, err
}

// about describes the figure by name, for the metadata of its files.
func (f *Figure) about() (names, texts []string) {
	add := func(name, text string) {
		if text != "" {
			names, texts = append(names, name), append(texts, strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	add("Title", f.title)
	add("Description", strings.TrimPrefix("runs: "+strings.Join(f.runs, ", "), "runs: "))
	add("Software", "nacre "+version.Get().Version+", commit "+version.Get().Commit)
	return names, texts
}

// pngDPI makes a pixel half a screen pixel (96 dpi) wide. On paper a figure has printDPI.
const (
	pngDPI   = 192
	printDPI = 600

	mostPixels = 100e6 // of a PNG, which takes four bytes of memory for each
)

// WritePNG writes the figure at 192 dots per inch, and at 600 if it has a given width.
func (f *Figure) WritePNG(w io.Writer, options ...FileOption) error {
	k, d, err := f.in(options)
	if err != nil {
		return err
	}
	dpi := pngDPI
	if k.width > 0 {
		dpi = printDPI
	}
	if n := d.width * d.height / 72 / 72 * float64(dpi*dpi); n > mostPixels {
		return fmt.Errorf("plots: a PNG of %.3gin by %.3gin has %.0f million pixels; expected at most %.0f million: "+
			"choose a smaller width, or .pdf or .svg", d.width/72, d.height/72, n/1e6, mostPixels/1e6)
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(d.width), vg.Length(d.height)), vgimg.UseDPI(dpi))
	d.draw(newPen(c, d.height, k))
	var buf bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&buf); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	if _, err := w.Write(f.described(buf.Bytes(), dpi)); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	return nil
}

// described adds the resolution and what the figure shows to a PNG, after its header.
func (f *Figure) described(png []byte, dpi int) []byte {
	const header = 8 + 25 // signature and IHDR
	out := slices.Clone(png[:header])
	chunk := func(kind string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		body := append([]byte(kind), data...)
		out = append(out, body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	}
	perMetre := uint32(float64(dpi)/0.0254 + 0.5)
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, perMetre), perMetre)
	chunk("pHYs", append(size, 1))
	names, texts := f.about()
	for i, name := range names {
		chunk("iTXt", append([]byte(name+"\x00\x00\x00\x00\x00"), texts[i]...))
	}
	return append(out, png[header:]...)
}

// WriteSVG writes the figure as SVG. Text stays text, in Liberation Sans. The file contains this font, cut to the
// letters that the figure uses.
func (f *Figure) WriteSVG(w io.Writer, options ...FileOption) error {
	k, d, err := f.in(options)
	if err != nil {
		return err
	}
	c := vgsvg.New(vg.Length(d.width), vg.Length(d.height))
	text := &lettered{Canvas: c}
	pen := newPen(text, d.height, k)
	pen.logical = true
	d.draw(pen)
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	style, err := text.fontFaces()
	if err != nil {
		return err
	}
	var head strings.Builder
	var described []string
	names, texts := f.about()
	for i, name := range names {
		if name == "Title" {
			fmt.Fprintf(&head, "<title>%s</title>\n", html.EscapeString(texts[i]))
		} else {
			described = append(described, texts[i])
		}
	}
	fmt.Fprintf(&head, "<desc>%s</desc>\n%s", html.EscapeString(strings.Join(described, "\n")), style)
	out := bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	root := bytes.Index(out, []byte("<svg"))
	end := root + bytes.IndexByte(out[root:], '>') + 1
	out = slices.Concat(out[:end], []byte("\n"+head.String()), out[end:])
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	return nil
}

// lettered is a canvas that remembers the letters of its text, by font.
type lettered struct {
	vg.Canvas
	fonts []font.Face
	runes []map[rune]bool
}

// FillString implements vg.Canvas.
func (l *lettered) FillString(face font.Face, at vg.Point, text string) {
	k := slices.IndexFunc(l.fonts, func(f font.Face) bool { return f.Face == face.Face })
	if k < 0 {
		k, l.fonts, l.runes = len(l.fonts), append(l.fonts, face), append(l.runes, map[rune]bool{})
	}
	for _, r := range text {
		l.runes[k][r] = true
	}
	l.Canvas.FillString(face, at, text)
}

// fontFaces is a style sheet with the fonts, cut down to the letters that there are.
func (l *lettered) fontFaces() (string, error) {
	if len(l.fonts) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("<style>\n")
	for k, face := range l.fonts {
		var source bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &source); err != nil {
			return "", fmt.Errorf("plots: reading the font %s: %w", face.Name(), err)
		}
		letters := slices.DeleteFunc(slices.Sorted(maps.Keys(l.runes[k])), func(r rune) bool { return r > 0xFFFF })
		weight, slope := "normal", "normal"
		if face.Font.Weight == xfont.WeightBold {
			weight = "bold"
		}
		if face.Font.Style != xfont.StyleNormal {
			slope = "italic"
		}
		fmt.Fprintf(&b, "@font-face{font-family:%q;font-weight:%s;font-style:%s;"+
			"src:url(data:font/ttf;base64,%s)}\n", familyOf(face), weight, slope,
			base64.StdEncoding.EncodeToString(fpdf.UTF8CutFont(source.Bytes(), string(letters))))
	}
	b.WriteString("</style>\n")
	return b.String(), nil
}

// Save writes the figure to path, in the format of its ending: .pdf, .svg or .png. The file appears as a whole or not
// at all.
//
//	figure.Save("tsne.pdf", plots.Width("icml-column"))
func (f *Figure) Save(path string, options ...FileOption) error {
	var write func(io.Writer, ...FileOption) error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".pdf":
		write = f.WritePDF
	case ".png":
		write = f.WritePNG
	case ".svg":
		write = f.WriteSVG
	default:
		return fmt.Errorf("plots: %s: the name must end in .pdf, .svg or .png, not %q", path, ext)
	}
	var buf bytes.Buffer
	if err := write(&buf, options...); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(path, buf.Bytes()); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	return nil
}
