package plots

import (
	"errors"
	"io"
)

// WritePDF returns an error: the program in a browser tab is kept small and writes no PDF.
func (f *Figure) WritePDF(io.Writer, ...FileOption) error {
	return errors.New("plots: a browser tab writes no PDF; save the figure as .svg, which keeps its text and fonts")
}
