package kernel

import (
	"context"
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Complete proposes names at the cursor: members of packages and values after a dot, import paths inside an import,
// and otherwise variables, functions, types, packages and keywords.
func (s *session) Complete(ctx context.Context, code string, cursor int) (c Completion) {
	defer func() { // a torso of code must not end the kernel, whatever the checker makes of it
		if x := recover(); x != nil {
			c = Completion{Start: cursor, End: cursor}
		}
	}()
	before := prefixOf(code, cursor)
	word := trailing(before, isNameRune)
	c = Completion{Start: cursor - utf8.RuneCountInString(word), End: cursor + utf8.RuneCountInString(leading(code[len(before):], isNameRune))}
	s.info.Lock()
	defer s.info.Unlock()
	if path, ok := importPath(before); ok {
		c.Start = cursor - utf8.RuneCountInString(path)
		c.End = cursor + utf8.RuneCountInString(leading(code[len(before):], func(r rune) bool { return isNameRune(r) || strings.ContainsRune("/.-", r) }))
		for _, p := range slices.Sorted(maps.Keys(s.prog.Packages)) {
			if strings.HasPrefix(p, path) || path != "" && strings.HasPrefix(p[strings.LastIndex(p, "/")+1:], path) {
				if !strings.Contains("/"+p+"/", "/internal/") && s.library.Importable(p) {
					c.Matches = append(c.Matches, Match{Text: p, Kind: "package"})
				}
			}
		}
		return c
	}
	if inTextOrComment(before) {
		return c
	}
	rest := strings.TrimSuffix(before, word)
	if head, ok := strings.CutSuffix(strings.TrimRight(rest, " \t\n"), "."); ok {
		c.Matches = s.members(head, operandOf(head), word)
	} else {
		c.Matches = s.names(before, word)
	}
	return c
}

// prefixOf is the code before the cursor, which counts code points.
func prefixOf(code string, cursor int) string {
	for k := range code {
		if cursor <= 0 {
			return code[:k]
		}
		cursor--
	}
	return code
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func trailing(s string, ok func(rune) bool) string {
	k := strings.LastIndexFunc(s, func(r rune) bool { return !ok(r) })
	if k < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[k:])
	return s[k+n:]
}

func leading(s string, ok func(rune) bool) string {
	if k := strings.IndexFunc(s, func(r rune) bool { return !ok(r) }); k >= 0 {
		return s[:k]
	}
	return s
}

// importPath is the path being written, where the cursor is inside one.
func importPath(before string) (string, bool) {
	quote := strings.LastIndexByte(before, '"')
	if quote < 0 || strings.Contains(before[quote:], "\n") || strings.Count(before[strings.LastIndex(before, "\n")+1:], `"`)%2 == 0 {
		return "", false
	}
	head := strings.TrimSpace(before[:quote])
	line := strings.TrimSpace(head[strings.LastIndexAny(head, "\n;(")+1:])
	if strings.HasPrefix(line, "import") && len(strings.Fields(line)) <= 2 {
		return before[quote+1:], true
	}
	k := strings.LastIndex(head, "import")
	if k < 0 || strings.Contains(head[k:], ")") || !strings.HasPrefix(strings.TrimSpace(head[k+len("import"):]), "(") {
		return "", false
	}
	return before[quote+1:], true
}

// inTextOrComment says whether code ends inside a string, rune or comment.
func inTextOrComment(code string) bool {
	open := false
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var sc scanner.Scanner
	sc.Init(f, []byte(code), func(_ token.Position, msg string) {
		if strings.Contains(msg, "not terminated") {
			open = true
		}
	}, scanner.ScanComments)
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			return open
		}
		if tok == token.COMMENT && strings.HasPrefix(lit, "//") && f.Offset(pos)+len(lit) >= len(code) {
			return true
		}
	}
}

// operandOf is the expression that code ends with, as far as a selector's operand reaches.
func operandOf(code string) string {
	k := len(code)
	for k > 0 {
		r, n := utf8.DecodeLastRuneInString(code[:k])
		switch {
		case isNameRune(r) || r == '.':
			k -= n
		case r == ')' || r == ']' || r == '}':
			depth := 0
			for k > 0 {
				switch code[k-1] {
				case ')', ']', '}':
					depth++
				case '(', '[', '{':
					depth--
				}
				k--
				if depth == 0 {
					break
				}
			}
			if depth != 0 {
				return ""
			}
		default:
			return strings.TrimSpace(code[k:])
		}
	}
	return strings.TrimSpace(code)
}

// members are the fields and methods of the operand that code ends with, or the names of a package.
func (s *session) members(before, operand, word string) []Match {
	if path, ok := s.importsOf(before)[operand]; ok {
		return s.packageMembers(path, word)
	}
	t := s.typeOf(before, operand)
	if t == nil {
		return nil
	}
	var out []Match
	seen := map[string]bool{}
	add := func(o types.Object, kind string) {
		visible := o.Exported() || o.Pkg() != nil && o.Pkg().Path() == "main"
		if visible && !seen[o.Name()] && matches(o.Name(), word) {
			seen[o.Name()] = true
			out = append(out, Match{o.Name(), kind, signatureOf(o)})
		}
	}
	fields(t, map[types.Type]bool{}, func(f *types.Var) { add(f, "field") })
	set := types.NewMethodSet(t)
	if _, ptr := t.Underlying().(*types.Pointer); !ptr && !types.IsInterface(t) {
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for k := range set.Len() {
		add(set.At(k).Obj(), "method")
	}
	return ordered(out, word)
}

// fields visits the fields of a struct, promoted ones too.
func fields(t types.Type, seen map[types.Type]bool, f func(*types.Var)) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return
	}
	seen[t] = true
	for v := range st.Fields() {
		f(v)
	}
	for v := range st.Fields() {
		if v.Embedded() {
			fields(v.Type(), seen, f)
		}
	}
}

func matches(name, word string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(word))
}

// ordered sorts matches: those with the word's own capitals first, then by name.
func ordered(list []Match, word string) []Match {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := strings.HasPrefix(list[i].Text, word), strings.HasPrefix(list[j].Text, word)
		if a != b {
			return a
		}
		return list[i].Text < list[j].Text
	})
	return list
}

func (s *session) packageMembers(path, word string) []Match {
	pkg, err := s.prog.Import(path)
	if err != nil {
		return nil
	}
	var out []Match
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() && matches(name, word) {
			out = append(out, Match{name, kindOf(o), signatureOf(o)})
		}
	}
	return ordered(out, word)
}

func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		return "type"
	case *types.Const:
		return "constant"
	case *types.PkgName:
		return "package"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
	}
	return "variable"
}

// signatureOf is an object's type as a cell would write it.
func signatureOf(o types.Object) string {
	if o.Type() == nil || o.Type() == types.Typ[types.Invalid] {
		return ""
	}
	switch o := o.(type) {
	case *types.TypeName:
		switch o.Type().Underlying().(type) {
		case *types.Struct:
			return "struct"
		case *types.Interface:
			return "interface"
		}
		return typeText(o.Type().Underlying())
	case *types.Const:
		return fmt.Sprintf("%s = %s", typeText(o.Type()), o.Val())
	}
	return typeText(o.Type())
}

// names are what an identifier may be: of this cell, of the session, and Go's own.
func (s *session) names(before, word string) []Match {
	seen := map[string]bool{}
	var out []Match
	add := func(name, kind, signature string) {
		if !seen[name] && matches(name, word) && name != "_" && !strings.Contains(name, "__") {
			seen[name] = true
			out = append(out, Match{name, kind, signature})
		}
	}
	for o := range s.scopeAt(before) {
		add(o.Name(), kindOf(o), signatureOf(o))
	}
	for name := range s.importsOf(before) {
		add(name, "package", "")
	}
	for name, v := range s.prog.Vars {
		add(name, "variable", typeText(v.Obj.Type()))
	}
	for name, d := range s.prog.Decls {
		switch {
		case d.Type != nil:
			add(name, "type", signatureOf(d.Type))
		case d.Func != nil && !strings.Contains(name, "."):
			add(name, "function", signatureOf(d.Func))
		}
		for _, c := range d.Consts {
			add(c.Name(), "constant", signatureOf(c))
		}
	}
	out = ordered(out, word)
	if word == "" {
		return out
	}
	var rest []Match
	for _, name := range types.Universe.Names() {
		if !seen[name] && matches(name, word) {
			rest = append(rest, Match{name, kindOf(types.Universe.Lookup(name)), ""})
		}
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		if matches(t.String(), word) {
			rest = append(rest, Match{t.String(), "keyword", ""})
		}
	}
	return append(out, rest...)
}

// importsOf are the packages a cell can name: those imported before, and those its own text imports.
func (s *session) importsOf(code string) map[string]string {
	m := maps.Clone(s.prog.Imports)
	for _, line := range strings.FieldsFunc(code, func(r rune) bool { return r == '\n' || r == ';' || r == '(' || r == ')' }) {
		f := strings.Fields(line)
		if len(f) > 0 && f[0] == "import" {
			f = f[1:]
		}
		if len(f) == 0 || len(f) > 2 || !strings.HasPrefix(f[len(f)-1], `"`) {
			continue
		}
		path := strings.Trim(f[len(f)-1], `"`)
		pkg := s.prog.Packages[path]
		if pkg == nil {
			continue
		}
		name := pkg.Name()
		if len(f) == 2 {
			name = f[0]
		}
		m[name] = path
	}
	return m
}
