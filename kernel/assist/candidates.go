package assist

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/rt"
)

// The order of what matches a word equally well.
const (
	ofThePlace = iota // fields of the literal, keys of the map
	ofTheNotebook
	imported
	ofGo
	notImported
)

// candidates returns what can stand at the marker, behind rest.
func (w *writing) candidates(rest string) []candidate {
	if w.sc == nil || len(w.sc.Path) < 2 {
		return w.names(nil, true)
	}
	id, isName := w.sc.Path[0].(*ast.Ident)
	switch p := w.sc.Path[1].(type) {
	case *ast.SelectorExpr:
		if p.Sel == id {
			return w.members(p.X)
		}
	case *ast.FuncDecl, *ast.TypeSpec, *ast.ImportSpec, *ast.LabeledStmt, *ast.BranchStmt:
		if named(p) == id {
			return nil // a new name
		}
	case *ast.ValueSpec:
		if slices.Contains(p.Names, id) {
			return nil
		}
	case *ast.Field:
		if slices.Contains(p.Names, id) {
			return nil
		}
	case *ast.CompositeLit:
		if fields := w.literal(p); isName && p.Type != id && fields != nil {
			return append(fields, w.names(nil, false)...)
		}
	case *ast.KeyValueExpr:
		if lit, ok := w.sc.Path[2].(*ast.CompositeLit); ok && p.Key == id {
			if fields := w.literal(lit); fields != nil {
				return fields
			}
		}
	case *ast.IndexExpr:
		if p.Index == id {
			return append(w.mapKeys(p.X), w.names(w.expected(), false)...)
		}
	}
	if strings.HasSuffix(rest, ".") {
		return nil // behind the point of a number
	}
	_, statement := w.sc.Path[1].(*ast.ExprStmt)
	return w.names(w.expected(), statement)
}

// named is the name that a node declares or jumps to.
func named(n ast.Node) *ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Name
	case *ast.TypeSpec:
		return n.Name
	case *ast.ImportSpec:
		return n.Name
	case *ast.LabeledStmt:
		return n.Label
	case *ast.BranchStmt:
		return n.Label
	}
	return nil
}

// members are the fields and methods of an operand, or the names of a package, imported or not.
func (w *writing) members(x ast.Expr) []candidate {
	if id, ok := x.(*ast.Ident); ok {
		p, ok := w.sc.Info.Uses[id].(*types.PkgName)
		if ok && w.importsOf()[id.Name] != "" {
			return w.exported(p.Imported().Path(), nil)
		}
		if ok || w.sc.Info.Uses[id] == nil { // one that is not imported
			var list []candidate
			for _, path := range w.packagesNamed(id.Name) {
				list = append(list, w.exported(path, w.importEdit(path))...)
			}
			return list
		}
	}
	t := w.typeOf(x)
	if t == nil {
		return nil
	}
	want := w.expected()
	var out []candidate
	seen := map[string]bool{}
	add := func(o types.Object, kind string, depth int) {
		visible := o.Exported() || o.Pkg() != nil && o.Pkg().Path() == "main"
		if visible && !seen[o.Name()] {
			seen[o.Name()] = true
			out = append(out, candidate{Match: Match{Text: o.Name(), Kind: kind, Signature: signatureOf(o)},
				depth: depth, uses: w.uses(o.Pkg(), "."+o.Name()), fits: fits(o, want)})
		}
	}
	if !w.sc.Info.Types[x].IsType() {
		fields(t, 0, map[types.Type]bool{}, func(f *types.Var, depth int) { add(f, "field", depth) })
	}
	set := types.NewMethodSet(t)
	if _, ptr := t.Underlying().(*types.Pointer); !ptr && !types.IsInterface(t) {
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for m := range set.Methods() {
		add(m.Obj(), "method", len(m.Index())-1)
	}
	return out
}

// typeOf is the type of an operand, of a call with several results the first's; nil where it is not known.
func (w *writing) typeOf(x ast.Expr) types.Type {
	t := w.sc.Info.TypeOf(x)
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return nil
		}
		t = tuple.At(0).Type()
	}
	if t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}

// fields visits the fields of a struct, promoted ones too, with the depth at which they are embedded.
func fields(t types.Type, depth int, seen map[types.Type]bool, f func(*types.Var, int)) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return
	}
	seen[t] = true
	for v := range st.Fields() {
		f(v, depth)
	}
	for v := range st.Fields() {
		if v.Embedded() {
			fields(v.Type(), depth+1, seen, f)
		}
	}
}

// exported are the names of a package, with what imports it.
func (w *writing) exported(path string, edit *Edit) []candidate {
	pkg, err := w.prog.Import(path)
	if err != nil {
		return nil
	}
	want := w.expected()
	var out []candidate
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() {
			c := candidate{Match: Match{Text: name, Kind: kindOf(o), Signature: signatureOf(o), Import: edit},
				uses: w.uses(pkg, name), fits: fits(o, want)}
			if w.word == "" && c.Kind != "function" {
				c.group++ // nothing is known of what is wanted, and most packages are there for what they do
			}
			if edit != nil {
				c.Signature = fmt.Sprintf("%s (from %q)", c.Signature, path)
			}
			out = append(out, c)
		}
	}
	return out
}

// literal are the fields that a struct literal does not set yet; nil of other literals.
func (w *writing) literal(lit *ast.CompositeLit) []candidate {
	t := w.typeOf(lit)
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	set := map[string]bool{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				set[id.Name] = true
			}
		}
	}
	out := []candidate{}
	for v := range st.Fields() {
		if !set[v.Name()] && (v.Exported() || v.Pkg().Path() == "main") {
			m := Match{Text: v.Name(), Kind: "field", Signature: cells.TypeText(v.Type()), Insert: v.Name() + ": "}
			if _, keyed := w.sc.Path[1].(*ast.KeyValueExpr); keyed ||
				strings.HasPrefix(strings.TrimLeft(w.after, " \t"), ":") {
				m.Insert = ""
			}
			out = append(out, candidate{Match: m, uses: w.uses(v.Pkg(), "."+v.Name())})
		}
	}
	return out
}

// mapKeys are the keys of a live map of texts or numbers.
func (w *writing) mapKeys(x ast.Expr) []candidate {
	var out []candidate
	for _, k := range w.keysOf(x) {
		text := fmt.Sprint(k)
		if k.Kind() == reflect.String {
			text = strconv.Quote(k.String())
		}
		out = append(out, candidate{Match: Match{Text: text, Kind: "key"}, by: fmt.Sprint(k)})
	}
	return out
}

// mostKeys of a map are proposed.
const mostKeys = 1000

// keysOf are the keys of the map that an expression of names, fields and constant keys stands for, where nothing runs
// that could change it.
func (w *writing) keysOf(x ast.Expr) (keys []reflect.Value) {
	w.Quietly(func() {
		if m, ok := w.value(x); ok && m.Kind() == reflect.Map && m.Len() <= mostKeys {
			keys = m.MapKeys()
		}
	})
	for i, k := range keys {
		if k = native(k); k.Kind() != reflect.String && !k.CanInt() && !k.CanUint() {
			return nil
		}
		keys[i] = native(k)
	}
	sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
	return keys
}

// columns are the names of the columns of a live table that has a method called around the marker, or is an argument of
// a call around it: whatever has a method Names, of the library.
func (w *writing) columns() []candidate {
	var names []string
	w.Quietly(func() {
		for _, n := range w.sc.Path[1:] {
			call, ok := n.(*ast.CallExpr)
			if !ok || names != nil {
				continue
			}
			for _, x := range append([]ast.Expr{call.Fun}, call.Args...) {
				if names = w.namesOf(x); names != nil {
					break
				}
			}
		}
	})
	var out []candidate
	for k, name := range names[:min(len(names), mostKeys)] {
		out = append(out, candidate{Match: Match{Text: strconv.Quote(name), Kind: "key"}, by: name, group: k})
	}
	return out
}

// namesOf are those of the live value that an expression is, or begins with.
func (w *writing) namesOf(x ast.Expr) []string {
	for x != nil {
		if v, ok := w.value(x); ok && v.CanInterface() {
			if named, ok := v.Interface().(interface{ Names() []string }); ok {
				return named.Names()
			}
		}
		switch e := x.(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.CallExpr:
			x = e.Fun
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
	return nil
}

// native takes a value out of its interface and box.
func native(v reflect.Value) reflect.Value {
	for v.IsValid() {
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		} else if o, ok := boxed(v); ok {
			v = reflect.ValueOf(o.V)
		} else {
			break
		}
	}
	return v
}

func boxed(v reflect.Value) (rt.Obj, bool) {
	if !v.CanInterface() {
		return rt.Obj{}, false
	}
	o, ok := v.Interface().(rt.Obj)
	return o, ok
}

// value returns what a variable, or a field or element of one, holds.
func (w *writing) value(x ast.Expr) (reflect.Value, bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return w.value(x.X)
	case *ast.Ident:
		v, live := w.prog.Vars[x.Name], w.Assistant.Program.Vars[x.Name]
		// A cell above, in a page that was loaded again, makes the variable that is there.
		if v == nil || live == nil || w.sc.Info.Uses[x] != v.Obj ||
			cells.TypeText(v.Obj.Type()) != cells.TypeText(live.Obj.Type()) {
			return reflect.Value{}, false
		}
		got, ok := w.Read(live)
		return native(reflect.ValueOf(got)), ok && got != nil
	case *ast.SelectorExpr:
		v, ok := w.value(x.X)
		for ok && v.Kind() == reflect.Pointer && !v.IsNil() {
			v = native(v.Elem())
		}
		if !ok || v.Kind() != reflect.Struct {
			return v, false
		}
		v = native(v.FieldByName(x.Sel.Name))
		return v, v.IsValid()
	case *ast.IndexExpr:
		v, ok := w.value(x.X)
		k := w.sc.Info.Types[x.Index].Value
		if !ok || k == nil {
			return v, false
		}
		switch n, err := strconv.Atoi(k.ExactString()); {
		case v.Kind() == reflect.Slice && err == nil && n >= 0 && n < v.Len():
			v = native(v.Index(n))
		case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
			text, _ := strconv.Unquote(k.ExactString())
			v = native(v.MapIndex(reflect.ValueOf(text).Convert(v.Type().Key())))
		default:
			return v, false
		}
		return v, v.IsValid()
	}
	return reflect.Value{}, false
}

// keys returns what a text being written can be: the keys of a live map's index, in a call the columns of a live table,
// and what the library says of it.
func (w *writing) keys(open, word string) []Match {
	w.check(open, strconv.Quote(cells.Marker))
	if w.sc == nil || len(w.sc.Path) < 2 {
		return nil
	}
	if p, ok := w.sc.Path[1].(*ast.IndexExpr); ok && p.Index == w.sc.Path[0] {
		return ranked(w.mapKeys(p.X), word)
	}
	if list := w.columns(); len(list) > 0 {
		return ranked(list, word)
	}
	return ranked(w.texts(), word)
}

// texts are those that the library knows for an argument of one of its functions.
func (w *writing) texts() []candidate {
	for k, n := range w.sc.Path[1:] {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		id, ok := f.X.(*ast.Ident)
		if !ok {
			continue
		}
		p, ok := w.sc.Info.Uses[id].(*types.PkgName)
		argument := slices.IndexFunc(call.Args, func(a ast.Expr) bool { return a == w.sc.Path[k] })
		if !ok || argument < 0 {
			continue
		}
		var out []candidate
		for _, text := range w.Texts(p.Imported().Path(), f.Sel.Name, argument) {
			out = append(out, candidate{Match: Match{Text: strconv.Quote(text), Kind: "key"}, by: text})
		}
		return out
	}
	return nil
}

// paths are the import paths that a part of one can become.
func (w *writing) paths(word string) []Match {
	var list []candidate
	for _, path := range w.importables() {
		c := candidate{Match: Match{Text: path, Kind: "package"}, group: strings.Count(path, "/"),
			uses: w.Uses(path, "")}
		if last := path[strings.LastIndex(path, "/")+1:]; matching(path, word) > samePrefix &&
			matching(last, word) < noMatch {
			c.by = last
		}
		list = append(list, c)
	}
	return ranked(list, word)
}

// names returns what a name may be: of this cell, of the session, and Go's own. Those of the wanted type come first;
// want is nil where any will do.
func (w *writing) names(want func(types.Object) bool, statement bool) []candidate {
	seen := map[string]bool{}
	var out []candidate
	add := func(name, kind, signature string, group int, o types.Object) {
		if !seen[name] && name != "_" && !strings.Contains(name, "__") {
			seen[name] = true
			out = append(out, candidate{Match: Match{Text: name, Kind: kind, Signature: signature}, group: group,
				uses: w.uses(nil, name), fits: fits(o, want)})
		}
	}
	if w.sc != nil {
		for _, o := range w.sc.Visible() {
			add(o.Name(), kindOf(o), signatureOf(o), ofTheNotebook, o)
		}
	}
	for name, v := range w.prog.Vars {
		add(name, "variable", cells.TypeText(v.Obj.Type()), ofTheNotebook, v.Obj)
	}
	for name, path := range w.importsOf() {
		add(name, "package", strconv.Quote(path), imported, nil)
	}
	for _, path := range w.prog.Dots {
		for _, c := range w.exported(path, nil) {
			add(c.Text, c.Kind, c.Signature, imported, nil)
		}
	}
	for _, name := range types.Universe.Names() {
		o := types.Universe.Lookup(name)
		add(name, kindOf(o), "", ofGo, o)
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		switch t {
		case token.FUNC, token.STRUCT, token.MAP, token.CHAN, token.INTERFACE, token.RANGE:
		default:
			if !statement {
				continue
			}
		}
		add(t.String(), "keyword", "", ofGo, nil)
	}
	for _, path := range w.importables() {
		name := w.prog.Packages[path].Name()
		if seen[name] || matching(name, w.word) > foldedPrefix || w.word == "" {
			continue
		}
		out = append(out, candidate{Match: Match{Text: name, Kind: "package", Signature: strconv.Quote(path),
			Import: w.importEdit(path)},
			group: notImported, uses: w.Uses(path, ""), depth: strings.Count(path, "/")})
	}
	return out
}

// uses is how often a name, or ".name" of a member, is met: in the cells of this session, and elsewhere.
func (w *writing) uses(pkg *types.Package, name string) int {
	n := 20 * w.met(strings.TrimPrefix(name, "."))
	if pkg != nil && pkg.Path() != "main" {
		n += w.Uses(pkg.Path(), name)
	}
	return n
}
