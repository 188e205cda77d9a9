// Package live is what compiled cells and the kernel that loads them have in common: a cell imports it, and the kernel
// finds the cell's function in it. Both are in one process, so what is here is there once.
package live

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Host are the functions of a session that its cells call. They may be called from any goroutine.
type Host struct {
	Check   func()       // ends the goroutine where its cell was interrupted
	GoStart func()       // a goroutine is about to start
	GoDone  func()       // and has ended
	GoPanic func(any)    // or panicked
	Show    func([]any)  // the values of a cell's last expression
	Print   func(...any) // the built-in print and println
	Println func(...any)

	// Symbol is what cells use instead of a function or variable that would reach past the session; the latter is
	// addressable.
	Symbol func(path, name string) (reflect.Value, bool)
}

// Cell is a cell that runs.
type Cell struct {
	*Host
	Reached int            // top-level statements started
	Vars    map[string]any // pointers to the variables it made, by their names in the compiled code
}

// Bind sets *f, a function or a pointer to a variable, to what the session has for it.
func (c *Cell) Bind(f any, path, name string) {
	v, ok := c.Symbol(path, name)
	if !ok {
		return
	}
	if v.Kind() != reflect.Func {
		v = v.Addr()
	}
	reflect.ValueOf(f).Elem().Set(v)
}

// ShowResults shows the results of a call of which the last is an error: that only where there is one.
func (c *Cell) ShowResults(xs ...any) {
	if n := len(xs); xs[n-1] == nil {
		xs = xs[:n-1]
	}
	c.Show(xs)
}

// ShowValues shows the values of a cell's last expression.
func (c *Cell) ShowValues(xs ...any) { c.Show(xs) }

// New makes a variable of the type that *p is to point to.
func New[T any](p *T) *T { return new(T) }

// Cast makes *p point to the variable at old, of a type laid out alike.
func Cast[T any](p **T, old unsafe.Pointer) { *p = (*T)(old) }

// Raised is not zero while the code of a cell is to end: loops and functions then call Check.
var Raised atomic.Int32

// Flag is Raised. A function that loops keeps it in a register.
var Flag = &Raised

// Stop says whether Check is to be called. It is one load in the cell: a method of atomic.Int32 would be a call there,
// as the compiler inlines methods only of packages that a file imports itself.
func Stop(flag *atomic.Int32) bool { return flag.Load() != 0 }

// Session finds the session that the calling goroutine belongs to, nil outside cells. The kernel sets it.
var Session func() *Host

// Check ends the calling goroutine where its cell was interrupted. It stays a call, so that functions of cells stay
// small enough to be inlined.
//
//go:noinline
func Check() {
	if h := Session(); h != nil {
		h.Check()
	}
}

// GoStart precedes a go statement.
func GoStart() {
	if h := Session(); h != nil {
		h.GoStart()
	}
}

// GoEnd is deferred first in the goroutine of a go statement.
func GoEnd() {
	x, h := recover(), Session()
	if h == nil {
		if x != nil {
			panic(x)
		}
		return
	}
	if x != nil {
		h.GoPanic(x)
	}
	h.GoDone()
}

// Print is the built-in print.
func Print(xs ...any) { Session().Print(xs...) }

// Println is the built-in println.
func Println(xs ...any) { Session().Println(xs...) }

var loaded sync.Map

// Load is how the plugin of a cell hands over its function.
func Load(name string, run func(*Cell)) { loaded.Store(name, run) }

// Take returns the function that a plugin handed over, nil where there is none.
func Take(name string) func(*Cell) {
	run, _ := loaded.LoadAndDelete(name)
	f, _ := run.(func(*Cell))
	return f
}
