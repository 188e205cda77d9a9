// Package figures draws the charts that a page saves: as their Save does in a cell, so that a click and a line of code
// write the same file.
package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"nacre/analysis/plots"
)

// Service answers a page that saves a chart.
//
//	POST draw   takes a Request, returns the file
type Service struct{}

// Request asks for a file of a chart.
type Request struct {
	Chart  json.RawMessage `json:"chart"`  // as plots.Chart is written
	Format string          `json:"format"` // pdf, svg or png
	Width  string          `json:"width"`  // as plots.Width takes it; "" for the figure's own
	Dark   bool            `json:"dark"`
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
	c, err := plots.ReadChart(q.Chart)
	if err != nil {
		return nil, err
	}
	f, err := c.Figure()
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
