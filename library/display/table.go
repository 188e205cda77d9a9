package display

import (
	"fmt"

	"nacre/analysis/frame"
)

// tableType is how frames are shown: package frame renders them.
var tableType = Type{"table", frame.MIME, "text/html", func() Renderer {
	return frame.New(
		frame.Texts("arm", []string{"PEARL", "TCL-PEARL"}),
		frame.Numbers("return", []float64{-12.5, -9.25}),
	)
}}

// Table makes a frame from a header and rows; the grid that shows it sorts and filters. In columns of numbers, nil and
// "" are missing values. In columns of text, other values are printed with %v. Columns with no name or with equal names
// get spaces that make their names different.
func Table(header []string, rows [][]any) *frame.Frame {
	f := frame.New()
	for k, r := range rows {
		if len(r) != len(header) {
			return frame.Failed(fmt.Errorf("display: row %d of the table has %d cells, the header %d", k, len(r),
				len(header)))
		}
	}
	for j, name := range header {
		for name == "" || f.Has(name) {
			name += " "
		}
		values := make([]any, len(rows))
		for i, r := range rows {
			if values[i] = r[j]; r[j] == "" {
				values[i] = nil
			}
		}
		c, err := frame.Of(map[string][]any{name: values})
		if err != nil {
			for i, v := range values {
				if values[i] = ""; v != nil {
					values[i] = fmt.Sprint(v)
				}
			}
			if c, err = frame.Of(map[string][]any{name: values}); err != nil {
				return c
			}
		}
		if x, err := c.Numbers(name); err == nil {
			f = f.With(frame.Numbers(name, x))
		} else if x, err := c.Texts(name); err == nil {
			f = f.With(frame.Texts(name, x))
		}
	}
	return f
}
