package kernel

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"sort"
	"strings"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/rt"
)

// Variables lists the session's variables as they were when the last cell ended: reading them while a cell changes
// them would not be safe.
func (s *session) Variables() []Variable { return *s.vars.Load() }

// snapshot reads the variables.
func (s *session) snapshot() {
	if s.zombies.Load() > 0 {
		return
	}
	list := []Variable{}
	for name, v := range s.prog.Vars {
		x, ok := s.engine.Read(v)
		if !ok {
			continue
		}
		list = append(list, s.variable(name, cells.TypeText(v.Obj.Type()), x))
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	s.vars.Store(&list)
}

func (s *session) variable(name, typ string, x any) Variable {
	_, parts := s.reg.Parts(x, 0)
	return Variable{Name: name, Type: typ, Value: s.line(x), Size: s.size(x), Parts: parts}
}

// MostParts is the largest number of parts that are listed together. Parts of parts are opened to a depth of 100.
const MostParts, deepestParts = 100, 100

func (s *session) Parts(name string, path []int) ([]Variable, int, error) {
	if !s.exec.TryLock() {
		return nil, 0, errors.New("a cell is running: its variables can be opened when it has ended")
	}
	defer s.exec.Unlock()
	if s.zombies.Load() > 0 {
		return nil, 0, errors.New("an interrupted cell still runs: variables can be opened when it has ended")
	}
	v := s.prog.Vars[name]
	if v == nil {
		return nil, 0, fmt.Errorf("no variable is called %q", name)
	}
	if len(path) > deepestParts {
		return nil, 0, fmt.Errorf("parts are listed to a depth of %d, not %d", deepestParts, len(path))
	}
	x, ok := s.engine.Read(v)
	if !ok {
		return nil, 0, fmt.Errorf("%s has no value yet", name)
	}
	parts, n := s.reg.Parts(x, MostParts)
	for _, k := range path {
		if k < 0 || k >= len(parts) {
			return nil, 0, fmt.Errorf("%s has changed: it has no part %d there", name, k)
		}
		parts, n = s.reg.Parts(parts[k].Value, MostParts)
	}
	list := make([]Variable, len(parts))
	for k, p := range parts {
		list[k] = s.variable(p.Name, strings.ReplaceAll(p.Type, "main.", ""), p.Value)
	}
	return list, n, nil
}

const maxLine = 120

// line is a value in one short line. Only the head of large collections is printed.
func (s *session) line(x any) (text string) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // memory that programs map may be closed to us
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(its String method panics: %v)", r)
		}
	}()
	v := reflect.ValueOf(x)
	if o, ok := x.(rt.Obj); ok {
		v = reflect.ValueOf(o.V)
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		if v.Len() > 100 {
			if v.Kind() != reflect.Slice {
				return fmt.Sprintf("%d elements", v.Len())
			}
			return clip(fmt.Sprint(v.Slice(0, 20).Interface()))
		}
	case reflect.Struct, reflect.Pointer:
		if brief, n, ok := s.library.Brief(x); ok && n > 100 {
			return brief
		}
	}
	if s.reg.Loops(x) {
		return fmt.Sprintf("%s that contains itself", rt.TypeName(x))
	}
	return clip(s.text(x))
}

func clip(t string) string {
	t = strings.Join(strings.Fields(t), " ")
	if r := []rune(t); len(r) > maxLine {
		return string(r[:maxLine-1]) + "…"
	}
	return t
}

func (s *session) size(x any) int {
	if o, ok := x.(rt.Obj); ok {
		x = o.V
	}
	if _, n, ok := s.library.Brief(x); ok {
		return n
	}
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map, reflect.String, reflect.Chan:
		return v.Len()
	}
	return -1
}
