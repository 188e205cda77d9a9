//go:build !js

package kernel

import (
	"net/http"
	"reflect"
)

// What package http looks for in response writers and transports; a tab has none.
func init() {
	wrappers = append(wrappers, reflect.TypeFor[unwrapFlusher](), reflect.TypeFor[unwrapper](),
		reflect.TypeFor[flusher](), reflect.TypeFor[idleCloser]())
}

type flusher struct {
	IValue       any
	WHeader      func() http.Header
	WWrite       func([]byte) (int, error)
	WWriteHeader func(int)
	WFlush       func()
}

func (w flusher) Header() http.Header         { return w.WHeader() }
func (w flusher) Write(p []byte) (int, error) { return w.WWrite(p) }
func (w flusher) WriteHeader(code int)        { w.WWriteHeader(code) }
func (w flusher) Flush()                      { w.WFlush() }

type unwrapper struct {
	IValue       any
	WHeader      func() http.Header
	WWrite       func([]byte) (int, error)
	WWriteHeader func(int)
	WUnwrap      func() http.ResponseWriter
}

func (w unwrapper) Header() http.Header         { return w.WHeader() }
func (w unwrapper) Write(p []byte) (int, error) { return w.WWrite(p) }
func (w unwrapper) WriteHeader(code int)        { w.WWriteHeader(code) }
func (w unwrapper) Unwrap() http.ResponseWriter { return w.WUnwrap() }

type unwrapFlusher struct {
	IValue       any
	WHeader      func() http.Header
	WWrite       func([]byte) (int, error)
	WWriteHeader func(int)
	WFlush       func()
	WUnwrap      func() http.ResponseWriter
}

func (w unwrapFlusher) Header() http.Header         { return w.WHeader() }
func (w unwrapFlusher) Write(p []byte) (int, error) { return w.WWrite(p) }
func (w unwrapFlusher) WriteHeader(code int)        { w.WWriteHeader(code) }
func (w unwrapFlusher) Flush()                      { w.WFlush() }
func (w unwrapFlusher) Unwrap() http.ResponseWriter { return w.WUnwrap() }

type idleCloser struct {
	IValue                any
	WRoundTrip            func(*http.Request) (*http.Response, error)
	WCloseIdleConnections func()
}

func (t idleCloser) RoundTrip(r *http.Request) (*http.Response, error) { return t.WRoundTrip(r) }
func (t idleCloser) CloseIdleConnections()                             { t.WCloseIdleConnections() }
