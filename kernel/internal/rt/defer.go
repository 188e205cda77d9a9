package rt

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// Defers holds the deferred calls of one call of a cell's function.
type Defers struct{ list []deferred }

// deferred is a deferred call. The function that it calls may ask whether it was deferred itself.
type deferred struct {
	f    func()
	asks bool
}

func newDefers() *Defers { return &Defers{} }

func pushDeferred(d *Defers, f func()) { d.list = append(d.list, deferred{f, false}) }

func pushAsking(d *Defers, f func()) { d.list = append(d.list, deferred{f, true}) }

// runDeferring runs the body of a function and then its deferred calls, as the Go run time does when there is a panic.
func runDeferring(d *Defers, body func()) {
	defer d.exit()
	body()
}

// unwinding is a panic while the deferred calls of one function run.
type unwinding struct {
	value  any
	active bool // whether there is a panic that has not been recovered
	asked  bool // whether the deferred function that is called next asks whether it was deferred
	id     int64
	noted  bool
	outer  *unwinding
}

var (
	unwindings sync.Map     // goroutine number → innermost *unwinding
	panicking  atomic.Int64 // number of unwindings in the map
)

// note makes u the panic that recover refers to on this goroutine.
func (u *unwinding) note() {
	if u.noted {
		return
	}
	u.noted, u.id = true, goroutine()
	if o, ok := unwindings.Load(u.id); ok {
		u.outer = o.(*unwinding)
	}
	unwindings.Store(u.id, u)
	panicking.Add(1)
}

func (u *unwinding) end() {
	switch {
	case !u.noted:
		return
	case u.outer != nil:
		unwindings.Store(u.id, u.outer)
	default:
		unwindings.Delete(u.id)
	}
	panicking.Add(-1)
}

// Final is a panic that runs no deferred functions: the end of the program.
type Final interface{ Final() }

func (d *Defers) exit() {
	x := recover()
	if _, final := x.(Final); len(d.list) == 0 || final {
		if x != nil {
			panic(x)
		}
		return
	}
	u := &unwinding{value: x, active: x != nil}
	if x != nil || panicking.Load() > 0 {
		u.note()
	}
	d.finish(u)
	if u.active {
		panic(u.value)
	}
}

func (d *Defers) finish(u *unwinding) {
	defer u.end()
	d.run(u)
}

// run calls the deferred functions, the last first. It goes on if one of them panics or ends the goroutine.
func (d *Defers) run(u *unwinding) {
	defer func() {
		if len(d.list) > 0 {
			d.run(u)
		}
	}()
	for len(d.list) > 0 {
		f := d.list[len(d.list)-1]
		d.list = d.list[:len(d.list)-1]
		d.call(f, u)
	}
}

func (d *Defers) call(f deferred, u *unwinding) {
	defer func() {
		if x := recover(); x != nil {
			u.value, u.active = x, true
			u.note()
		}
	}()
	u.asked = f.asks
	f.f()
}

// innermost returns the unwinding of this goroutine, or nil if there is none.
func innermost() *unwinding {
	if panicking.Load() == 0 {
		return nil
	}
	u, _ := unwindings.Load(goroutine())
	o, _ := u.(*unwinding)
	return o
}

// entered reports, at the beginning of a function, whether a deferred call has called the function.
func entered() bool {
	u := innermost()
	if u == nil || !u.asked {
		return false
	}
	u.asked = false
	return true
}

// recovered is the built-in recover, called by a function that was deferred during u.
func (r *Registry) recovered(u *unwinding) any {
	if u == nil || !u.active {
		return nil
	}
	if _, final := u.value.(Final); final {
		return nil
	}
	x := r.Panicked(u.value)
	if x == indexOutOfRange || x == boundsOutOfRange {
		refuse("a panic (%v) in a function that is older than the first recover of the notebook: to tell index and "+
			"length is not supported there; run the function's cell again", x)
	}
	if no, ok := x.(Refusal); ok {
		panic(no)
	}
	u.active = false
	if r.Recovered != nil {
		r.Recovered()
	}
	return x
}

// Goroutine returns the number of the calling goroutine.
func Goroutine() int64 { return goroutine() }

// goroutine returns the number of the calling goroutine. Only a stack trace has it, so it is asked for only during
// panics.
func goroutine() int64 {
	var buf [64]byte
	b := buf[:runtime.Stack(buf[:], false)]
	b = bytes.TrimPrefix(b, []byte("goroutine "))
	b, _, _ = bytes.Cut(b, []byte(" "))
	id, _ := strconv.ParseInt(string(b), 10, 64)
	return id
}
