package assist

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// Draft is what can be said of a cell before it runs, below others. Nothing of it runs code. Cursors count code points.
type Draft struct {
	*Assistant
	above []string
}

// drafted is the program after some cells that have not run, kept until either changes.
type drafted struct {
	draft   *cells.Draft
	above   []string
	changes int // of the session's program when it was made
}

// Draft looks at a cell as it stands below others. Above are those cells over it that did not run as they are now; it is
// checked as if they had.
func (a *Assistant) Draft(above ...string) Draft { return Draft{a, above} }

// program is the program after the cells above. Guard is held.
func (d Draft) program() *cells.Program {
	if len(d.above) == 0 {
		return d.Program
	}
	k := d.drafted
	if k == nil || k.changes != d.Changes() || !slices.Equal(k.above, d.above) {
		if k != nil {
			k.draft.Close()
		}
		k = &drafted{d.Program.Draft(), slices.Clone(d.above), d.Changes()}
		for _, code := range d.above {
			k.draft.Check(d.plain(code), true)
		}
		d.drafted = k
	}
	return k.draft.Program
}

// plain is a cell without the helper in front of it.
func (a *Assistant) plain(code string) string {
	if plain, err := a.Plain(code); err == nil {
		return plain
	}
	return code
}

// writing is a place in a cell that is being written.
type writing struct {
	*Assistant
	prog   *cells.Program
	code   string
	before string // the cell up to the cursor
	above  []string
	word   string // the name that before ends with
	after  string // what follows the name at the cursor
	sc     *cells.Scratch
}

// at looks at a place. Guard is held.
func (d Draft) at(code string, cursor int) *writing {
	code = d.plain(code)
	w := &writing{Assistant: d.Assistant, prog: d.program(), above: d.above, code: code, before: prefixOf(code, cursor)}
	w.word = trailing(w.before, isNameRune)
	w.after = code[len(w.before):]
	w.after = w.after[len(leading(w.after, isNameRune)):]
	return w
}

// check checks the cell up to from, with the marker behind it. Where what was written before cannot be parsed, less of
// it is taken.
func (w *writing) check(from, marker string) {
	tries := []string{from, from[strings.LastIndexByte(from, '\n')+1:]}
	if operand, ok := strings.CutSuffix(strings.TrimRight(from, " \t\n"), "."); ok {
		tries = append(tries, operandOf(operand)+".")
	}
	for _, text := range tries {
		if w.sc = w.prog.Scratch(text+marker, w.after, w.likely); w.sc != nil && len(w.sc.Path) > 0 {
			return
		}
	}
}

// importEdit is how the cell comes to import a package.
func (w *writing) importEdit(path string) *Edit {
	line := fmt.Sprintf("import %q\n", path)
	if at := groupedImport.FindStringIndex(w.code); at != nil {
		return &Edit{utf8.RuneCountInString(w.code[:at[1]]), fmt.Sprintf("\t%q\n", path)}
	}
	if at := singleImport.FindAllStringIndex(w.code, -1); at != nil {
		return &Edit{utf8.RuneCountInString(w.code[:at[len(at)-1][1]]), line}
	}
	start := len(w.code) - len(strings.TrimLeft(w.code, " \t\n"))
	return &Edit{utf8.RuneCountInString(w.code[:start]), line}
}

// Import is what the cell has to import to use a package, nil where it can already.
func (d Draft) Import(code, path string) *Edit {
	d.Guard.Lock()
	defer d.Guard.Unlock()
	w := d.at(code, utf8.RuneCountInString(code))
	w.check(strings.TrimSuffix(w.before, w.word)+"\n", cells.Marker)
	for _, known := range w.importsOf() {
		if known == path {
			return nil
		}
	}
	return w.importEdit(path)
}

var (
	groupedImport = regexp.MustCompile(`(?m)^[ \t]*import[ \t]*\([ \t]*\n`)
	singleImport  = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+(?:[\w.]+[ \t]+)?["` + "`" + `][^"` + "`" + `\n]*["` + "`" + `][ \t]*\n`)
)

// packagesNamed are the packages that cells may import under a name, those of shorter paths first.
func (s *Assistant) packagesNamed(name string) []string {
	var list []string
	for path, p := range s.Program.Packages {
		if p.Name() == name && s.importable(path) {
			list = append(list, path)
		}
	}
	slices.SortFunc(list, byLength)
	return list
}

// likely is the package that a cell most likely means by a name that it has not imported, "" where there is none.
func (s *Assistant) likely(name string) string {
	for _, path := range s.packagesNamed(name) {
		return path
	}
	return ""
}

func byLength(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// importable says whether cells may import a path and should.
func (s *Assistant) importable(path string) bool {
	return !strings.Contains("/"+path+"/", "/internal/") && s.Importable(path)
}

// importables are their paths, in order.
func (s *Assistant) importables() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Program.Packages)), func(path string) bool { return !s.importable(path) })
}

// Problems checks all cells of a notebook as if those that did not run as they are now had run in order. It returns the errors
// of each.
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

func (s *Assistant) problems(d *cells.Draft, c Source) (list []Problem) {
	defer func() { // a torso of code must not end the kernel, whatever the checker makes of it
		if x := recover(); x != nil {
			list = nil
		}
	}()
	code, err := s.Plain(c.Code)
	if err != nil {
		return []Problem{{Line: 1, Column: 1, Message: err.Error()}}
	}
	w := &writing{Assistant: s, prog: d.Program, code: code}
	for _, e := range d.Check(code, !c.Ran) {
		if s.Program.Find != nil && strings.Contains(e.Msg, "is not one this notebook can import") {
			continue // running the cell looks for it in modules, which takes longer than typing should
		}
		p := Problem{Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1), Message: e.Msg}
		if name, ok := strings.CutPrefix(e.Msg, "undefined: "); ok {
			if paths := s.packagesNamed(name); len(paths) > 0 {
				p.Import = w.importEdit(paths[0])
				p.Message += fmt.Sprintf(" (package %q is not imported)", paths[0])
			}
		}
		list = append(list, p)
	}
	return list
}
