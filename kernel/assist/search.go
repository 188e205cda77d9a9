package assist

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
)

// Search finds names of the library by words of their names and documentation, the likeliest first.
func (s *Assistant) Search(text string, most int) []Entry {
	s.Guard.Lock()
	defer s.Guard.Unlock()
	if s.index == nil {
		s.index = s.entries()
	}
	want := strings.Fields(strings.ToLower(text))
	type found struct {
		*Entry
		score int
	}
	var list []found
	for k := range s.index {
		if n := s.score(&s.index[k], want); n > 0 {
			list = append(list, found{&s.index[k], n})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), byLength(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	})
	out := []Entry{}
	for _, f := range list[:min(most, len(list))] {
		out = append(out, *f.Entry)
	}
	return out
}

// score is how well an entry is described by all the words, 0 where one is missing: best where a word is the name.
func (s *Assistant) score(e *Entry, words []string) int {
	name, path, doc := strings.ToLower(e.Name), strings.ToLower(e.Path), strings.ToLower(e.Doc)
	last := name[strings.LastIndex(name, ".")+1:]
	if e.Name == "" {
		last = path[strings.LastIndex(path, "/")+1:]
	}
	total := 0
	for _, w := range words {
		full := path[strings.LastIndex(path, "/")+1:] + "." + name
		switch {
		case last == w || name == w || full == w:
			total += 1000
		case strings.HasPrefix(last, w) || strings.HasPrefix(full, w):
			total += 400
		case strings.Contains(last, w) || strings.Contains(full, w):
			total += 200
		case strings.Contains(path, w):
			total += 150
		case strings.Contains(doc, w):
			total += 50
		default:
			return 0
		}
	}
	if e.Name == "" {
		total += 5
	}
	if strings.HasPrefix(e.Path, "nacre/") {
		total += 40
	}
	return total + min(s.Uses(e.Path, e.Name), 90) + 1
}

// entries are all names of the library.
func (s *Assistant) entries() []Entry {
	var list []Entry
	for _, path := range s.importables() {
		pkg, err := s.Program.Import(path)
		if err != nil {
			continue
		}
		add := func(name string, o types.Object, snippet string) {
			list = append(list, Entry{path, pkg.Name(), name, kindOf(o), signatureOf(o), synopsis(s.Doc(path, name)),
				snippet})
		}
		list = append(list, Entry{Path: path, Package: pkg.Name(), Kind: "package", Doc: synopsis(s.Doc(path, "")),
			Snippet: pkg.Name() + "."})
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			add(name, o, snippet(o))
			tn, ok := o.(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			if st, ok := tn.Type().Underlying().(*types.Struct); ok {
				for f := range st.Fields() {
					if f.Exported() && !f.Embedded() {
						add(name+"."+f.Name(), f, "${"+receiver(name)+"}."+f.Name())
					}
				}
			}
			for m := range methods(tn.Type()) {
				add(name+"."+m.Name(), m, "${"+receiver(name)+"}."+called(m.Name(), m.Signature()))
			}
		}
	}
	return list
}

// methods yields the exported methods that a type declares.
func methods(t types.Type) func(func(*types.Func) bool) {
	return func(yield func(*types.Func) bool) {
		if i, ok := t.Underlying().(*types.Interface); ok {
			for m := range i.ExplicitMethods() {
				if m.Exported() && !yield(m) {
					return
				}
			}
			return
		}
		if n, ok := t.(*types.Named); ok {
			for m := range n.Methods() {
				if m.Exported() && !yield(m) {
					return
				}
			}
		}
	}
}

// receiver is the name of a variable of a type.
func receiver(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// snippet is code that uses a name of a package.
func snippet(o types.Object) string {
	name := o.Pkg().Name() + "." + o.Name()
	switch o := o.(type) {
	case *types.Func:
		return called(name, o.Signature())
	case *types.TypeName:
		st, ok := o.Type().Underlying().(*types.Struct)
		if !ok {
			break
		}
		var fields []string
		for f := range st.Fields() {
			if f.Exported() && !f.Embedded() && len(fields) < 4 {
				fields = append(fields, f.Name()+": ${"+f.Name()+"}")
			}
		}
		return name + "{" + strings.Join(fields, ", ") + "}"
	}
	return name
}

// called is a call with a place for every parameter that must be there.
func called(name string, sig *types.Signature) string {
	var list []string
	for k := range sig.Params().Len() {
		p := sig.Params().At(k)
		if sig.Variadic() && k == sig.Params().Len()-1 && k > 0 {
			break
		}
		word := p.Name()
		if word == "" || word == "_" {
			word = "x"
		}
		list = append(list, "${"+word+"}")
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}
