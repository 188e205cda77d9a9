package kernel

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// draft is the Draft of a session.
type draft struct {
	*session
	above []string
}

// drafted is the program after some cells that have not run, kept until either changes.
type drafted struct {
	draft   *cells.Draft
	above   []string
	changes int // of the session's program when it was made
}

func (s *session) Draft(above ...string) Draft { return draft{s, above} }

// Complete is Session's.
func (s *session) Complete(_ context.Context, code string, cursor int) Completion {
	return s.Draft().Complete(code, cursor)
}

// Inspect is Session's.
func (s *session) Inspect(_ context.Context, code string, cursor, detail int) Inspection {
	return s.Draft().Inspect(code, cursor, detail)
}

// program is the program after the cells above. s.info is held.
func (d draft) program() *cells.Program {
	if len(d.above) == 0 {
		return d.prog
	}
	k := d.drafted
	if k == nil || k.changes != d.changes || !slices.Equal(k.above, d.above) {
		if k != nil {
			k.draft.Close()
		}
		k = &drafted{d.prog.Draft(), slices.Clone(d.above), d.changes}
		for _, code := range d.above {
			k.draft.Check(plainCode(code), true)
		}
		d.drafted = k
	}
	return k.draft.Program
}

// plainCode is a cell without the helper in front of it.
func plainCode(code string) string {
	if _, plain, err := parseMagic(code); err == nil {
		return plain
	}
	return code
}

// writing is a place in a cell that is being written.
type writing struct {
	*session
	prog   *cells.Program
	code   string
	before string // the cell up to the cursor
	above  []string
	word   string // the name that before ends with
	after  string // what follows the name at the cursor
	sc     *cells.Scratch
}

// at looks at a place. s.info is held.
func (d draft) at(code string, cursor int) *writing {
	code = plainCode(code)
	w := &writing{session: d.session, prog: d.program(), above: d.above, code: code, before: prefixOf(code, cursor)}
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

// Import is Draft's.
func (d draft) Import(code, path string) *Edit {
	d.info.Lock()
	defer d.info.Unlock()
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
func (s *session) packagesNamed(name string) []string {
	var list []string
	for path, p := range s.prog.Packages {
		if p.Name() == name && s.importable(path) {
			list = append(list, path)
		}
	}
	slices.SortFunc(list, byLength)
	return list
}

// likely is the package that a cell most likely means by a name that it has not imported, "" where there is none.
func (s *session) likely(name string) string {
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
func (s *session) importable(path string) bool {
	return !strings.Contains("/"+path+"/", "/internal/") && s.library.Importable(path)
}

// importables are their paths, in order.
func (s *session) importables() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.prog.Packages)), func(path string) bool { return !s.importable(path) })
}

// Problems is Session's.
func (s *session) Problems(list []Source) [][]Problem {
	s.info.Lock()
	defer s.info.Unlock()
	d := s.prog.Draft()
	defer d.Close()
	out := make([][]Problem, len(list))
	for k, c := range list {
		out[k] = s.problems(d, c)
	}
	return out
}

func (s *session) problems(d *cells.Draft, c Source) (list []Problem) {
	defer func() { // a torso of code must not end the kernel, whatever the checker makes of it
		if x := recover(); x != nil {
			list = nil
		}
	}()
	_, code, err := parseMagic(c.Code)
	if err != nil {
		return []Problem{{Position: Position{1, 1}, Message: err.Error()}}
	}
	w := &writing{session: s, prog: d.Program, code: code}
	for _, e := range d.Check(code, !c.Ran) {
		if s.prog.Find != nil && strings.Contains(e.Msg, "is not one this notebook can import") {
			continue // running the cell looks for it in modules, which takes longer than typing should
		}
		p := Problem{Position: Position{max(e.Pos.Line, 1), max(e.Pos.Column, 1)}, Message: e.Msg}
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
