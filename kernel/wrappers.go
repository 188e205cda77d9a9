package kernel

import (
	"io"
	"reflect"
)

// wrappers wrap values of cells' types with the methods that package io looks for in readers and writers, and package flag
// in values of flags, beyond those they ask for. The richest come first.
var wrappers = []reflect.Type{
	reflect.TypeFor[rendererOf](), reflect.TypeFor[fullWriter](), reflect.TypeFor[stringWriter](), reflect.TypeFor[writerFrom](),
	reflect.TypeFor[readerTo](), reflect.TypeFor[boolFlag](),
}

type boolFlag struct {
	IValue      any
	WString     func() string
	WSet        func(string) error
	WIsBoolFlag func() bool
}

func (f boolFlag) Set(s string) error { return f.WSet(s) }
func (f boolFlag) IsBoolFlag() bool   { return f.WIsBoolFlag() }
func (f boolFlag) String() string {
	if f.WString == nil { // package flag asks the zero value
		return ""
	}
	return f.WString()
}

type stringWriter struct {
	IValue       any
	WWrite       func([]byte) (int, error)
	WWriteString func(string) (int, error)
}

func (w stringWriter) Write(p []byte) (int, error)       { return w.WWrite(p) }
func (w stringWriter) WriteString(s string) (int, error) { return w.WWriteString(s) }

type writerFrom struct {
	IValue    any
	WWrite    func([]byte) (int, error)
	WReadFrom func(io.Reader) (int64, error)
}

func (w writerFrom) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w writerFrom) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }

type fullWriter struct {
	IValue       any
	WWrite       func([]byte) (int, error)
	WWriteString func(string) (int, error)
	WReadFrom    func(io.Reader) (int64, error)
}

func (w fullWriter) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w fullWriter) WriteString(s string) (int, error)   { return w.WWriteString(s) }
func (w fullWriter) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }

type readerTo struct {
	IValue   any
	WRead    func([]byte) (int, error)
	WWriteTo func(io.Writer) (int64, error)
}

func (r readerTo) Read(p []byte) (int, error)         { return r.WRead(p) }
func (r readerTo) WriteTo(w io.Writer) (int64, error) { return r.WWriteTo(w) }
