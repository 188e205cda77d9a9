package rt

import "reflect"

// NativeType returns a package's type by name, or nil if the type cannot be reached. An unexported type, such as the
// result of a constructor, is found through the package's functions and types.
func (r *Registry) NativeType(path, name string) reflect.Type {
	if v, ok := r.symbols[path][name]; ok {
		if v.Kind() != reflect.Pointer {
			return nil
		}
		return v.Type().Elem()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hidden == nil {
		r.hidden = map[string]map[string]reflect.Type{}
	}
	if r.hidden[path] == nil {
		w := walker{path: path, found: map[string]reflect.Type{}, seen: map[reflect.Type]bool{}}
		for _, v := range r.symbols[path] {
			if v.IsValid() {
				w.walk(v.Type())
			}
		}
		r.hidden[path] = w.found
	}
	return r.hidden[path][name]
}

// walker collects the named types of one package that other types lead to.
type walker struct {
	path  string
	found map[string]reflect.Type
	seen  map[reflect.Type]bool
}

func (w *walker) walk(t reflect.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	if t.Name() != "" {
		if t.PkgPath() != w.path {
			return
		}
		w.found[t.Name()] = t
		for k := range t.NumMethod() {
			w.walk(t.Method(k).Type)
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		w.walk(t.Elem())
		if t.Kind() == reflect.Pointer {
			for k := range t.NumMethod() {
				w.walk(t.Method(k).Type)
			}
		}
	case reflect.Map:
		w.walk(t.Key())
		w.walk(t.Elem())
	case reflect.Func:
		for k := range t.NumIn() {
			w.walk(t.In(k))
		}
		for k := range t.NumOut() {
			w.walk(t.Out(k))
		}
	case reflect.Struct:
		for k := range t.NumField() {
			w.walk(t.Field(k).Type)
		}
	}
}
