package plots

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"nacre/internal/nearest"
)

// look is how a figure is drawn: its width, the sizes of its text and lines, and its colours.
type look struct {
	theme
	width  float64 // points; 0 is the figure's own width
	aspect float64 // height of a chart's axes as a share of their width, where the chart does not say it
	edge   float64 // empty space around the figure

	title, name, axis, tick, ref, legend, note, small, badge, head, cell style

	stroke, radius float64 // width of a series' line, radius of its dots

	titleLine, legendLine, noteLine, panelTitle float64 // heights of lines of text
	tickDrop, labelDrop, below                  float64 // from the x axis down to its numbers, its name, its end
	badgeRadius                                 float64
}

// theme holds the colours of a figure.
type theme struct {
	ink, soft, rule, grid, paper color.NRGBA
	palette                      []color.NRGBA
}

// colour is the colour of the k-th series.
func (t theme) colour(k int) color.NRGBA { return t.palette[k%len(t.palette)] }

var (
	light = theme{
		ink: color.NRGBA{0x22, 0x26, 0x2B, 255}, soft: color.NRGBA{0x6A, 0x70, 0x78, 255},
		rule: color.NRGBA{0xC9, 0xCD, 0xD2, 255}, grid: color.NRGBA{0xEC, 0xEE, 0xF0, 255},
		paper: color.NRGBA{255, 255, 255, 255}, palette: Palette,
	}
	dark = theme{
		ink: color.NRGBA{0xE6, 0xE8, 0xEA, 255}, soft: color.NRGBA{0xA3, 0xAA, 0xB2, 255},
		rule: color.NRGBA{0x4A, 0x51, 0x59, 255}, grid: color.NRGBA{0x2A, 0x2F, 0x35, 255},
		paper: color.NRGBA{0x14, 0x17, 0x1A, 255}, palette: PaletteOnDark,
	}
)

// onScreen is the look of a figure that has no given width.
var onScreen = &look{
	theme: light, aspect: 250.0 / 430, edge: 14,
	title: style{11, true}, name: style{8.4, true}, axis: style{8.6, false}, tick: style{8, false},
	ref: style{8, false}, legend: style{8.6, false}, note: style{8.2, false}, small: style{7.4, false},
	badge: style{6.8, true}, head: style{7.8, true}, cell: style{7.8, false},
	stroke: 1.6, radius: 2.2,
	titleLine: 16, legendLine: 15, noteLine: 12, panelTitle: 18,
	tickDrop: 12.5, labelDrop: 27, below: 38, badgeRadius: 5.6,
}

// printSize is the size of all text of a figure with a given width, in points.
const printSize = 8

// printed is the look at a width on paper: all text has one size, and lines are finer.
func printed(width, aspect float64) *look {
	plain, bold := style{printSize, false}, style{printSize, true}
	return &look{
		theme: light, width: width, aspect: aspect, edge: 2,
		title: bold, name: bold, axis: plain, tick: plain, ref: plain, legend: plain, note: plain, small: plain,
		badge: bold, head: bold, cell: plain,
		stroke: 1.1, radius: 1.6,
		titleLine: 12, legendLine: 11, noteLine: 10, panelTitle: 13,
		tickDrop: 10, labelDrop: 20, below: 25, badgeRadius: 6,
	}
}

// sheet is a width that has a name.
type sheet struct {
	name   string
	points float64
	aspect float64
}

// golden is the height of axes by default, as a share of their width.
const golden = 0.62

// sheets are the widths by name, in points. Sources: the style files of the venues, and the text width of beamer's
// slides of 16:9, which are 160 mm wide.
var sheets = []sheet{
	{"icml-column", 3.25 * 72, golden}, {"icml", 6.75 * 72, golden}, {"neurips", 5.5 * 72, golden},
	{"iclr", 5.5 * 72, golden}, {"ieee-column", 3.5 * 72, golden}, {"ieee", 7.16 * 72, golden},
	{"slide", 140 / 25.4 * 72, 0.42},
}

// Widths lists the names that Width takes.
func Widths() (names []string) {
	for _, s := range sheets {
		names = append(names, s.name)
	}
	return names
}

// The narrowest and the widest figure, in points.
const (
	narrowest = 72.0
	widest    = 72 * 72.0
)

// lookAt is the look of a figure of a named width, or of a length such as 3.25in, 8.5cm, 85mm or 240pt.
func lookAt(width string) (*look, error) {
	for _, s := range sheets {
		if s.name == width {
			return printed(s.points, s.aspect), nil
		}
	}
	for unit, points := range map[string]float64{"in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "pt": 1} {
		number, ok := strings.CutSuffix(width, unit)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			continue
		}
		if v *= points; !(v >= narrowest && v <= widest) {
			return nil, fmt.Errorf("plots: the width %s is not between %gin and %gin", width, narrowest/72, widest/72)
		}
		return printed(v, golden), nil
	}
	return nil, fmt.Errorf("plots: the width %q is neither a length such as 3.25in, 85mm or 240pt nor a name%s", width,
		nearest.Hint(width, Widths()))
}
