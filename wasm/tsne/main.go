//go:build js && wasm

// Command tsne lays points out inside a web worker while the page watches. The worker's script (web/src/worker/tsne.ts)
// calls nacreReceive, which this program sets, with each message of the page; the program answers through postMessage.
// web/src/tsne/messages.ts lists the messages.
//
// Positions are copied only once: from the program's memory into an array, which is sent to the page. The page sends
// the array back, and later positions use it again.
package main

import (
	"fmt"
	"syscall/js"
	"time"
	"unsafe"
)

// pieceTime is the time for which the layout goes on before the worker looks for messages: about a frame of the screen.
const pieceTime = 12 * time.Millisecond

func main() {
	if job := js.Global().Get("nacreJob"); job.Truthy() {
		help(job)
		return
	}
	p := &program{inbox: make(chan js.Value, 64), pause: newPause()}
	js.Global().Set("nacreReceive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.hear(args[0])
		return nil
	}))
	post("ready", nil)
	for {
		if !p.running {
			p.handle(<-p.inbox)
			continue
		}
		select {
		case m := <-p.inbox:
			p.handle(m)
		default:
			p.piece()
			p.pause.yield()
		}
	}
}

// post sends a message to the page; transfer are buffers that it takes over.
func post(kind string, fields map[string]any, transfer ...any) {
	if fields == nil {
		fields = map[string]any{}
	}
	fields["kind"] = kind
	js.Global().Call("postMessage", fields, transfer)
}

// problem tells the page what is wrong.
func problem(err error) { post("problem", map[string]any{"text": err.Error()}) }

// pause lets the worker's other events in: a message to itself comes after those that wait, without the milliseconds
// a timer takes.
type pause struct {
	port js.Value
	woke chan struct{}
}

func newPause() *pause {
	c := js.Global().Get("MessageChannel").New()
	p := &pause{port: c.Get("port2"), woke: make(chan struct{}, 1)}
	c.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		p.woke <- struct{}{}
		return nil
	}))
	return p
}

func (p *pause) yield() {
	p.port.Call("postMessage", js.Null())
	<-p.woke
}

// copyTo copies values into a typed array of their kind, which has room for them.
func copyTo[T float32 | int32](array js.Value, v []T) {
	if len(v) == 0 {
		return
	}
	bytes := js.Global().Get("Uint8Array").New(array.Get("buffer"), array.Get("byteOffset"), array.Get("byteLength"))
	js.CopyBytesToJS(bytes, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v)))
}

// float32s and int32s make typed arrays.
func float32s(v []float32) js.Value {
	a := js.Global().Get("Float32Array").New(len(v))
	copyTo(a, v)
	return a
}

func int32s(v []int32) js.Value {
	a := js.Global().Get("Int32Array").New(len(v))
	copyTo(a, v)
	return a
}

func texts(v []string) []any {
	out := make([]any, len(v))
	for i, s := range v {
		out[i] = s
	}
	return out
}

// guard turns a panic of f into an error. The contents of a file are checked before, except for the memory that they
// need.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the t-SNE program failed: %v", r)
		}
	}()
	return f()
}
