package assist

import (
	"go/ast"
	"go/token"
	"go/types"
)

// expected says of an object whether the place of the marker asks for its type, or for what it returns; nil where any
// will do.
func (w *writing) expected() func(types.Object) bool {
	if w.sc == nil || len(w.sc.Path) < 2 {
		return nil
	}
	at := 1
	if p, ok := w.sc.Path[1].(*ast.SelectorExpr); ok && p.Sel == w.sc.Path[0] {
		at = 2
	}
	if len(w.sc.Path) <= at {
		return nil
	}
	x, _ := w.sc.Path[at-1].(ast.Expr)
	if w.wantsType(w.sc.Path[at], x) {
		return func(o types.Object) bool { _, ok := o.(*types.TypeName); return ok }
	}
	t := w.wanted(at, x)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	if i, ok := t.Underlying().(*types.Interface); ok && i.Empty() {
		return nil
	}
	return func(o types.Object) bool {
		if _, isType := o.(*types.TypeName); isType || o.Type() == nil || o.Type() == types.Typ[types.Invalid] {
			return false
		}
		if types.AssignableTo(o.Type(), t) {
			return true
		}
		sig, ok := o.Type().Underlying().(*types.Signature)
		return ok && sig.Results().Len() > 0 && sig.TypeParams().Len() == 0 &&
			types.AssignableTo(sig.Results().At(0).Type(), t)
	}
}

func fits(o types.Object, want func(types.Object) bool) bool {
	return want != nil && o != nil && want(o)
}

// wantsType reports whether x stands where the node n has a type.
func (w *writing) wantsType(n ast.Node, x ast.Expr) bool {
	switch n := n.(type) {
	case *ast.Field:
		return n.Type == x
	case *ast.ValueSpec:
		return n.Type == x
	case *ast.TypeSpec:
		return n.Type == x
	case *ast.ArrayType:
		return n.Elt == x
	case *ast.MapType:
		return n.Key == x || n.Value == x
	case *ast.ChanType:
		return n.Value == x
	case *ast.Ellipsis:
		return n.Elt == x
	case *ast.TypeAssertExpr:
		return n.Type == x
	case *ast.CompositeLit:
		return n.Type == x
	}
	return false
}

// wanted is the type that the node at an index of the path asks of x, which stands in it; nil where it asks for none.
func (w *writing) wanted(at int, x ast.Expr) types.Type {
	info := w.sc.Info
	switch n := w.sc.Path[at].(type) {
	case *ast.CallExpr:
		sig, ok := under(info.TypeOf(n.Fun)).(*types.Signature)
		if !ok {
			return nil
		}
		for k, a := range n.Args {
			if a == x {
				return parameter(sig, k)
			}
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || len(n.Lhs) != len(n.Rhs) {
			return nil
		}
		for k, r := range n.Rhs {
			if r == x {
				return info.TypeOf(n.Lhs[k])
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			return info.TypeOf(n.Type)
		}
	case *ast.BinaryExpr:
		if n.Y == x && n.Op != token.SHL && n.Op != token.SHR {
			return info.TypeOf(n.X)
		}
	case *ast.KeyValueExpr:
		lit, ok := w.sc.Path[at+1].(*ast.CompositeLit)
		if !ok || n.Value != x {
			return nil
		}
		switch t := under(info.TypeOf(lit)).(type) {
		case *types.Struct:
			for f := range t.Fields() {
				if id, ok := n.Key.(*ast.Ident); ok && id.Name == f.Name() {
					return f.Type()
				}
			}
		case *types.Map:
			return t.Elem()
		}
	case *ast.CompositeLit:
		switch t := under(info.TypeOf(n)).(type) {
		case *types.Slice:
			return t.Elem()
		case *types.Array:
			return t.Elem()
		}
	case *ast.IndexExpr:
		switch t := under(info.TypeOf(n.X)).(type) {
		case *types.Map:
			return t.Key()
		case *types.Slice, *types.Array:
			return types.Typ[types.Int]
		}
	case *ast.ReturnStmt:
		for _, outer := range w.sc.Path[at:] {
			var sig *types.Signature
			switch f := outer.(type) {
			case *ast.FuncLit:
				sig, _ = info.TypeOf(f).(*types.Signature)
			case *ast.FuncDecl:
				if o := info.Defs[f.Name]; o != nil {
					sig, _ = o.Type().(*types.Signature)
				}
			default:
				continue
			}
			for k, r := range n.Results {
				if sig != nil && r == x && k < sig.Results().Len() {
					return sig.Results().At(k).Type()
				}
			}
			return nil
		}
	}
	return nil
}

// under is the type below names and one pointer; nil of nil.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem().Underlying()
	}
	return t.Underlying()
}

// parameter is the type that an argument must have, by its index; nil if there is none.
func parameter(sig *types.Signature, k int) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && k >= n-1 {
		if s, ok := sig.Params().At(n - 1).Type().(*types.Slice); ok {
			return s.Elem()
		}
		return nil
	}
	if k >= n {
		return nil
	}
	return sig.Params().At(k).Type()
}
