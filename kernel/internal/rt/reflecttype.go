package rt

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
)

// ReflectType stands for reflect.Type in cells.
type ReflectType interface {
	Align() int
	AssignableTo(ReflectType) bool
	Bits() int
	CanSeq() bool
	CanSeq2() bool
	ChanDir() reflect.ChanDir
	Comparable() bool
	ConvertibleTo(ReflectType) bool
	Elem() ReflectType
	Field(int) ReflectField
	FieldAlign() int
	FieldByIndex([]int) ReflectField
	FieldByName(string) (ReflectField, bool)
	FieldByNameFunc(func(string) bool) (ReflectField, bool)
	Fields() seq[ReflectField]
	Implements(ReflectType) bool
	In(int) ReflectType
	Ins() seq[ReflectType]
	IsVariadic() bool
	Key() ReflectType
	Kind() reflect.Kind
	Len() int
	Method(int) ReflectMethod
	MethodByName(string) (ReflectMethod, bool)
	Methods() seq[ReflectMethod]
	Name() string
	NumField() int
	NumIn() int
	NumMethod() int
	NumOut() int
	Out(int) ReflectType
	Outs() seq[ReflectType]
	OverflowComplex(complex128) bool
	OverflowFloat(float64) bool
	OverflowInt(int64) bool
	OverflowUint(uint64) bool
	PkgPath() string
	Size() uintptr
	String() string
}

// ReflectField stands for reflect.StructField in cells.
type ReflectField struct {
	Name, PkgPath string
	Type          ReflectType
	Tag           reflect.StructTag
	Offset        uintptr
	Index         []int
	Anonymous     bool
}

// IsExported reports whether the field is exported.
func (f ReflectField) IsExported() bool { return f.PkgPath == "" }

// ReflectMethod stands for reflect.Method in cells.
type ReflectMethod struct {
	Name, PkgPath string
	Type          ReflectType
	Func          ReflectValue
	Index         int
}

// IsExported reports whether the method is exported.
func (m ReflectMethod) IsExported() bool { return m.PkgPath == "" }

// rtype is a cell's type or a native type. Two of them are equal under == if they are the same type.
type rtype struct {
	t *Type
	n reflect.Type
}

func (r *Registry) typeOf(x any) ReflectType {
	v := r.valueOf(x)
	if v.none() {
		return nil
	}
	return v.Type()
}

// of returns a part of t, a cell's type.
func (t rtype) of(part types.Type) ReflectType { return reflected(t.t.r, part) }

func reflected(r *Registry, part types.Type) rtype {
	typ := r.Resolve(part)
	if typ.Native != nil {
		return rtype{n: typ.Native}
	}
	return rtype{t: typ}
}

// low returns the lowered type.
func (t rtype) low() reflect.Type {
	if t.t == nil {
		return t.n
	}
	if low := lowered(t.t.Go, t.t.r); low != nil {
		return low
	}
	refuse("a new value of %s by reflection is not supported by this engine before it has seen one: hand "+
		"reflect.TypeOf a value of it", t.t.Name)
	return nil
}

// lowered returns the lowered type of t, or nil if it is not known.
func lowered(t types.Type, r *Registry) reflect.Type {
	typ := r.Resolve(t)
	if typ.Native != nil {
		return typ.Native
	}
	if low, ok := typ.lowered.Load().(reflect.Type); ok {
		return low
	}
	elem := func(e types.Type, make func(reflect.Type) reflect.Type) reflect.Type {
		if low := lowered(e, r); low != nil {
			return make(low)
		}
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return r.Resolve(u).Native
	case *types.Pointer:
		return elem(u.Elem(), reflect.PointerTo)
	case *types.Slice:
		return elem(u.Elem(), reflect.SliceOf)
	case *types.Array:
		return elem(u.Elem(), func(e reflect.Type) reflect.Type { return reflect.ArrayOf(int(u.Len()), e) })
	case *types.Map:
		return elem(u.Key(), func(k reflect.Type) reflect.Type {
			return elem(u.Elem(), func(e reflect.Type) reflect.Type { return reflect.MapOf(k, e) })
		})
	case *types.Chan:
		return elem(u.Elem(), func(e reflect.Type) reflect.Type { return reflect.ChanOf(rtype{t: typ}.ChanDir(), e) })
	case *types.Interface:
		return anyType
	}
	return nil
}

// learn notes the lowered types of a type and of its parts.
func (r *Registry) learn(typ *Type, low reflect.Type) {
	if typ.Native != nil || low.Kind() == reflect.Interface || typ.lowered.Load() == low {
		return
	}
	typ.lowered.Store(low)
	switch u := typ.Go.Underlying().(type) {
	case *types.Struct:
		for k := range min(u.NumFields(), low.NumField()) {
			r.learn(r.Resolve(u.Field(k).Type()), low.Field(k).Type)
		}
	case *types.Map:
		r.learn(r.Resolve(u.Key()), low.Key())
		r.learn(r.Resolve(u.Elem()), low.Elem())
	case *types.Signature:
		for k := range min(u.Params().Len(), low.NumIn()) {
			r.learn(r.Resolve(u.Params().At(k).Type()), low.In(k))
		}
		for k := range min(u.Results().Len(), low.NumOut()) {
			r.learn(r.Resolve(u.Results().At(k).Type()), low.Out(k))
		}
	case interface{ Elem() types.Type }:
		r.learn(r.Resolve(u.Elem()), low.Elem())
	}
}

func (t rtype) under() types.Type { return t.t.Go.Underlying() }

func (t rtype) String() string {
	switch {
	case t.t == nil:
		return t.n.String()
	case t.t.Name == "interface {}":
		return t.t.Name
	}
	return t.t.Name
}

func (t rtype) named() bool {
	_, ok := types.Unalias(t.t.Go).(*types.Named)
	return ok
}

func (t rtype) Name() string {
	switch {
	case t.t == nil:
		return t.n.Name()
	case t.named():
		return exportedName(t.t.Name)
	}
	return ""
}

func (t rtype) PkgPath() string {
	switch {
	case t.t == nil:
		return t.n.PkgPath()
	case t.named():
		return "main"
	}
	return ""
}

func (t rtype) Kind() reflect.Kind {
	if t.t == nil {
		return t.n.Kind()
	}
	switch u := t.under().(type) {
	case *types.Basic:
		return t.t.r.Resolve(u).Native.Kind()
	case *types.Pointer:
		return reflect.Pointer
	case *types.Slice:
		return reflect.Slice
	case *types.Array:
		return reflect.Array
	case *types.Map:
		return reflect.Map
	case *types.Chan:
		return reflect.Chan
	case *types.Struct:
		return reflect.Struct
	case *types.Signature:
		return reflect.Func
	}
	return reflect.Interface
}

func (t rtype) size() (types.Sizes, types.Type) { return types.SizesFor("gc", "amd64"), t.t.Go }

func (t rtype) Size() uintptr {
	if t.t == nil {
		return t.n.Size()
	}
	s, g := t.size()
	return uintptr(s.Sizeof(g))
}

func (t rtype) Align() int {
	if t.t == nil {
		return t.n.Align()
	}
	s, g := t.size()
	return int(s.Alignof(g))
}

func (t rtype) Bits() int {
	if t.t == nil {
		return t.n.Bits()
	}
	return int(t.Size()) * 8
}

func (t rtype) Comparable() bool {
	if t.t == nil {
		return t.n.Comparable()
	}
	return types.Comparable(t.t.Go)
}

func (t rtype) ChanDir() reflect.ChanDir {
	if t.t == nil {
		return t.n.ChanDir()
	}
	return map[types.ChanDir]reflect.ChanDir{
		types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir,
	}[t.under().(*types.Chan).Dir()]
}

func (t rtype) Elem() ReflectType {
	if t.t == nil {
		return rtype{n: t.n.Elem()}
	}
	e, ok := t.under().(interface{ Elem() types.Type })
	if !ok {
		panic("reflect: Elem of invalid type " + t.String())
	}
	return t.of(e.Elem())
}

func (t rtype) Key() ReflectType {
	if t.t == nil {
		return rtype{n: t.n.Key()}
	}
	m, ok := t.under().(*types.Map)
	if !ok {
		panic("reflect: Key of non-map type " + t.String())
	}
	return t.of(m.Key())
}

func (t rtype) Len() int {
	if t.t == nil {
		return t.n.Len()
	}
	a, ok := t.under().(*types.Array)
	if !ok {
		panic("reflect: Len of non-array type " + t.String())
	}
	return int(a.Len())
}

func (t rtype) structure(method string) *types.Struct {
	s, ok := t.under().(*types.Struct)
	if !ok {
		panic("reflect: " + method + " of non-struct type " + t.String())
	}
	return s
}

func (t rtype) NumField() int {
	if t.t == nil {
		return t.n.NumField()
	}
	return t.structure("NumField").NumFields()
}

func (t rtype) Field(k int) ReflectField {
	if t.t == nil {
		f := t.n.Field(k)
		return ReflectField{f.Name, f.PkgPath, rtype{n: f.Type}, f.Tag, f.Offset, f.Index, f.Anonymous}
	}
	s := t.structure("Field")
	if k < 0 || k >= s.NumFields() {
		panic("reflect: Field index out of bounds")
	}
	f := s.Field(k)
	sizes, _ := t.size()
	var all []*types.Var
	for f := range s.Fields() {
		all = append(all, f)
	}
	out := ReflectField{
		Name: f.Name(), Type: t.of(f.Type()), Tag: reflect.StructTag(s.Tag(k)),
		Offset: uintptr(sizes.Offsetsof(all)[k]),
		Index:  []int{k}, Anonymous: f.Embedded(),
	}
	if !token.IsExported(f.Name()) {
		out.PkgPath = "main"
	}
	return out
}

func (t rtype) FieldByIndex(index []int) ReflectField {
	var f ReflectField
	var at ReflectType = t
	for n, k := range index {
		if n > 0 && at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		f = at.Field(k)
		at = f.Type
	}
	f.Index = index
	return f
}

func (t rtype) FieldByName(name string) (ReflectField, bool) {
	if t.t == nil {
		f, ok := t.n.FieldByName(name)
		if !ok {
			return ReflectField{}, false
		}
		return t.FieldByIndex(f.Index), true
	}
	t.structure("FieldByName")
	obj, index, _ := types.LookupFieldOrMethod(t.t.Go, false, mainPackage(t.t.Go), name)
	if v, ok := obj.(*types.Var); !ok || !v.IsField() {
		return ReflectField{}, false
	}
	return t.FieldByIndex(index), true
}

// mainPackage returns the package of the cells' unexported names in t.
func mainPackage(t types.Type) *types.Package {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Pkg()
	case *types.Struct:
		for f := range t.Fields() {
			return f.Pkg()
		}
	case *types.Pointer:
		return mainPackage(t.Elem())
	}
	return nil
}

func (t rtype) signature(method string) *types.Signature {
	s, ok := t.under().(*types.Signature)
	if !ok {
		panic("reflect: " + method + " of non-func type " + t.String())
	}
	return s
}

func (t rtype) NumIn() int {
	if t.t == nil {
		return t.n.NumIn()
	}
	return t.signature("NumIn").Params().Len()
}

func (t rtype) NumOut() int {
	if t.t == nil {
		return t.n.NumOut()
	}
	return t.signature("NumOut").Results().Len()
}

func (t rtype) In(k int) ReflectType {
	if t.t == nil {
		return rtype{n: t.n.In(k)}
	}
	return t.of(t.signature("In").Params().At(k).Type())
}

func (t rtype) Out(k int) ReflectType {
	if t.t == nil {
		return rtype{n: t.n.Out(k)}
	}
	return t.of(t.signature("Out").Results().At(k).Type())
}

func (t rtype) IsVariadic() bool {
	if t.t == nil {
		return t.n.IsVariadic()
	}
	return t.signature("IsVariadic").Variadic()
}

// lowKind returns the lowered type of a type without parts, and nil for other types.
func lowKind(t rtype) reflect.Type {
	if t.t == nil {
		return t.n
	}
	if _, ok := t.under().(*types.Basic); ok {
		return t.low()
	}
	low, _ := t.t.lowered.Load().(reflect.Type)
	return low
}

func pointerTo(of ReflectType) ReflectType {
	t := of.(rtype)
	if t.t == nil {
		return rtype{n: reflect.PointerTo(t.n)}
	}
	return t.of(types.NewPointer(t.t.Go))
}

func sliceOf(of ReflectType) ReflectType {
	t := of.(rtype)
	if t.t == nil {
		return rtype{n: reflect.SliceOf(t.n)}
	}
	return t.of(types.NewSlice(t.t.Go))
}

func arrayOf(n int, of ReflectType) ReflectType {
	t := of.(rtype)
	if t.t == nil {
		return rtype{n: reflect.ArrayOf(n, t.n)}
	}
	return t.of(types.NewArray(t.t.Go, int64(n)))
}

func chanOf(dir reflect.ChanDir, of ReflectType) ReflectType {
	t := of.(rtype)
	if t.t == nil {
		return rtype{n: reflect.ChanOf(dir, t.n)}
	}
	dirs := map[reflect.ChanDir]types.ChanDir{reflect.BothDir: types.SendRecv, reflect.SendDir: types.SendOnly,
		reflect.RecvDir: types.RecvOnly}
	return t.of(types.NewChan(dirs[dir], t.t.Go))
}

func (r *Registry) mapOf(key, elem ReflectType) ReflectType {
	k, e := key.(rtype), elem.(rtype)
	if k.t == nil && e.t == nil {
		return rtype{n: reflect.MapOf(k.n, e.n)}
	}
	return reflected(r, types.NewMap(k.checked("MapOf"), e.checked("MapOf")))
}

// checked returns the type checker's type of t, which the function of package reflect needs that makes a type of a
// cell's type and t.
func (t rtype) checked(function string) types.Type {
	if t.t != nil {
		return t.t.Go
	}
	for _, b := range types.Typ {
		if b.Kind() != types.UnsafePointer && b.Info()&types.IsUntyped == 0 && b.Name() == t.n.String() {
			return b
		}
	}
	refuse("reflect.%s of a cell's type and %s is not supported by this engine", function, t)
	return nil
}

func (r *Registry) funcOf(in, out []ReflectType, variadic bool) ReflectType {
	if ins, ok := nativeTypes(in); ok {
		if outs, ok := nativeTypes(out); ok {
			return rtype{n: reflect.FuncOf(ins, outs, variadic)}
		}
	}
	tuple := func(list []ReflectType) *types.Tuple {
		var vars []*types.Var
		for _, t := range list {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", t.(rtype).checked("FuncOf")))
		}
		return types.NewTuple(vars...)
	}
	return reflected(r, types.NewSignatureType(nil, nil, nil, tuple(in), tuple(out), variadic))
}

// nativeTypes returns the types as native code has them, and whether it has all.
func nativeTypes(list []ReflectType) ([]reflect.Type, bool) {
	var out []reflect.Type
	for _, t := range list {
		if t.(rtype).t != nil {
			return nil, false
		}
		out = append(out, t.(rtype).n)
	}
	return out, true
}

func (r *Registry) structOf(list []ReflectField) ReflectType {
	var native []reflect.StructField
	var fields []*types.Var
	var tags []string
	cells := slices.ContainsFunc(list, func(f ReflectField) bool { return f.Type != nil && f.Type.(rtype).t != nil })
	for _, f := range list {
		own := reflect.StructField{Name: f.Name, PkgPath: f.PkgPath, Tag: f.Tag, Anonymous: f.Anonymous}
		if f.Type != nil {
			own.Type = f.Type.(rtype).n
		}
		native = append(native, own)
		if cells {
			if f.PkgPath != "" || f.Anonymous {
				refuse("reflect.StructOf of a cell's type and a field that is embedded or not exported is not " +
					"supported " +
					"by this engine")
			}
			fields = append(fields, types.NewField(token.NoPos, nil, f.Name, f.Type.(rtype).checked("StructOf"), false))
			tags = append(tags, string(f.Tag))
		}
	}
	if !cells {
		return rtype{n: reflect.StructOf(native)}
	}
	return reflected(r, types.NewStruct(fields, tags))
}
