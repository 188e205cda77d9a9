package assist

import (
	"fmt"
	"strings"

	"nacre/kernel/internal/cells"
)

// Problems checks all cells of a notebook. It assumes that cells which did not run in their present form have run, in
// order. It returns the errors of each cell.
func (s *Assistant) Problems(list []Source) [][]Problem {
	s.Guard.Lock()
	defer s.Guard.Unlock()
	d := s.Program.Draft()
	defer d.Close()
	out := make([][]Problem, len(list))
	for k, c := range list {
		out[k] = s.problems(d, c)
	}
	return out
}

// NotImported returns, for a name that is not defined, how to import the package of this name, or "" if there is no
// such package.
func (s *Assistant) NotImported(name string) string {
	if path := s.likely(name); path != "" {
		return fmt.Sprintf(" (add import %q)", path)
	}
	return ""
}

func (s *Assistant) problems(d *cells.Draft, c Source) (list []Problem) {
	defer func() { // incomplete code must not end the kernel, whatever the checker makes of it
		if x := recover(); x != nil {
			list = nil
		}
	}()
	code, err := s.Plain(c.Code)
	if err != nil {
		return []Problem{{Line: 1, Column: 1, Message: err.Error()}}
	}
	w := &writing{Assistant: s, prog: d.Scope, code: code, own: code}
	if len(code) != len(c.Code) {
		w.own = c.Code
	}
	for _, e := range d.Check(code, !c.Ran) {
		if s.Program.Find != nil && strings.Contains(e.Msg, "is not one this notebook can import") {
			continue // running the cell looks for it in modules, which takes longer than typing should
		}
		p := Problem{Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1), Message: e.Msg}
		if name, ok := strings.CutPrefix(e.Msg, "undefined: "); ok {
			if path := s.likely(name); path != "" {
				p.Import = w.importEdit(path)
				p.Message += s.NotImported(name)
			}
		}
		list = append(list, p)
	}
	return list
}
