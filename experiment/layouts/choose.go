package layouts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Query chooses points. A point must meet all conditions that are given.
type Query struct {
	Rows    Rows         `json:"rows,omitempty"`    // set of points; nil is all
	Polygon [][2]float64 `json:"polygon,omitempty"` // points inside, by the even-odd rule
	// column in which points have one of Values, or a value between Lo and Hi
	Column string   `json:"column,omitempty"`
	Values []string `json:"values,omitempty"`
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`
	Text   string   `json:"text,omitempty"` // text in one of the names of a point, in upper or lower case
	Near   *Near    `json:"near,omitempty"` // a point and its nearest points among the vectors
}

// Near asks for the K nearest neighbours of a point, by Euclidean distance among the vectors from which the layout was
// made.
type Near struct {
	Row int `json:"row"`
	K   int `json:"k"`
}

// Neighbour is a point near another.
type Neighbour struct {
	Row      int     `json:"row"`
	Distance float64 `json:"distance"`
}

// Limits of a query.
const (
	maxCorners = 2000
	maxNear    = 1000
	maxGroups  = 500 // more are measured as one
)

// Rows is a set of points with one bit for each point: point i is bit i%8 of byte i/8.
type Rows []byte

// Has reports whether a point is in the set. A nil set contains every point.
func (r Rows) Has(i int) bool { return r == nil || i/8 < len(r) && r[i/8]>>(i%8)&1 == 1 }

func newRows(n int) Rows { return make(Rows, (n+7)/8) }

func (r Rows) add(i int) { r[i/8] |= 1 << (i % 8) }

// Count is the number of points in the set.
func (r Rows) Count() (n int) {
	for _, b := range r {
		for ; b > 0; b &= b - 1 {
			n++
		}
	}
	return n
}

// Select returns the points of a query. For a query for neighbours it also returns their distances, the nearest first.
func (l *Layout) Select(ctx context.Context, q Query) (Rows, []Neighbour, error) {
	if len(q.Polygon) > maxCorners {
		return nil, nil, fmt.Errorf("a polygon of %d corners; expected at most %d", len(q.Polygon), maxCorners)
	}
	keep, err := l.condition(q)
	if err != nil {
		return nil, nil, err
	}
	inside := newPolygon(q.Polygon)
	out, text := newRows(len(l.X)), l.holding(q.Text)
	for i := range l.X {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if q.Rows.Has(i) && keep(i) && text(i) && inside.has(float64(l.X[i]), float64(l.Y[i])) {
			out.add(i)
		}
	}
	if q.Near == nil {
		return out, nil, nil
	}
	near, err := l.nearest(ctx, *q.Near, out)
	if err != nil {
		return nil, nil, err
	}
	out = newRows(len(l.X))
	out.add(q.Near.Row)
	for _, n := range near {
		out.add(n.Row)
	}
	return out, near, nil
}

// condition returns what a query says of a column.
func (l *Layout) condition(q Query) (func(i int) bool, error) {
	if q.Column == "" {
		return func(int) bool { return true }, nil
	}
	c, err := l.Find(q.Column)
	if err != nil {
		return nil, err
	}
	if c.Names == nil {
		lo, hi := math.Inf(-1), math.Inf(1)
		if q.Lo != nil {
			lo = *q.Lo
		}
		if q.Hi != nil {
			hi = *q.Hi
		}
		return func(i int) bool { v := float64(c.Values[i]); return v >= lo && v <= hi }, nil
	}
	wanted := make([]bool, len(c.Names))
	for i, name := range c.Names {
		wanted[i] = slices.Contains(q.Values, name)
	}
	return func(i int) bool { return wanted[int(c.Values[i])] }, nil
}

// holding is whether a point has a text in one of its names.
func (l *Layout) holding(text string) func(i int) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return func(int) bool { return true }
	}
	type hits struct {
		column *Column
		hit    []bool
	}
	var in []hits
	for k := range l.Columns {
		c := &l.Columns[k]
		h := hits{column: c}
		for _, name := range c.Names {
			h.hit = append(h.hit, strings.Contains(strings.ToLower(name), text))
		}
		if slices.Contains(h.hit, true) {
			in = append(in, h)
		}
	}
	return func(i int) bool {
		return slices.ContainsFunc(in, func(h hits) bool { return h.hit[int(h.column.Values[i])] })
	}
}

// nearest finds the nearest among some points by comparing all.
func (l *Layout) nearest(ctx context.Context, q Near, among Rows) ([]Neighbour, error) {
	if q.Row < 0 || q.Row >= len(l.X) {
		return nil, fmt.Errorf("point %d; the layout has points 0 to %d", q.Row, len(l.X)-1)
	}
	if q.K < 1 || q.K > maxNear {
		return nil, fmt.Errorf("%d neighbours; expected 1 to %d", q.K, maxNear)
	}
	v, err := l.originals()
	if err != nil {
		return nil, err
	}
	own := v.row(q.Row)
	order := func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	}
	var found []Neighbour
	for i := range l.X {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i == q.Row || !among.Has(i) {
			continue
		}
		n := Neighbour{Row: i, Distance: math.Sqrt(squared(own, v.row(i)))}
		if len(found) == q.K && order(n, found[q.K-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, n, order)
		found = slices.Insert(found, at, n)
		found = found[:min(len(found), q.K)]
	}
	return found, nil
}

func squared(a, b []float32) (sum float64) {
	for k, v := range a {
		d := float64(v) - float64(b[k])
		sum += d * d
	}
	return sum
}

// polygon is corners and the rectangle around them.
type polygon struct {
	corners        [][2]float64
	x0, y0, x1, y1 float64
}

func newPolygon(corners [][2]float64) polygon {
	p := polygon{corners, math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range corners {
		p.x0, p.x1, p.y0, p.y1 = min(p.x0, c[0]), max(p.x1, c[0]), min(p.y0, c[1]), max(p.y1, c[1])
	}
	return p
}

// has reports whether a place is inside; everything is inside no polygon.
func (p polygon) has(x, y float64) bool {
	if len(p.corners) == 0 {
		return true
	}
	if x < p.x0 || x > p.x1 || y < p.y0 || y > p.y1 {
		return false
	}
	in := false
	for i, a := range p.corners {
		b := p.corners[(i+1)%len(p.corners)]
		if (a[1] > y) != (b[1] > y) && x < a[0]+(b[0]-a[0])*(y-a[1])/(b[1]-a[1]) {
			in = !in
		}
	}
	return in
}

// Figures are mean distances of points. A column of names divides the points into groups.
type Figures struct {
	Points  int      `json:"points"`
	Within  *float64 `json:"within"`  // distance from points to the centroid of their group; nil if there is none
	Between *float64 `json:"between"` // distance between the centroids of two groups
	Ratio   *float64 `json:"ratio"`   // Between over Within
	Groups  []Group  `json:"groups"`  // groups with points, in the order of the column's names
}

// Group is the points of one name.
type Group struct {
	Name    string  `json:"name"`
	Points  int     `json:"points"`
	Within  float64 `json:"within"`
	Nearest string  `json:"nearest,omitempty"` // name of the group with the nearest centroid
	Away    float64 `json:"away,omitempty"`    // distance to the nearest centroid
}

// Measure returns the figures of some points in the plane, or among the vectors if original is true.
func (l *Layout) Measure(rows Rows, column string, original bool) (Figures, error) {
	v := vectors{dim: 2, data: make([]float32, 0, 2*len(l.X))}
	if original {
		var err error
		if v, err = l.originals(); err != nil {
			return Figures{}, err
		}
	} else {
		for i := range l.X {
			v.data = append(v.data, l.X[i], l.Y[i])
		}
	}
	c := &Column{Names: []string{"all"}}
	if column != "" {
		var err error
		if c, err = l.Find(column); err != nil {
			return Figures{}, err
		}
		if c.Names == nil || len(c.Names) > maxGroups {
			c = &Column{Names: []string{"all"}}
		}
	}
	of := func(i int) int {
		if c.Values == nil {
			return 0
		}
		return int(c.Values[i])
	}
	count, sum := make([]int, len(c.Names)), make([][]float64, len(c.Names))
	for i := range l.X {
		if !rows.Has(i) {
			continue
		}
		g := of(i)
		if count[g]++; sum[g] == nil {
			sum[g] = make([]float64, v.dim)
		}
		for k, x := range v.row(i) {
			sum[g][k] += float64(x)
		}
	}
	for g, n := range count {
		for k := range sum[g] {
			sum[g][k] /= float64(n)
		}
	}
	within := make([]float64, len(c.Names))
	total := 0.0
	f := Figures{Groups: []Group{}}
	for i := range l.X {
		if rows.Has(i) {
			d := 0.0
			for k, x := range v.row(i) {
				e := float64(x) - sum[of(i)][k]
				d += e * e
			}
			within[of(i)] += math.Sqrt(d)
			total += math.Sqrt(d)
			f.Points++
		}
	}
	between, pairs := 0.0, 0
	for g, n := range count {
		if n == 0 {
			continue
		}
		group := Group{Name: c.Names[g], Points: n, Within: within[g] / float64(n)}
		for h, m := range count {
			if h == g || m == 0 {
				continue
			}
			d := 0.0
			for k, x := range sum[g] {
				d += (x - sum[h][k]) * (x - sum[h][k])
			}
			d = math.Sqrt(d)
			if group.Nearest == "" || d < group.Away {
				group.Nearest, group.Away = c.Names[h], d
			}
			between += d
			pairs++
		}
		f.Groups = append(f.Groups, group)
	}
	if f.Points > 0 {
		f.Within = new(total / float64(f.Points))
		if pairs > 0 {
			f.Between = new(between / float64(pairs))
			if *f.Within > 0 {
				f.Ratio = new(*f.Between / *f.Within)
			}
		}
	}
	return f, nil
}
