package progress

import "io"

// Bars writes lines: in the browser there is no terminal to draw on.
func Bars(w io.Writer) Progress { return Lines(w, 0) }
