package display

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"
	"strconv"

	"nacre/analysis/plots"
	"nacre/tsne"
)

// EmbeddingMIME is the type of embeddings that the front end draws and lets the user explore.
const EmbeddingMIME = "application/vnd.nacre.embedding+json"

var embeddingType = Type{"embedding", EmbeddingMIME, "image/png", func() Renderer {
	e := Embedding{Title: "two tasks", Points: tsne.NewMatrix(12, 2), Names: []string{"left", "right"}}
	for i := range e.Points.Rows {
		angle := 2 * math.Pi * float64(i/2) / 6
		e.Points.Data[2*i], e.Points.Data[2*i+1] = 10*float64(i%2)+math.Cos(angle), math.Sin(angle)
		e.Label = append(e.Label, i%2)
	}
	return e
}}

// Embedding holds points in the plane with a label each, e.g. a t-SNE of context embeddings.
type Embedding struct {
	Title   string
	Points  tsne.Matrix // n×2
	Label   []int       // n labels, or nil for one group
	Names   []string    // Names[l] is the text of label l; nil if labels are their own names
	Hover   []string    // n texts shown under the pointer, or nil
	Vectors tsne.Matrix // n×d data from which Points was made, for distances between selections; may be empty
	Link    string      // name shared by outputs that select the same labels; an empty Link shares no selection
	Compact bool        // send coordinates in 16 bits: half the size, rounded to 1/65,535 of the range
}

func (e *Embedding) check() error {
	n := e.Points.Rows
	switch {
	case n == 0 || e.Points.Cols != 2:
		return fmt.Errorf("display: the points of an embedding are %d×%d; expected n×2", n, e.Points.Cols)
	case e.Label != nil && len(e.Label) != n:
		return fmt.Errorf("display: %d labels for %d points", len(e.Label), n)
	case e.Hover != nil && len(e.Hover) != n:
		return fmt.Errorf("display: %d hover texts for %d points", len(e.Hover), n)
	case e.Vectors.Rows != 0 && e.Vectors.Rows != n:
		return fmt.Errorf("display: %d vectors for %d points", e.Vectors.Rows, n)
	}
	for k, v := range e.Points.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("display: point %d of the embedding is %v", k/2, v)
		}
	}
	return nil
}

// groups numbers the labels in order of their value, as the front end expects them.
func (e *Embedding) groups() (index []int, names []string) {
	if e.Label == nil {
		return nil, nil
	}
	seen := map[int]int{}
	var values []int
	for _, l := range e.Label {
		if _, ok := seen[l]; !ok {
			seen[l] = 0
			values = append(values, l)
		}
	}
	slices.Sort(values)
	for k, l := range values {
		seen[l] = k
		name := strconv.Itoa(l)
		if l >= 0 && l < len(e.Names) {
			name = e.Names[l]
		}
		names = append(names, name)
	}
	index = make([]int, len(e.Label))
	for k, l := range e.Label {
		index[k] = seen[l]
	}
	return index, names
}

// data are the points for this notebook's front end.
func (e *Embedding) data(index []int, names []string) map[string]any {
	m := map[string]any{"version": 1, "title": e.Title, "n": e.Points.Rows, "labels": nil, "label_names": names,
		"hover": nil, "vectors": nil, "scale": nil}
	if e.Link != "" {
		m["link"] = e.Link
	}
	if index != nil {
		m["labels"] = index
	}
	if e.Hover != nil {
		m["hover"] = e.Hover
	}
	if e.Compact {
		m["encoding"] = "uint16"
		m["points"], m["scale"] = quantised(e.Points)
	} else {
		m["encoding"] = "float32"
		m["points"] = floats(e.Points.Data)
	}
	if e.Vectors.Rows > 0 {
		m["vectors"] = map[string]any{"dim": e.Vectors.Cols, "encoding": "float32", "data": floats(e.Vectors.Data)}
	}
	return m
}

// MIMEBundle returns the points for this notebook's front end, a picture and one line of text.
func (e Embedding) MIMEBundle() (map[string]any, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	index, names := e.groups()
	picture, err := e.png(index, names)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("embedding of %d points", e.Points.Rows)
	if len(names) > 1 {
		text += fmt.Sprintf(" in %d groups", len(names))
	}
	if e.Title != "" {
		text = e.Title + ": " + text
	}
	return Bundle{EmbeddingMIME: e.data(index, names), "image/png": picture, "text/plain": text}, nil
}

func floats(x []float64) string {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// bounds are the least and greatest coordinates; they differ.
func bounds(m tsne.Matrix) (low, high [2]float64) {
	low, high = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for k, v := range m.Data {
		low[k%2], high[k%2] = math.Min(low[k%2], v), math.Max(high[k%2], v)
	}
	for k := range 2 {
		if low[k] == high[k] {
			low[k], high[k] = low[k]-1, high[k]+1
		}
	}
	return low, high
}

func quantised(m tsne.Matrix) (string, map[string]any) {
	low, high := bounds(m)
	b := make([]byte, 0, 2*len(m.Data))
	for k, v := range m.Data {
		b = binary.LittleEndian.AppendUint16(b, uint16(math.Round(65535*(v-low[k%2])/(high[k%2]-low[k%2]))))
	}
	return base64.StdEncoding.EncodeToString(b),
		map[string]any{"x": []float64{low[0], high[0]}, "y": []float64{low[1], high[1]}}
}

// drawn is how many points are drawn as in print, with legend and centroids; more become dots.
const drawn = 3000

func (e *Embedding) png(index []int, names []string) ([]byte, error) {
	var b bytes.Buffer
	if e.Points.Rows <= drawn && e.Label != nil && len(names) <= 40 {
		f, err := e.figure(index, names)
		if err == nil {
			err = f.WritePNG(&b)
		}
		if err == nil {
			return b.Bytes(), nil
		}
		b.Reset()
	}
	if err := png.Encode(&b, e.dots(index)); err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	return b.Bytes(), nil
}

// figure draws the points as for print.
func (e *Embedding) figure(index []int, names []string) (*plots.Figure, error) {
	return plots.Embedding(plots.Panel{Title: e.Title, Y: e.Points, Label: index, Name: func(l int) string {
		return names[l]
	}})
}

// Save writes the points to path, as its name says: .pdf, .svg or .png.
//
//	embedding.Save("tsne.pdf", plots.Width("icml-column"))
func (e Embedding) Save(path string, options ...plots.FileOption) error {
	if err := e.check(); err != nil {
		return err
	}
	f, err := e.figure(e.groups())
	if err != nil {
		return err
	}
	return f.Save(path, options...)
}

// dots draws each point as a small square.
func (e *Embedding) dots(index []int) image.Image {
	const side, edge, radius = 800, 16, 1
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for k := range img.Pix {
		img.Pix[k] = 255
	}
	low, high := bounds(e.Points)
	span := math.Max(high[0]-low[0], high[1]-low[1])
	for k := range e.Points.Rows {
		x := edge + int((side-2*edge)*((e.Points.Data[2*k]-low[0])+(span-(high[0]-low[0]))/2)/span)
		y := side - edge - int((side-2*edge)*((e.Points.Data[2*k+1]-low[1])+(span-(high[1]-low[1]))/2)/span)
		c := plots.Palette[0]
		if index != nil {
			c = plots.Palette[index[k]%len(plots.Palette)]
		}
		for dy := -radius; dy <= radius; dy++ {
			for dx := -radius; dx <= radius; dx++ {
				img.Set(x+dx, y+dy, c)
			}
		}
	}
	return img
}
