package plots

// Table is text in columns. The first two columns of an embedding's table are words, the others numbers.
type Table struct {
	Head []string
	Rows [][]string
}

const (
	tableRow = 12.5
	tableGap = 12.0
	words    = 2 // columns at the left that are not numbers
)

// tableLayout is a table and the space that it takes.
type tableLayout struct {
	width, height float64
	draw          func(p *pen, x, y float64)
}

// lay measures the columns. A table without rows takes no room.
func (t Table) lay(k *look) tableLayout {
	if len(t.Rows) == 0 {
		return tableLayout{draw: func(*pen, float64, float64) {}}
	}
	wide := make([]float64, len(t.Head))
	for c, head := range t.Head {
		wide[c] = k.head.width(head)
		for _, row := range t.Rows {
			wide[c] = max(wide[c], k.cell.width(row[c]))
		}
	}
	total := 0.0
	for _, w := range wide {
		total += w + tableGap
	}
	const above = 14
	return tableLayout{
		width: total - tableGap, height: above + tableRow*float64(len(t.Rows)+1),
		draw: func(p *pen, x, y float64) {
			y += above
			t.row(p, k.head, t.Head, wide, x, y+tableRow-3.5)
			p.line(p.rule, 0.6, point{x, y + tableRow}, point{x + total - tableGap, y + tableRow})
			for i, row := range t.Rows {
				t.row(p, k.cell, row, wide, x, y+float64(i+2)*tableRow-3.5)
			}
		},
	}
}

// row writes cells. Words begin at the left of their column; numbers end at its right.
func (t Table) row(p *pen, s style, cells []string, wide []float64, x, y float64) {
	for c, text := range cells {
		if c < words {
			p.text(s, p.ink, x, y, 0, text)
		} else {
			p.text(s, p.ink, x+wide[c], y, 1, text)
		}
		x += wide[c] + tableGap
	}
}
