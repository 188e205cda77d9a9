package app

import (
	"fmt"
	"strings"

	"nacre/library/display"
	"nacre/server/nbformat"
)

// noticeTextOnly says which outputs of a cell only this notebook's front end draws. Other programs show the text of
// such an output, and a file without scripts has no picture of it.
func (env *Env) noticeTextOnly(file string, number int, c nbformat.Cell) {
	for _, bundle := range c.Bundles() {
		if names := display.WithoutStatic(bundle); names != nil {
			env.Notice(fmt.Sprintf("%s: an output of cell %d (%s) comes without a picture: other programs show its "+
				"text only", file, number, strings.Join(names, ", ")))
		}
	}
}
