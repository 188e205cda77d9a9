package compile

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"nacre/kernel/internal/cells"
)

// The stop check costs a load and a branch that is not taken. Functions with loops keep the flag's address in a
// register.
const (
	flag     = "s__ := h__.Flag; "
	stop     = "if h__.Stop(s__) { h__.Check() }; "
	stopOnce = "if h__.Raised != 0 { h__.Check() }; "
)

// writer writes the source of a cell with its names replaced. Everything else is copied, so places and comments stay
// those of the cell.
type writer struct {
	*Session
	text   *cells.Text
	unused map[token.Pos]bool
	refs   map[*entity]bool
	top    map[*types.Var]bool // variables of the cell's top level; they become variables of the session
	held   map[*entity]bool    // variables that the current loop of the top level holds
	alone  *ast.BlockStmt      // a body that is written separately
}

// refusal is an error of code that this engine does not compile.
type refusal struct {
	pos  token.Pos
	text string
}

func refuse(pos token.Pos, format string, args ...any) {
	panic(refusal{pos, fmt.Sprintf(format, args...)})
}

// edit replaces the text from one place to another.
type edit struct {
	from, to token.Pos
	text     string
}

// node returns the text of n, rewritten.
func (w *writer) node(n ast.Node) string { return w.span(n, n.Pos(), n.End()) }

// span returns the text from one place to another, with the parts of n in it rewritten.
func (w *writer) span(n ast.Node, from, to token.Pos) string {
	var edits []edit
	replace := func(m ast.Node, text string) { edits = append(edits, edit{m.Pos(), m.End(), text}) }
	insert := func(pos token.Pos, text string) { edits = append(edits, edit{pos, pos, text}) }
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.Ident:
			if text, ok := w.ident(m); ok {
				replace(m, text)
			}
		case *ast.SelectorExpr:
			if x, ok := m.X.(*ast.Ident); ok {
				if p, ok := w.Info.Uses[x].(*types.PkgName); ok {
					replace(m, w.foreign(p.Imported().Path(), w.Info.Uses[m.Sel], m.Sel.Name))
					return false
				}
			}
			if sel := w.Info.Selections[m]; exits(sel) {
				replace(m, "h__."+m.Sel.Name+"("+w.receiver(m.X, sel)+")")
				return false
			}
			if by := tests(w.Info.Selections[m]); by != "" {
				replace(m, "h__."+by+"("+w.node(m.X)+")")
				return false
			}
			edits = append(edits, w.within(m.X)...)
			return false
		case *ast.CallExpr:
			if g, ok := cells.Guarded(w.Fset, m); ok {
				replace(m, w.guard(g, m)+"("+w.node(g.X)+")")
				return false
			}
			if text, ok := w.measured(m); ok {
				replace(m, text)
				return false
			}
			if w.forwards(m) != nil { // it stays a call of the method, which takes several results directly
				return true
			}
			if text, ok := w.method(m); ok {
				replace(m.Fun, text[0])
				if len(m.Args) > 0 {
					text[1] += ", "
				}
				insert(m.Lparen+1, text[1])
				for _, a := range m.Args {
					edits = append(edits, w.within(a)...)
				}
				return false
			}
		case *ast.GoStmt:
			replace(m, w.goStmt(m))
			return false
		case *ast.GenDecl:
			if text, ok := w.hiding(m); ok {
				replace(m, text)
				return false
			}
		case *ast.FuncDecl:
			w.enter(m.Body, insert)
		case *ast.FuncLit:
			w.enter(m.Body, insert)
		case *ast.ForStmt:
			if text, ok := w.unrolled(m); ok {
				replace(m, text)
				return false
			}
			w.round(m.Body, w.uses(m.Init), insert)
		case *ast.RangeStmt:
			use := ""
			if m.Tok == token.DEFINE {
				use = w.unusedOf(m.Key) + w.unusedOf(m.Value)
			}
			w.round(m.Body, use, insert)
		case *ast.IfStmt:
			if use := w.uses(m.Init); use != "" {
				insert(m.Body.Lbrace+1, use)
			}
		case *ast.BranchStmt:
			if m.Tok == token.GOTO || m.Tok == token.CONTINUE {
				insert(m.Pos(), stop)
			}
			return false // the name of a label is not replaced
		case *ast.LabeledStmt:
			edits = append(edits, w.within(m.Stmt)...)
			return false
		case *ast.SwitchStmt:
			if use := w.uses(m.Init); use != "" {
				w.inClause(m.Body, use, insert)
			}
		case *ast.TypeSwitchStmt:
			if use := w.uses(m.Init); use != "" {
				w.inClause(m.Body, use, insert)
			}
			if a, ok := m.Assign.(*ast.AssignStmt); ok && w.unusedOf(a.Lhs[0]) != "" {
				edits = append(edits, edit{a.Pos(), a.Rhs[0].Pos(), ""})
			}
		case *ast.BlockStmt:
			if m == w.alone {
				w.enter(m, insert)
			}
			w.inList(m.List, insert)
		case *ast.CaseClause:
			w.inList(m.Body, insert)
		case *ast.CommClause:
			if use := w.uses(m.Comm); use != "" {
				insert(m.Colon+1, use)
			}
			w.inList(m.Body, insert)
		}
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.from - b.from) })
	var b strings.Builder
	at := from
	for _, e := range edits {
		if e.from < at { // inside a text that was replaced
			continue
		}
		b.WriteString(w.text.Between(at, e.from))
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(w.text.Between(at, to))
	return b.String()
}

// within returns one edit that replaces the whole of n.
func (w *writer) within(n ast.Node) []edit { return []edit{{n.Pos(), n.End(), w.node(n)}} }

// inList inserts statements that use the unused variables declared in a list of statements.
func (w *writer) inList(list []ast.Stmt, insert func(token.Pos, string)) {
	for _, s := range list {
		s = unlabeled(s)
		if use := w.uses(s); use != "" {
			insert(s.End(), "; "+strings.TrimSuffix(use, "; "))
		}
		if text := w.through(s); text != "" {
			insert(s.End(), text)
		}
	}
}

// inClause inserts a use of variables into the first clause of a switch.
func (w *writer) inClause(body *ast.BlockStmt, use string, insert func(token.Pos, string)) {
	if len(body.List) > 0 {
		insert(body.List[0].(*ast.CaseClause).Colon+1, use)
	}
}

// uses returns statements that use the unused variables of s.
func (w *writer) uses(s ast.Stmt) string {
	text := ""
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, x := range s.Lhs {
				text += w.unusedOf(x)
			}
		}
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			for _, spec := range g.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					text += w.unusedOf(id)
				}
			}
		}
	}
	return text
}

func (w *writer) unusedOf(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok || !w.unused[id.Pos()] {
		return ""
	}
	if v, ok := w.Info.Defs[id].(*types.Var); ok && w.top[v] {
		return ""
	}
	return "_ = " + id.Name + "; "
}

// enter makes a function look at the flag. A function that calls but has no loop looks before its first statement with
// a call, because it ends soon if it returns earlier.
func (w *writer) enter(body *ast.BlockStmt, insert func(token.Pos, string)) {
	switch again := calls(w.Info, body); {
	case loops(body) && again:
		insert(body.Lbrace+1, flag+stop)
	case loops(body):
		insert(body.Lbrace+1, flag)
	case again:
		k := slices.IndexFunc(body.List, func(s ast.Stmt) bool { return calls(w.Info, s) })
		if k <= 0 {
			insert(body.Lbrace+1, stopOnce)
			return
		}
		insert(body.List[k-1].End(), "; "+stopOnce)
	}
}

// round inserts a stop check into each round of a loop, at its end. At the beginning the compiler would move the call
// between the parts of tight loops. If the last statement is an if, the check comes before it, because the if would
// otherwise become conditional moves that wait for each other.
func (w *writer) round(body *ast.BlockStmt, begin string, insert func(token.Pos, string)) {
	if n := len(body.List); n > 0 {
		if _, ok := body.List[n-1].(*ast.IfStmt); ok {
			insert(body.Lbrace+1, stop+begin)
			return
		}
	}
	insert(body.Lbrace+1, begin)
	insert(body.Rbrace, "; "+stop)
}

// loops reports whether a function has loops outside its function literals.
func loops(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.GOTO
		}
		return !found
	})
	return found
}

// calls reports whether a body, or a part of one, calls a function that may call the body again.
func calls(info *types.Info, part ast.Node) bool {
	found := false
	ast.Inspect(part, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		tv := info.Types[c.Fun]
		found = !tv.IsType() && !tv.IsBuiltin() && !foreignFunc(info, c)
		return !found
	})
	return found
}

// foreignFunc reports whether a call is one of an imported function and passes no function to it.
func foreignFunc(info *types.Info, c *ast.CallExpr) bool {
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[s.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() == "main" || f.Signature().Recv() != nil {
		return false
	}
	for _, a := range c.Args {
		switch t := info.TypeOf(a); {
		case t == nil:
			return false
		default:
			switch t.Underlying().(type) {
			case *types.Signature, *types.Interface, *types.Struct, *types.Pointer:
				return false
			}
		}
	}
	return true
}

// ident returns the text that replaces a name of the session.
func (w *writer) ident(id *ast.Ident) (string, bool) {
	o := w.Info.Uses[id]
	if o == nil {
		o = w.Info.Defs[id]
	}
	switch o := o.(type) {
	case *types.Var:
		if s := w.slots[o]; s != nil {
			if w.held[s] {
				return "l__" + s.name, true
			}
			w.refs[s] = true
			return "(*" + s.name + ")", true
		}
		if o.IsField() {
			if tn, ok := w.Info.Uses[id].(*types.TypeName); ok { // an embedded type
				return w.embedded(tn)
			}
			return "", false
		}
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "", false
		}
		if e := w.funcs[o]; e != nil {
			w.refs[e] = true
			return e.name, true
		}
	case *types.TypeName:
		if e := w.types[o]; e != nil {
			if v, ok := w.Info.Defs[id].(*types.Var); ok && v.IsField() {
				return w.embedded(o)
			}
			w.refs[e] = true
			return e.name, true
		}
	case *types.Const:
		if e := w.consts[o]; e != nil {
			w.refs[e] = true
			return e.names[o.Name()], true
		}
	case *types.Builtin:
		if o.Name() == "print" || o.Name() == "println" {
			return "h__." + strings.ToUpper(o.Name()[:1]) + o.Name()[1:], true
		}
		return "", false
	case nil, *types.PkgName:
		return "", false
	}
	// of a dot import
	if w.Info.Uses[id] != nil && o.Pkg() != nil && o.Pkg().Path() != "main" && o.Parent() == o.Pkg().Scope() {
		return w.foreign(o.Pkg().Path(), o, o.Name()), true
	}
	return "", false
}

// measured returns the length of an array of the cell that a constant depends on. The checker has another variable for
// the array.
func (w *writer) measured(c *ast.CallExpr) (text string, ok bool) {
	length := w.Info.Types[c].Value
	if length == nil || len(c.Args) != 1 || !w.Info.Types[c.Fun].IsBuiltin() {
		return "", false
	}
	ast.Inspect(c.Args[0], func(n ast.Node) bool {
		if id, isName := n.(*ast.Ident); isName {
			v, isVar := w.Info.Uses[id].(*types.Var)
			ok = ok || isVar && v.Pkg() == nil && !v.IsField()
		}
		return !ok
	})
	return fmt.Sprintf("len([%s]struct{}{})", length), ok
}

// embedded returns the name of an embedded type. The field has the same name.
func (w *writer) embedded(tn *types.TypeName) (string, bool) {
	e := w.types[tn]
	if e == nil {
		return "", false
	}
	w.refs[e] = true
	if e.name == tn.Name() {
		return e.name, true
	}
	a := e.alias
	if a == nil {
		a = &entity{name: tn.Name(), refs: map[*entity]bool{e: true}}
		params, args := w.typeParams(tn, a)
		a.text = fmt.Sprintf("type %s%s = %s%s\n", tn.Name(), params, e.name, args)
		e.alias = a
	}
	w.refs[a] = true
	return a.name, true
}

// typeParams returns the type parameters of a generic type, as a declaration and as arguments. For other types both are
// "".
func (w *writer) typeParams(tn *types.TypeName, of *entity) (params, args string) {
	n, ok := tn.Type().(*types.Named)
	if !ok || n.TypeParams().Len() == 0 {
		return "", ""
	}
	sub := &writer{Session: w.Session, refs: of.refs}
	var declared, names []string
	for p := range n.TypeParams().TypeParams() {
		name := p.Obj().Name()
		if name == "_" {
			name = fmt.Sprintf("T__%d", len(names))
		}
		declared, names = append(declared, name+" "+sub.typ(p.Constraint())), append(names, name)
	}
	return "[" + strings.Join(declared, ", ") + "]", "[" + strings.Join(names, ", ") + "]"
}

// foreign returns the text for a name of an imported package.
func (w *writer) foreign(path string, o types.Object, name string) string {
	if !redirected(path, name) {
		return w.pkg(path) + "." + name
	}
	e := w.bindings[path+"."+name]
	if e == nil {
		low := "o__" + strings.ReplaceAll(path, "/", "_") + "_" + name
		e = &entity{name: low, refs: map[*entity]bool{}, bind: fmt.Sprintf("c__.Bind(&%s, %q, %q)\n", low, path, name)}
		sub := &writer{Session: w.Session, refs: e.refs}
		amp := ""
		if _, ok := o.(*types.Var); ok {
			amp = "&"
		}
		e.text = fmt.Sprintf("var %s = %s%s.%s\n", low, amp, sub.pkg(path), name)
		w.bindings[path+"."+name] = e
	}
	w.refs[e] = true
	if _, ok := o.(*types.Var); ok {
		return "(*" + e.name + ")"
	}
	return e.name
}

// pkg returns the name of an imported package.
func (w *writer) pkg(path string) string {
	e := w.imports[path]
	if e == nil {
		e = &entity{name: "i__" + strconv.Itoa(len(w.imports)), path: path}
		w.imports[path] = e
	}
	w.refs[e] = true
	return e.name
}

// method turns a call of a method of a cell's type into a call of the method's body. The body is a function that can be
// inlined and that recovers if it is deferred.
func (w *writer) method(c *ast.CallExpr) (text [2]string, ok bool) {
	s, isSel := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !isSel {
		return text, false
	}
	sel := w.Info.Selections[s]
	if sel == nil || sel.Kind() != types.MethodVal || len(sel.Index()) != 1 {
		return text, false
	}
	f := sel.Obj().(*types.Func)
	e := w.bodies[f]
	if e == nil {
		return text, false
	}
	_, want := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	_, have := types.Unalias(sel.Recv()).(*types.Pointer)
	if !have {
		_, have = sel.Recv().Underlying().(*types.Pointer)
	}
	w.refs[e] = true
	x := w.node(s.X)
	switch {
	case want && !have:
		x = "&(" + x + ")"
	case !want && have:
		x = "*(" + x + ")"
	}
	return [2]string{e.name, x}, true
}

// forwards returns the types of the results that are passed on as the arguments of a call, or nil if the arguments are
// no such call.
func (w *writer) forwards(c *ast.CallExpr) *types.Tuple {
	if len(c.Args) != 1 {
		return nil
	}
	t, _ := w.Info.TypeOf(c.Args[0]).(*types.Tuple)
	return t
}

// receiver returns the argument for a method with a pointer receiver. The method may belong to an embedded field.
func (w *writer) receiver(x ast.Expr, sel *types.Selection) string {
	text, t := w.node(x), sel.Recv()
	under := func() (types.Type, bool) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			return p.Elem().Underlying(), true
		}
		return t.Underlying(), false
	}
	for _, k := range sel.Index()[:len(sel.Index())-1] {
		s, _ := under()
		f := s.(*types.Struct).Field(k)
		text, t = text+"."+f.Name(), f.Type()
	}
	if _, pointer := under(); !pointer {
		text = "&(" + text + ")"
	}
	return text
}

// goStmt writes a go statement. Its goroutine is counted, and its panic ends the cell.
func (w *writer) goStmt(g *ast.GoStmt) string {
	c := g.Call
	if lit, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
		body := w.node(lit)
		head := w.span(lit.Type, lit.Pos(), lit.Body.Lbrace+1)
		args := ""
		for k, a := range c.Args {
			if k > 0 {
				args += ", "
			}
			args += w.node(a)
		}
		if c.Ellipsis.IsValid() {
			args += "..."
		}
		return "h__.GoStart(); go " + head + " defer h__.GoEnd(); " + body[len(head):] + "(" + args + ")"
	}
	var before, now []string // operands that are evaluated before the goroutine starts, and their values
	hold := func(text string) string {
		name := fmt.Sprintf("g__%d", len(now))
		before, now = append(before, name), append(now, text)
		return name
	}
	fun := ""
	var args []string
	if m, ok := w.method(c); ok {
		fun, args = m[0], []string{hold(m[1])}
	} else if f := ast.Unparen(c.Fun); w.static(f) {
		fun = w.node(f)
	} else {
		fun = hold(w.node(f))
	}
	if t := w.forwards(c); t != nil {
		var names []string
		for k := range t.Len() {
			names = append(names, fmt.Sprintf("r__%d", k))
		}
		list := strings.Join(names, ", ")
		return fmt.Sprintf("{ %s%s := %s; h__.GoStart(); go func() { defer h__.GoEnd(); %s(%s) }() }",
			assigns(before, now), list, w.node(c.Args[0]), fun, strings.Join(append(args, names...), ", "))
	}
	for _, a := range c.Args {
		if tv := w.Info.Types[a]; tv.Value != nil || tv.IsNil() || tv.IsType() {
			args = append(args, w.node(a))
			continue
		}
		if u, ok := w.Info.TypeOf(a).(*types.Basic); ok && u.Info()&types.IsUntyped != 0 {
			args = append(args, w.node(a))
			continue
		}
		args = append(args, hold(w.node(a)))
	}
	list := strings.Join(args, ", ")
	if c.Ellipsis.IsValid() {
		list += "..."
	}
	return fmt.Sprintf("{ %sh__.GoStart(); go func() { defer h__.GoEnd(); %s(%s) }() }", assigns(before, now),
		fun, list)
}

func assigns(names, values []string) string {
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " := " + strings.Join(values, ", ") + "; "
}

// static reports whether an expression is a declared function or a builtin. Then there is nothing to evaluate.
func (w *writer) static(f ast.Expr) bool {
	if w.Info.Types[f].IsBuiltin() {
		return true
	}
	switch f := f.(type) {
	case *ast.Ident:
		_, ok := w.Info.Uses[f].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		if w.Info.Selections[f] == nil {
			_, ok := w.Info.Uses[f.Sel].(*types.Func)
			return ok
		}
	case *ast.IndexExpr:
		return w.static(f.X)
	case *ast.IndexListExpr:
		return w.static(f.X)
	}
	return false
}
