package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The interpreter builds a struct type that leads back to itself. Of several types that lead to each other, it builds
// correctly only those that all lead back to one type through pointers, and only if it begins with that type. So
// recursive struct types are declared in the order that it needs. If there is no such order, fields that lead to
// another of these types are erased.

// link is a path from a field to a struct type of a cell, by value or through a pointer, slice, map or channel.
type link struct {
	to      *types.Named
	byValue bool
	inside  bool // whether it leads through a struct type without a name
}

// links returns the paths from t, a field's type, to struct types.
func (l *Lowerer) links(t types.Type) []link {
	var list []link
	seen := map[types.Type]bool{}
	var walk func(t types.Type, byValue, inside bool)
	walk = func(t types.Type, byValue, inside bool) {
		t = types.Unalias(l.subst(t))
		if n, ok := t.(*types.Named); ok {
			if _, isStruct := n.Underlying().(*types.Struct); isStruct && fromCell(n.Obj()) {
				list = append(list, link{n, byValue, inside})
			}
			if _, isStruct := n.Underlying().(*types.Struct); isStruct || !fromCell(n.Obj()) || seen[n] || l.looped(n) {
				return
			}
			seen[n] = true
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				walk(f.Type(), byValue, true)
			}
		case *types.Array:
			walk(u.Elem(), byValue, inside)
		case *types.Map:
			walk(u.Key(), false, inside)
			walk(u.Elem(), false, inside)
		case *types.Signature, *types.Interface:
		case interface{ Elem() types.Type }:
			walk(u.Elem(), false, inside)
		}
	}
	walk(t, true, false)
	return list
}

// knot is a group of struct types that lead to each other.
type knot struct {
	keys []string
	tied bool // whether some do not lead through the first type
}

// knot returns the group of t, or nil if t does not lead back to itself.
func (l *Lowerer) knot(t *types.Named) *knot {
	key := l.key(t)
	if k, ok := l.knots[key]; ok {
		return k
	}
	next, holds := map[string][]string{}, map[string][]string{}
	var order []string
	var visit func(n *types.Named)
	visit = func(n *types.Named) {
		key := l.key(n)
		if _, ok := next[key]; ok {
			return
		}
		next[key] = []string{}
		order = append(order, key)
		u := n.Underlying().(*types.Struct)
		for f := range u.Fields() {
			if l.throughFunc(f.Type(), key, false, map[string]bool{}) {
				continue
			}
			for _, link := range l.links(f.Type()) {
				next[key] = append(next[key], l.key(link.to))
				if link.byValue {
					holds[key] = append(holds[key], l.key(link.to))
				}
				visit(link.to)
			}
		}
	}
	visit(t)
	// leads reports whether a path goes from one type to another without passing a third.
	leads := func(from, to, around string) bool {
		seen := map[string]bool{around: true}
		var search func(at string) bool
		search = func(at string) bool {
			for _, n := range next[at] {
				if n == to && n != around {
					return true
				}
				if !seen[n] {
					seen[n] = true
					if search(n) {
						return true
					}
				}
			}
			return false
		}
		return search(from)
	}
	k := &knot{tied: true}
	for _, other := range order {
		if leads(key, other, "") && leads(other, key, "") {
			k.keys = append(k.keys, other)
		}
	}
	if len(k.keys) == 0 {
		l.knots[key] = nil
		return nil
	}
	for j, first := range k.keys {
		if !slices.ContainsFunc(k.keys, func(other string) bool {
			return leads(other, other, first) || slices.Contains(holds[other], first)
		}) {
			k.keys[0], k.keys[j] = first, k.keys[0]
			k.tied = false
			break
		}
	}
	for _, key := range k.keys {
		l.knots[key] = k
	}
	return k
}

// cut reports whether the field f of the struct type n must be erased, because it leads to another type of a tied knot,
// or back through a struct type without a name.
func (l *Lowerer) cut(n *types.Named, f *types.Var) bool {
	k := l.knot(n)
	if k == nil {
		return false
	}
	own := l.key(n)
	return slices.ContainsFunc(l.links(f.Type()), func(x link) bool {
		key := l.key(x.to)
		return !x.byValue && slices.Contains(k.keys, key) && (x.inside || k.tied && key != own)
	})
}

// tell declares a variable of the recursive struct type t, so that the interpreter builds the type. In a knot whose
// types all lead back to first, it waits until all are declared.
func (l *Lowerer) tell(t *types.Named) {
	k := l.knot(t)
	if k == nil {
		return
	}
	keys := k.keys
	if k.tied {
		keys = []string{l.key(t)}
	}
	for _, key := range keys {
		if l.structs[key] == "" {
			return
		}
	}
	for _, key := range keys {
		if l.told[l.structs[key]] {
			continue
		}
		l.told[l.structs[key]] = true
		name := l.fresh("knot")
		spec := &ast.ValueSpec{Names: []*ast.Ident{ident(name)}, Type: &ast.StarExpr{X: ident(l.structs[key])}}
		l.out = append(l.out, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}})
		if k.tied {
			l.regs = append(l.regs, &ast.ExprStmt{X: l.rt("Lowered", intLit(l.runtimeType(t).ID), ident(name))})
		}
	}
}

// comparable refuses values of type t as operands of == and as keys of maps if they contain erased fields: a field that
// was set to nil differs from one that was never set.
func (l *Lowerer) comparable(n ast.Node, t types.Type) {
	for _, x := range l.links(t) {
		if !x.byValue {
			continue
		}
		for f := range x.to.Underlying().(*types.Struct).Fields() {
			if l.cut(x.to, f) {
				l.refuse(n, "comparing values of %s, which lead back to their type by way of another, is not "+
					"supported by this engine; compare fields of theirs", l.name(x.to))
			}
			l.comparable(n, f.Type())
		}
	}
}
