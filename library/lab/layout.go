package lab

import (
	"fmt"
	"maps"

	"nacre/analysis/frame"
	"nacre/library/display"
	"nacre/tsne"
)

// Layout is embeddings laid out in the plane with the figures that tell how well their labels separate. The notebook shows
// the plane; Figures is the table.
type Layout struct {
	Title string
	*tsne.Embeddings
	*tsne.Report
}

// MIMEBundle returns the plane as data for the notebook's front end, as a picture, and with its figures as text.
func (l *Layout) MIMEBundle() (map[string]any, error) {
	hover := make([]string, len(l.Label))
	for i, label := range l.Label {
		hover[i] = fmt.Sprintf("context %d, task %s", i, l.Name(label))
	}
	bundle, err := display.Embedding{
		Title: l.Title, Points: l.Layout.Y, Label: l.Label, Names: l.Names, Hover: hover, Vectors: l.Mean,
	}.MIMEBundle()
	if err != nil {
		return nil, err
	}
	bundle = maps.Clone(bundle)
	bundle["text/plain"] = fmt.Sprintf("%v\n%v", bundle["text/plain"], l.Figures())
	return bundle, nil
}

// Figures is the table of the centroid distances and their ratio, in the plane, among posterior means and among posteriors,
// with the ratio's interval at 95 % and how many contexts the nearest centroid of the other half tells.
func (l *Layout) Figures() *frame.Frame {
	spaces := []tsne.Space{l.Plane, l.Latent}
	names := []string{"t-SNE plane", "posterior means"}
	if l.Posterior != nil {
		spaces, names = append(spaces, *l.Posterior), append(names, "posteriors (Wasserstein)")
	}
	var columns [6][]float64
	for _, s := range spaces {
		i := s.Intervals["ratio"]
		for k, v := range []float64{s.Intra, s.Inter, s.Ratio, i[0], i[1], s.Accuracy} {
			columns[k] = append(columns[k], v)
		}
	}
	f := frame.New(frame.Texts("space", names))
	for k, title := range []string{"to centroid", "between centroids", "ratio", "ratio_lo", "ratio_hi", "held-out accuracy"} {
		f = f.With(frame.Numbers(title, columns[k]))
	}
	return f
}
