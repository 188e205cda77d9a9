package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nacre/tsne"
)

// Panel is one plane of an Embedding figure.
type Panel struct {
	Title string
	Y     tsne.Matrix            // n×2 positions
	Label []int                  // n labels; if there are none, points have one colour and no centroids
	Name  func(label int) string // text of a label in the legend; nil if labels are their own names
	Note  string                 // a text that replaces the centroid distances under the title
}

const (
	planeSide  = 252.0 // on the screen
	planeGap   = 26.0
	leastPlane = 96.0 // the least side of one of several planes in a row on paper
	legendRow  = 17.0
)

// Embedding draws the panels side by side. All share one scale, so distances may be compared across panels; a bar in
// each plane gives the unit. A label has the same colour and number in all panels. The legend names the labels, unless
// these are short numbers without names. Centroids are marked. Below each title stand the distances to and between
// centroids, and their ratio. They are measured in the plane, so they differ from those of latent space. Every panel
// needs finite positions, and at least two labels or none.
func Embedding(panels ...Panel) (*Figure, error) { return EmbeddingTable(Table{}, panels...) }

// EmbeddingTable does the same as Embedding and adds a table below the planes.
func EmbeddingTable(table Table, panels ...Panel) (*Figure, error) {
	if len(panels) == 0 {
		return nil, errors.New("plots: no panels to draw")
	}
	panels = slices.Clone(panels)
	var labels []int
	for i, p := range panels {
		if p.Y.Cols != 2 || len(p.Y.Data) != 2*p.Y.Rows {
			return nil, fmt.Errorf("plots: panel %d: positions are %d×%d, not n×2", i, p.Y.Rows, p.Y.Cols)
		}
		if len(p.Label) == 0 {
			continue
		}
		c, err := tsne.MeasureClusters(p.Y, p.Label)
		if err != nil {
			return nil, fmt.Errorf("plots: panel %d: %w", i, err)
		}
		if p.Note == "" {
			panels[i].Note = fmt.Sprintf("in the plane: to centroid %s · between centroids %s · ratio %.2f",
				figures3(c.Intra), figures3(c.Inter), c.Ratio)
		}
		labels = append(labels, p.Label...)
	}
	groups := newGroups(panels, labels)
	return newFigure(panels[0].Title, func(k *look) (drawing, error) { return layPlanes(panels, groups, table, k) })
}

// layPlanes lays planes, their legend and their table out in a look.
func layPlanes(panels []Panel, g *groups, table Table, k *look) (d drawing, err error) {
	l := planes{look: k, groups: g, side: planeSide, across: len(panels), gap: planeGap, note: 13, above: 13}
	below := table.lay(k)
	if k.width > 0 {
		below = Table{}.lay(k)
		l.gap, l.note, l.above = planeGap/2, k.noteLine, 4
		for ; ; l.across-- {
			l.side = (k.width - 2*k.edge - float64(l.across-1)*l.gap) / float64(l.across)
			if l.side >= leastPlane || l.across == 1 {
				break
			}
		}
	}
	wide := float64(l.across)*(l.side+l.gap) - l.gap
	d.width = 2*k.edge + max(wide, below.width)
	for _, p := range panels {
		l.notes = append(l.notes, l.brokenNote(p.Note, k.width > 0))
		l.lines = max(l.lines, len(l.notes[len(l.notes)-1]))
	}
	l.titleRoom = k.title.size + 1 + l.note*float64(l.lines) + l.above
	l.scale = sharedScale(panels, l.side)
	rows := float64((len(panels) + l.across - 1) / l.across)
	end := k.edge + rows*(l.titleRoom+l.side+l.gap) - l.gap
	legend := l.legend(d.width - 2*k.edge)
	d.height = end + legend.height + below.height + k.edge
	d.draw = func(p *pen) {
		p.rect(p.paper, 0, 0, d.width, d.height)
		for i, panel := range panels {
			x := (d.width-wide)/2 + float64(i%l.across)*(l.side+l.gap)
			l.plane(p, panel, l.notes[i], x, k.edge+float64(i/l.across)*(l.titleRoom+l.side+l.gap))
		}
		legend.draw(p, k.edge, end)
		below.draw(p, k.edge, end+legend.height)
	}
	return d, nil
}

// planes holds the places of planes.
type planes struct {
	*groups
	look                   *look
	side, gap              float64
	across                 int     // planes in a row
	titleRoom, note, above float64 // above a plane, of a line of its note, below the note
	scale                  float64
	notes                  [][]string
	lines                  int // of the longest note
}

// brokenNote cuts a note into lines of the plane's width, if it is narrow at its parts.
func (l *planes) brokenNote(note string, narrow bool) []string {
	if !narrow {
		return []string{note}
	}
	var lines []string
	for _, part := range strings.Split(note, " · ") {
		if n := len(lines); n > 0 && l.look.note.width(lines[n-1]+" · "+part) <= l.side {
			lines[n-1] += " · " + part
		} else {
			lines = append(lines, l.look.note.broken(part, l.side)...)
		}
	}
	return lines
}

// figures3 writes v with three significant figures, without an exponent.
func figures3(v float64) string {
	if v == 0 {
		return "0"
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(decimals, 6), 64)
}

// bounds returns the middle of a layout and half the side of the square around it.
func bounds(y tsne.Matrix) (cx, cy, half float64) {
	lox, hix, loy, hiy := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range y.Rows {
		r := y.Row(i)
		lox, hix, loy, hiy = min(lox, r[0]), max(hix, r[0]), min(loy, r[1]), max(hiy, r[1])
	}
	return (lox + hix) / 2, (loy + hiy) / 2, max(hix-lox, hiy-loy) / 2
}

// sharedScale is the number of points on paper per unit of the layouts, the same for all. A layout that is a single
// point has no scale.
func sharedScale(panels []Panel, side float64) float64 {
	largest := math.SmallestNonzeroFloat32
	for _, p := range panels {
		_, _, half := bounds(p.Y)
		largest = max(largest, half)
	}
	return (side/2 - 10) / largest
}

func (l *planes) plane(p *pen, panel Panel, note []string, x, y float64) {
	side, scale, r := l.side, l.scale, p.badgeRadius
	p.text(p.title, p.ink, x, y+p.title.size-1, 0, p.title.fit(panel.Title, side+l.gap))
	for k, line := range note {
		p.text(p.note, p.soft, x, y+l.titleRoom-l.above-l.note*float64(len(note)-1-k), 0, line)
	}
	y += l.titleRoom
	p.frame(p.rule, 0.6, x, y, side, side)
	cx, cy, _ := bounds(panel.Y)
	place := func(r []float64) point {
		return point{x + side/2 + (r[0]-cx)*scale, y + side/2 - (r[1]-cy)*scale}
	}
	radius := min(1.9, max(0.9, 60/math.Sqrt(float64(panel.Y.Rows)))) * max(0.6, min(1, side/planeSide))
	for _, i := range mixed(panel.Y.Rows) {
		q, c := place(panel.Y.Row(i)), p.soft
		if len(panel.Label) > 0 {
			c = p.colour(l.index(panel.Label[i]))
		}
		p.dot(fade(c, 0.62), q.x, q.y, radius)
	}
	if len(panel.Label) == 0 {
		l.scaleBar(p, x+9, y+side-9)
		return
	}
	cent, own, err := tsne.Centroids(panel.Y, panel.Label)
	if err != nil {
		return // Embedding has already measured these points
	}
	at := make([]point, len(own))
	for k := range own {
		at[k] = place(cent.Row(k))
	}
	badges := spreadOut(at, r, x+r+2, x+side-r-2, y+r+2, y+side-r-2)
	for k, q := range at {
		if b := badges[k]; math.Hypot(b.x-q.x, b.y-q.y) > 1 {
			p.line(p.paper, 2.4, q, b)
			p.line(p.ink, 0.7, q, b)
			p.dot(p.paper, q.x, q.y, 2.2)
			p.dot(p.ink, q.x, q.y, 1.5)
		}
	}
	for k, own := range own {
		l.badge(p, badges[k], l.index(own))
	}
	l.scaleBar(p, x+9, y+side-9)
}

// mixed is a fixed order of drawing in which neighbours of a list end up far apart, so that no label covers the
// others. The step is coprime to n and near the golden section.
func mixed(n int) []int {
	step := max(1, int(0.618*float64(n)))
	for gcd(step, n) != 1 {
		step++
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i * step % n
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// spreadOut moves badges that overlap apart, as little as it can, inside the given bounds.
func spreadOut(at []point, radius, left, right, top, bottom float64) []point {
	b := slices.Clone(at)
	apart := 2*radius + 2.5
	for range 200 {
		moved := false
		for i := range b {
			for j := range i {
				dx, dy := b[i].x-b[j].x, b[i].y-b[j].y
				d := math.Hypot(dx, dy)
				if d >= apart {
					continue
				}
				// A turn of its own for every badge keeps them from lining up when centroids coincide.
				dx += 0.3 * math.Cos(2.4*float64(i))
				dy += 0.3 * math.Sin(2.4*float64(i))
				length := math.Hypot(dx, dy)
				ux, uy := dx/length, dy/length
				push := (apart - d) / 2 * 1.02
				b[i].x += ux * push
				b[i].y += uy * push
				b[j].x -= ux * push
				b[j].y -= uy * push
				moved = true
			}
		}
		for i := range b {
			b[i].x = min(max(b[i].x, left), right)
			b[i].y = min(max(b[i].y, top), bottom)
		}
		if !moved {
			break
		}
	}
	return b
}

func (l *planes) scaleBar(p *pen, x, y float64) {
	units := niceBelow(l.side / 5 / l.scale)
	length := units * l.scale
	p.rect(fade(p.paper, 0.8), x-3, y-12, length+6, 15)
	p.line(p.soft, 0.9, point{x, y}, point{x + length, y})
	p.line(p.soft, 0.9, point{x, y - 2}, point{x, y + 2})
	p.line(p.soft, 0.9, point{x + length, y - 2}, point{x + length, y + 2})
	p.text(p.small, p.soft, x+length/2, y-3.5, 0.5, strconv.FormatFloat(units, 'g', -1, 64))
}

// niceBelow is the largest of 1, 2, 5 times a power of ten that is not above v.
func niceBelow(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if m*unit <= v*(1+1e-9) {
			return m * unit
		}
	}
	return unit
}

// groups holds the labels of all panels, and their texts.
type groups struct {
	labels []int    // increasing
	mark   []string // text on the badge
	names  []string // names in the legend; nil if the marks are enough
}

func newGroups(panels []Panel, labels []int) *groups {
	slices.Sort(labels)
	g := &groups{labels: slices.Compact(labels)}
	named, short := false, true
	for _, p := range panels {
		named = named || p.Name != nil
	}
	for _, l := range g.labels {
		g.mark = append(g.mark, strconv.Itoa(l))
		short = short && l >= 0 && l < 100
	}
	if !named && short {
		return g
	}
	for k, l := range g.labels {
		if !short {
			g.mark[k] = strconv.Itoa(k + 1)
		}
		name := strconv.Itoa(l)
		for _, p := range panels {
			if p.Name != nil && slices.Contains(p.Label, l) {
				name = p.Name(l)
				break
			}
		}
		g.names = append(g.names, name)
	}
	return g
}

func (g *groups) index(label int) int {
	k, _ := slices.BinarySearch(g.labels, label)
	return k
}

// badge draws the marker of group k: its mark in a ring of its colour.
func (g *groups) badge(p *pen, at point, k int) {
	p.dot(p.paper, at.x, at.y, p.badgeRadius+0.9)
	p.ring(p.colour(k), 1.5, at.x, at.y, p.badgeRadius)
	s := p.badge
	if len(g.mark[k]) > 2 {
		s.size *= 0.8
	}
	p.text(s, p.ink, at.x, at.y+s.capHeight()/2, 0.5, g.mark[k])
}

// legendLayout is a legend and the height it takes.
type legendLayout struct {
	height float64
	draw   func(p *pen, x, y float64)
}

// legend puts one entry per name into equal columns over the width.
func (l *planes) legend(width float64) legendLayout {
	n, s, r := len(l.names), l.look.legend, l.look.badgeRadius
	if n == 0 {
		return legendLayout{draw: func(*pen, float64, float64) {}}
	}
	widest := 0.0
	for _, name := range l.names {
		widest = max(widest, s.width(name))
	}
	widest = min(widest, width-2*r-5)
	entry := 2*r + 5 + widest + 14
	columns := max(1, min(n, int((width+14)/entry)))
	rows := (n + columns - 1) / columns
	columns = (n + rows - 1) / rows
	step := min(width/float64(columns), entry+24)
	const above, below = 12, 4
	return legendLayout{height: above + float64(rows)*legendRow - below, draw: func(p *pen, x, y float64) {
		for k, name := range l.names {
			cx := x + float64(k%columns)*step + r + 1
			cy := y + above + float64(k/columns)*legendRow + legendRow/2
			l.badge(p, point{cx, cy}, k)
			p.text(s, p.ink, cx+r+5, cy+s.capHeight()/2, 0, s.fit(name, widest))
		}
	}}
}
