package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/rt"
)

func fromCell(n *types.TypeName) bool { return n.Pkg() != nil && n.Pkg().Path() == "main" }

// subst replaces type parameters by their types in the instance being lowered.
func (l *Lowerer) subst(t types.Type) types.Type {
	if len(l.env) == 0 || t == nil {
		return t
	}
	return l.substitute(t, l.env)
}

// instanceOfLocal returns the type that a type declared inside a generic function has in the current instance, with the
// type arguments of its own. Its name has the arguments of the function first.
func (l *Lowerer) instanceOfLocal(t *types.Named, own []types.Type) types.Type {
	params := make([]*types.TypeParam, 0, len(l.env))
	for p := range l.env {
		params = append(params, p)
	}
	slices.SortFunc(params, func(a, b *types.TypeParam) int { return a.Index() - b.Index() })
	id := localInstance{obj: t.Origin().Obj()}
	var names, ownNames []string
	for _, p := range params {
		id.args += l.key(l.env[p]) + ","
		names = append(names, l.asArgument(l.env[p]))
	}
	for _, a := range own {
		id.args += ";" + l.key(a)
		ownNames = append(ownNames, l.asArgument(a))
	}
	if n, ok := l.locals[id]; ok {
		return n
	}
	name := t.Obj().Name() + "[" + strings.Join(names, ",")
	if len(own) > 0 {
		name += ";" + strings.Join(ownNames, ",")
	}
	n := types.NewNamed(types.NewTypeName(t.Obj().Pos(), t.Obj().Pkg(), name+"]", nil), nil, nil)
	l.locals[id] = n
	if k := l.number[t.Origin().Obj()]; k > 0 {
		l.number[n.Obj()] = k
	}
	n.SetUnderlying(l.subst(t.Underlying()).Underlying())
	return n
}

// localInstance identifies a type declared inside a generic function, for given type arguments.
type localInstance struct {
	obj  *types.TypeName
	args string
}

// ofGeneric reports whether t is declared inside the generic function that is being lowered.
func (l *Lowerer) ofGeneric(t *types.Named) bool {
	o := t.Origin().Obj()
	if _, known := l.keys[o]; known || !fromCell(o) || o.Parent() == nil {
		return false
	}
	for s := o.Parent(); s != nil; s = s.Parent() {
		for p := range l.env {
			if s.Lookup(p.Obj().Name()) == types.Object(p.Obj()) {
				return true
			}
		}
	}
	return false
}

func (l *Lowerer) substitute(t types.Type, env map[*types.TypeParam]types.Type) types.Type {
	sub := func(t types.Type) types.Type { return l.substitute(t, env) }
	switch t := t.(type) {
	case *types.TypeParam:
		if r, ok := env[t]; ok {
			return r
		}
	case *types.Alias:
		return sub(types.Unalias(t))
	case *types.Named:
		if t.TypeArgs().Len() == 0 && !l.ofGeneric(t) {
			return t
		}
		args := make([]types.Type, t.TypeArgs().Len())
		for k := range args {
			args[k] = sub(t.TypeArgs().At(k))
		}
		if l.ofGeneric(t) {
			return l.instanceOfLocal(t, args)
		}
		n, err := types.Instantiate(nil, t.Origin(), args, false)
		if err != nil {
			panic(err)
		}
		return n
	case *types.Pointer:
		return types.NewPointer(sub(t.Elem()))
	case *types.Slice:
		return types.NewSlice(sub(t.Elem()))
	case *types.Array:
		return types.NewArray(sub(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(sub(t.Key()), sub(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), sub(t.Elem()))
	case *types.Tuple:
		return l.substTuple(t, env)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, l.substTuple(t.Params(), env), l.substTuple(t.Results(), env),
			t.Variadic())
	case *types.Struct:
		fs := make([]*types.Var, t.NumFields())
		tags := make([]string, t.NumFields())
		for k := range fs {
			f := t.Field(k)
			fs[k] = types.NewField(f.Pos(), f.Pkg(), f.Name(), sub(f.Type()), f.Embedded())
			tags[k] = t.Tag(k)
		}
		return types.NewStruct(fs, tags)
	case *types.Interface:
		if t.NumMethods() == 0 {
			return t
		}
		var ms []*types.Func
		for m := range t.Methods() {
			ms = append(ms, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sub(m.Signature()).(*types.Signature)))
		}
		return types.NewInterfaceType(ms, nil).Complete()
	}
	return t
}

func (l *Lowerer) substTuple(t *types.Tuple, env map[*types.TypeParam]types.Type) *types.Tuple {
	vs := make([]*types.Var, t.Len())
	for k := range vs {
		v := t.At(k)
		vs[k] = types.NewVar(v.Pos(), v.Pkg(), v.Name(), l.substitute(v.Type(), env))
	}
	return types.NewTuple(vs...)
}

// typeOf returns the type of an expression in the current instance. Untyped constants get their default type.
func (l *Lowerer) typeOf(e ast.Expr) types.Type {
	t := l.Info.TypeOf(e)
	if t == nil {
		return nil
	}
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 && b.Kind() != types.UntypedNil {
		t = types.Default(t)
	}
	return l.subst(t)
}

// native reports whether native code knows the lowered type itself. Then a value of it needs no box in an interface.
func native(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return true
	case *types.Named:
		return !fromCell(t.Obj()) && t.TypeArgs().Len() == 0
	case *types.Pointer:
		return native(t.Elem())
	case *types.Slice:
		return native(t.Elem())
	case *types.Array:
		return native(t.Elem())
	case *types.Chan:
		return native(t.Elem())
	case *types.Map:
		return native(t.Key()) && native(t.Elem())
	case *types.Struct:
		for k := range t.NumFields() {
			if f := t.Field(k); !f.Exported() || f.Embedded() || !native(f.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		return t.NumMethods() == 0
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if !native(v.Type()) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// nativeInterface reports whether t is an interface with methods that native code declares. Other interfaces are
// lowered to any.
func nativeInterface(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || fromCell(n.Obj()) || n.TypeArgs().Len() > 0 {
		return false
	}
	i, ok := n.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0
}

// needsBox reports whether variables of type t are pointers in lowered code. The interpreter may replace the storage of
// a struct or array variable when it assigns, and pointers to the old storage would not notice.
func needsBox(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// low returns the lowered type.
func (l *Lowerer) low(n ast.Node, t types.Type) ast.Expr {
	switch t := types.Unalias(l.subst(t)).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			l.refuse(n, "unsafe.Pointer is not supported by this engine")
		}
		return ident(t.Name())
	case *types.Named:
		return l.lowNamed(n, t)
	case *types.Pointer:
		return &ast.StarExpr{X: l.low(n, t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Elt: l.low(n, t.Elem())}
	case *types.Array:
		return &ast.ArrayType{Len: intLit(int(t.Len())), Elt: l.low(n, t.Elem())}
	case *types.Map:
		l.comparable(n, t.Key())
		return &ast.MapType{Key: l.low(n, t.Key()), Value: l.low(n, t.Elem())}
	case *types.Chan:
		dir := map[types.ChanDir]ast.ChanDir{types.SendRecv: ast.SEND | ast.RECV, types.SendOnly: ast.SEND,
			types.RecvOnly: ast.RECV}[t.Dir()]
		value := l.low(n, t.Elem())
		if inner, ok := value.(*ast.ChanType); ok && inner.Dir == ast.RECV && dir == ast.SEND|ast.RECV {
			value = &ast.ParenExpr{X: value} // chan (<-chan T) is not chan<- chan T
		}
		return &ast.ChanType{Dir: dir, Value: value}
	case *types.Struct:
		return l.lowStruct(n, t, nil)
	case *types.Interface:
		return anyType()
	case *types.Signature:
		return l.lowSignature(n, t, nil)
	}
	l.refuse(n, "a value of type %s is not supported", t)
	return nil
}

func (l *Lowerer) lowNamed(n ast.Node, t *types.Named) ast.Expr {
	obj := t.Obj()
	if obj.Pkg() == nil {
		return ident(obj.Name()) // the type error
	}
	if t.TypeArgs().Len() > 0 && !fromCell(obj) {
		switch t.Underlying().(type) {
		case *types.Signature, *types.Slice, *types.Map:
			return l.low(n, t.Underlying())
		}
		source := l.sourceOf(n, t)
		if source == nil {
			l.refuse(n, "the generic type %s of package %s is not supported", obj.Name(), obj.Pkg().Path())
		}
		t = source
	} else if !fromCell(obj) {
		// such as json.Token: the interpreter would wrap its values
		if i, ok := t.Underlying().(*types.Interface); ok && i.Empty() {
			return anyType()
		}
		if _, ok := l.Reg.Symbol(obj.Pkg().Path(), obj.Name()); !ok {
			rt := l.Reg.NativeType(obj.Pkg().Path(), obj.Name())
			if rt == nil {
				l.refuse(n, "the type %s.%s has no symbol in this kernel", obj.Pkg().Path(), obj.Name())
			}
			name := "T_" + l.pkgName(obj.Pkg().Path()) + "_" + obj.Name()
			l.host[name] = reflect.Zero(reflect.PointerTo(rt))
			l.imports["rt"] = "rt__"
			return sel(ident("rt__"), name)
		}
		return sel(ident(l.pkg(obj.Pkg().Path())), obj.Name())
	}
	if types.IsInterface(t) {
		return anyType()
	}
	key := l.key(t)
	if s, ok := t.Underlying().(*types.Struct); ok {
		if name, ok := l.structs[key]; ok {
			return ident(name)
		}
		base, _, _ := strings.Cut(obj.Name(), "[")
		name := l.fresh(base + "_t")
		l.structs[key] = name
		spec := &ast.TypeSpec{Name: ident(name), Type: l.lowStruct(n, s, t)}
		l.out = append(l.out, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{spec}})
		l.tell(t)
		return ident(name)
	}
	if l.looped(t) {
		if _, isArray := t.Underlying().(*types.Array); isArray {
			l.refuse(n, "the recursive type %s, which is an array, is not supported; put a struct in between",
				obj.Name())
		}
		return anyType()
	}
	return l.low(n, t.Underlying())
}

// sourceOf returns the generic type of a native package from the package's source, or nil if there is none.
func (l *Lowerer) sourceOf(n ast.Node, t *types.Named) *types.Named {
	path := t.Obj().Pkg().Path()
	l.genericOf(n, path, "")
	for _, f := range l.generic[path] {
		if tn, ok := f.Obj.Pkg().Scope().Lookup(t.Obj().Name()).(*types.TypeName); ok {
			if i, err := types.Instantiate(nil, tn.Type(), l.typeArgs(t.TypeArgs()), false); err == nil {
				return i.(*types.Named)
			}
		}
		break
	}
	return nil
}

// sourceMethod returns the source of a method of a generic type of a native package, or nil if there is none.
func (l *Lowerer) sourceMethod(n ast.Node, recv types.Type, obj *types.Func) *Func {
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	t, ok := types.Unalias(recv).(*types.Named)
	if !ok || t.TypeArgs().Len() == 0 || fromCell(t.Obj()) {
		return nil
	}
	return l.genericOf(n, t.Obj().Pkg().Path(), t.Obj().Name()+"_"+obj.Name())
}

// fieldName returns the name of a field in lowered structs. There all fields are exported.
func fieldName(f *types.Var, k int) string {
	switch {
	case f.Name() == "_":
		return "U_" + strconv.Itoa(k)
	case f.Exported():
		return f.Name()
	}
	return "U_" + f.Name()
}

func (l *Lowerer) lowStruct(n ast.Node, s *types.Struct, owner types.Type) ast.Expr {
	list := &ast.FieldList{}
	for k := range s.NumFields() {
		if owner != nil && l.erased(owner, k) {
			list.List = append(list.List, field(fieldName(s.Field(k), k), anyType()))
			continue
		}
		f := field(fieldName(s.Field(k), k), l.low(n, s.Field(k).Type()))
		if s.Tag(k) != "" && native(s) {
			f.Tag = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(s.Tag(k))}
		}
		list.List = append(list.List, f)
	}
	return &ast.StructType{Fields: list}
}

// lowSignature lowers a function type. Parameters get the given names, if there are any.
func (l *Lowerer) lowSignature(n ast.Node, s *types.Signature, names []string) *ast.FuncType {
	ft := &ast.FuncType{Params: &ast.FieldList{}}
	for k := range s.Params().Len() {
		t := s.Params().At(k).Type()
		var typ ast.Expr
		if slice, ok := types.Unalias(l.subst(t)).(*types.Slice); ok && s.Variadic() && k == s.Params().Len()-1 {
			typ = &ast.Ellipsis{Elt: l.low(n, slice.Elem())}
		} else {
			typ = l.low(n, t)
		}
		name := ""
		if names != nil {
			name = names[k]
		}
		ft.Params.List = append(ft.Params.List, field(name, typ))
	}
	if s.Results().Len() > 0 {
		ft.Results = &ast.FieldList{}
		for v := range s.Results().Variables() {
			ft.Results.List = append(ft.Results.List, field("", l.low(n, v.Type())))
		}
	}
	return ft
}

// pkg returns the name under which lowered code refers to a package.
func (l *Lowerer) pkg(path string) string {
	if n, ok := l.imports[path]; ok {
		return n
	}
	n := "p_" + l.pkgName(path)
	l.imports[path] = n
	return n
}

func (l *Lowerer) pkgName(path string) string {
	return strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path)
}

// key identifies a type across cells. To the user, two types with one key are the same type.
func (l *Lowerer) key(t types.Type) string {
	var b strings.Builder
	l.spell(&b, l.subst(t), asKey)
	return b.String()
}

// name returns the type as %T prints it.
func (l *Lowerer) name(t types.Type) string {
	var b strings.Builder
	l.spell(&b, l.subst(t), shown)
	return b.String()
}

// asArgument returns the type as %T prints it among type arguments.
func (l *Lowerer) asArgument(t types.Type) string {
	var b strings.Builder
	l.spell(&b, l.subst(t), within[shown])
	return b.String()
}

// spelling is a way to write a type.
type spelling int

const (
	asKey    spelling = iota
	shown             // as %T prints it
	argument          // as %T prints it among the arguments of a generic type
)

func (l *Lowerer) spell(b *strings.Builder, t types.Type, as spelling) {
	w := func(t types.Type) { l.spell(b, t, as) }
	switch t := types.Unalias(t).(type) {
	case *types.Basic: // byte and rune get the names that %T prints
		b.WriteString(types.Typ[t.Kind()].Name())
	case *types.Named:
		obj := t.Obj()
		switch {
		case obj.Pkg() == nil:
		case as == asKey:
			b.WriteString(obj.Pkg().Path() + ".")
		default:
			b.WriteString(obj.Pkg().Name() + ".")
		}
		b.WriteString(obj.Name())
		if as == asKey && fromCell(obj) {
			b.WriteString(l.typeVersion(t.Origin().Obj()))
		}
		if n := l.number[obj]; n > 0 && as == argument {
			fmt.Fprintf(b, "·%d", n)
		}
		for k := range t.TypeArgs().Len() {
			b.WriteString(map[bool]string{true: "[", false: ","}[k == 0])
			l.spell(b, t.TypeArgs().At(k), within[as])
		}
		if t.TypeArgs().Len() > 0 {
			b.WriteString("]")
		}
	case *types.Pointer:
		b.WriteString("*")
		w(t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		w(t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		w(t.Elem())
	case *types.Map:
		b.WriteString("map[")
		w(t.Key())
		b.WriteString("]")
		w(t.Elem())
	case *types.Chan:
		b.WriteString(map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ",
			types.RecvOnly: "<-chan "}[t.Dir()])
		w(t.Elem())
	case *types.Struct:
		b.WriteString("struct {")
		for k := range t.NumFields() {
			if k > 0 {
				b.WriteString(";")
			}
			f := t.Field(k)
			b.WriteString(" ")
			if !f.Embedded() {
				b.WriteString(qualified(f, as == argument) + " ")
			}
			w(f.Type())
			if t.Tag(k) != "" {
				b.WriteString(" " + strconv.Quote(t.Tag(k)))
			}
		}
		if t.NumFields() > 0 {
			b.WriteString(" ")
		}
		b.WriteString("}")
	case *types.Interface:
		if t.NumMethods() == 0 {
			b.WriteString("interface {}")
			return
		}
		b.WriteString("interface {")
		for k := range t.NumMethods() {
			if k > 0 {
				b.WriteString(";")
			}
			b.WriteString(" " + qualified(t.Method(k), as != asKey))
			l.writeSignature(b, t.Method(k).Signature(), as)
		}
		b.WriteString(" }")
	case *types.Signature:
		b.WriteString("func")
		l.writeSignature(b, t, as)
	default:
		b.WriteString(t.String())
	}
}

// within maps a spelling to that of the arguments of a generic type.
var within = map[spelling]spelling{asKey: asKey, shown: argument, argument: argument}

// qualified returns the name of a field or method. If full is true and it is not exported, the name includes the
// package.
func qualified(o types.Object, full bool) string {
	if full && !o.Exported() {
		return o.Pkg().Name() + "." + o.Name()
	}
	return o.Name()
}

// numberLocals numbers the types declared inside the functions of a cell in their order, as the compiler does.
func (l *Lowerer) numberLocals(u *Unit) {
	for _, f := range u.Funcs {
		ast.Inspect(f.Decl, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && !s.Assign.IsValid() {
				if o, ok := l.Info.Defs[s.Name].(*types.TypeName); ok && l.number[o] == 0 {
					l.number[o] = len(l.number) + 1
				}
			}
			return true
		})
	}
}

func (l *Lowerer) writeSignature(b *strings.Builder, s *types.Signature, as spelling) {
	b.WriteString("(")
	for k := range s.Params().Len() {
		if k > 0 {
			b.WriteString(", ")
		}
		t := s.Params().At(k).Type()
		if slice, ok := types.Unalias(t).(*types.Slice); ok && s.Variadic() && k == s.Params().Len()-1 {
			b.WriteString("...")
			t = slice.Elem()
		}
		l.spell(b, t, as)
	}
	b.WriteString(")")
	if n := s.Results().Len(); n > 0 {
		b.WriteString(" ")
		if n > 1 {
			b.WriteString("(")
		}
		for k := range n {
			if k > 0 {
				b.WriteString(", ")
			}
			l.spell(b, s.Results().At(k).Type(), as)
		}
		if n > 1 {
			b.WriteString(")")
		}
	}
}

func (l *Lowerer) typeVersion(obj *types.TypeName) string {
	if k, ok := l.keys[obj]; ok {
		return k
	}
	if _, ok := l.local[obj]; !ok {
		l.local[obj] = len(l.local) + 1
	}
	return "@" + strconv.Itoa(l.local[obj]) // it is declared inside a function
}

// runtimeType returns the run-time identity of t.
func (l *Lowerer) runtimeType(t types.Type) *rt.Type {
	key := l.key(t)
	if old := l.Reg.Find(key); old != nil {
		return old
	}
	return l.intern(key, t)
}

func (l *Lowerer) intern(key string, t types.Type) *rt.Type {
	t = types.Unalias(l.subst(t))
	var nt reflect.Type
	if native(t) || nativeInterface(t) {
		nt = l.reflectType(t)
	}
	return l.Reg.Intern(key, l.name(t), t, nt)
}

// reflectType returns the native type, or nil if a symbol is missing.
func (l *Lowerer) reflectType(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return cells.Basic[t.Kind()]
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return reflect.TypeFor[error]()
		}
		return l.Reg.NativeType(t.Obj().Pkg().Path(), t.Obj().Name())
	case *types.Pointer:
		if e := l.reflectType(t.Elem()); e != nil {
			return reflect.PointerTo(e)
		}
	case *types.Slice:
		if e := l.reflectType(t.Elem()); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Array:
		if e := l.reflectType(t.Elem()); e != nil {
			return reflect.ArrayOf(int(t.Len()), e)
		}
	case *types.Chan:
		if e := l.reflectType(t.Elem()); e != nil {
			return reflect.ChanOf(map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir,
				types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}[t.Dir()], e)
		}
	case *types.Map:
		k, e := l.reflectType(t.Key()), l.reflectType(t.Elem())
		if k != nil && e != nil {
			return reflect.MapOf(k, e)
		}
	case *types.Interface:
		if t.NumMethods() == 0 {
			return reflect.TypeFor[any]()
		}
	case *types.Struct:
		fs := make([]reflect.StructField, t.NumFields())
		for k := range fs {
			e := l.reflectType(t.Field(k).Type())
			if e == nil {
				return nil
			}
			fs[k] = reflect.StructField{Name: t.Field(k).Name(), Type: e, Tag: reflect.StructTag(t.Tag(k))}
		}
		return reflect.StructOf(fs)
	case *types.Signature:
		var in, out []reflect.Type
		for v := range t.Params().Variables() {
			in = append(in, l.reflectType(v.Type()))
		}
		for v := range t.Results().Variables() {
			out = append(out, l.reflectType(v.Type()))
		}
		for _, e := range append(append([]reflect.Type{}, in...), out...) {
			if e == nil {
				return nil
			}
		}
		return reflect.FuncOf(in, out, t.Variadic())
	}
	return nil
}
