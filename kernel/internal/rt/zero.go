package rt

import (
	"math"
	"reflect"
)

// minusZero reports whether x is zero and contains -0.
func minusZero(x any) bool {
	v := reflect.ValueOf(x)
	return v.IsValid() && v.IsZero() && signed(v)
}

// signed reports whether v, which is zero, contains -0.
func signed(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Signbit(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return math.Signbit(real(v.Complex())) || math.Signbit(imag(v.Complex()))
	case reflect.Array:
		for k := range v.Len() {
			if signed(v.Index(k)) {
				return true
			}
		}
	case reflect.Struct:
		for k := range v.NumField() {
			if signed(v.Field(k)) {
				return true
			}
		}
	}
	return false
}
