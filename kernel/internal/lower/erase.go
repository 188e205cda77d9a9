package lower

import (
	"go/ast"
	"go/types"
)

// The interpreter cannot build a struct type that refers to itself through a function type. Such a field is lowered to
// any. Code that reads it asserts the field's own type.

// It cannot build a type of another kind either that leads back to itself without a struct in between, such as type
// State func() State. Values of these types are lowered to any. They are opened where they are called, indexed or
// ranged over.

// looped reports whether t is such a type of another kind.
func (l *Lowerer) looped(t types.Type) bool {
	n, ok := types.Unalias(l.subst(t)).(*types.Named)
	if !ok || !fromCell(n.Obj()) || types.IsInterface(n) {
		return false
	}
	switch n.Underlying().(type) {
	case *types.Struct, *types.Basic:
		return false
	}
	key := l.key(n)
	answer, known := l.loops[key]
	if !known {
		answer = l.leadsTo(n.Underlying(), key, map[string]bool{})
		l.loops[key] = answer
	}
	return answer
}

// leadsTo reports whether t contains the type named by key, without a named struct in between.
func (l *Lowerer) leadsTo(t types.Type, key string, seen map[string]bool) bool {
	next := func(t types.Type) bool { return l.leadsTo(t, key, seen) }
	switch t := types.Unalias(l.subst(t)).(type) {
	case *types.Named:
		if _, isStruct := t.Underlying().(*types.Struct); isStruct || !fromCell(t.Obj()) || types.IsInterface(t) {
			return false
		}
		own := l.key(t)
		if own == key || seen[own] {
			return own == key
		}
		seen[own] = true
		return next(t.Underlying())
	default:
		return anyPart(t, next)
	}
}

// anyPart reports whether is(part) is true for a part of t, a type without a name.
func anyPart(t types.Type, is func(types.Type) bool) bool {
	switch t := t.(type) {
	case *types.Map:
		return is(t.Key()) || is(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if is(f.Type()) {
				return true
			}
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if is(v.Type()) {
					return true
				}
			}
		}
	case interface{ Elem() types.Type }:
		return is(t.Elem())
	}
	return false
}

// whole lowers e for code that uses the parts of its type.
func (l *Lowerer) whole(e ast.Expr) ast.Expr { return l.opened(e, l.expr(e), l.typeOf(e)) }

// opened returns the lowered x of type t for code that uses the parts of t.
func (l *Lowerer) opened(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	if !l.looped(t) {
		return x
	}
	return l.restored(n, x, types.Unalias(l.subst(t)).Underlying())
}

// closed returns the lowered x of type from as a value of type target. A function that becomes any goes through the
// host, because the interpreter would keep its own form of it.
func (l *Lowerer) closed(x ast.Expr, from, target types.Type) ast.Expr {
	if _, isFunc := from.Underlying().(*types.Signature); isFunc && l.looped(target) && !l.looped(from) {
		return l.rt("Norm", x)
	}
	return x
}

// opening returns the lowered type of the result of opened.
func (l *Lowerer) opening(n ast.Node, t types.Type) ast.Expr {
	if l.looped(t) {
		t = types.Unalias(l.subst(t)).Underlying()
	}
	return l.low(n, t)
}

// erased reports whether the k-th field of the cell's struct type t is lowered to any.
func (l *Lowerer) erased(t types.Type, k int) bool {
	t = types.Unalias(l.subst(t))
	n, ok := t.(*types.Named)
	if !ok || !fromCell(n.Obj()) {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok || l.looped(s.Field(k).Type()) {
		return false
	}
	return l.throughFunc(s.Field(k).Type(), l.key(n), false, map[string]bool{}) || l.cut(n, s.Field(k))
}

// throughFunc reports whether t leads to the type named by key through a function type.
func (l *Lowerer) throughFunc(t types.Type, key string, inFunc bool, seen map[string]bool) bool {
	t = types.Unalias(l.subst(t))
	own := l.key(t)
	if inFunc && own == key {
		return true
	}
	if inFunc {
		own = "in a function " + own
	}
	if seen[own] {
		return false
	}
	seen[own] = true
	next := func(t types.Type) bool { return l.throughFunc(t, key, inFunc, seen) }
	switch t := t.(type) {
	case *types.Named:
		if !fromCell(t.Obj()) || types.IsInterface(t) {
			return false
		}
		if _, isStruct := t.Underlying().(*types.Struct); isStruct {
			return inFunc && anyPart(t.Underlying(), next) // otherwise that type is erased itself
		}
		return next(t.Underlying())
	case *types.Signature:
		return anyPart(t, func(part types.Type) bool { return l.throughFunc(part, key, true, seen) })
	default:
		return anyPart(t, next)
	}
}

// wholePart explains why a part of a struct or array in an erased field can only be assigned to.
const wholePart = "of a field whose type leads back to its struct, more than assigning to a part is not supported by " +
	"this engine; give that type a name"

// erasedPart returns the erased field, a struct or an array, that directly contains the place x, or nil if there is
// none.
func (l *Lowerer) erasedPart(x ast.Expr) ast.Expr {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		if _, isStruct := l.typeOf(x.X).Underlying().(*types.Struct); isStruct && l.isErased(x.X) {
			return x.X
		}
	case *ast.IndexExpr:
		if _, isArray := l.typeOf(x.X).Underlying().(*types.Array); isArray && l.isErased(x.X) {
			return x.X
		}
	}
	return nil
}

// isErased reports whether x reads an erased field.
func (l *Lowerer) isErased(x ast.Expr) bool {
	s, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if _, ok := l.Info.Selections[s]; !ok {
		return false
	}
	placing, early := l.placing, l.early
	l.placing, l.early = false, nil // this is not what is lowered
	defer func() { l.placing, l.early = placing, early }()
	low := l.expr(s)
	return unrestored(low) != low
}

// assignPart assigns the lowered y to x, a part of the erased field base: to a copy, which then takes the field's
// place.
func (l *Lowerer) assignPart(x, base, y ast.Expr) []ast.Stmt {
	name, whole := l.fresh("part"), l.expr(base)
	var at ast.Expr
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		at, _ = l.path(x, ident(name), l.typeOf(base), l.Info.Selections[x].Index())
	case *ast.IndexExpr:
		at = &ast.IndexExpr{X: ident(name), Index: l.expr(x.Index)}
	}
	return []ast.Stmt{block(define(name, whole), assign(unrestored(at), y), assign(unrestored(whole), ident(name)))}
}

// restored reads an erased field.
func (l *Lowerer) restored(n ast.Node, x ast.Expr, t types.Type) ast.Expr {
	key := "restore " + l.key(t)
	name, ok := l.insts[key]
	if !ok {
		name = l.fresh("restore")
		l.insts[key] = name
		p := l.fresh("x")
		low := l.low(n, t)
		l.out = append(l.out, &ast.FuncDecl{
			Name: ident(name),
			Type: &ast.FuncType{
				Params:  &ast.FieldList{List: []*ast.Field{field(p, anyType())}},
				Results: &ast.FieldList{List: []*ast.Field{field("", low)}},
			},
			Body: block(
				&ast.IfStmt{Cond: l.rt("IsNil", ident(p)),
					Body: block(&ast.ReturnStmt{Results: []ast.Expr{l.nilOf(n, t)}})},
				&ast.ReturnStmt{Results: []ast.Expr{&ast.TypeAssertExpr{X: ident(p), Type: low}}},
			),
		})
	}
	return call(ident(name), x)
}

// nilOf is the zero value of a type that a function type is part of.
func (l *Lowerer) nilOf(n ast.Node, t types.Type) ast.Expr {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return l.zero(t)
	}
	return ident("nil")
}
