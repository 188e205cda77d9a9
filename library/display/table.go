package display

import "nacre/analysis/frame"

// tableType is how frames are shown: package frame renders them.
var tableType = Type{"table", frame.MIME, "text/html", func() Renderer {
	return frame.New(
		frame.Texts("arm", []string{"PEARL", "TCL-PEARL"}),
		frame.Numbers("return", []float64{-12.5, -9.25}),
	)
}}
