package lab

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/internal/table"
	"nacre/internal/whole"
	"nacre/library/cell"
	"nacre/library/display"
	"nacre/tsne"
)

// Layout holds embeddings laid out in the plane, and figures that say how well their labels separate. The notebook
// shows the plane; Figures is a table.
type Layout struct {
	Title string
	*tsne.Embeddings
	*tsne.Report
	of     *frame.Frame // what was laid out
	colour string       // a column of it by whose values points are coloured, where they are no labels
}

// Save writes the plane to path, as its name says: .pdf, .svg or .png.
//
//	run.TSNE().Save("tsne.pdf", plots.Width("icml-column"))
func (l *Layout) Save(path string, options ...plots.FileOption) error {
	if l.colour != "" {
		return l.scatter().Save(path, options...)
	}
	return l.embedding().Save(path, options...)
}

// scatter is the plane with colours that stand for numbers.
func (l *Layout) scatter() *plots.Chart {
	return plots.Scatter(l.Points(), "x", "y", plots.By(l.colour), plots.Title(l.Title))
}

// embedding is the plane with colours that stand for labels.
func (l *Layout) embedding() display.Embedding {
	return display.Embedding{Title: l.Title, Points: l.Layout.Y, Label: l.Label, Names: l.Names, Vectors: l.Mean}
}

// MIMEBundle returns the plane as data for the notebook's front end, as a picture, and with its figures as text.
func (l *Layout) MIMEBundle() (map[string]any, error) {
	if l.colour != "" {
		return l.scatter().MIMEBundle()
	}
	hover := make([]string, l.Mean.Rows)
	for i := range hover {
		if hover[i] = fmt.Sprint("row ", i); l.Label != nil {
			hover[i] += ", " + l.Name(l.Label[i])
		}
	}
	e := l.embedding()
	e.Hover = hover
	bundle, err := e.MIMEBundle()
	if err != nil {
		return nil, err
	}
	bundle = maps.Clone(bundle)
	bundle["text/plain"] = strings.Join(append([]string{fmt.Sprintf("%v\n%v", bundle["text/plain"], l.Figures())},
		l.Report.Notes...), "\n")
	return bundle, nil
}

// Figures is a table of the centroid distances and their ratio in the plane, among posterior means and among
// posteriors. It has the ratio's 95 % interval. It also has the share of contexts that lie nearest to the centroid of
// their own task. For this share, centroids are computed from one half of each task's contexts and tested on the other
// half. If there are further layouts from random starts, it also has the mean and standard deviation of their ratios.
func (l *Layout) Figures() *frame.Frame {
	if l.Report.Labels == 0 {
		return frame.New()
	}
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
	f := frame.New(frame.Texts("of", slices.Repeat([]string{l.Title}, len(names))), frame.Texts("space", names))
	for k, title := range []string{"to centroid", "between centroids", "ratio", "ratio_lo", "ratio_hi",
		"held-out accuracy"} {
		f = f.With(frame.Numbers(title, columns[k]))
	}
	if l.Seeds != nil {
		mean, sd := slices.Repeat([]float64{math.NaN()}, len(names)), slices.Repeat([]float64{math.NaN()}, len(names))
		starts := l.Seeds.Figures["ratio"]
		mean[0], sd[0] = starts.Mean, starts.SD
		f = f.With(frame.Numbers("mean over starts", mean)).With(frame.Numbers("sd over starts", sd))
	}
	return f
}

// LayOut lays out the numeric columns of a table in the plane with t-SNE. The column label gives the colours and is not
// laid out; "" means no colours. Text and whole numbers are labels; other numbers give a scale of colours. LayOut
// leaves out columns of text and columns that count rows, time or seeds; Report.Notes names them. tsne.WithColumns
// chooses other columns. The perplexity is 30, or the largest that the number of rows allows if that is less.
//
//	lab.LayOut(frame.Read("iris.csv"), "species")
//	lab.LayOut(frame.Read("runs.csv"), "task", tsne.WithColumns("latent*"))
func LayOut(f *frame.Frame, label string, options ...tsne.Option) (*Layout, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	var columns []table.Column
	for _, name := range f.Names() {
		c := table.Column{Name: name, Of: name}
		if x, err := f.Numbers(name); err == nil {
			c.Num = x
			if words, err := f.Texts(name); err == nil && slices.ContainsFunc(x, beyondExact) {
				c.Rest = make([]int16, len(x))
				for i, word := range words {
					_, c.Rest[i], _ = whole.Parse(word)
				}
			}
		} else {
			c.Text, _ = f.Texts(name)
		}
		columns = append(columns, c)
	}
	choice := table.Choice{Label: label, NoLabel: label == "", Columns: tsne.New(options...).Columns()}
	chosen, err := table.Choose(columns, choice, func(i int) string {
		return fmt.Sprintf("row %d (counted from 0)", i)
	})
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	e := &tsne.Embeddings{Mean: tsne.NewMatrix(f.Len(), len(chosen.Points)),
		Read: slices.Concat(f.Notes(), chosen.Notes)}
	for j, c := range chosen.Points {
		e.Columns = append(e.Columns, c.Name)
		for i, v := range c.Num {
			e.Mean.Row(i)[j] = v
		}
	}
	colour := ""
	if x, err := f.Numbers(label); err == nil && slices.ContainsFunc(x, func(v float64) bool {
		return v != math.Trunc(v)
	}) {
		colour = label
	} else if label != "" {
		names, err := f.Sort(label).Unique(label)
		if err != nil {
			return nil, err
		}
		texts, err := f.Texts(label)
		if err != nil {
			return nil, err
		}
		e.Names, e.Label = names, make([]int, len(texts))
		for i, t := range texts {
			e.Label[i] = slices.Index(names, t)
		}
	}
	l, err := Plane("t-SNE", e, tsne.AnalyseOptions{TSNE: options})
	if err == nil {
		l.of, l.colour = f, colour
	}
	return l, err
}

// beyondExact reports whether a whole number near x may be no float64.
func beyondExact(x float64) bool { return math.Abs(x) >= whole.Exact }

// Plane lays embeddings out in the plane with t-SNE and measures how well their labels separate. Without options the
// perplexity is 30, or the largest that the number of rows allows if that is less. Without options there are also no
// further layouts from other random starts.
func Plane(title string, e *tsne.Embeddings, o ...tsne.AnalyseOptions) (*Layout, error) {
	if e == nil {
		return nil, errors.New("lab: there are no embeddings to lay out")
	}
	options := tsne.AnalyseOptions{Repeats: -1, Bootstrap: 200}
	for _, given := range o {
		options.TSNE, options.Repeats = given.TSNE, cmp.Or(given.Repeats, options.Repeats)
		options.Bootstrap = cmp.Or(given.Bootstrap, options.Bootstrap)
		options.Splits, options.Neighbours, options.Progress = given.Splits, given.Neighbours, given.Progress
	}
	options.TSNE = append([]tsne.Option{tsne.WithPerplexity(min(30, tsne.LargestPerplexity(e.Mean.Rows)))},
		options.TSNE...)
	report, err := tsne.Analyse(cell.Context(), e, options)
	if err != nil {
		return nil, err
	}
	report.Notes = slices.Concat(e.Read, report.Notes)
	return &Layout{Title: title, Embeddings: e, Report: report}, nil
}

// Points is the layout as a table. Its columns are x, y and the columns of the data that was laid out.
func (l *Layout) Points() *frame.Frame {
	f := l.of
	if f == nil {
		var err error
		if f, err = frame.Of(l.Embeddings); err != nil {
			return frame.Failed(err)
		}
	}
	y := l.Report.Layout.Y
	for j, name := range []string{"x", "y"} {
		c := make([]float64, y.Rows)
		for i := range c {
			c[i] = y.Row(i)[j]
		}
		f = f.With(frame.Numbers(name, c))
	}
	return f
}
