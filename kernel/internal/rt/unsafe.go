package rt

import (
	"reflect"
	"unsafe"
)

// unsafeSlice is unsafe.Slice.
func unsafeSlice(pointer any, n int) any {
	v := reflect.ValueOf(pointer)
	return reflect.SliceAt(v.Type().Elem(), v.UnsafePointer(), n).Interface()
}

// unsafeSliceData is unsafe.SliceData.
func unsafeSliceData(slice any) any {
	v := reflect.ValueOf(slice)
	return reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface()
}

func unsafeString(pointer *byte, n int) string   { return unsafe.String(pointer, n) }
func unsafeStringData(text string) (first *byte) { return unsafe.StringData(text) }
