package cells

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Effects are the names of the session that the statements of a cell read and change. Calls of functions of cells are
// followed. Functions, methods ("T.M"), types and constants count as variables: a new declaration changes them. Effects
// do not follow functions of packages, methods called through interfaces or methods taken as values. They do not follow
// a pointer that another variable holds.
type Effects struct {
	Reads map[string]bool // names whose values from earlier cells are read
	// variables defined, assigned, changed in part, or with their address taken; declarations that are new
	Writes   map[string]bool
	Whole    map[string]bool // names of Writes that are assigned as a whole
	Uses     map[string]bool // variables whose values are read, with the cell's own variables
	Pointers map[string]bool // variables whose address is taken
	// Held is for variables that are assigned functions or values with functions in them. It says what these functions
	// read and change when they are called later.
	Held map[string]Effects
}

// summary holds what running a piece of code does by itself.
type summary struct {
	reads, writes, whole, uses, pointers map[string]bool

	names   map[string]bool // functions, methods, types and constants that it refers to
	through map[int]bool    // parameters whose targets it changes, the receiver first
	passes  []pass
}

// pass is an argument of a call of a cells' function.
type pass struct {
	callee string
	arg    int    // the receiver first
	name   string // name of the session's variable to which it leads; "" for a parameter
	param  int    // parameter of the function that makes the call
}

// Effects returns the effects of a checked unit in a scope in which the unit is committed.
func (u *Unit) Effects() Effects {
	own := map[types.Object]string{}
	e := Effects{Whole: map[string]bool{}}
	for _, v := range u.Vars {
		own[v.Def] = v.Name
		e.Whole[v.Name] = true
	}
	body := u.prog.summarise(&ast.BlockStmt{List: u.Body}, nil, own, u.Value)
	started := slices.Clone(u.Inits)
	if u.Main != nil {
		started = append(started, u.Main)
	}
	e.Reads, e.Writes, e.Uses, e.Pointers = maps.Clone(body.reads), maps.Clone(body.writes), maps.Clone(body.uses),
		maps.Clone(body.pointers)
	maps.Copy(e.Whole, body.whole)
	maps.Copy(e.Writes, e.Whole)
	u.prog.follow(body, started, e)
	for _, list := range [][]*Decl{u.Types, u.Consts, u.Funcs} {
		for _, d := range list {
			if d.Cell != u.Cell {
				continue
			}
			for _, n := range append([]string{d.Name}, d.Names...) {
				e.Writes[n], e.Whole[n] = true, true
				delete(e.Reads, n)
			}
		}
	}
	e.Held = u.held(own)
	return e
}

// held is Effects.Held of the unit's statements.
func (u *Unit) held(own map[types.Object]string) map[string]Effects {
	t := &tracer{info: u.prog.Info, own: own}
	out := map[string]Effects{}
	give := func(to, value ast.Expr) {
		id := t.root(to)
		if id == nil || !holds(u.prog.Info, value) {
			return
		}
		name, ok := t.variable(t.object(id))
		if !ok {
			return
		}
		s := u.prog.summarise(&ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: value}}}, nil, own, value)
		// The cell's own variables belong to another cell, as the calling cell sees it.
		e := Effects{Reads: maps.Clone(s.uses), Writes: s.writes, Uses: s.uses, Pointers: s.pointers,
			Whole: map[string]bool{}}
		u.prog.follow(s, nil, e)
		if before, twice := out[name]; twice {
			e.Add(before)
		}
		out[name] = e
	}
	ast.Inspect(&ast.BlockStmt{List: u.Body}, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for k, x := range n.Lhs {
				give(x, n.Rhs[min(k, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for k, id := range n.Names {
				if len(n.Values) > 0 {
					give(id, n.Values[min(k, len(n.Values)-1)])
				}
			}
		}
		return true
	})
	return out
}

// holds reports whether a value is a function, or is written with one in it.
func holds(info *types.Info, value ast.Expr) (yes bool) {
	if t := info.TypeOf(value); t != nil {
		_, yes = t.Underlying().(*types.Signature)
	}
	ast.Inspect(value, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit)
		yes = yes || literal
		return !yes
	})
	return yes
}

// Add adds the effects of code that runs as a part of the same cell.
func (e Effects) Add(part Effects) {
	for n := range part.Reads {
		if !e.Whole[n] {
			e.Reads[n] = true
		}
	}
	maps.Copy(e.Writes, part.Writes)
	maps.Copy(e.Uses, part.Uses)
	maps.Copy(e.Pointers, part.Pointers)
}

// follow adds what the functions do that may run, by way of each other too.
func (p *Scope) follow(body *summary, started []*Decl, e Effects) {
	seen := map[string]bool{}
	var kinds []string // types and constants met
	var visit func(s *summary, runs bool)
	enter := func(d *Decl, runs bool) {
		f := p.summaryOf(d)
		for n := range f.reads {
			if e.Uses[n] = runs || e.Uses[n]; !e.Whole[n] {
				e.Reads[n] = true
			}
		}
		if runs {
			maps.Copy(e.Writes, f.writes)
			maps.Copy(e.Pointers, f.pointers)
		}
		visit(f, runs)
	}
	visit = func(s *summary, runs bool) {
		for _, a := range s.passes {
			if runs && a.name != "" && p.changes(a.callee, a.arg, map[pass]bool{}) {
				e.Writes[a.name] = true
			}
		}
		for name := range s.names {
			e.Reads[name] = true
			d := p.find(name)
			if d == nil || seen[name] {
				continue
			}
			if _, ok := d.Node.(*ast.FuncDecl); !ok {
				kinds = append(kinds, name)
				continue
			}
			seen[name] = true
			enter(d, runs)
		}
	}
	visit(body, true)
	for _, d := range started {
		enter(d, true)
	}
	// A value of a type may be given to something that calls its methods, such as String: they count as read.
	for len(kinds) > 0 {
		name := kinds[0]
		if kinds = kinds[1:]; seen[name] {
			continue
		}
		seen[name] = true
		for n := range p.find(name).Uses {
			e.Reads[n] = true
			if d := p.find(n); d != nil {
				if _, ok := d.Node.(*ast.GenDecl); ok {
					kinds = append(kinds, n)
				}
			}
		}
		for key, d := range p.Decls {
			if base, _, ok := strings.Cut(key, "."); ok && base == name && !seen[key] {
				seen[key], e.Reads[key] = true, true
				enter(d, false)
			}
		}
	}
}

// changes reports whether a function changes what its parameter k points to.
func (p *Scope) changes(name string, k int, seen map[pass]bool) bool {
	d := p.Decls[name]
	at := pass{callee: name, arg: k}
	if d == nil || seen[at] {
		return false
	}
	seen[at] = true
	if _, ok := d.Node.(*ast.FuncDecl); !ok {
		return false
	}
	s := p.summaryOf(d)
	if s.through[k] {
		return true
	}
	for _, a := range s.passes {
		if a.name == "" && a.param == k && p.changes(a.callee, a.arg, seen) {
			return true
		}
	}
	return false
}

// summaryOf returns the summary of a live function or method.
func (p *Scope) summaryOf(d *Decl) *summary {
	if d.sum == nil {
		f := d.Node.(*ast.FuncDecl)
		params := map[types.Object]int{}
		n := 0
		lists := []*ast.FieldList{f.Type.Params}
		if f.Recv != nil {
			lists = []*ast.FieldList{f.Recv, f.Type.Params}
		}
		for _, list := range lists {
			for _, field := range list.List {
				for _, id := range field.Names {
					if o := p.Info.Defs[id]; o != nil {
						params[o] = n
					}
					n++
				}
				if len(field.Names) == 0 {
					n++
				}
			}
		}
		d.sum = p.summarise(f.Body, params, nil, nil)
	}
	return d.sum
}

// tracer collects a summary.
type tracer struct {
	*summary
	info   *types.Info
	fset   *token.FileSet
	params map[types.Object]int
	own    map[types.Object]string
	silent map[*ast.Ident]bool    // not read where they stand
	effect map[*ast.CallExpr]bool // calls that are made for what they do
	seen   map[types.Type]bool    // types that were met
}

// summarise looks at statements. Own are the variables of the session that they define; value is an expression whose
// value is shown.
func (p *Scope) summarise(body *ast.BlockStmt, params map[types.Object]int, own map[types.Object]string,
	value ast.Expr) *summary {
	t := &tracer{
		summary: &summary{
			reads: map[string]bool{}, writes: map[string]bool{}, whole: map[string]bool{}, uses: map[string]bool{},
			pointers: map[string]bool{},
			names:    map[string]bool{}, through: map[int]bool{},
		},
		info: p.Info, fset: p.Fset, params: params, own: own, silent: map[*ast.Ident]bool{},
		effect: map[*ast.CallExpr]bool{},
		seen:   map[types.Type]bool{},
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok == token.DEFINE {
					t.defines(x)
				} else {
					t.assigns(x, n.Tok == token.ASSIGN)
				}
			}
		case *ast.IncDecStmt:
			t.assigns(n.X, false)
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if x != nil && n.Tok == token.ASSIGN {
					t.assigns(x, true)
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				t.silent[id] = true
			}
		case *ast.SendStmt:
			t.assigns(n.Chan, false)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				t.points(n.X)
			}
		case *ast.ExprStmt:
			if n.X != value || t.reports(n.X) {
				t.forEffect(n.X)
			}
		case *ast.GoStmt:
			t.forEffect(n.Call)
		case *ast.DeferStmt:
			t.forEffect(n.Call)
		case *ast.CallExpr:
			t.calls(n)
		case *ast.Ident:
			t.name(n)
		}
		return true
	})
	return t.summary
}

// variable is the name of a variable of the session.
func (t *tracer) variable(o types.Object) (string, bool) {
	if name, ok := t.own[o]; ok {
		return name, true
	}
	v, ok := o.(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Parent().Parent() != types.Universe || v.Pkg() == nil ||
		v.Pkg().Path() != "main" {
		return "", false
	}
	return v.Name(), true
}

func (t *tracer) object(id *ast.Ident) types.Object {
	if o := t.info.Uses[id]; o != nil {
		return o
	}
	return t.info.Defs[id]
}

// root is the variable to which an expression leads; nil if there is none.
func (t *tracer) root(x ast.Expr) *ast.Ident {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.TypeAssertExpr:
			x = y.X
		case *ast.CallExpr: // a conversion
			if !t.info.Types[y.Fun].IsType() || len(y.Args) != 1 {
				return nil
			}
			x = y.Args[0]
		case *ast.UnaryExpr:
			if y.Op != token.AND {
				return nil
			}
			x = y.X
		case *ast.SelectorExpr:
			if s := t.info.Selections[y]; s == nil || s.Kind() != types.FieldVal {
				return nil
			}
			x = y.X
		case *ast.Ident:
			return y
		default:
			return nil
		}
	}
}

func (t *tracer) defines(x ast.Expr) {
	if id, ok := x.(*ast.Ident); ok {
		t.silent[id] = true
		// Where := only assigns to a variable that is there.
		if name, ok := t.variable(t.info.Uses[id]); ok {
			t.writes[name], t.whole[name] = true, true
		}
	}
}

// assigns notes an assignment to x, of a whole value or of what depends on the one before.
func (t *tracer) assigns(x ast.Expr, whole bool) {
	id := t.root(x)
	if id == nil {
		return
	}
	o := t.object(id)
	_, plain := ast.Unparen(x).(*ast.Ident)
	if name, ok := t.variable(o); ok {
		t.writes[name] = true
		if plain && whole {
			t.silent[id] = true
			if !t.reads[name] {
				t.whole[name] = true
			}
		}
	}
	if k, ok := t.params[o]; ok && !plain && refers(o.Type()) {
		t.through[k] = true
	}
}

// points notes that the address of x is taken.
func (t *tracer) points(x ast.Expr) {
	id := t.root(x)
	if id == nil {
		return
	}
	o := t.object(id)
	if name, ok := t.variable(o); ok {
		t.writes[name], t.pointers[name] = true, true
		if _, plain := ast.Unparen(x).(*ast.Ident); plain {
			t.silent[id] = true
			if _, own := t.own[o]; !own {
				t.reads[name] = true
			}
		}
	}
	if k, ok := t.params[o]; ok && refers(o.Type()) {
		t.through[k] = true
	}
}

// refers reports whether copies of a value of this type share what the value holds.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan:
		return true
	}
	return false
}

// reports reports whether the results of x tell only how it went: an error, and how many.
func (t *tracer) reports(x ast.Expr) bool {
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		if g, ok := Guarded(t.fset, c); ok {
			x = g.X
		}
	}
	switch r := t.info.TypeOf(x).(type) {
	case nil:
		return false
	case *types.Tuple:
		return r.Len() == 2 && types.Identical(r.At(0).Type(), types.Typ[types.Int]) &&
			types.Identical(r.At(1).Type(), errorType)
	default:
		return types.Identical(r, errorType)
	}
}

// forEffect notes a call whose results nobody takes.
func (t *tracer) forEffect(x ast.Expr) {
	if c, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		if g, ok := Guarded(t.fset, c); ok {
			c, ok = ast.Unparen(g.X).(*ast.CallExpr)
			if !ok {
				return
			}
		}
		t.effect[c] = true
	}
}

// inPlace are packages whose functions, called for what they do, change their arguments.
var inPlace = map[string]bool{"sort": true, "slices": true, "container/heap": true}

func (t *tracer) calls(c *ast.CallExpr) {
	fun := ast.Unparen(c.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var callee types.Object
	var args []ast.Expr
	switch f := fun.(type) {
	case *ast.Ident:
		callee = t.info.Uses[f]
	case *ast.SelectorExpr:
		callee = t.info.Uses[f.Sel]
		if s := t.info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
			args = append(args, f.X)
		}
	}
	args = append(args, c.Args...)
	switch f := callee.(type) {
	case *types.Builtin:
		switch f.Name() {
		case "delete", "clear", "copy", "close":
			if len(c.Args) > 0 {
				t.assigns(c.Args[0], false)
			}
		}
	case *types.Func:
		if f.Pkg() != nil && f.Pkg().Path() == "main" {
			for k, x := range args {
				t.passed(declName(f), k, x)
			}
			return
		}
		if !t.effect[c] || f.Pkg() == nil {
			return
		}
		if recv := f.Signature().Recv(); recv != nil {
			if _, ok := types.Unalias(recv.Type()).(*types.Pointer); ok {
				t.assigns(args[0], false)
			}
		} else if inPlace[f.Pkg().Path()] {
			for _, x := range args {
				if id := t.root(x); id != nil && refers(t.object(id).Type()) {
					t.assigns(x, false)
				}
			}
		}
	}
}

// passed notes the argument k of a call of a function of the cells.
func (t *tracer) passed(callee string, k int, x ast.Expr) {
	id := t.root(x)
	if id == nil {
		return
	}
	o := t.object(id)
	if name, ok := t.variable(o); ok {
		t.passes = append(t.passes, pass{callee: callee, arg: k, name: name})
	} else if n, ok := t.params[o]; ok {
		t.passes = append(t.passes, pass{callee: callee, arg: k, param: n})
	}
}

// declName is the name that a function or method of the cells has among declarations.
func declName(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		if n := namedOf(recv.Type()); n != nil {
			return n.Obj().Name() + "." + f.Name()
		}
	}
	return f.Name()
}

// name notes what a name stands for.
func (t *tracer) name(id *ast.Ident) {
	o := t.object(id)
	if o == nil {
		return
	}
	if name, ok := t.variable(o); ok {
		if !t.silent[id] {
			t.uses[name] = true
			if _, own := t.own[o]; !own {
				t.reads[name] = true
			}
		}
		mention(o.Type(), t.names, t.seen)
		return
	}
	if o.Type() != nil {
		mention(o.Type(), t.names, t.seen)
	}
	if o.Pkg() == nil || o.Pkg().Path() != "main" {
		return
	}
	switch o := o.(type) {
	case *types.Func:
		t.names[declName(o)] = true
	case *types.TypeName, *types.Const:
		if s := o.Parent(); s != nil && s.Parent() == types.Universe {
			t.names[o.Name()] = true
		}
	}
}
