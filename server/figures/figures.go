// Package figures draws the charts that a user saves on a page. It draws as the method Save does in a cell, so that a
// click and a line of code write the same file.
package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"nacre/analysis/plots"
	"nacre/tsne"
)

// Service answers a page that saves a chart.
//
//	POST draw   takes a Request, returns the file
type Service struct{}

// Request asks for a file of a chart, or of points in the plane.
type Request struct {
	Chart  json.RawMessage `json:"chart"` // as plots.Chart is written; nil if there is a plane
	Plane  *Plane          `json:"plane"`
	Format string          `json:"format"` // pdf, svg or png
	Width  string          `json:"width"`  // as plots.Width takes it; "" for the figure's own
	Dark   bool            `json:"dark"`
}

// Plane is an embedding in the plane.
type Plane struct {
	Title  string    `json:"title"`
	X      []float64 `json:"x"`
	Y      []float64 `json:"y"`
	Labels []int     `json:"labels"` // of each point, its index among the names; nil if there are none
	Names  []string  `json:"names"`
}

// figure draws the plane as an embedding's Save does.
func (p *Plane) figure() (*plots.Figure, error) {
	if len(p.X) != len(p.Y) || p.Labels != nil && len(p.Labels) != len(p.X) {
		return nil, fmt.Errorf("figures: the plane has %d, %d and %d values of x, y and labels; expected equally many",
			len(p.X), len(p.Y), len(p.Labels))
	}
	for _, l := range p.Labels {
		if l < 0 || l >= len(p.Names) {
			return nil, fmt.Errorf("figures: the plane has the label %d and %d names", l, len(p.Names))
		}
	}
	points := tsne.Matrix{Rows: len(p.X), Cols: 2}
	for i := range p.X {
		points.Data = append(points.Data, p.X[i], p.Y[i])
	}
	return plots.Embedding(plots.Panel{Title: p.Title, Y: points, Label: p.Labels, Name: func(l int) string {
		return p.Names[l]
	}})
}

// figure is what is to be drawn.
func (q Request) figure() (*plots.Figure, error) {
	if q.Plane != nil {
		return q.Plane.figure()
	}
	c, err := plots.ReadChart(q.Chart)
	if err != nil {
		return nil, err
	}
	return c.Figure()
}

// types are the media types of the formats.
var types = map[string]string{"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}

// maxRequest is the size of the largest request, in bytes.
const maxRequest = 64 << 20

// ServeHTTP implements http.Handler.
func (Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/draw" {
		refuse(w, http.StatusNotFound, fmt.Errorf("figures: there is no %s %s", r.Method, r.URL.Path))
		return
	}
	var q Request
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&q)
	if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("figures: reading the request: %w", err))
		return
	}
	data, err := q.Draw()
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	w.Header().Set("Content-Type", types[q.Format])
	_, _ = w.Write(data)
}

// Draw returns the file that is asked for.
func (q Request) Draw() ([]byte, error) {
	f, err := q.figure()
	if err != nil {
		return nil, err
	}
	var options []plots.FileOption
	if q.Width != "" {
		options = append(options, plots.Width(q.Width))
	}
	if q.Dark {
		options = append(options, plots.Dark())
	}
	write := map[string]func(io.Writer, ...plots.FileOption) error{
		"pdf": f.WritePDF, "svg": f.WriteSVG, "png": f.WritePNG,
	}[q.Format]
	if write == nil {
		return nil, fmt.Errorf("figures: the format is %q; expected pdf, svg or png", q.Format)
	}
	var b bytes.Buffer
	err = write(&b, options...)
	return b.Bytes(), err
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": err.Error()})
}
