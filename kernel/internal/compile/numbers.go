package compile

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
)

func (w *direct) constant(tv types.TypeAndValue) value {
	t := w.typeOf(tv.Type)
	v := reflect.New(t).Elem()
	switch c := constant.ToInt(tv.Value); t.Kind() {
	case reflect.Bool:
		v.SetBool(constant.BoolVal(tv.Value))
	case reflect.String:
		v.SetString(constant.StringVal(tv.Value))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, _ := constant.Int64Val(c)
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, _ := constant.Uint64Val(c)
		v.SetUint(n)
	case reflect.Float32:
		f, _ := constant.Float32Val(tv.Value)
		v.SetFloat(float64(f))
	case reflect.Float64:
		f, _ := constant.Float64Val(tv.Value)
		v.SetFloat(f)
	default:
		panic(indirect{})
	}
	return value{t: t, get: func() reflect.Value { return v }}
}

// binary returns an operation of two numbers or strings: arithmetic or a comparison.
func (w *direct) binary(x *ast.BinaryExpr) value {
	a, b := w.expr(x.X), w.expr(x.Y)
	if a.t == nil {
		a, b = b, a
	}
	if b.t == nil && a.t != nil && (x.Op == token.EQL || x.Op == token.NEQ) {
		b.as(a.t) // panics if a is nil and b cannot be
		get := a.get
		return value{t: reflect.TypeFor[bool](), calls: a.calls, read: a.read, get: func() reflect.Value {
			return reflect.ValueOf(get().IsNil() == (x.Op == token.EQL))
		}}
	}
	return combine(x.Op, a, b)
}

func combine(op token.Token, a, b value) value {
	calls, read := ordered(a, b)
	if a.t == nil || a.t != b.t {
		panic(indirect{})
	}
	var f func(a, b, r reflect.Value)
	t := a.t
	if less := comparison(op); less != nil {
		t = reflect.TypeFor[bool]()
		switch k := a.t.Kind(); {
		case k >= reflect.Int && k <= reflect.Int64:
			f = func(a, b, r reflect.Value) { r.SetBool(less(a.Int() < b.Int(), a.Int() == b.Int())) }
		case k >= reflect.Uint && k <= reflect.Uintptr:
			f = func(a, b, r reflect.Value) { r.SetBool(less(a.Uint() < b.Uint(), a.Uint() == b.Uint())) }
		case k == reflect.String:
			f = func(a, b, r reflect.Value) { r.SetBool(less(a.String() < b.String(), a.String() == b.String())) }
		case k == reflect.Float32 || k == reflect.Float64:
			f = func(a, b, r reflect.Value) {
				x, y := a.Float(), b.Float()
				r.SetBool(x == x && y == y && less(x < y, x == y) || op == token.NEQ && x != y)
			}
		}
	}
	switch k := a.t.Kind(); {
	case f != nil:
	case k >= reflect.Int && k <= reflect.Int64:
		if do := arithmetic[int64](op); do != nil {
			f = func(a, b, r reflect.Value) { r.SetInt(do(a.Int(), b.Int())) }
		}
	case k >= reflect.Uint && k <= reflect.Uintptr:
		if do := arithmetic[uint64](op); do != nil {
			f = func(a, b, r reflect.Value) { r.SetUint(do(a.Uint(), b.Uint())) }
		}
	case k == reflect.Float64:
		if do := arithmetic[float64](op); do != nil {
			f = func(a, b, r reflect.Value) { r.SetFloat(do(a.Float(), b.Float())) }
		}
	case k == reflect.Float32:
		if do := arithmetic[float32](op); do != nil {
			f = func(a, b, r reflect.Value) { r.SetFloat(float64(do(float32(a.Float()), float32(b.Float())))) }
		}
	case k == reflect.String && op == token.ADD:
		f = func(a, b, r reflect.Value) { r.SetString(a.String() + b.String()) }
	}
	if f == nil {
		panic(indirect{})
	}
	return value{t: t, calls: calls, read: read, get: func() reflect.Value {
		r := reflect.New(t).Elem()
		f(a.get(), b.get(), r)
		return r
	}}
}

// arithmetic returns an operation of numbers. For smaller integers SetInt keeps the same bits as Go.
func arithmetic[T int64 | uint64 | float32 | float64](op token.Token) func(a, b T) T {
	switch op {
	case token.ADD:
		return func(a, b T) T { return a + b }
	case token.SUB:
		return func(a, b T) T { return a - b }
	case token.MUL:
		return func(a, b T) T { return a * b }
	case token.QUO:
		return func(a, b T) T { return a / b }
	}
	return nil
}

// comparison returns a comparison. It is not used for NaN.
func comparison(op token.Token) func(less, equal bool) bool {
	switch op {
	case token.EQL:
		return func(_, equal bool) bool { return equal }
	case token.NEQ:
		return func(_, equal bool) bool { return !equal }
	case token.LSS:
		return func(less, _ bool) bool { return less }
	case token.LEQ:
		return func(less, equal bool) bool { return less || equal }
	case token.GTR:
		return func(less, equal bool) bool { return !less && !equal }
	case token.GEQ:
		return func(less, _ bool) bool { return !less }
	}
	return nil
}
