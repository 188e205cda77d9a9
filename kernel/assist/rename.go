package assist

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"nacre/kernel/internal/cells"
)

// Renaming is what a new name changes.
type Renaming struct {
	Name  string     // present name
	Edits [][]Change // of each cell, in the order of its text
	Notes []string   // what the user should know, one sentence each
}

// Change replaces the code points of a cell from From to To.
type Change struct {
	From, To int
	Text     string
}

// Rename returns the changes that rename the variable, function, type or other thing under the cursor, in all cells.
// Other things of the same name keep it, by Go's rules of scope. If no new name is given, the changes keep the name and
// say where it stands. If the new name is no identifier, or would change what the notebook means, the error says why.
func (s *Assistant) Rename(sources []string, cell, cursor int, to string) (found Renaming, err error) {
	defer func() { // as in Complete
		if x := recover(); x != nil {
			err = fmt.Errorf("the checker failed on this notebook: %v", x)
		}
	}()
	s.Guard.Lock()
	defer s.Guard.Unlock()
	r := s.resolve(sources)
	o, ok := r.At(cell, len(prefixOf(sources[cell], cursor)))
	switch {
	case !r.Parses[cell]:
		return found, fmt.Errorf("this cell does not parse: mend it first (%v)", r.Errors[cell])
	case !ok:
		return found, fmt.Errorf("at the cursor is no name of which is known what it means")
	case !ours(o.Thing):
		return found, fmt.Errorf("%s is not defined in this notebook: only names of cells can be renamed", o.Name)
	case o.Thing == "n:main" || o.Thing == "n:init":
		return found, fmt.Errorf("Go itself calls %s: it keeps its name", o.Name)
	}
	if to == "" {
		to = o.Name
	}
	if err := goodName(to); err != nil {
		return found, err
	}
	found = Renaming{Name: o.Name, Edits: make([][]Change, len(sources)), Notes: s.notes(r, o)}
	after := slices.Clone(sources)
	for k := range sources {
		found.Edits[k], after[k] = renamed(sources[k], r.Cells[k], o.Thing, to)
	}
	if to == o.Name {
		return found, nil
	}
	return found, s.same(r, after, o.Name, to)
}

// renamed are the changes of a cell, and its text after them.
func renamed(src string, names []cells.Occurrence, thing, to string) (list []Change, text string) {
	at := 0
	for _, o := range names {
		if o.Thing != thing {
			continue
		}
		end, name := o.At+len(o.Name), to
		if o.Path {
			end, name = o.At, to+" "
		}
		list = append(list, Change{runes(src, o.At), runes(src, end), name})
		text += src[at:o.At] + name
		at = end
	}
	return list, text + src[at:]
}

// goodName says what is wrong with a new name.
func goodName(name string) error {
	if token.IsIdentifier(name) && name != "_" {
		return nil
	}
	if token.IsKeyword(name) {
		return fmt.Errorf("%s is a word of Go's own: choose another name", name)
	}
	if strings.ContainsFunc(name, unicode.IsSpace) {
		return fmt.Errorf("%q has blanks: expected letters, digits and _, beginning with a letter", name)
	}
	return fmt.Errorf("%q is no name of Go: expected letters, digits and _, beginning with a letter", name)
}

// same reports where a notebook means something else after a renaming: where two things have become one or one has
// become two, or where it has an error that it had not.
func (s *Assistant) same(r *cells.Resolved, after []string, from, to string) error {
	plain := make([]string, len(after))
	for i, code := range after {
		plain[i] = s.plain(code)
	}
	q := s.Program.Fresh().Resolve(plain)
	old, now := map[string]string{}, map[string]string{}
	for k := range after {
		if len(r.Cells[k]) != len(q.Cells[k]) {
			return fmt.Errorf("%s cannot be %s: cell %d would mean something else", from, to, k+1)
		}
		for i, o := range r.Cells[k] {
			n := q.Cells[k][i]
			a, known := now[o.Thing]
			b, taken := old[n.Thing]
			if known && a != n.Thing || taken && b != o.Thing {
				line := strings.Count(after[k][:n.At], "\n") + 1
				return fmt.Errorf("%s cannot be %s: the name is taken in cell %d, line %d, which would mean "+
					"something else",
					from, to, k+1, line)
			}
			now[o.Thing], old[n.Thing] = n.Thing, o.Thing
		}
		if len(q.Errors[k]) > len(r.Errors[k]) {
			e := q.Errors[k][0]
			return fmt.Errorf("%s cannot be %s: cell %d would not compile any more: line %d: %s", from, to, k+1,
				e.Pos.Line, e.Msg)
		}
	}
	return nil
}

// notes are what a renaming does not change and may need to be known.
func (s *Assistant) notes(r *cells.Resolved, o cells.Occurrence) (list []string) {
	var broken []string
	for k, parses := range r.Parses {
		if !parses {
			broken = append(broken, fmt.Sprint(k+1))
		}
	}
	if broken != nil {
		list = append(list, "Not looked at, as they do not parse: cell "+strings.Join(broken, ", ")+".")
	}
	for _, t := range r.Types() {
		m, _, _ := types.LookupFieldOrMethod(t, true, t.Obj().Pkg(), o.Name)
		if m == nil || r.Thing(m) != o.Thing {
			continue
		}
		if _, ok := m.(*types.Func); ok {
			for _, i := range s.asks(r, t, o.Name) {
				list = append(list, fmt.Sprintf("With this method %s is a %s; with another name it is none.",
					t.Obj().Name(),
					i))
			}
		} else if m.Exported() && slices.ContainsFunc(r.Imported(), func(path string) bool {
			return strings.HasPrefix(path, "encoding/")
		}) {
			list = append(list, fmt.Sprintf("Packages such as encoding/json read the name of this field of %s.",
				t.Obj().Name()))
		}
	}
	return list
}

// asks are the interfaces of the language and of imported packages that a type implements by a method.
func (s *Assistant) asks(r *cells.Resolved, t *types.Named, method string) (list []string) {
	try := func(name string, o types.Object) {
		tn, ok := o.(*types.TypeName)
		if !ok || t.TypeParams().Len() > 0 {
			return
		}
		i, ok := tn.Type().Underlying().(*types.Interface)
		if n, generic := tn.Type().(*types.Named); !ok || generic && n.TypeParams().Len() > 0 {
			return
		}
		has := slices.ContainsFunc(slices.Collect(i.Methods()), func(m *types.Func) bool { return m.Name() == method })
		if has && (types.Implements(t, i) || types.Implements(types.NewPointer(t), i)) {
			list = append(list, name)
		}
	}
	try("error", types.Universe.Lookup("error"))
	for _, path := range r.Imported() {
		if pkg, err := s.Program.Import(path); err == nil {
			for _, name := range pkg.Scope().Names() {
				if o := pkg.Scope().Lookup(name); o.Exported() {
					try(pkg.Name()+"."+name, o)
				}
			}
		}
	}
	return list
}
