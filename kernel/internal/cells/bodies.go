package cells

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// variables finds what the top level of the cell defines.
func (c *checker) variables() {
	u := c.unit
	u.Vars = nil
	def := func(k int, id *ast.Ident) {
		v, ok := c.Info.Defs[id].(*types.Var)
		if !ok || id.Name == "_" {
			return
		}
		cv := &CellVar{Name: id.Name, Def: v, Stmt: k}
		if old := c.Vars[id.Name]; old != nil && types.Identical(u.migrate(old.Obj.Type()), v.Type()) {
			cv.Old = old
		}
		cv.Obj = types.NewVar(token.NoPos, c.pkg, id.Name, v.Type())
		u.Vars = append(u.Vars, cv)
	}
	for k, s := range c.file.body {
		for {
			if l, ok := s.(*ast.LabeledStmt); ok {
				s = l.Stmt
				continue
			}
			break
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, x := range s.Lhs {
					if id, ok := x.(*ast.Ident); ok {
						def(k, id)
					}
				}
			}
		case *ast.DeclStmt:
			if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						def(k, id)
					}
				}
			}
		}
	}
	changed := map[string]bool{}
	for _, v := range u.Vars {
		if v.Old == nil && c.Vars[v.Name] != nil {
			changed[v.Name] = true
		}
	}
	for name, d := range c.dependents(changed) {
		if c.set[name] == nil && !c.dropped[name] && d.Func != nil {
			c.set[name] = d.copy()
		}
	}
}

// checkBodies checks the bodies of functions and methods, the latter as functions of their receiver, with the
// variables of the cell in scope.
func (c *checker) checkBodies() {
	f := c.newFile()
	ids := map[*Decl]*ast.Ident{}
	for _, d := range c.sorted() {
		fd, ok := d.Node.(*ast.FuncDecl)
		if !ok {
			continue
		}
		g := &ast.FuncDecl{Name: &ast.Ident{Name: c.funcName(d, fd), NamePos: fd.Name.NamePos}, Type: fd.Type,
			Body: fd.Body}
		if fd.Recv != nil {
			g.Name.Name = strings.ReplaceAll(d.Name, ".", "__")
			g.Type = c.methodType(d, fd)
		}
		ids[d] = g.Name
		f.Decls = append(f.Decls, g)
	}
	if len(ids) == 0 {
		c.errs = nil
		return
	}
	extra := map[string]types.Object{}
	for name, v := range c.Vars {
		extra[name] = c.unit.migrated(name, v)
	}
	for _, name := range c.pkg.Scope().Names() {
		switch o := c.pkg.Scope().Lookup(name).(type) {
		case *types.TypeName, *types.Const:
			if o.Pkg() == c.pkg {
				extra[name] = o
			}
		}
	}
	for _, v := range c.unit.Vars {
		extra[v.Name] = v.Obj
	}
	c.check(f, extra)
	for d, id := range ids {
		o, ok := c.Info.Defs[id].(*types.Func)
		if !ok {
			continue
		}
		d.Sig = o.Signature()
		if fd := d.Node.(*ast.FuncDecl); fd.Recv == nil {
			d.Also = o
		}
	}
}

// nameBlanks gives the blank type parameters of a receiver names.
func nameBlanks(t ast.Expr) ast.Expr {
	name := func(x ast.Expr) ast.Expr {
		if id, ok := x.(*ast.Ident); ok && id.Name == "_" {
			return &ast.Ident{Name: fmt.Sprintf("blank__%d", id.Pos()), NamePos: id.NamePos}
		}
		return x
	}
	switch x := t.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{Lparen: x.Lparen, X: nameBlanks(x.X), Rparen: x.Rparen}
	case *ast.StarExpr:
		return &ast.StarExpr{Star: x.Star, X: nameBlanks(x.X)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: x.X, Lbrack: x.Lbrack, Index: name(x.Index), Rbrack: x.Rbrack}
	case *ast.IndexListExpr:
		list := slices.Clone(x.Indices)
		for k := range list {
			list[k] = name(list[k])
		}
		return &ast.IndexListExpr{X: x.X, Lbrack: x.Lbrack, Indices: list, Rbrack: x.Rbrack}
	}
	return t
}

// methodType is the type of a method as a function: its receiver first, the receiver's type parameters its own.
func (c *checker) methodType(d *Decl, fd *ast.FuncDecl) *ast.FuncType {
	recv := fd.Recv.List[0]
	of := nameBlanks(recv.Type)
	names := recv.Names
	if len(names) == 0 {
		names = []*ast.Ident{{Name: "_", NamePos: recv.Pos()}}
	}
	params := &ast.FieldList{Opening: fd.Type.Params.Opening, Closing: fd.Type.Params.Closing}
	params.List = append(params.List, &ast.Field{Names: names, Type: of})
	for _, p := range fd.Type.Params.List {
		if len(p.Names) == 0 {
			p = &ast.Field{Names: []*ast.Ident{{Name: "_", NamePos: p.Pos()}}, Type: p.Type}
		}
		params.List = append(params.List, p)
	}
	ft := &ast.FuncType{Func: fd.Type.Func, Params: params, Results: fd.Type.Results}
	own := receiverParams(of)
	base, _, _ := strings.Cut(d.Name, ".")
	t := c.set[base]
	if t == nil {
		t = c.Decls[base]
	}
	if len(own) == 0 || t == nil || t.Type == nil && t.Node == nil {
		return ft
	}
	spec := t.Node.(*ast.GenDecl).Specs[0].(*ast.TypeSpec)
	if spec.TypeParams == nil {
		return ft
	}
	rename := map[string]string{}
	k := 0
	ft.TypeParams = &ast.FieldList{}
	for _, field := range spec.TypeParams.List {
		for _, id := range field.Names {
			if k < len(own) {
				rename[id.Name] = own[k].Name
			}
			k++
		}
	}
	k = 0
	for _, field := range spec.TypeParams.List {
		for range field.Names {
			if k < len(own) {
				name := own[k].Name
				ft.TypeParams.List = append(ft.TypeParams.List,
					&ast.Field{Names: []*ast.Ident{{Name: name, NamePos: own[k].NamePos}},
						Type: renamed(field.Type, rename)})
			}
			k++
		}
	}
	return ft
}

// renamed is a copy of a constraint with type parameters renamed.
func renamed(x ast.Expr, names map[string]string) ast.Expr {
	same := true
	for a, b := range names {
		same = same && a == b
	}
	if same {
		return x
	}
	y, err := parser.ParseExpr(types.ExprString(x))
	if err != nil {
		return x
	}
	ast.Inspect(y, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			id.NamePos = x.Pos()
			if to, ok := names[id.Name]; ok {
				id.Name = to
			}
		}
		return true
	})
	return y
}

// finish fills in the unit.
func (c *checker) finish() {
	u := c.unit
	u.Body = c.file.body
	for _, d := range c.sorted() {
		if d.Uses == nil || c.set[d.Name] == d {
			d.Uses, d.sum = c.uses(d), nil
		}
		switch n := d.Node.(type) {
		case *ast.FuncDecl:
			if o := c.objs[key(d)]; o != nil {
				d.Func = o
			} else if d.Func == nil { // a method whose type is as it was
				if old := c.Decls[d.Name]; old != nil {
					d.Func = old.Func
				}
			}
			u.Funcs = append(u.Funcs, d)
			if n.Recv == nil && c.mine[d.Name] {
				switch n.Name.Name {
				case "init":
					u.Inits = append(u.Inits, d)
				case "main":
					u.Main = d
				}
			}
		case *ast.GenDecl:
			if n.Tok == token.TYPE {
				u.Types = append(u.Types, d)
				continue
			}
			d.Consts = nil
			for _, name := range d.Names {
				if k, ok := c.pkg.Scope().Lookup(name).(*types.Const); ok {
					d.Consts = append(d.Consts, k)
				}
			}
			u.Consts = append(u.Consts, d)
		}
	}
	if u.Main == nil { // main unchanged since it was last run
		for _, d := range c.own {
			if d.Name == "main" {
				u.Main = c.Decls["main"]
			}
		}
	}
	for name := range c.dropped {
		if d := c.Decls[name]; d != nil {
			d.Stale = true
		}
	}
	if n := len(u.Body); n > 0 && !c.file.quiet {
		if x, ok := u.Body[n-1].(*ast.ExprStmt); ok {
			if tv := c.Info.Types[x.X]; !tv.IsVoid() && !tv.IsNil() && !prints(c.callee(x.X)) {
				u.Value = x.X
			}
		}
	}
}

// uses collects the live names that a declaration refers to.
func (c *checker) uses(d *Decl) map[string]bool {
	m := map[string]bool{}
	seen := map[types.Type]bool{}
	ast.Inspect(d.Node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o := c.Info.Uses[id]
		if o == nil {
			o = c.Info.Defs[id]
		}
		if o == nil || o.Pkg() != nil && o.Pkg().Path() != "main" {
			return true
		}
		switch o := o.(type) {
		case *types.Func:
			if recv := o.Signature().Recv(); recv != nil {
				if n := namedOf(recv.Type()); n != nil {
					m[n.Obj().Name()+"."+o.Name()] = true
				}
			} else {
				m[o.Name()] = true
			}
		case *types.TypeName, *types.Const:
			m[o.Name()] = true
		case *types.Var:
			if s := o.Parent(); s != nil && s.Parent() == types.Universe { // object of the session
				m[o.Name()] = true
			}
		}
		if o.Type() != nil {
			mention(o.Type(), m, seen)
		}
		return true
	})
	delete(m, d.Name)
	for _, n := range d.Names {
		delete(m, n)
	}
	return m
}

func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// mention adds the cells' types that t is made of.
func mention(t types.Type, m map[string]bool, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	each := func(list *types.Tuple) {
		for v := range list.Variables() {
			mention(v.Type(), m, seen)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		mention(types.Unalias(t), m, seen)
	case *types.Named:
		if t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == "main" {
			m[t.Obj().Name()] = true
		}
		for a := range t.TypeArgs().Types() {
			mention(a, m, seen)
		}
	case *types.Pointer:
		mention(t.Elem(), m, seen)
	case *types.Slice:
		mention(t.Elem(), m, seen)
	case *types.Array:
		mention(t.Elem(), m, seen)
	case *types.Chan:
		mention(t.Elem(), m, seen)
	case *types.Map:
		mention(t.Key(), m, seen)
		mention(t.Elem(), m, seen)
	case *types.Signature:
		each(t.Params())
		each(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			mention(f.Type(), m, seen)
		}
	case *types.Interface:
		for f := range t.Methods() {
			mention(f.Type(), m, seen)
		}
	}
}
