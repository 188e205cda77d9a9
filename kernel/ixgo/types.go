package ixgo

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"nacre/kernel/internal/engine"
)

// typeExpr writes a type that cells were checked with in the file being built. What does not depend on types that the
// file declares gets an alias, since it may be a type that the file has no name for.
func (b *build) typeExpr(t types.Type) ast.Expr {
	if out, ok := b.translate(t); ok {
		tn := types.NewTypeName(token.NoPos, nil, "type__"+strconv.Itoa(len(b.aliases)), nil)
		types.NewAlias(tn, out)
		b.aliases = append(b.aliases, tn)
		return ast.NewIdent(tn.Name())
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name, ok := b.fresh[t.Origin().Obj()]
		x := ast.Expr(ast.NewIdent(name))
		if !ok { // a generic type of elsewhere with a fresh argument
			x = b.origin(t)
		}
		if t.TypeArgs().Len() == 0 {
			return x
		}
		list := &ast.IndexListExpr{X: x}
		for a := range t.TypeArgs().Types() {
			list.Indices = append(list.Indices, b.typeExpr(a))
		}
		return list
	case *types.Pointer:
		return &ast.StarExpr{X: b.typeExpr(t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Elt: b.typeExpr(t.Elem())}
	case *types.Array:
		return &ast.ArrayType{Len: &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(t.Len(), 10)}, Elt: b.typeExpr(t.Elem())}
	case *types.Map:
		return &ast.MapType{Key: b.typeExpr(t.Key()), Value: b.typeExpr(t.Elem())}
	case *types.Chan:
		dir := ast.SEND | ast.RECV
		switch t.Dir() {
		case types.SendOnly:
			dir = ast.SEND
		case types.RecvOnly:
			dir = ast.RECV
		}
		return &ast.ChanType{Dir: dir, Value: b.typeExpr(t.Elem())}
	case *types.Signature:
		f := &ast.FuncType{Params: b.fields(t.Params()), Results: b.fields(t.Results())}
		if t.Variadic() {
			last := f.Params.List[len(f.Params.List)-1]
			last.Type = &ast.Ellipsis{Elt: b.typeExpr(t.Params().At(t.Params().Len() - 1).Type().(*types.Slice).Elem())}
		}
		return f
	case *types.Struct:
		s := &ast.StructType{Fields: &ast.FieldList{}}
		for k := range t.NumFields() {
			v := t.Field(k)
			f := &ast.Field{Type: b.typeExpr(v.Type())}
			if !v.Embedded() {
				f.Names = []*ast.Ident{ast.NewIdent(v.Name())}
			}
			if t.Tag(k) != "" {
				f.Tag = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(t.Tag(k))}
			}
			s.Fields.List = append(s.Fields.List, f)
		}
		return s
	}
	panic(&engine.Refused{Text: fmt.Sprintf("a variable of type %v is not supported by this engine; declare the type", t)})
}

// origin names a generic type that the file does not declare.
func (b *build) origin(t *types.Named) ast.Expr {
	o := t.Origin().Obj()
	if b.objects[o] != nil {
		return ast.NewIdent(o.Name())
	}
	if b.generic(o.Pkg().Path(), o.Name()) {
		return b.rw.source(token.NoPos, o)
	}
	named, _ := b.unit.Imports()
	for name, path := range named {
		if o.Pkg() != nil && o.Pkg().Path() == path {
			return &ast.SelectorExpr{X: ast.NewIdent(name), Sel: ast.NewIdent(o.Name())}
		}
	}
	panic(&engine.Refused{Text: fmt.Sprintf("a variable of type %v is not supported by this engine", t)})
}

func (b *build) fields(t *types.Tuple) *ast.FieldList {
	list := &ast.FieldList{}
	for v := range t.Variables() {
		list.List = append(list.List, &ast.Field{Type: b.typeExpr(v.Type())})
	}
	return list
}

// translate replaces the cells' types in t by those of the engine. It fails where t has one that is being declared.
func (b *build) translate(t types.Type) (types.Type, bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t, true
	case *types.Named:
		return b.named(t)
	case *types.Pointer:
		e, ok := b.translate(t.Elem())
		return types.NewPointer(e), ok
	case *types.Slice:
		e, ok := b.translate(t.Elem())
		return types.NewSlice(e), ok
	case *types.Array:
		e, ok := b.translate(t.Elem())
		return types.NewArray(e, t.Len()), ok
	case *types.Map:
		k, ok1 := b.translate(t.Key())
		e, ok2 := b.translate(t.Elem())
		return types.NewMap(k, e), ok1 && ok2
	case *types.Chan:
		e, ok := b.translate(t.Elem())
		return types.NewChan(t.Dir(), e), ok
	case *types.Signature:
		return b.signature(t)
	case *types.Struct:
		var fs []*types.Var
		var tags []string
		all := true
		for k := range t.NumFields() {
			f := t.Field(k)
			x, ok := b.translate(f.Type())
			all = all && ok
			fs = append(fs, types.NewField(f.Pos(), f.Pkg(), f.Name(), x, f.Embedded()))
			tags = append(tags, t.Tag(k))
		}
		return types.NewStruct(fs, tags), all
	case *types.Interface:
		var ms []*types.Func
		all := true
		for m := range t.Methods() {
			s, ok := b.signature(m.Signature())
			all = all && ok
			ms = append(ms, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), s))
		}
		return types.NewInterfaceType(ms, nil).Complete(), all
	}
	return nil, false
}

func (b *build) named(t *types.Named) (types.Type, bool) {
	o := t.Origin().Obj()
	base := types.Type(t.Origin())
	if o.Pkg() != nil && o.Pkg().Path() == "main" {
		if b.fresh[o] != "" || b.objects[o] == nil {
			return nil, false
		}
		base = b.objects[o].Type()
	} else if o.Pkg() != nil && t.TypeArgs().Len() > 0 && t.Origin().NumMethods() > 0 && b.generic(o.Pkg().Path(), o.Name()) {
		base = b.sources[preludePrefix+o.Pkg().Path()].Scope().Lookup(o.Name()).Type()
	}
	if t.TypeArgs().Len() == 0 {
		return base, true
	}
	var args []types.Type
	for a := range t.TypeArgs().Types() {
		x, ok := b.translate(a)
		if !ok {
			return nil, false
		}
		args = append(args, x)
	}
	n, err := types.Instantiate(nil, base, args, false)
	return n, err == nil
}

func (b *build) signature(t *types.Signature) (*types.Signature, bool) {
	all := true
	tuple := func(t *types.Tuple) *types.Tuple {
		var vs []*types.Var
		for v := range t.Variables() {
			x, ok := b.translate(v.Type())
			all = all && ok
			vs = append(vs, types.NewVar(v.Pos(), v.Pkg(), v.Name(), x))
		}
		return types.NewTuple(vs...)
	}
	params, results := tuple(t.Params()), tuple(t.Results())
	if !all {
		return nil, false
	}
	return types.NewSignatureType(nil, nil, nil, params, results, t.Variadic()), true
}
