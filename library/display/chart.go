package display

import (
	"nacre/analysis/frame"
	"nacre/analysis/plots"
)

// chartType is how charts are shown: package plots makes and draws them.
var chartType = Type{"chart", plots.ChartMIME, "image/png", func() Renderer {
	return plots.Line(frame.New(
		frame.Numbers("steps", []float64{0, 1, 2, 0, 1, 2}),
		frame.Numbers("return", []float64{0, 3, 4, 1, 3, 6}),
		frame.Texts("arm", []string{"PEARL", "PEARL", "PEARL", "TCL-PEARL", "TCL-PEARL", "TCL-PEARL"}),
	), "steps", "return", plots.By("arm"))
}}
