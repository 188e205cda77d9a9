package mujoco

import (
	"fmt"
	"sync"
	"syscall/js"

	"nacre/internal/home"
	"nacre/sim"
)

// Variable is the environment variable that names the library in builds that can load it.
const Variable = "NACRE_MUJOCO"

// offer is the worker's script's description of MuJoCo: its version, and functions that fetch it and the scenes of
// Meta-World (web/src/worker/scenes.ts). It is undefined if the page has none.
var offer = js.Global().Get("nacreMuJoCo")

// Built reports whether this program can use a MuJoCo; Check says whether the page has one.
func Built() bool { return true }

// Check returns nil if MuJoCo can be used, and otherwise why not. It fetches nothing.
func Check() error {
	if !offer.Truthy() {
		return ErrUnavailable
	}
	return nil
}

// Available reports whether MuJoCo can be used; Check says why not.
func Available() bool { return Check() == nil }

// Version returns the version of the page's MuJoCo, such as "3.14.0", or "" if there is none.
func Version() string {
	if Check() != nil {
		return ""
	}
	return offer.Get("version").String()
}

// Path returns "": MuJoCo is not a file in a browser.
func Path() string { return "" }

// Notice says if the page's MuJoCo has another version than native programs. Otherwise it returns "". The figures are
// in docs/browser.md.
func Notice() string {
	if v := Version(); v != "" && v != home.MuJoCoVersion {
		return fmt.Sprintf("MuJoCo %s runs in this page, %s natively, so a seed gives other numbers: a "+
			"half-cheetah's positions agree to nine digits for 50 steps and part ways by 150",
			v, home.MuJoCoVersion)
	}
	return ""
}

// HasScenes reports whether the page has the scenes of Meta-World, which LoadFile takes.
func HasScenes() bool { return Available() && offer.Get("hasScenes").Bool() }

// start fetches and starts MuJoCo when a model is first made. A failure is forgotten, so that the next model tries
// again.
func start() (js.Value, error) {
	started.Lock()
	defer started.Unlock()
	if started.physics.Truthy() {
		return started.physics, nil
	}
	if err := Check(); err != nil {
		return js.Undefined(), err
	}
	physics, err := await(offer.Call("start"))
	if err != nil {
		return js.Undefined(), fmt.Errorf("MuJoCo is %w: the page could not fetch it: %v", sim.ErrUnavailable, err)
	}
	started.physics = physics
	if text := Notice(); text != "" {
		offer.Call("say", text+".")
	}
	return physics, nil
}

var started struct {
	sync.Mutex
	physics js.Value
}

// await waits for a promise.
func await(promise js.Value) (value js.Value, err error) {
	done := make(chan struct{})
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		value = args[0]
		close(done)
		return nil
	})
	defer kept.Release()
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		err = js.Error{Value: args[0]}
		close(done)
		return nil
	})
	defer broken.Release()
	promise.Call("then", kept, broken)
	<-done
	return value, err
}

// made returns what a call returned that makes a thing, or MuJoCo's error, which is a text.
func made(v js.Value) (js.Value, error) {
	if v.Type() == js.TypeString {
		return js.Undefined(), fmt.Errorf("%s", v.String())
	}
	return v, nil
}
