//go:build js && wasm

// Command kernel is the notebook's kernel as a program for a web worker. It exchanges Jupyter's messages, each a v1
// frame in a Uint8Array, with the script that runs it (web/src/worker/kernel.ts). They use global functions. The script
// defines nacreSend for messages from the kernel. The program defines nacreReceive for messages to the kernel and
// nacreInterrupt, and then calls the script's nacreReady. The messages and the cells are those of the native kernel;
// docs/browser.md lists the differences.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall/js"
	"time"

	"nacre/kernel"
	"nacre/kernel/jupyter"
	"nacre/library"
	_ "nacre/sim/families" // those on MuJoCo step in the page's
)

func main() {
	// What a kernel makes at its start stays: collecting garbage meanwhile, and in the first cell, takes a third of the
	// time and frees little. The script has turned collecting off (GOGC) before this program's packages begin.
	debug.SetMemoryLimit(256 << 20)
	time.AfterFunc(3*time.Second, func() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(7 << 29) // of 4 GiB: near them it collects more often
	})
	s, err := kernel.New(kernel.Options{Library: library.New()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer s.Close()
	k := jupyter.NewKernel(s, send)
	receive := js.FuncOf(func(_ js.Value, args []js.Value) any {
		frame := make([]byte, args[0].Length())
		js.CopyBytesToGo(frame, args[0])
		m, err := jupyter.DecodeV1(frame)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return nil
		}
		k.Handle(m)
		return nil
	})
	js.Global().Set("nacreReceive", receive)
	js.Global().Set("nacreInterrupt", js.FuncOf(func(js.Value, []js.Value) any {
		k.Interrupt()
		return nil
	}))
	js.Global().Call("nacreReady")
	k.Announce()
	<-k.Done()
	k.Close()
}

func send(m *jupyter.Message) {
	frame := jupyter.EncodeV1(m)
	array := js.Global().Get("Uint8Array").New(len(frame))
	js.CopyBytesToJS(array, frame)
	js.Global().Call("nacreSend", array)
}
