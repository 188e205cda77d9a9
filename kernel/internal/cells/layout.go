package cells

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// layouts compares redeclared types with their old declarations. If both have the same layout, a value of the old type
// is also a value of the new type. So a new method does not make existing variables unusable.
func (c *checker) layouts() {
	u := c.unit
	u.moved = map[*types.TypeName]*types.TypeName{}
	u.Keys = map[*types.TypeName]string{}
	u.kept = map[string]*Var{}
	now, old := map[string]*types.TypeName{}, map[string]*types.TypeName{}
	for name, d := range c.set {
		if g, ok := d.Node.(*ast.GenDecl); !ok || g.Tok != token.TYPE {
			continue
		}
		tn, ok := c.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		now[name] = tn
		if live := c.Decls[name]; live != nil && live.Type != nil {
			old[name] = live.Type
		}
	}
	differs := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, tn := range now {
			was := old[name]
			if was == nil || differs[name] {
				continue
			}
			d := layout(tn) != layout(was)
			m := map[string]bool{}
			mention(tn.Type().Underlying(), m, map[types.Type]bool{})
			for other := range m {
				d = d || differs[other]
			}
			if d {
				differs[name], changed = true, true
			}
		}
	}
	for name, tn := range now {
		n := c.Scope.layouts[name]
		switch {
		case differs[name]:
			n++
		case old[name] != nil:
			u.moved[old[name]] = tn
		}
		u.Keys[tn] = ""
		if n > 0 {
			u.Keys[tn] = fmt.Sprintf("#%d", n)
		}
	}
}

func layout(t *types.TypeName) string {
	s := types.TypeString(t.Type().Underlying(), func(p *types.Package) string { return p.Path() })
	if n, ok := t.Type().(*types.Named); ok {
		var ps []string
		for k := range n.TypeParams().Len() {
			p := n.TypeParams().At(k)
			ps = append(ps, p.Obj().Name()+" "+p.Constraint().String())
		}
		s = "[" + strings.Join(ps, ",") + "]" + s
	}
	if t.IsAlias() {
		s = "=" + types.TypeString(types.Unalias(t.Type()), func(p *types.Package) string { return p.Path() })
	}
	return s
}

// migrate replaces types that were redeclared with the same layout by their new objects.
func (u *Unit) migrate(t types.Type) types.Type {
	if len(u.moved) == 0 {
		return t
	}
	m := map[string]bool{}
	mention(t, m, map[types.Type]bool{})
	for old := range u.moved {
		if m[old.Name()] {
			return u.replace(t)
		}
	}
	return t
}

func (u *Unit) replace(t types.Type) types.Type {
	r := u.replace
	switch t := t.(type) {
	case *types.Alias:
		return r(types.Unalias(t))
	case *types.Named:
		origin := t.Origin().Obj()
		to := u.moved[origin]
		if t.TypeArgs().Len() == 0 {
			if to != nil {
				return to.Type()
			}
			return t
		}
		var args []types.Type
		for a := range t.TypeArgs().Types() {
			args = append(args, r(a))
		}
		base := types.Type(t.Origin())
		if to != nil {
			base = to.Type()
		}
		n, err := types.Instantiate(nil, base, args, false)
		if err != nil {
			return t
		}
		return n
	case *types.Pointer:
		return types.NewPointer(r(t.Elem()))
	case *types.Slice:
		return types.NewSlice(r(t.Elem()))
	case *types.Array:
		return types.NewArray(r(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), r(t.Elem()))
	case *types.Map:
		return types.NewMap(r(t.Key()), r(t.Elem()))
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, u.tuple(t.Params()), u.tuple(t.Results()), t.Variadic())
	case *types.Struct:
		var fs []*types.Var
		var tags []string
		for k := range t.NumFields() {
			f := t.Field(k)
			fs = append(fs, types.NewField(f.Pos(), f.Pkg(), f.Name(), r(f.Type()), f.Embedded()))
			tags = append(tags, t.Tag(k))
		}
		return types.NewStruct(fs, tags)
	}
	return t
}

func (u *Unit) tuple(t *types.Tuple) *types.Tuple {
	var vs []*types.Var
	for v := range t.Variables() {
		vs = append(vs, types.NewVar(v.Pos(), v.Pkg(), v.Name(), u.replace(v.Type())))
	}
	return types.NewTuple(vs...)
}

// remember notes the new object of a variable whose type moved.
// migrated is the live variable of that name as code of the cell sees it: of its type's new object where there is one.
func (u *Unit) migrated(name string, v *Var) *types.Var {
	if k := u.kept[name]; k != nil {
		return k.Obj
	}
	t := u.migrate(v.Obj.Type())
	if t == v.Obj.Type() {
		return v.Obj
	}
	o := types.NewVar(token.NoPos, v.Obj.Pkg(), name, t)
	u.remember(name, o)
	return o
}

func (u *Unit) remember(name string, v *types.Var) { u.kept[name] = &Var{Name: name, Obj: v} }

// Moved returns the variables of earlier cells that get a new object because their type got a new object.
func (u *Unit) Moved() map[*types.Var]*types.Var {
	m := map[*types.Var]*types.Var{}
	for name, v := range u.prog.Vars {
		if u.defines(name) && u.kept[name] == nil {
			continue
		}
		if o := u.migrated(name, v); o != v.Obj {
			m[v.Obj] = o
		}
	}
	return m
}

func (u *Unit) defines(name string) bool {
	for _, v := range u.Vars {
		if v.Name == name {
			return true
		}
	}
	return false
}

// Commit makes the imports, types, constants and functions of the unit live. CommitVars does this for variables.
func (u *Unit) Commit() {
	p := u.prog
	p.Imports, p.Dots = u.imports, u.dots
	drop := func(name string) {
		delete(p.Vars, name)
		delete(p.Imports, name)
		for key, d := range p.Decls {
			for _, n := range d.Names {
				if n == name {
					delete(p.Decls, key)
				}
			}
		}
	}
	for _, d := range u.Types {
		if d.Cell == u.Cell {
			drop(d.Name)
		}
		if tn, ok := u.lookup(d.Name); ok {
			d.Type = tn
			if n, err := strconv.Atoi(strings.TrimPrefix(u.Keys[tn], "#")); err == nil {
				p.layouts[d.Name] = n
			}
		}
		d.Stale = false
		p.Decls[d.Name] = d
	}
	for _, d := range u.Consts {
		for _, n := range d.Names {
			if d.Cell == u.Cell {
				drop(n)
				delete(p.Decls, n)
			}
		}
		p.Decls[d.Name] = d
	}
	for _, d := range u.Funcs {
		if n := d.Node.(*ast.FuncDecl); n.Recv == nil && (n.Name.Name == "init" || n.Name.Name == "_") {
			continue
		}
		if d.Cell == u.Cell {
			drop(d.Name)
		}
		d.Stale = false
		p.Decls[d.Name] = d
	}
	for name, v := range u.kept {
		if old := p.Vars[name]; old != nil {
			p.Vars[name] = &Var{Name: name, Obj: v.Obj, Cell: old.Cell}
		}
	}
}

func (u *Unit) lookup(name string) (*types.TypeName, bool) {
	for tn := range u.Keys {
		if tn.Name() == name {
			return tn, true
		}
	}
	return nil, false
}

// CommitVars makes those variables live that are defined by the first top-level statements of the unit. The argument
// reached is the number of statements that were started. Variables that later statements define stay as they were.
func (u *Unit) CommitVars(reached int) {
	p := u.prog
	for _, v := range u.Vars {
		if v.Stmt >= reached {
			continue
		}
		for key, d := range p.Decls {
			if key == v.Name && d.Cell != u.Cell {
				delete(p.Decls, key)
			}
		}
		delete(p.Imports, v.Name)
		p.Vars[v.Name] = &Var{Name: v.Name, Obj: v.Obj, Cell: u.Cell}
	}
}
