// Package compile turns checked cells into plugins made by the Go compiler, which share their types, functions and
// variables.
//
// All cells of a session belong to one package, named main. Each plugin holds a part of it: the statements of its cell,
// and another copy of the declarations that these use. Within a process a symbol of a package exists once, whichever
// plugins hold it. So a type or variable of one cell is the same type or variable in the next cell.
//
// A redefined declaration gets another name, because the symbols of one name must be alike in all plugins. A method's
// name is part of its type and cannot change, so a method calls its body through a variable.
package compile

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"nacre/kernel/internal/cells"
)

// entity is a declaration as plugins hold it. It never changes: a redefinition is a new entity.
type entity struct {
	name   string
	text   string            // Go source at the top level of a file
	path   string            // of an import
	bind   string            // statements at the beginning of each cell that uses it
	names  map[string]string // of the constants of a group
	refs   map[*entity]bool  // the entities that it refers to
	alias  *entity           // for a type: the entity under which it is embedded
	shown  string            // for a type: its name in the cells, if that is another name
	shared bool              // for a variable: whether functions or pointers may reach it
	wraps  string            // for a method whose body calls recover: its name in compiled code
	locals *locals           // the types in its body; nil before a plugin holds it
}

// Session writes the source of the cells of a session.
type Session struct {
	Info *types.Info
	Fset *token.FileSet

	slots    map[*types.Var]*entity
	funcs    map[*types.Func]*entity
	bodies   map[*types.Func]*entity // bodies of methods
	types    map[*types.TypeName]*entity
	consts   map[*types.Const]*entity
	imports  map[string]*entity
	bindings map[string]*entity
	versions map[string]int
	called   map[string]string // names of functions in the cells, by their names in the text
	locals   int               // types that functions and cells have declared in their bodies
	callers  bool              // whether loggers name the file and line of their callers
}

// NewSession returns a session without cells whose source was checked into info.
func NewSession(info *types.Info, fset *token.FileSet) *Session {
	return &Session{
		Info: info, Fset: fset,
		slots: map[*types.Var]*entity{}, funcs: map[*types.Func]*entity{}, bodies: map[*types.Func]*entity{},
		types: map[*types.TypeName]*entity{}, consts: map[*types.Const]*entity{}, imports: map[string]*entity{},
		bindings: map[string]*entity{}, versions: map[string]int{}, called: map[string]string{},
	}
}

// Refused is an error of code that is not compiled.
type Refused struct {
	Pos  token.Pos
	Text string
}

func (e *Refused) Error() string { return e.Text }

// Source is a cell to compile. Its text is empty if there is nothing to run.
type Source struct {
	Text    string
	Imports []string // paths
	// types with another name in Text than in the cells: name in Text → name in the cells
	Shown map[string]string
	Wraps []string // methods that the run time must take for wrappers
}

// Slot is the name of the compiled variable v, "" if there is none.
func (s *Session) Slot(v *types.Var) string {
	if e := s.slots[v]; e != nil {
		return e.name
	}
	return ""
}

// Called returns the name that a function on the stack has in the cells. For the statements of a cell it returns "". A
// function literal has the name of the function around it.
func (s *Session) Called(function string) string {
	name := function[strings.LastIndexByte(function, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	if method, ok := strings.CutPrefix(name, "("); ok { // a method of a generic type
		of, method, _ := strings.Cut(strings.TrimPrefix(method, "*"), ")")
		of, _, _ = strings.Cut(of, "[")
		method, _, _ = strings.Cut(strings.TrimPrefix(method, "."), ".")
		return of + "." + method
	}
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "[")
	return s.called[name]
}

// fresh returns a name that no other declaration has. Names of functions and variables begin in lower case, because a
// plugin treats exported ones as its own symbols.
func (s *Session) fresh(base string) string {
	s.versions[base]++
	return fmt.Sprintf("%s__%d", base, s.versions[base])
}

// Save returns a function that undoes the changes that Cell makes after Save. Call it if the result of Cell cannot be
// used.
func (s *Session) Save() (undo func()) {
	// all else is found by objects, which are new with each cell
	bodies, slots := maps.Clone(s.bodies), maps.Clone(s.slots)
	return func() { s.bodies, s.slots = bodies, slots }
}

// unit is a cell that is being written.
type unit struct {
	*Session
	*cells.Unit
	made     []*entity
	refs     map[*entity]bool
	prologue strings.Builder
	top      map[*types.Var]bool
}

func (u *unit) writer(text *cells.Text, refs map[*entity]bool) *writer {
	return &writer{Session: u.Session, text: text, unused: u.Unused, refs: refs, top: u.top}
}

// add makes an entity of the unit.
func (u *unit) add(name string) *entity {
	e := &entity{name: name, refs: map[*entity]bool{}}
	u.made = append(u.made, e)
	return e
}

// Cell writes the source of a cell: a file of package main with the function cell__.
func (s *Session) Cell(c *cells.Unit) (src *Source, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case refusal:
			err = &Refused{x.pos, x.text}
		default:
			panic(x)
		}
	}()
	u := &unit{Session: s, Unit: c, refs: map[*entity]bool{}, top: map[*types.Var]bool{}}
	writes := slices.Concat(u.declareTypes(), u.declareConsts())
	u.declareVars()
	for _, write := range append(writes, u.declareFuncs()...) { // when all that they refer to has a name
		write()
	}
	body := u.body()
	if len(c.Body) == 0 && len(c.Inits) == 0 && c.Main == nil && u.prologue.Len() == 0 {
		return &Source{}, nil
	}
	return u.file(body), nil
}

// from returns a directive that tells the compiler from which place of its cell the next line comes.
func (s *Session) from(pos token.Pos) string {
	p := s.Fset.Position(pos)
	return fmt.Sprintf("\n//line /%s:%d:%d\n", p.Filename, p.Line, p.Column)
}

// declareTypes gives the types their names and returns functions that write them.
func (u *unit) declareTypes() (writes []func()) {
	named := map[string]*types.TypeName{}
	for tn := range u.Keys {
		named[tn.Name()] = tn
	}
	for _, d := range u.Types {
		tn := named[d.Name]
		if tn == nil {
			continue
		}
		name := d.Name
		if u.versions[name]++; u.versions[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, u.versions[name])
		}
		e := u.add(name)
		if name != d.Name {
			e.shown = d.Name
		}
		u.Session.types[tn] = e
		if formed(tn) {
			e.bind = forms(name)
		}
		writes = append(writes, func() {
			spec := d.Node.(*ast.GenDecl).Specs[0].(*ast.TypeSpec)
			e.text = u.from(spec.Pos()) + "type " + e.name + u.writer(d.From, e.refs).span(spec, spec.Name.End(),
				spec.End()) + "\n"
		})
	}
	return writes
}

// declareConsts gives the constants their names and returns functions that write them.
func (u *unit) declareConsts() (writes []func()) {
	for _, d := range u.Consts {
		e := u.add("")
		e.names = map[string]string{}
		for _, k := range d.Consts {
			e.names[k.Name()] = u.fresh(k.Name())
			u.Session.consts[k] = e
		}
		writes = append(writes, func() {
			e.text = u.from(d.Node.Pos()) + u.writer(d.From, e.refs).node(d.Node) + "\n"
		})
	}
	return writes
}

// declareVars gives the cell's variables their places. These are pointers, so that a type with the same memory layout
// can replace another type.
func (u *unit) declareVars() {
	recast := func(name string, old *entity, t types.Type) *entity {
		e := u.slot(name, t)
		// by name: the text of the old one would bring its type along, of whose name there is another now
		fmt.Fprintf(&u.prologue, "h__.Cast(c__, &%s, %q)\n", e.name, old.name)
		u.refs[e] = true
		fmt.Fprintf(&u.prologue, "c__.Vars[%q] = %s\n", e.name, e.name)
		return e
	}
	moved := u.Moved()
	for _, was := range slices.SortedFunc(maps.Keys(moved), func(a, b *types.Var) int {
		return strings.Compare(a.Name(), b.Name())
	}) {
		if old := u.slots[was]; old != nil {
			e := recast(was.Name(), old, moved[was].Type())
			// the cell's own statements were checked with one object, later statements with the other
			u.slots[was], u.slots[moved[was]] = e, e
		}
	}
	for _, v := range u.Vars {
		var e *entity
		if v.Old != nil {
			e = u.slots[v.Old.Obj]
		}
		switch {
		case e == nil:
			e = u.slot(v.Name, v.Obj.Type())
			fmt.Fprintf(&u.prologue, "if %s == nil { %s = h__.New(%s) }\n", e.name, e.name, e.name)
			fmt.Fprintf(&u.prologue, "c__.Vars[%q] = %s\n", e.name, e.name)
		case !types.Identical(v.Old.Obj.Type(), v.Obj.Type()):
			e = recast(v.Name, e, v.Obj.Type())
		}
		u.refs[e] = true
		u.slots[v.Def], u.slots[v.Obj], u.top[v.Def] = e, e, true
	}
}

func (u *unit) slot(name string, t types.Type) *entity {
	e := u.add(u.fresh("v_" + name))
	w := u.writer(nil, e.refs)
	if text, ok := w.inferred(e.name, t); ok {
		e.text = text
	} else {
		e.text = fmt.Sprintf("var %s *%s\n", e.name, w.typ(t))
	}
	return e
}

// declareFuncs gives the functions and methods their names and returns functions that write them.
func (u *unit) declareFuncs() (writes []func()) {
	for _, d := range u.Funcs {
		fd := d.Node.(*ast.FuncDecl)
		if fd.Recv == nil {
			e := u.add(u.fresh("f_" + fd.Name.Name))
			u.called[e.name] = fd.Name.Name
			if fd.Type.TypeParams == nil {
				e.bind = fmt.Sprintf("c__.Vars[%q] = %s\n", e.name, e.name)
			}
			for _, o := range []*types.Func{d.Func, d.Also} {
				if o != nil {
					u.Session.funcs[o] = e
				}
			}
			writes = append(writes, func() {
				e.text = u.from(fd.Name.End()) + "func " + e.name + u.writer(d.From, e.refs).span(fd, fd.Name.End(),
					fd.End()) + "\n"
			})
			continue
		}
		t := u.receiver(d)
		if t == nil {
			continue
		}
		if len(t.typeParams) > 0 {
			e := u.add("")
			t.e.refs[e] = true
			writes = append(writes, func() { e.text = u.from(fd.Pos()) + u.writer(d.From, e.refs).node(fd) + "\n" })
			continue
		}
		body := u.add(u.fresh("m_" + t.e.name + "_" + fd.Name.Name))
		u.called[body.name] = d.Name
		u.bodies[d.Func] = body
		through := "m_" + t.e.name + "_" + fd.Name.Name + "__f"
		writes = append(writes, func() { u.writeMethod(d, t.e, body, through) })
		u.refs[t.e] = true
		fmt.Fprintf(&u.prologue, "%s = %s\n", through, body.name)
		u.refs[body] = true
	}
	return writes
}

// received is the type of a receiver.
type received struct {
	e          *entity
	typeParams []*types.TypeParam
}

func (u *unit) receiver(d *cells.Decl) *received {
	if d.Func == nil || d.Func.Signature().Recv() == nil {
		return nil
	}
	t := types.Unalias(d.Func.Signature().Recv().Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || u.Session.types[n.Origin().Obj()] == nil {
		return nil
	}
	r := &received{e: u.Session.types[n.Origin().Obj()]}
	for p := range d.Func.Signature().RecvTypeParams().TypeParams() {
		r.typeParams = append(r.typeParams, p)
	}
	return r
}

// writeMethod writes a method of t and its body. The method calls the body through a variable.
func (u *unit) writeMethod(d *cells.Decl, t, body *entity, through string) {
	fd := d.Node.(*ast.FuncDecl)
	w := u.writer(d.From, body.refs)
	recv := fd.Recv.List[0]
	name := "_"
	if len(recv.Names) > 0 {
		name = recv.Names[0].Name
	}
	params := []string{name + " " + w.node(recv.Type)}
	for _, f := range fd.Type.Params.List {
		for _, n := range namesOf(f, "_") {
			params = append(params, n+" "+w.node(f.Type))
		}
	}
	results := ""
	if fd.Type.Results != nil {
		results = w.node(fd.Type.Results)
	}
	w.alone = fd.Body
	inner := w.span(fd.Body, fd.Body.Lbrace+1, fd.Body.End())
	body.text = fmt.Sprintf("\nfunc %s(%s) %s {%s%s\n", body.name, strings.Join(params, ", "), results,
		u.from(fd.Body.Lbrace+1), inner)

	for e := range t.refs {
		if e.name == through {
			return // the type already has the method; only the body is new
		}
	}
	m := u.add(through)
	t.refs[m] = true
	w = u.writer(d.From, m.refs)
	var list, args, kinds []string
	for _, f := range fd.Type.Params.List {
		for range namesOf(f, "_") {
			a := fmt.Sprintf("a__%d", len(args))
			list, kinds = append(list, a+" "+w.node(f.Type)), append(kinds, w.node(f.Type))
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				a += "..."
			}
			args = append(args, a)
		}
	}
	results, give := "", ""
	if fd.Type.Results != nil && len(fd.Type.Results.List) > 0 {
		var rs []string
		for _, f := range fd.Type.Results.List {
			for range namesOf(f, "_") {
				rs = append(rs, w.node(f.Type))
			}
		}
		results, give = "("+strings.Join(rs, ", ")+")", "return "
	}
	of, pragma := w.node(recv.Type), ""
	if w.recovers(fd.Body) { // if it were inlined into another function, the method would not be found
		m.wraps, pragma = strings.Replace(of, "*"+t.name, "(*"+t.name+")", 1)+"."+fd.Name.Name, "//go:noinline\n"
	}
	m.text = fmt.Sprintf("\n//line /generated:1\nvar %s func(%s) %s\n"+pragma+"func (r__ %s) %s(%s) %s { %s%s(%s) }\n",
		through, strings.Join(append([]string{of}, kinds...), ", "), results,
		of, fd.Name.Name, strings.Join(list, ", "), results, give, through,
		strings.Join(append([]string{"r__"}, args...), ", "))
}

// recovers reports whether a function calls recover itself.
func (w *writer) recovers(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "recover" {
			found = found || w.Info.Uses[id] == types.Universe.Lookup("recover")
		}
		_, nested := n.(*ast.FuncLit)
		return !nested && !found
	})
	return found
}

func namesOf(f *ast.Field, none string) []string {
	if len(f.Names) == 0 {
		return []string{none}
	}
	var list []string
	for _, n := range f.Names {
		list = append(list, n.Name)
	}
	return list
}

// body writes the statements of the cell.
func (u *unit) body() string {
	w := u.writer(u.Text, u.refs)
	var b strings.Builder
	inits := func() {
		for _, d := range u.Inits {
			if e := u.funcs[d.Func]; e != nil {
				u.refs[e] = true
				fmt.Fprintf(&b, "\n%s()\n", e.name)
			}
		}
	}
	for _, d := range u.Funcs {
		u.share(d.Node)
	}
	jumps := false
	for _, s := range u.Body {
		u.share(s)
		jumps = jumps || jumpsOut(s)
	}
	for k, s := range u.Body {
		if k == u.InitsAt() {
			inits()
		}
		before, after := "", ""
		if w.held = nil; !jumps {
			before, after = w.hold(s)
		}
		fmt.Fprintf(&b, "\nc__.Reached = %d; %s%s", k, before, u.from(s.Pos()))
		if x, ok := s.(*ast.ExprStmt); ok && k == len(u.Body)-1 && u.Value != nil {
			b.WriteString("c__.ShowValues(" + w.node(x.X) + ")\n")
			continue
		}
		b.WriteString(w.topStmt(s) + after)
	}
	fmt.Fprintf(&b, "\nc__.Reached = %d\n", len(u.Body))
	if u.InitsAt() == len(u.Body) {
		inits()
	}
	if u.Main != nil {
		if e := u.funcs[u.Main.Func]; e != nil {
			u.refs[e] = true
			fmt.Fprintf(&b, "%s()\n", e.name)
		}
	}
	return b.String()
}

// topStmt writes a statement of the cell's top level. There a definition assigns to a variable of the session.
func (w *writer) topStmt(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return s.Label.Name + ": " + w.topStmt(s.Stmt)
	case *ast.EmptyStmt:
		return ""
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return w.list(s.Lhs) + " = " + w.list(s.Rhs)
		}
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			var list []string
			for _, spec := range g.Specs {
				list = append(list, w.topVar(spec.(*ast.ValueSpec)))
			}
			return strings.Join(list, "\n")
		}
	case *ast.ExprStmt:
		switch x := ast.Unparen(s.X).(type) {
		case *ast.CallExpr:
		case *ast.UnaryExpr:
			if x.Op != token.ARROW {
				return "_ = " + w.node(s)
			}
		default:
			return "_ = " + w.node(s)
		}
	}
	return w.node(s)
}

func (w *writer) topVar(s *ast.ValueSpec) string {
	named := false
	var lhs []ast.Expr
	for _, n := range s.Names {
		named = named || n.Name != "_"
		lhs = append(lhs, n)
	}
	switch {
	case !named: // it belongs to a declaration that may be a part of the cell's value
		text := "var _" + strings.Repeat(", _", len(lhs)-1)
		if s.Type != nil {
			text += " " + w.node(s.Type)
		}
		if len(s.Values) > 0 {
			text += " = " + w.list(s.Values)
		}
		return text
	case len(s.Values) > 0:
		return w.list(lhs) + " = " + w.list(s.Values)
	}
	var list []string
	for _, n := range s.Names {
		list = append(list, fmt.Sprintf("%s = *new(%s)", w.node(n), w.node(s.Type)))
	}
	return strings.Join(list, "; ")
}

func (w *writer) list(xs []ast.Expr) string {
	var list []string
	for _, x := range xs {
		list = append(list, w.node(x))
	}
	return strings.Join(list, ", ")
}

// file returns a file with the cell and everything that it uses.
func (u *unit) file(body string) *Source {
	var order []*entity
	seen := map[*entity]bool{}
	var visit func(map[*entity]bool)
	visit = func(refs map[*entity]bool) {
		list := slices.SortedFunc(maps.Keys(refs), func(a, b *entity) int {
			return strings.Compare(a.name+a.text, b.name+b.text)
		})
		for _, e := range list {
			if !seen[e] {
				seen[e] = true
				order = append(order, e)
				visit(e.refs)
			}
		}
	}
	visit(u.refs)
	src := &Source{Shown: map[string]string{}}
	var head, binds strings.Builder
	for _, e := range order {
		if e.path != "" {
			fmt.Fprintf(&head, "import %s %q\n", e.name, e.path)
			if e.path != "unsafe" {
				src.Imports = append(src.Imports, e.path)
			}
		}
		if e.shown != "" {
			src.Shown[e.name] = e.shown
		}
		if e.wraps != "" {
			src.Wraps = append(src.Wraps, e.wraps)
		}
		binds.WriteString(e.bind)
	}
	cell := "\n//line /generated:1\nfunc cell__" + fmt.Sprint(u.Unit.Cell) + "(c__ *h__.Cell) {\n" + flag +
		"_ = s__\n" + binds.String() + u.prologue.String() + body + "}\n"
	src.Text = "package main\nimport h__ \"nacre/kernel/internal/live\"\n" + head.String() + u.numbered(order, cell)
	return src
}
