package ixgo

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// Each cell has an interpreter of its own, which makes compiled types of the named types it meets. For a type to be the
// same one in all cells, the first interpreter's is kept and given to the others, with all its methods: later cells and
// native code may call those that this cell does not.

// identity are the types that a cell's code meets first.
type identity struct {
	*build
	seen  typeutil.Map
	funcs map[*ssa.Function]bool
	names *types.Package
	list  []*types.Named
}

// identify finds the types that a cell brings and has all their methods compiled.
func (b *build) identify(sp *ssa.Package, info *types.Info) (*identity, error) {
	d := &identity{build: b, funcs: map[*ssa.Function]bool{}, names: types.NewPackage("types__", "types__")}
	for _, tv := range info.Types {
		d.collect(tv.Type)
	}
	for _, o := range info.Defs {
		if o != nil {
			d.collect(o.Type())
		}
	}
	for _, m := range sp.Members {
		if f, ok := m.(*ssa.Function); ok {
			d.function(f)
		}
	}
	for k := 0; k < len(d.list); k++ { // methods bring more
		d.methods(sp.Prog, d.list[k], d.function)
	}
	return d, d.compile(sp.Prog)
}

// methods calls f for the methods of a type and of the pointer to it.
func (d *identity) methods(prog *ssa.Program, n *types.Named, f func(*ssa.Function)) {
	if types.IsInterface(n) {
		return
	}
	for _, t := range []types.Type{n, types.NewPointer(n)} {
		set := prog.MethodSets.MethodSet(t)
		for i := range set.Len() {
			if m := prog.MethodValue(set.At(i)); m != nil {
				f(m)
			}
		}
	}
}

// room makes sure that the interpreter has places for the methods of the types: it would end the process otherwise.
func (d *identity) room(prog *ssa.Program) error {
	need := 0
	for _, n := range d.list {
		d.methods(prog, n, func(*ssa.Function) { need++ })
	}
	const others = 64 // of structs without a name that embed what has methods
	if all, used, free := ixgo.IcallStat(); need > 0 && need+others > free {
		return fmt.Errorf("the types of this cell have %d methods, and of the interpreter's %d places for methods %d are used by the types of earlier cells: restart the kernel", need, all, used)
	}
	return nil
}

func typeName(k int) string { return "t" + strconv.Itoa(k) }

// collect notes the concrete types of cells that t is made of.
func (d *identity) collect(t types.Type) {
	eachNamed(t, &d.seen, func(n *types.Named) {
		if _, ok := d.load.LookupReflect(n); ok {
			return
		}
		d.add(n)
		d.list = append(d.list, n)
	})
}

// add gives a type the next name.
func (d *identity) add(t types.Type) {
	tn := types.NewTypeName(token.NoPos, d.names, typeName(d.names.Scope().Len()), nil)
	types.NewAlias(tn, t)
	d.names.Scope().Insert(tn)
}

// function looks at the code of the cell and of the instances it makes of generic functions.
func (d *identity) function(f *ssa.Function) {
	if d.funcs[f] {
		return
	}
	d.funcs[f] = true
	if f.TypeParams().Len() > len(f.TypeArgs()) {
		return
	}
	var ops []*ssa.Value
	for _, block := range f.Blocks {
		for _, in := range block.Instrs {
			if v, ok := in.(ssa.Value); ok {
				d.value(v)
			}
			if a, ok := in.(*ssa.TypeAssert); ok {
				d.collect(a.AssertedType)
			}
			for _, op := range in.Operands(ops[:0]) {
				if *op == nil {
					continue
				}
				d.value(*op)
				if g, ok := (*op).(*ssa.Function); ok && (len(g.TypeArgs()) > 0 || g.Parent() != nil || g.Synthetic != "") {
					d.function(g)
				}
			}
		}
	}
}

func (d *identity) value(v ssa.Value) {
	switch v.(type) {
	case *ssa.Range, *ssa.Next, *ssa.Builtin:
		return
	}
	d.collect(v.Type())
}

// compile builds a function that converts the types to interfaces: the interpreter compiles the methods of such types.
func (d *identity) compile(prog *ssa.Program) error {
	if len(d.list) == 0 {
		return nil
	}
	pkg := types.NewPackage("types__", "types__")
	var list []ast.Stmt
	for k, n := range d.list {
		tn := types.NewTypeName(token.NoPos, pkg, typeName(k), nil)
		types.NewAlias(tn, n)
		pkg.Scope().Insert(tn)
		zero := &ast.CallExpr{Fun: ast.NewIdent("new"), Args: []ast.Expr{ast.NewIdent(typeName(k))}}
		if types.IsInterface(n) {
			continue
		}
		list = append(list, &ast.ExprStmt{X: d.rw.host(token.NoPos, "Show", &ast.StarExpr{X: zero}, zero)})
	}
	r := d.rewriter(nil, nil)
	f := &ast.File{Name: ast.NewIdent("types__")}
	r.imports(f)
	f.Decls = append(f.Decls, &ast.FuncDecl{Name: ast.NewIdent("methods"), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: list}})
	info := newInfo()
	if err := types.NewChecker(config(d.interpreter), d.ctx.FileSet, pkg, info).Files([]*ast.File{f}); err != nil {
		return fmt.Errorf("the types of this cell: %w", err)
	}
	p := prog.CreatePackage(pkg, []*ast.File{f}, info, false)
	p.Build()
	p.Func("init").Blocks = nil
	return nil
}

// keep notes the compiled types, and makes sure that the variables of earlier cells are of the types that this
// interpreter takes them for.
func (d *identity) keep(ip *ixgo.Interp, sp *ssa.Package, info *types.Info) error {
	var vars []*types.Var
	var values []reflect.Value
	for _, o := range info.Uses {
		v, ok := o.(*types.Var)
		if !ok {
			continue
		}
		if p, ok := d.load.cells.Vars[v.Name()]; ok && v.Parent() != nil && v.Parent().Parent() == types.Universe {
			d.add(v.Type())
			vars, values = append(vars, v), append(values, p)
		}
	}
	p := ssa.NewProgram(d.ctx.FileSet, 0).CreatePackage(d.names, nil, nil, false)
	compiled := func(k int) (reflect.Type, bool) {
		name := "types__." + typeName(k)
		sp.Members[name] = p.Members[typeName(k)]
		defer delete(sp.Members, name)
		return ip.GetType(name)
	}
	for k, n := range d.list {
		if rt, ok := compiled(k); ok {
			d.load.keep(n, rt)
		}
	}
	for k, v := range vars {
		if rt, ok := compiled(len(d.list) + k); ok && rt != values[k].Type().Elem() {
			return fmt.Errorf("the interpreter takes the variable %s for another type than it is of: define it again", v.Name())
		}
	}
	return nil
}

// eachNamed calls f for the concrete types of cells that t is made of.
func eachNamed(t types.Type, seen *typeutil.Map, f func(*types.Named)) {
	if t == nil {
		return
	}
	if t = types.Unalias(t); seen.At(t) != nil {
		return
	}
	seen.Set(t, true)
	each := func(t types.Type) { eachNamed(t, seen, f) }
	switch t := t.(type) {
	case *types.Named:
		if o := t.Obj(); o.Pkg() == nil || o.Pkg().Path() != "main" && t.TypeArgs().Len() == 0 {
			return
		}
		if t.TypeParams().Len() > t.TypeArgs().Len() || parametric(t) {
			return
		}
		f(t)
		each(t.Underlying())
	case *types.Pointer:
		each(t.Elem())
	case *types.Slice:
		each(t.Elem())
	case *types.Array:
		each(t.Elem())
	case *types.Chan:
		each(t.Elem())
	case *types.Map:
		each(t.Key())
		each(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			each(v.Type())
		}
	case *types.Tuple:
		for v := range t.Variables() {
			each(v.Type())
		}
	case *types.Signature:
		if t.TypeParams().Len() == 0 {
			each(t.Params())
			each(t.Results())
		}
	}
}

// parametric says whether a type has type parameters left in it.
func parametric(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if parametric(a) {
				return true
			}
		}
	case *types.Pointer:
		return parametric(t.Elem())
	case *types.Slice:
		return parametric(t.Elem())
	case *types.Array:
		return parametric(t.Elem())
	case *types.Chan:
		return parametric(t.Elem())
	case *types.Map:
		return parametric(t.Key()) || parametric(t.Elem())
	case *types.Signature:
		return parametric(t.Params()) || parametric(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if parametric(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if parametric(v.Type()) {
				return true
			}
		}
	}
	return false
}
