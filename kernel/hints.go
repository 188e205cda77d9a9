package kernel

import (
	"fmt"
	"strings"

	"nacre/kernel/internal/cells"
)

// hinted says of names that are not defined what would define them. The lock info is held.
func (s *session) hinted(cell string, errs cells.Errors) cells.Errors {
	for k, e := range errs {
		if name, ok := strings.CutPrefix(e.Msg, "undefined: "); ok {
			errs[k].Msg += s.hint(cell, name)
		}
	}
	return errs
}

// hint is the cell of the notebook that defines a name, or else the package that has it, "" where there is none.
func (s *session) hint(cell, name string) string {
	for _, c := range s.notebook {
		_, code, err := s.plain(c.Code, s.prog.Knows)
		if err != nil || c.ID == cell {
			continue
		}
		line, ok := s.prog.Declares(code)[name]
		if !ok {
			continue
		}
		how := "has not run: run it first"
		if s.history.cells[c.ID] != nil {
			how = "did not run to there: run it again"
		}
		return fmt.Sprintf(" (the cell with %q %s)", shortened(line), how)
	}
	return s.assistant.NotImported(name)
}

// shortened is a line of a cell as far as an error shows it.
func shortened(line string) string {
	const most = 60
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}
