package assist

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"nacre/kernel/internal/cells"
)

// Inspect describes the name at the cursor. If there is none, it describes the function whose arguments the cursor is
// among, and if there is none either, it returns nil. At detail 0 it gives signature and documentation, at detail 1
// also the source if that is known.
func (d Draft) Inspect(code string, cursor, detail int) (found *Card) {
	defer func() { // as in Complete
		if x := recover(); x != nil {
			found = nil
		}
	}()
	d.Guard.Lock()
	defer d.Guard.Unlock()
	w := d.at(code, cursor)
	name := w.word + leading(w.code[len(w.before):], isNameRune)
	from := strings.TrimSuffix(w.before, w.word)
	if name != "" {
		w.check(from, cells.Marker)
		if x := w.describe(name, detail); x != nil {
			return x
		}
	}
	w.check(from, cells.Marker)
	if call := w.call(); call != nil {
		if x := w.describeCall(call.Fun, detail); x != nil {
			return x
		}
	}
	return nil
}

// describe describes a name at the marker.
func (w *writing) describe(name string, detail int) *Card {
	if w.sc == nil || len(w.sc.Path) < 2 {
		return w.describeName(name, detail)
	}
	switch p := w.sc.Path[1].(type) {
	case *ast.SelectorExpr:
		if p.Sel == w.sc.Path[0] {
			return w.describeSelected(p.X, name, detail)
		}
	case *ast.KeyValueExpr:
		if lit, ok := w.sc.Path[2].(*ast.CompositeLit); ok && p.Key == w.sc.Path[0] {
			return w.describeKey(lit, name, detail)
		}
	case *ast.CompositeLit:
		if x := w.describeKey(p, name, detail); x != nil {
			return x
		}
	}
	return w.describeName(name, detail)
}

// describeKey describes a field in a literal.
func (w *writing) describeKey(lit *ast.CompositeLit, name string, detail int) *Card {
	if t := w.typeOf(lit); t != nil && w.literal(lit) != nil {
		if o, _, _ := types.LookupFieldOrMethod(t, true, mainPackage(t), name); o != nil {
			return w.describeMember(o, detail)
		}
	}
	return nil
}

// describeCall describes the function that is called.
func (w *writing) describeCall(f ast.Expr, detail int) *Card {
	switch f := ast.Unparen(f).(type) {
	case *ast.Ident:
		return w.describeName(f.Name, detail)
	case *ast.SelectorExpr:
		return w.describeSelected(f.X, f.Sel.Name, detail)
	case *ast.IndexExpr:
		return w.describeCall(f.X, detail)
	case *ast.IndexListExpr:
		return w.describeCall(f.X, detail)
	}
	return nil
}

// describeSelected describes a member of a value, or a name of a package.
func (w *writing) describeSelected(x ast.Expr, name string, detail int) *Card {
	if id, ok := x.(*ast.Ident); ok {
		paths := []string{}
		if p, ok := w.sc.Info.Uses[id].(*types.PkgName); ok {
			paths = append(paths, p.Imported().Path())
		} else if w.sc.Info.Uses[id] == nil {
			paths = w.packagesNamed(id.Name)
		}
		for _, path := range paths {
			if pkg, err := w.prog.Import(path); err == nil {
				if o := pkg.Scope().Lookup(name); o != nil && o.Exported() {
					return card(declaration(o), w.Doc(path, name), "package "+path)
				}
			}
		}
	}
	t := w.typeOf(x)
	if t == nil {
		return nil
	}
	if o, _, _ := types.LookupFieldOrMethod(t, true, mainPackage(t), name); o != nil {
		return w.describeMember(o, detail)
	}
	return nil
}

// mainPackage lets unexported members of cells' types be found.
func mainPackage(t types.Type) *types.Package {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "main" {
		return n.Obj().Pkg()
	}
	return nil
}

func (w *writing) describeMember(o types.Object, detail int) *Card {
	f, isFunc := o.(*types.Func)
	if !isFunc || f.Signature().Recv() == nil {
		doc, where := w.fieldDoc(o)
		return card(fmt.Sprintf("field %s %s", o.Name(), cells.TypeText(o.Type())), doc, where)
	}
	recv := f.Signature().Recv().Type()
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	n, ok := types.Unalias(recv).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return card(declaration(o), "", "")
	}
	if n.Obj().Pkg().Path() == "main" {
		return w.describeCell(n.Obj().Name()+"."+o.Name(), o, detail)
	}
	path := n.Obj().Pkg().Path()
	return card(declaration(o), w.Doc(path, n.Obj().Name()+"."+o.Name()), "package "+path)
}

// fieldDoc is a field's comment, and where its type is declared.
func (w *writing) fieldDoc(o types.Object) (doc, where string) {
	if o.Pkg() == nil {
		return "", ""
	}
	if path := o.Pkg().Path(); path != "main" {
		scope := o.Pkg().Scope()
		for _, name := range scope.Names() {
			if tn, ok := scope.Lookup(name).(*types.TypeName); ok && has(tn, o) {
				return w.Doc(path, name+"."+o.Name()), fmt.Sprintf("of %s.%s, package %s", o.Pkg().Name(), name, path)
			}
		}
		return "", "package " + path
	}
	for name, d := range w.prog.Decls {
		if d.Type == nil || !has(d.Type, o) {
			continue
		}
		if f := fieldNode(d.Node, o.Name()); f != nil {
			return strings.TrimSpace(f.Doc.Text() + f.Comment.Text()), fmt.Sprintf("of %s, %s", name, cellText(d.Cell))
		}
	}
	return "", ""
}

// has reports whether a type is a struct with that field.
func has(tn *types.TypeName, field types.Object) bool {
	st, ok := tn.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if types.Object(f) == field || f.Name() == field.Name() && f.Pos().IsValid() && f.Pos() == field.Pos() &&
			f.Pkg() == field.Pkg() {
			return true
		}
	}
	return false
}

// fieldNode is a field in the declaration of a struct.
func fieldNode(decl ast.Decl, name string) (found *ast.Field) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool {
			return id.Name == name
		}) {
			found = f
		}
		return found == nil
	})
	return found
}

func cellText(cell int) string {
	if cells.Own(cell) {
		return "a cell above"
	}
	return fmt.Sprintf("cell %d", cell)
}

// describeName describes a name without a dot.
func (w *writing) describeName(word string, detail int) *Card {
	if w.sc != nil {
		for _, o := range w.sc.Visible() {
			if v, ok := o.(*types.Var); ok && v.Name() == word &&
				(w.prog.Vars[word] == nil || w.prog.Vars[word].Obj != v) {
				return card("var "+word+" "+cells.TypeText(v.Type()), "", "")
			}
		}
	}
	if v, ok := w.prog.Vars[word]; ok {
		head := "var " + word + " " + cells.TypeText(v.Obj.Type())
		if !cells.Own(v.Cell) {
			if x := w.Value(word); x != "" {
				head += " = " + x
			}
		}
		return card(head, "", "variable, "+cellText(v.Cell))
	}
	for name, d := range w.prog.Decls {
		if name == word && d.Func != nil {
			return w.describeCell(word, d.Func, detail)
		}
		if name == word && d.Type != nil {
			return w.describeCell(word, d.Type, detail)
		}
		for _, c := range d.Consts {
			if c.Name() == word {
				return card(declaration(c), "", "constant, "+cellText(d.Cell))
			}
		}
	}
	path, ok := w.importsOf()[word]
	if paths := w.packagesNamed(word); !ok && types.Universe.Lookup(word) == nil && len(paths) > 0 {
		path, ok = paths[0], true
	}
	if ok {
		return card(fmt.Sprintf("package %s // import %q", word, path), w.Doc(path, ""), "")
	}
	if o := types.Universe.Lookup(word); o != nil {
		return card(declaration(o), builtinDoc[word], "built in")
	}
	return nil
}

// describeCell describes what a cell declared: its comment, and its source where detail asks for it.
func (w *writing) describeCell(name string, o types.Object, detail int) *Card {
	d := w.prog.Decls[name]
	if d == nil {
		return card(declaration(o), "", "")
	}
	text := ""
	switch n := d.Node.(type) {
	case *ast.FuncDecl:
		text = n.Doc.Text()
	case *ast.GenDecl:
		text = n.Doc.Text()
		if ts, ok := n.Specs[0].(*ast.TypeSpec); ok && text == "" {
			text = ts.Doc.Text()
		}
	}
	head := declaration(o)
	if detail > 0 {
		head = d.Text
		if _, isType := o.(*types.TypeName); isType {
			head = "type " + head
		}
	}
	return card(head, text, cellText(d.Cell))
}

// card is a description as text and as Markdown.
func card(head, doc, where string) *Card {
	text := head
	mark := "```go\n" + head + "\n```"
	if doc = strings.TrimSpace(doc); doc != "" {
		text += "\n\n" + doc
		mark += "\n\n" + doc
	}
	if where != "" {
		text += "\n\n" + where
		mark += "\n\n*" + where + "*"
	}
	return &Card{Text: text, Markdown: mark}
}
