package plots

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// What a chart that is read may have at most: more cannot be looked at, and would take memory without end.
const (
	mostPanels     = 256
	mostCategories = 2000
)

// ReadChart reads a chart from its JSON, as a front end has it. JSON from which no chart can be drawn is an error.
func ReadChart(data []byte) (*Chart, error) {
	c := new(Chart)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("plots: reading the chart: %w", err)
	}
	if c.Version != 1 {
		return nil, fmt.Errorf("plots: the chart has version %d; expected 1", c.Version)
	}
	if n := len(c.Panels); n == 0 || n > mostPanels {
		return nil, fmt.Errorf("plots: the chart has %d panels; expected 1 to %d", n, mostPanels)
	}
	for _, s := range []*Scale{&c.X, &c.Y} {
		if err := s.check(); err != nil {
			return nil, err
		}
		if len(s.Categories) == 0 {
			s.Categories = nil
		}
		empty(&s.Limits)
		empty(&s.Ticks)
	}
	if c.Aspect != 0 && !(c.Aspect >= 0.1 && c.Aspect <= 10) {
		return nil, fmt.Errorf("plots: the chart's aspect is %v; expected 0.1 to 10", c.Aspect)
	}
	for k, p := range c.Panels {
		for i := range p.Marks {
			m := &p.Marks[i]
			m.empty()
			if err := m.check(len(c.Names)); err != nil {
				return nil, fmt.Errorf("plots: panel %d of the chart: %w", k, err)
			}
		}
		for _, s := range p.Shapes {
			if !slices.Contains([]string{TextShape, ArrowShape, RectShape, CircleShape}, s.Kind) {
				return nil, fmt.Errorf("plots: panel %d of the chart has a shape %q", k, s.Kind)
			}
		}
	}
	return c, nil
}

func (s Scale) check() error {
	if len(s.Categories) > mostCategories {
		return fmt.Errorf("plots: an axis has %d categories; expected at most %d", len(s.Categories), mostCategories)
	}
	if l := s.Limits; len(l) > 0 && (len(l) != 2 || !(l[0] < l[1]) || s.Log && l[0] <= 0) {
		return fmt.Errorf("plots: an axis has the limits %v; expected two, the lower first, and on a logarithmic axis "+
			"positive ones", l)
	}
	return nil
}

// needed are the lists that a kind of marks cannot do without, besides x and y.
var needed = map[string][]string{
	LineMark: nil, DotMark: nil, BarMark: {"x1"}, BoxMark: {"x1", "q1", "q3", "lo", "hi"},
	CellMark: {"x1", "y1", "value"}, ArrowMark: {"x1", "y1"},
}

// empty makes a list without values nil, as one that is not used.
func empty(list *[]float64) {
	if len(*list) == 0 {
		*list = nil
	}
}

// empty makes lists that a kind of marks does not use nil.
func (m *Mark) empty() {
	for _, list := range []*[]float64{&m.X1, &m.Y1, &m.Q1, &m.Q3, &m.Value, (*[]float64)(&m.Lo), (*[]float64)(&m.Hi)} {
		empty(list)
	}
}

// check reports what is wrong with marks of a chart that has so many series.
func (m Mark) check(series int) error {
	must, known := needed[m.Kind]
	if !known {
		return fmt.Errorf("marks %q; expected line, dots, bars, boxes, cells or arrows", m.Kind)
	}
	if m.Series < 0 || m.Series >= series {
		return fmt.Errorf("marks of series %d; expected one of %d", m.Series, series)
	}
	lists := map[string][]float64{"y": m.Y, "x1": m.X1, "y1": m.Y1, "q1": m.Q1, "q3": m.Q3, "lo": m.Lo, "hi": m.Hi,
		"value": m.Value}
	for _, name := range []string{"y", "x1", "y1", "q1", "q3", "lo", "hi", "value"} {
		n := len(lists[name])
		if n != len(m.X) && (n > 0 || name == "y" || slices.Contains(must, name)) {
			return fmt.Errorf("%s with %d values of %s; expected %d, as of x", m.Kind, n, name, len(m.X))
		}
	}
	return nil
}

// UnmarshalJSON reads null as NaN.
func (m *maybe) UnmarshalJSON(data []byte) error {
	var list []*float64
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*m = nil
	for _, v := range list {
		if v == nil {
			*m = append(*m, math.NaN())
		} else {
			*m = append(*m, *v)
		}
	}
	return nil
}
