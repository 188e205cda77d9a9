package compile

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/live"
)

// guard returns the name of a function that wraps a call whose error is checked. Every call has a function of its own,
// whose types the compiler infers.
func (w *writer) guard(g cells.Guard, c *ast.CallExpr) string {
	n := 0
	switch t := w.Info.TypeOf(c).(type) {
	case nil:
	case *types.Tuple:
		n = t.Len()
	default:
		n = 1
	}
	e := &entity{name: w.fresh("guard"), refs: map[*entity]bool{}}
	w.refs[e] = true
	var params, values, results []string
	for k := range n {
		params = append(params, fmt.Sprintf("T%d", k))
		values = append(values, fmt.Sprintf("x%d T%d, ", k, k))
		results = append(results, fmt.Sprintf("x%d", k))
	}
	of := ""
	if n > 0 {
		of = "[" + strings.Join(params, ", ") + " any]"
	}
	e.text = fmt.Sprintf("\n//line /generated:1\nfunc %s%s(%serr error) (%s) { h__.Fail(err, %q, %d, %d); return %s "+
		"}\n",
		e.name, of, strings.Join(values, ""), strings.Join(params, ", "), g.Name, g.Position.Line, g.Position.Column,
		strings.Join(results, ", "))
	return e.name
}

// guarded returns a call whose error is checked, and the types of its other results.
func (w *direct) guarded(g cells.Guard) (call func() []reflect.Value, out []reflect.Type) {
	var inner func() []reflect.Value
	if c, ok := ast.Unparen(g.X).(*ast.CallExpr); ok {
		inner, out = w.call(c)
	} else {
		x := w.expr(g.X)
		inner, out = func() []reflect.Value { return []reflect.Value{x.get()} }, []reflect.Type{x.t}
	}
	last := len(out) - 1
	return func() []reflect.Value {
		values := inner()
		err, _ := values[last].Interface().(error)
		live.Fail(err, g.Name, g.Position.Line, g.Position.Column)
		return values[:last]
	}, out[:last]
}
