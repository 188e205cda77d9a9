package tsne

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison is one figure of two reports in one space, with the differences that chance alone would make.
type Comparison struct {
	Space  string  `json:"space"`  // name of the space: plane, latent or posterior
	Figure string  `json:"figure"` // JSON name of the figure
	A      float64 `json:"a"`
	B      float64 `json:"b"`

	// Layouts is a limit for the noise of t-SNE: two layouts of the same points from different starts differ by more
	// only one time in twenty. It is nil for other spaces than the plane, and if the reports have no repeated layouts.
	Layouts *float64 `json:"by_layout,omitempty"`
	// Windows is the same limit for windows drawn again from the embedded windows, while the layout stays fixed. New
	// windows with a new layout would differ by more.
	Windows float64 `json:"by_windows"`
	Verdict string  `json:"verdict"` // result of the comparison in words
}

// compared are the figures that Compare looks at.
var compared = []struct{ space, figure, words string }{
	{"plane", "ratio", "ratio of centroid distances in the plane"},
	{"latent", "ratio", "ratio of centroid distances in latent space"},
	{"posterior", "ratio", "ratio of centroid distances between posteriors"},
	{"plane", "held_out_accuracy", "held-out accuracy in the plane"},
	{"latent", "held_out_accuracy", "held-out accuracy in latent space"},
}

// Compare sets two reports side by side and says which differences are within the noise. There are two kinds of noise.
// The noise of t-SNE comes from the spread over its starts (Welch's interval for the difference of two layouts). The
// noise of the choice of windows comes from the bootstrap intervals. Planes of different recipes cannot be compared.
// Reports of points without labels give no comparisons.
func Compare(nameA string, a *Report, nameB string, b *Report) ([]Comparison, error) {
	if !reflect.DeepEqual(a.Recipe, b.Recipe) {
		return nil, badInput("%s and %s were laid out by different recipes (%q, %q): their planes cannot be compared",
			nameA, nameB, a.Recipe.Name, b.Recipe.Name)
	}
	var out []Comparison
	if a.Labels == 0 || b.Labels == 0 {
		return out, nil
	}
	for _, c := range compared {
		sa, sb := a.space(c.space), b.space(c.space)
		if sa == nil || sb == nil {
			continue
		}
		r := Comparison{
			Space: c.space, Figure: c.figure,
			A: figures(sa.Clusters, sa.Accuracy)[c.figure], B: figures(sb.Clusters, sb.Accuracy)[c.figure],
			Windows: math.Hypot(sa.Intervals[c.figure].half(), sb.Intervals[c.figure].half()),
		}
		if c.space == "plane" && a.Seeds != nil && b.Seeds != nil && min(a.Seeds.Layouts, b.Seeds.Layouts) > 1 {
			r.Layouts = new(noise(a.Seeds.Figures[c.figure].SD, a.Seeds.Layouts, b.Seeds.Figures[c.figure].SD,
				b.Seeds.Layouts))
		}
		r.Verdict = r.verdict(c.words, nameA, nameB)
		out = append(out, r)
	}
	return out, nil
}

func (r *Report) space(name string) *Space {
	switch name {
	case "plane":
		return &r.Plane
	case "latent":
		return &r.Latent
	}
	return r.Posterior
}

func (v Interval) half() float64 { return (v[1] - v[0]) / 2 }

// noise is the 95 % limit of the difference of two values whose standard deviations were estimated from na and nb
// values, by Welch's approximation.
func noise(sa float64, na int, sb float64, nb int) float64 {
	va, vb := sa*sa, sb*sb
	if va+vb == 0 {
		return 0
	}
	freedom := (va + vb) * (va + vb) / (va*va/float64(na-1) + vb*vb/float64(nb-1))
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975) * math.Sqrt(va+vb)
}

func (r Comparison) verdict(words, nameA, nameB string) string {
	difference := math.Abs(r.A - r.B)
	text := fmt.Sprintf("%s: %s %.3g, %s %.3g, difference %.2g. ", strings.ToUpper(words[:1])+words[1:], nameA, r.A,
		nameB, r.B, difference)
	beyondWindows := difference > r.Windows
	if r.Space != "plane" {
		if beyondWindows {
			return text + fmt.Sprintf("More than drawing the windows anew makes (%.2g).", r.Windows)
		}
		return text + fmt.Sprintf("Within what drawing the windows anew makes (%.2g).", r.Windows)
	}
	switch {
	case r.Layouts == nil:
		return text + "How much of it t-SNE makes by itself is not known without repeated layouts."
	case difference <= *r.Layouts:
		return text + fmt.Sprintf("Within the noise of t-SNE itself: two layouts of the same points differ by up to "+
			"%.2g.", *r.Layouts)
	case !beyondWindows:
		return text + fmt.Sprintf("More than t-SNE makes by itself (%.2g), but within what drawing the windows anew "+
			"makes (%.2g).", *r.Layouts, r.Windows)
	}
	return text + fmt.Sprintf("More than t-SNE makes by itself (%.2g) and than drawing the windows anew makes (%.2g).",
		*r.Layouts, r.Windows)
}
