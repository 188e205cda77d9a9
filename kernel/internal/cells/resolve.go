package cells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
)

// Occurrence is a name in a cell of a notebook.
type Occurrence struct {
	Place
	Name     string
	Thing    string // key of what it means, equal for two occurrences only if they mean one thing; see Resolved
	Declares bool   // whether the thing is declared here
	Path     bool   // whether it is an import without a name of its own; Place is then the place of the path
	Decl     *Place // where the thing is declared that is meant here; nil if no cell declares it
}

// Place is a place in a notebook: a cell, counted from 0, and an offset in its text.
type Place struct{ Cell, At int }

// Resolved holds what the names in a notebook's cells mean if the cells run in their order.
//
// A thing is what a renaming changes together. What a cell's top level declares is one thing in all cells, "n:NAME": a
// later declaration takes the place of an earlier one. A member of a type T of a cell is "m:T.NAME", a local object
// "l:CELL:OFFSET", a name of the library "p:PATH.NAME", one of the language "b:NAME". Things that must have one name
// are one thing: an embedded type and its field, the methods of an interface and of the types that implement it.
type Resolved struct {
	Cells  [][]Occurrence // in the order of the text
	Errors []Errors       // of each cell
	Parses []bool

	scope  *Scope
	texts  []*Text
	member map[Place]string // things of members, by the place of their declaration
	decls  map[string]span  // latest declarations
	last   map[string]Place // latest declarations of things
	same   map[string]string
}

// span is the text of a declaration.
type span struct{ cell, from, to int }

// Resolve finds the meaning of all names in cells, which need not have run. The scope must have no declarations.
func (p *Scope) Resolve(sources []string) *Resolved {
	r := &Resolved{scope: p, member: map[Place]string{}, decls: map[string]span{}, last: map[string]Place{},
		same: map[string]string{}}
	for k, src := range sources {
		r.texts = append(r.texts, newText(p.Fset, src))
		r.Cells, r.Errors, r.Parses = append(r.Cells, nil), append(r.Errors, nil), append(r.Parses, false)
		r.cell(k, src)
	}
	r.implement()
	r.settle()
	return r
}

// At returns the name at an offset of a cell, or that ends there.
func (r *Resolved) At(cell, at int) (Occurrence, bool) {
	for _, o := range r.Cells[cell] {
		if !o.Path && o.At <= at && at <= o.At+len(o.Name) {
			return o, true
		}
	}
	return Occurrence{}, false
}

// Of returns all occurrences of a thing, in the notebook's order.
func (r *Resolved) Of(thing string) (list []Occurrence) {
	for _, cell := range r.Cells {
		for _, o := range cell {
			if o.Thing == thing {
				list = append(list, o)
			}
		}
	}
	return list
}

// Types returns the types that cells declare, by name. Of a type that is declared again it returns the last.
func (r *Resolved) Types() (list []*types.Named) {
	for _, name := range slices.Sorted(maps.Keys(r.scope.Decls)) {
		if t := r.scope.Decls[name].Type; t != nil {
			if n, ok := t.Type().(*types.Named); ok {
				list = append(list, n)
			}
		}
	}
	return list
}

// Thing returns what a member of a type of a cell is; "" for others.
func (r *Resolved) Thing(member types.Object) string {
	at, ok := r.place(origin(member).Pos())
	if !ok {
		return ""
	}
	return r.root(r.member[at])
}

// Imported returns the paths of the packages that cells import.
func (r *Resolved) Imported() []string {
	return slices.Concat(slices.Sorted(maps.Values(r.scope.Imports)), r.scope.Dots)
}

// cell resolves one cell and adds what it declares to the scope.
func (r *Resolved) cell(k int, src string) {
	defer func() { // go/types is not made for every torso
		if x := recover(); x != nil {
			r.Errors[k] = Errors{{Msg: fmt.Sprint(x)}}
		}
	}()
	c, err := r.scope.checker(context.Background(), k+1, src)
	if c != nil {
		r.Parses[k] = true
		err = errors.Join(err, c.run())
		r.collect(k, c)
	}
	if err == nil {
		c.unit.Commit()
		c.unit.CommitVars(math.MaxInt)
		return
	}
	errors.As(err, &r.Errors[k])
	d := Draft{Scope: r.scope, cells: k + 1 - firstDraft}
	d.guess(src)
}

// place is where a position is, if it is in a cell.
func (r *Resolved) place(pos token.Pos) (Place, bool) {
	if !pos.IsValid() {
		return Place{}, false
	}
	p := r.scope.Fset.Position(pos)
	var cell int
	if n, _ := fmt.Sscanf(p.Filename, "cell %d", &cell); n == 0 || cell < 1 || cell > len(r.texts) {
		return Place{}, false
	}
	return Place{cell - 1, r.texts[cell-1].offset(pos)}, true
}

// collector finds the names of one cell.
type collector struct {
	*Resolved
	*checker
	cell    int
	tops    map[types.Object]bool  // variables of the cell's top level, as its statements see them
	units   map[types.Object]Place // the same, as its functions see them
	ignored map[*ast.Ident]bool    // names of which nothing can be known
	chosen  map[*ast.Ident]bool    // variables of type switches
	found   map[int]Occurrence     // by offset
	unseen  map[ast.Decl]bool      // declarations that are as they were, which were not checked again
}

func (r *Resolved) collect(k int, c *checker) {
	x := &collector{Resolved: r, checker: c, cell: k, tops: map[types.Object]bool{}, units: map[types.Object]Place{},
		ignored: map[*ast.Ident]bool{}, chosen: map[*ast.Ident]bool{}, found: map[int]Occurrence{},
		unseen: map[ast.Decl]bool{}}
	for _, s := range c.file.body {
		for _, id := range defined(unlabeled(s)) {
			if v, ok := c.Info.Defs[id].(*types.Var); ok {
				x.tops[v] = true
			}
		}
	}
	for _, v := range c.unit.Vars {
		if at, ok := r.place(v.Def.Pos()); ok {
			x.units[v.Obj] = at
		}
	}
	for _, s := range c.file.imports {
		x.importSpec(s)
	}
	for _, d := range c.own {
		x.declared(d)
	}
	for _, d := range c.own {
		if before, ok := r.decls[d.Name]; ok && x.unseen[d.Node] {
			x.again(d.Node, before)
		} else {
			x.names(d.Node)
		}
	}
	for _, d := range c.own {
		from, to := c.unit.Text.offset(d.Node.Pos()), c.unit.Text.offset(d.Node.End())
		r.decls[d.Name] = span{k, from, to}
	}
	for _, s := range c.file.body {
		x.names(s)
	}
	r.Cells[k] = slices.SortedFunc(maps.Values(x.found), func(a, b Occurrence) int { return cmp.Compare(a.At, b.At) })
	for _, o := range r.Cells[k] {
		if o.Declares {
			r.last[o.Thing] = o.Place
		}
	}
}

func unlabeled(s ast.Stmt) ast.Stmt {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s
		}
		s = l.Stmt
	}
}

// importSpec notes the name under which the cell imports a package.
func (x *collector) importSpec(s *ast.ImportSpec) {
	if s.Name != nil {
		if s.Name.Name != "_" && s.Name.Name != "." {
			x.note(s.Name, "n:"+s.Name.Name, true)
		}
		return
	}
	if pkg, err := x.checker.Import(unquoted(s.Path)); err == nil {
		if at, ok := x.place(s.Path.Pos()); ok {
			x.found[at.At] = Occurrence{Place: at, Name: pkg.Name(), Thing: "n:" + pkg.Name(), Declares: true,
				Path: true}
			x.last["n:"+pkg.Name()] = at
		}
	}
}

// declared notes a declaration of the cell, before the names in it are resolved.
func (x *collector) declared(d *Decl) {
	x.unseen[d.Node] = x.set[d.Name] != d
	switch n := d.Node.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil {
			x.note(n.Name, "n:"+n.Name.Name, true)
			return
		}
		if at, ok := x.place(n.Name.Pos()); ok {
			x.member[at] = "m:" + d.Name
			x.note(n.Name, "m:"+d.Name, true)
		}
	case *ast.GenDecl:
		if ts, ok := n.Specs[0].(*ast.TypeSpec); ok {
			x.members(ts.Name.Name, ts.Type)
		}
	}
}

// members notes the fields and methods that a type has by its declaration.
func (x *collector) members(of string, t ast.Expr) {
	ast.Inspect(t, func(n ast.Node) bool {
		var list *ast.FieldList
		switch n := n.(type) {
		case *ast.FuncType, *ast.FuncLit:
			return false
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list = n.Methods
		default:
			return true
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				if at, ok := x.place(id.Pos()); ok {
					x.member[at] = "m:" + of + "." + id.Name
				}
				x.members(of+"."+id.Name, f.Type)
			}
		}
		return false
	})
}

// names notes the names in a part of the cell.
func (x *collector) names(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x.ignored[n.Sel] = x.Info.Uses[n.Sel] == nil
		case *ast.CompositeLit:
			x.keys(n)
		case *ast.TypeSwitchStmt:
			if a, ok := n.Assign.(*ast.AssignStmt); ok {
				if id, ok := a.Lhs[0].(*ast.Ident); ok {
					x.chosen[id] = true
				}
			}
		case *ast.BranchStmt:
			if n.Label != nil {
				x.ignored[n.Label] = x.Info.Uses[n.Label] == nil
			}
		case *ast.FuncDecl:
			x.ignored[n.Name] = true // noted before
		case *ast.Ident:
			x.name(n)
		}
		return true
	})
}

// keys leaves out the keys of a literal that are no names in the cell: those that the checker has put in, and those of
// which the type is not known.
func (x *collector) keys(lit *ast.CompositeLit) {
	tv, known := x.Info.Types[lit]
	known = known && tv.Type != nil && tv.Type != types.Typ[types.Invalid]
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && (!known || kv.Colon == kv.Value.Pos()) {
				x.ignored[id] = true
			}
		}
	}
}

// name notes one name.
func (x *collector) name(id *ast.Ident) {
	if id.Name == "_" || x.ignored[id] {
		return
	}
	def, defined := x.Info.Defs[id]
	use := x.Info.Uses[id]
	switch {
	case x.chosen[id]:
		if at, ok := x.place(id.Pos()); ok {
			x.note(id, local(at), true)
		}
	case def != nil && use != nil: // an embedded field
		x.join(x.thing(def), x.thing(use))
		x.use(id, use)
	case def != nil:
		x.note(id, x.thing(def), true)
	case use != nil:
		x.use(id, use)
	case !defined:
		x.note(id, "n:"+id.Name, false)
	}
}

// use notes a name that means an object.
func (x *collector) use(id *ast.Ident, o types.Object) {
	x.note(id, x.thing(o), false)
	at, ok := x.place(id.Pos())
	noted, there := x.found[at.At]
	if !ok || !there {
		return
	}
	if decl, ok := x.units[o]; ok {
		noted.Decl = &decl
	} else if decl, ok := x.place(origin(o).Pos()); ok {
		noted.Decl = &decl
	} else if decl, ok := x.last[noted.Thing]; ok {
		noted.Decl = &decl
	}
	x.found[at.At] = noted
}

// note keeps an occurrence, if the name stands in the text: the checker has names of its own.
func (x *collector) note(id *ast.Ident, thing string, declares bool) {
	at, ok := x.place(id.Pos())
	text := x.texts[x.cell].text
	if !ok || at.Cell != x.cell || thing == "" || at.At+len(id.Name) > len(text) ||
		text[at.At:at.At+len(id.Name)] != id.Name {
		return
	}
	if was, ok := x.found[at.At]; ok && was.Declares {
		return
	}
	o := Occurrence{Place: at, Name: id.Name, Thing: thing, Declares: declares}
	if declares {
		o.Decl = &at
	}
	x.found[at.At] = o
}

func local(at Place) string { return fmt.Sprintf("l:%d:%d", at.Cell, at.At) }

// origin is an object as it is declared, that of an instance of a generic type.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return o
}

// thing is what an object is.
func (x *collector) thing(o types.Object) string {
	o = origin(o)
	if _, ok := o.(*types.PkgName); ok {
		return "n:" + o.Name()
	}
	if types.Universe.Lookup(o.Name()) == o {
		return "b:" + o.Name()
	}
	isMember := false
	switch o := o.(type) {
	case *types.Var:
		isMember = o.IsField()
	case *types.Func:
		isMember = o.Signature().Recv() != nil
	}
	at, ok := x.place(o.Pos())
	switch pkg := o.Pkg(); {
	case pkg == nil && isMember: // of the type error
		return "b:" + o.Name()
	case pkg != nil && pkg.Path() != "main":
		return "p:" + pkg.Path() + "." + o.Name()
	case isMember && ok && x.member[at] != "":
		return x.member[at]
	case isMember && ok:
		return local(at)
	case isMember:
		return ""
	}
	outer := o.Parent() == nil || o.Parent().Parent() == types.Universe
	if _, label := o.(*types.Label); !label && (outer || x.tops[o]) {
		return "n:" + o.Name()
	}
	if ok {
		return local(at)
	}
	return ""
}

// again notes the names of a declaration that is as it was in another cell.
func (x *collector) again(n ast.Node, before span) {
	from := x.unit.Text.offset(n.Pos())
	for _, o := range x.Cells[before.cell] {
		if o.At < before.from || o.At >= before.to {
			continue
		}
		inside := func(at Place) Place {
			if at.Cell == before.cell && at.At >= before.from && at.At < before.to {
				return Place{x.cell, at.At - before.from + from}
			}
			return at
		}
		was := o.Place
		o.Place = inside(o.Place)
		if o.Thing == local(was) || o.Decl != nil && o.Thing == local(*o.Decl) {
			o.Thing = local(inside(*o.Decl))
		}
		if o.Decl != nil {
			decl := inside(*o.Decl)
			o.Decl = &decl
		}
		x.found[o.At] = o
	}
}

// join makes two things one.
func (r *Resolved) join(a, b string) {
	if a, b = r.root(a), r.root(b); a != b && a != "" && b != "" {
		if a[0] == 'p' || a[0] == 'b' { // what is not the notebook's stays so
			a, b = b, a
		}
		r.same[a] = b
	}
}

func (r *Resolved) root(thing string) string {
	for r.same[thing] != "" {
		thing = r.same[thing]
	}
	return thing
}

// implement makes one thing of the methods of interfaces and of the types that implement them.
func (r *Resolved) implement() {
	all := slices.DeleteFunc(r.Types(), func(t *types.Named) bool { return t.TypeParams().Len() > 0 })
	for _, i := range all {
		asked, ok := i.Underlying().(*types.Interface)
		if !ok || asked.NumMethods() == 0 {
			continue
		}
		for _, t := range all {
			if t != i && (types.Implements(t, asked) || types.Implements(types.NewPointer(t), asked)) {
				for m := range asked.Methods() {
					r.joinMethods(m, t)
				}
			}
		}
	}
}

func (r *Resolved) joinMethods(m *types.Func, t types.Type) {
	own, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
	if own == nil {
		return
	}
	r.join(r.Thing(m), r.Thing(own))
}

// settle gives all occurrences the names of their things, and those that no cell above declares a declaration below.
func (r *Resolved) settle() {
	first := map[string]Place{}
	for _, cell := range r.Cells {
		for k := range cell {
			cell[k].Thing = r.root(cell[k].Thing)
			if _, ok := first[cell[k].Thing]; !ok && cell[k].Declares {
				first[cell[k].Thing] = cell[k].Place
			}
		}
	}
	for _, cell := range r.Cells {
		for k, o := range cell {
			if at, ok := first[o.Thing]; ok && o.Decl == nil {
				cell[k].Decl = &at
			}
		}
	}
}

func unquoted(path *ast.BasicLit) string { return path.Value[1 : len(path.Value)-1] }
