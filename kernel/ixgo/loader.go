package ixgo

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"sync"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/types/typeutil"
)

// loader gives the interpreter the packages of the kernel's library: their types from export data, as the cells were
// checked with, and the compiled types that belong to them. It finds those of names that are not exported by walking
// both sides of everything a package exports.
type loader struct {
	packages map[string]*types.Package
	symbols  map[string]map[string]reflect.Value
	cells    *ixgo.Package // the variables of all cells

	mu     sync.RWMutex
	native map[*types.TypeName]reflect.Type
	own    typeutil.Map // types of cells to reflect.Type
	back   map[reflect.Type]types.Type
	walked map[string]bool
	tables map[string]*ixgo.Package
}

func newLoader(packages map[string]*types.Package, symbols map[string]map[string]reflect.Value) *loader {
	return &loader{
		packages: packages, symbols: symbols,
		cells:  &ixgo.Package{Name: "main", Path: "main", Vars: map[string]reflect.Value{}},
		native: map[*types.TypeName]reflect.Type{}, back: map[reflect.Type]types.Type{}, walked: map[string]bool{},
		tables: map[string]*ixgo.Package{},
	}
}

// Import implements ixgo.Loader.
func (l *loader) Import(path string) (*types.Package, error) {
	if p := l.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %q is not one this notebook can import", path)
}

// Installed implements ixgo.Loader: it gives the variables of a package.
func (l *loader) Installed(path string) (*ixgo.Package, bool) {
	if path == "main" {
		return l.cells, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.tables[path]; p != nil {
		return p, true
	}
	table := l.symbols[path]
	if table == nil {
		return nil, false
	}
	p := &ixgo.Package{Path: path, Vars: map[string]reflect.Value{}}
	for name, v := range table {
		if v.CanAddr() {
			p.Vars[name] = v.Addr()
		}
	}
	l.tables[path] = p
	return p, true
}

// Packages implements ixgo.Loader.
func (l *loader) Packages() []*types.Package { return nil }

// SetImport implements ixgo.Loader.
func (l *loader) SetImport(string, *types.Package, func() error) error { return nil }

// Iterate implements ixgo.Loader.
func (l *loader) Iterate(func(types.Type, any)) {}

// LookupTypes implements ixgo.Loader.
func (l *loader) LookupTypes(t reflect.Type) (types.Type, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	x, ok := l.back[t]
	return x, ok
}

// LookupReflect implements ixgo.Loader.
func (l *loader) LookupReflect(t types.Type) (reflect.Type, bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		if rt, ok := l.LookupReflect(p.Elem()); ok {
			return reflect.PointerTo(rt), true
		}
		return nil, false
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if rt := l.native[n.Obj()]; rt != nil && n.TypeArgs().Len() == 0 {
		return rt, true
	}
	if rt := l.own.At(n); rt != nil {
		return rt.(reflect.Type), true
	}
	return nil, false
}

// keep notes the compiled form of a cell's type, for later cells.
func (l *loader) keep(t types.Type, rt reflect.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own.Set(t, rt)
	l.back[rt] = t
}

// walk finds the compiled types of a package.
func (l *loader) walk(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.walked[path] || l.packages[path] == nil {
		return
	}
	l.walked[path] = true
	scope := l.packages[path].Scope()
	for _, name := range scope.Names() {
		v, ok := l.symbols[path][name]
		if !ok {
			continue
		}
		switch o := scope.Lookup(name).(type) {
		case *types.TypeName:
			if v.Kind() == reflect.Pointer {
				l.pair(o.Type(), v.Type().Elem())
			}
		case *types.Func, *types.Var:
			l.pair(o.Type(), v.Type())
		}
	}
}

// pair notes that t and rt are the same type and goes on with what they are made of.
func (l *loader) pair(t types.Type, rt reflect.Type) {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if n.Obj().Pkg() == nil || n.TypeParams().Len() > 0 || n.TypeArgs().Len() > 0 || l.native[n.Obj()] != nil {
			return
		}
		if rt.Name() != n.Obj().Name() {
			return
		}
		l.native[n.Obj()] = rt
		l.back[rt] = n
		l.pair(n.Underlying(), rt)
		if types.IsInterface(n) {
			return
		}
		for m := range n.Methods() {
			if !ast.IsExported(m.Name()) {
				continue
			}
			if f, ok := reflect.PointerTo(rt).MethodByName(m.Name()); ok {
				l.tuple(m.Signature(), f.Type, 1)
			}
		}
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		if rt.Kind() == reflect.Pointer {
			l.pair(t.Elem(), rt.Elem())
		}
	case *types.Slice:
		if rt.Kind() == reflect.Slice {
			l.pair(t.Elem(), rt.Elem())
		}
	case *types.Array:
		if rt.Kind() == reflect.Array {
			l.pair(t.Elem(), rt.Elem())
		}
	case *types.Chan:
		if rt.Kind() == reflect.Chan {
			l.pair(t.Elem(), rt.Elem())
		}
	case *types.Map:
		if rt.Kind() == reflect.Map {
			l.pair(t.Key(), rt.Key())
			l.pair(t.Elem(), rt.Elem())
		}
	case *types.Signature:
		if rt.Kind() == reflect.Func {
			l.tuple(t, rt, 0)
		}
	case *types.Struct:
		if rt.Kind() == reflect.Struct && rt.NumField() == t.NumFields() {
			for k := range t.NumFields() {
				l.pair(t.Field(k).Type(), rt.Field(k).Type)
			}
		}
	case *types.Interface:
		if rt.Kind() != reflect.Interface {
			return
		}
		for m := range t.Methods() {
			if f, ok := rt.MethodByName(m.Name()); ok {
				l.tuple(m.Signature(), f.Type, 0)
			}
		}
	}
}

// tuple pairs a signature with a function type whose first skip parameters it lacks.
func (l *loader) tuple(s *types.Signature, rt reflect.Type, skip int) {
	if s.TypeParams().Len() > 0 || s.Params().Len()+skip != rt.NumIn() || s.Results().Len() != rt.NumOut() {
		return
	}
	for k := range s.Params().Len() {
		l.pair(s.Params().At(k).Type(), rt.In(k+skip))
	}
	for k := range s.Results().Len() {
		l.pair(s.Results().At(k).Type(), rt.Out(k))
	}
}
