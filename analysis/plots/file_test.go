package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"nacre/analysis/frame"
)

// sample returns one figure of each kind.
func sample(t *testing.T) map[string]*Figure {
	t.Helper()
	f := frame.New(frame.Numbers("steps", []float64{0, 1e4, 2e4, 0, 1e4, 2e4}),
		frame.Numbers("return", []float64{-20, -15, -12, -18, -9, -4.5}),
		frame.Texts("arm", []string{"PEARL", "PEARL", "PEARL", "TCL-PEARL", "TCL-PEARL", "TCL-PEARL"}),
		frame.Numbers("seed", []float64{1, 1, 1, 1, 1, 1}))
	out := map[string]*Figure{}
	for name, c := range map[string]*Chart{
		"line":  Line(f, "steps", "return", By("arm"), Title("Return after adaptation"), Runs("runs/a", "runs/b")),
		"panel": Scatter(f, "steps", "return", Panels("arm"), At("random", -19)),
		"bar":   Bar(f, "arm", "return", Note("Three values each.")),
		"box":   Box(f, "arm", "return"),
		"heat":  Heat(f, "steps", "arm", "return"),
	} {
		figure, err := c.Figure()
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = figure
	}
	var err error
	if out["curves"], err = Curves(
		CurvePanel{Title: "point-goal", XLabel: "environment steps", YLabel: "return", Series: []Series{
			{Name: "TCL-PEARL", X: []float64{0, 1e5}, Y: []float64{-20, -5}, Lo: []float64{-22, -7},
				Hi: []float64{-18, -3}},
			{Name: "PEARL, authors", Like: "PEARL", Faint: true, X: []float64{0, 1e5}, Y: []float64{-20, -9}},
		}, References: []Reference{{Name: "random", Y: -21}}},
		CurvePanel{Title: "cheetah-vel", XLabel: "environment steps", Series: []Series{
			{Name: "TCL-PEARL", X: []float64{0, 1e5}, Y: []float64{-200, -50}}}},
	); err != nil {
		t.Fatal(err)
	}
	if out["embedding"], err = Embedding(twoPlanes()...); err != nil {
		t.Fatal(err)
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text = "gonum's", "x"
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: -1}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(line)
	if out["gonum"], err = Of(p); err != nil {
		t.Fatal(err)
	}
	return out
}

// page is what a PDF has, read without the library that wrote it.
type page struct {
	width, height float64
	sizes         []float64 // of fonts in use
	text          []string
	fonts         int // embedded
	info          string
}

var (
	mediaBox = regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`)
	streams  = regexp.MustCompile(`(?s)/FlateDecode[^>]*>>\nstream\n(.*?)\nendstream`)
	fontSize = regexp.MustCompile(`/F\w+ ([\d.]+) Tf`)
	shown    = regexp.MustCompile(`(?s)Td \((.*?)\) Tj ET`)
	entries  = regexp.MustCompile(`(?s)/(?:Title|Keywords|Creator) \((.*?)\)\n`)
	escaped  = regexp.MustCompile(`\\(.)`)
)

// utf16Text is a string of a PDF, with its escapes, as text.
func utf16Text(s string) string {
	s = escaped.ReplaceAllStringFunc(s, func(e string) string {
		if e == `\r` {
			return "\r"
		}
		return e[1:]
	})
	var units []uint16
	for k := 0; k+1 < len(s); k += 2 {
		units = append(units, uint16(s[k])<<8|uint16(s[k+1]))
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\uFEFF")
}

func readPDF(t *testing.T, data []byte) (p page) {
	t.Helper()
	box := mediaBox.FindSubmatch(data)
	if box == nil {
		t.Fatalf("no page in %.200q", data)
	}
	p.width, _ = strconv.ParseFloat(string(box[1]), 64)
	p.height, _ = strconv.ParseFloat(string(box[2]), 64)
	p.fonts = bytes.Count(data, []byte("/FontFile2"))
	for _, m := range entries.FindAllSubmatch(data, -1) {
		p.info += utf16Text(string(m[1])) + "\n"
	}
	for _, m := range streams.FindAllSubmatch(data, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(content, []byte(" Tj ET")) {
			continue // a font
		}
		for _, s := range fontSize.FindAllSubmatch(content, -1) {
			v, _ := strconv.ParseFloat(string(s[1]), 64)
			p.sizes = append(p.sizes, v)
		}
		for _, s := range shown.FindAllSubmatch(content, -1) {
			p.text = append(p.text, utf16Text(string(s[1])))
		}
	}
	return p
}

func TestEachFigureAtAPapersWidth(t *testing.T) {
	points := map[string]float64{"icml-column": 234, "neurips": 396, "ieee-column": 252, "slide": 396.85, "3.25in": 234,
		"85mm": 240.94, "8.5cm": 240.94, "240pt": 240}
	for name, f := range sample(t) {
		for width, want := range points {
			var b, again bytes.Buffer
			if err := f.WritePDF(&b, Width(width)); err != nil {
				t.Fatalf("%s at %s: %v", name, width, err)
			}
			p := readPDF(t, b.Bytes())
			if math.Abs(p.width-want) > 0.01 {
				t.Errorf("%s at %s is %v points wide, not %v", name, width, p.width, want)
			}
			if len(p.sizes) == 0 || slices.Min(p.sizes) != printSize || slices.Max(p.sizes) != printSize {
				t.Errorf("%s at %s has text of %v points", name, width, p.sizes)
			}
			if p.fonts == 0 {
				t.Errorf("%s at %s has no font in the file", name, width)
			}
			if err := f.WritePDF(&again, Width(width)); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
				t.Errorf("%s at %s: the second file differs (%v)", name, width, err)
			}
			if width == "slide" && p.height > 90/25.4*72*0.85 && name != "embedding" && name != "gonum" {
				t.Errorf("%s is %v points high, too much for a slide of 90 mm", name, p.height)
			}
		}
	}
}

func TestPDFSaysWhatTheFigureSays(t *testing.T) {
	f := sample(t)["line"]
	var b bytes.Buffer
	if err := f.WritePDF(&b, Width("icml-column")); err != nil {
		t.Fatal(err)
	}
	p := readPDF(t, b.Bytes())
	for _, want := range []string{"Return after adaptation", "PEARL", "TCL-PEARL", "steps", "return", "−20", "20k"} {
		if !slices.Contains(p.text, want) {
			t.Errorf("no %q in %q", want, p.text)
		}
	}
	for _, want := range []string{"Return after adaptation\n", "runs/a, runs/b\n", "nacre devel, commit "} {
		if !strings.Contains(p.info, want) {
			t.Errorf("no %q in the file's description %q", want, p.info)
		}
	}
}

// Another program agrees on what the file has.
func TestPDFByPoppler(t *testing.T) {
	for _, tool := range []string{"pdffonts", "pdftotext"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed; the package poppler-utils has it", tool)
		}
	}
	word := regexp.MustCompile(`yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">([^<]*)<`)
	for name, f := range sample(t) {
		path := filepath.Join(t.TempDir(), name+".pdf")
		if err := f.Save(path, Width("icml-column")); err != nil {
			t.Fatal(err)
		}
		fonts, err := exec.Command("pdffonts", path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, fonts)
		}
		lines := strings.Split(strings.TrimSpace(string(fonts)), "\n")[2:]
		for _, line := range lines { // name, type, encoding, emb, sub, uni, object
			if f := strings.Fields(line); len(f) < 8 || f[len(f)-5] != "yes" || f[len(f)-3] != "yes" {
				t.Errorf("%s: a font is not in the file, or its text cannot be copied: %s", name, line)
			}
		}
		boxes, err := exec.Command("pdftotext", "-bbox", path, "-").CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		words := word.FindAllStringSubmatch(string(boxes), -1)
		if len(words) < 4 {
			t.Errorf("%s: %d words: %s", name, len(words), boxes)
		}
		for _, w := range words {
			top, _ := strconv.ParseFloat(w[1], 64)
			bottom, _ := strconv.ParseFloat(w[2], 64)
			// A line of Liberation Sans is 1.117 times its size, upright words have their length instead.
			if h := bottom - top; math.Abs(h-8*1.117) > 0.4 && h < 12 {
				t.Errorf("%s: %q is %.2f points high", name, w[3], h)
			}
		}
	}
}

func TestSVGHasItsFontAndDescription(t *testing.T) {
	f := sample(t)["line"]
	var b, again bytes.Buffer
	if err := f.WriteSVG(&b, Width("3.25in")); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteSVG(&again, Width("3.25in")); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the second file differs (%v)", err)
	}
	text := b.String()
	for _, want := range []string{`width="234pt"`, "<title>Return after adaptation</title>", "runs/a, runs/b",
		"commit ", "@font-face{font-family:\"Liberation Sans\";font-weight:bold", "src:url(data:font/ttf;base64,"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %.1500s", want, text)
		}
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
		t.Error(err)
	}
	if n := b.Len(); n > 100_000 {
		t.Errorf("%d bytes: the font is not cut down to its letters", n)
	}
}

func TestPNGIsOfThePaper(t *testing.T) {
	f := sample(t)["line"]
	var b bytes.Buffer
	if err := f.WritePNG(&b, Width("3.25in")); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w != 1950 {
		t.Errorf("%d pixels for 3.25 inches at 600 a inch", w)
	}
	for _, want := range []string{"pHYs\x00\x00\x5c\x46\x00\x00\x5c\x46\x01",
		"iTXtTitle\x00\x00\x00\x00\x00Return after", "runs/a, runs/b"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("no %q in the file", want)
		}
	}
}

// A file is light unless it is asked to be dark.
func TestFilesAreLight(t *testing.T) {
	f := sample(t)["line"]
	corner := func(o ...FileOption) color.Color {
		var b bytes.Buffer
		if err := f.WritePNG(&b, o...); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		return color.NRGBAModel.Convert(img.At(0, 0))
	}
	if c := corner(); c != light.paper {
		t.Errorf("the page is %v", c)
	}
	if c := corner(Width("icml-column"), Dark()); c != dark.paper {
		t.Errorf("the dark page is %v", c)
	}
}

func TestWidthsThatCannotBe(t *testing.T) {
	f := sample(t)["panel"]
	for width, want := range map[string]string{
		"icml-colum": `did you mean "icml-column"?`, "3.25": "neither a length such as 3.25in",
		"0.1in": "not between 1in and", "-3in": "not between",
		"NaNin": "not between", "1e9cm": "not between", "3 parsec": "neither a length",
		"1in": "leaves no room for the axes; expected at least 1.",
	} {
		var b bytes.Buffer
		if err := f.WritePDF(&b, Width(width)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("width %q: %v; expected %q", width, err, want)
		}
	}
	// The least width that an error names is one at which the figure can be drawn.
	for name, f := range sample(t) {
		err := f.WriteSVG(io.Discard, Width("1in"))
		if err == nil {
			continue
		}
		var least float64
		_, after, _ := strings.Cut(err.Error(), "at least ")
		if _, e := fmt.Sscanf(after, "%fin", &least); e != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := f.WriteSVG(io.Discard, Width(fmt.Sprint(least, "in"))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.WritePNG(io.Discard, Width("60in")); err == nil || !strings.Contains(err.Error(), "million pixels") {
		t.Error("a PNG of 60 inches: ", err)
	}
	if err := f.WriteSVG(io.Discard, Width("60in")); err != nil {
		t.Error(err)
	}
	if err := f.Save(filepath.Join(t.TempDir(), "x.eps")); err == nil ||
		!strings.Contains(err.Error(), `must end in .pdf, .svg or .png, not ".eps"`) {
		t.Error(err)
	}
}

// TestPictures leaves the figures in a folder to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("NACRE_PICTURES")
	if dir == "" {
		t.Skip("NACRE_PICTURES names no folder for pictures to look at")
	}
	for name, f := range sample(t) {
		for _, ext := range []string{".png", ".pdf", ".svg"} {
			if err := f.Save(filepath.Join(dir, name+ext), Width("icml-column")); err != nil {
				t.Error(err)
			}
		}
		if err := f.Save(filepath.Join(dir, name+"-screen.png")); err != nil {
			t.Error(err)
		}
		if err := f.Save(filepath.Join(dir, name+"-dark.png"), Width("slide"), Dark()); err != nil {
			t.Error(err)
		}
	}
}
