package app

import (
	"fmt"
	"strings"

	"nacre/library/display"
	"nacre/server/nbformat"
)

// noticeRepairs mends a notebook that does not follow its format, since one that is written new should, and says what
// it changes.
func (env *Env) noticeRepairs(file, out string, nb *nbformat.Notebook) {
	if nb.Major() < nbformat.Major {
		env.Notice(fmt.Sprintf("%s has format %d; %s is written in format %d.%d", file, nb.Major(), out, nbformat.Major,
			nb.Minor()))
	}
	done := nb.Repair()
	for i, line := range done {
		if i == maxRepairs {
			env.Notice(fmt.Sprintf("%s: %d more repairs of this kind in %s", file, len(done)-i, out))
			break
		}
		env.Notice(fmt.Sprintf("%s does not follow the notebook format; in %s: %s", file, out, line))
	}
}

// maxRepairs is how many repairs of a file are said one by one.
const maxRepairs = 10

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
