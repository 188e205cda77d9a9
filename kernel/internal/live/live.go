// Package live holds what compiled cells and the kernel that loads them have in common: a cell imports it, and the
// kernel finds the cell's function in it. Both are in one process, so what is here is there once.
package live

import (
	"fmt"
	"log"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Hooks are the functions of a session that its cells call. They may be called from any goroutine.
type Hooks struct {
	Check   func()       // ends the goroutine where its cell was interrupted
	GoStart func()       // a goroutine is about to start
	GoDone  func()       // and has ended
	GoPanic func(any)    // or panicked
	Exit    func(int)    // os.Exit
	Show    func([]any)  // the values of a cell's last expression
	Print   func(...any) // the built-in print and println
	Println func(...any)

	// Variable is a pointer to a variable that no compiled cell has made, by its name in compiled code.
	Variable func(name string) any

	// Symbol is used by cells instead of a function or variable that would reach past the session; the latter is
	// addressable.
	Symbol func(path, name string) (reflect.Value, bool)
}

// Cell is a cell that runs.
type Cell struct {
	*Hooks
	Reached int            // top-level statements started
	Vars    map[string]any // pointers to the variables it made and its functions, by their names in the compiled code
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

// ShowValues shows the values of a cell's last expression.
func (c *Cell) ShowValues(xs ...any) { c.Show(xs) }

// Failed is the panic of a call whose error a cell leaves out.
type Failed struct {
	Err          error
	Call         string // how messages name it; "" of an error that is no call's
	Line, Column int    // in the cell
}

// Fail ends the cell where err is not nil.
func Fail(err error, call string, line, column int) {
	if err != nil {
		panic(Failed{err, call, line, column})
	}
}

// New makes a variable of the type that *p is to point to.
func New[T any](p *T) *T { return new(T) }

// Cast makes *p point to the variable at old, of a type laid out alike.
func Cast[T any](p **T, old unsafe.Pointer) { *p = (*T)(old) }

// Seed makes *p, where it is nil, point to a variable that was made before any compiled cell needed it.
func Seed[T any](c *Cell, p **T, name string) {
	if *p == nil {
		*p = (*T)(reflect.ValueOf(c.Variable(name)).UnsafePointer())
	}
}

// Raised is not zero while the code of a cell is to end: loops and functions then call Check.
var Raised int32

// Flag is Raised. A function that loops keeps it in a register.
var Flag = &Raised

// Stop reports whether Check is to be called, in a loop. It is one load in the cell. Functions that do not loop read
// Raised itself, which they do anew at each call: that is a comparison with memory, and no register.
func Stop(flag *int32) bool { return atomic.LoadInt32(flag) != 0 }

// Session finds the session that the calling goroutine belongs to, nil outside cells. The kernel sets it.
var Session func() *Hooks

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

// Fatal is that method of a logger, whose own would end the process.
func Fatal(l *log.Logger) func(...any) {
	return func(xs ...any) { fatal(l, fmt.Sprint(xs...)) }
}

// Fatalf is that method of a logger, whose own would end the process.
func Fatalf(l *log.Logger) func(string, ...any) {
	return func(format string, xs ...any) { fatal(l, fmt.Sprintf(format, xs...)) }
}

// Fatalln is that method of a logger, whose own would end the process.
func Fatalln(l *log.Logger) func(...any) {
	return func(xs ...any) { fatal(l, fmt.Sprintln(xs...)) }
}

func fatal(l *log.Logger, text string) {
	l.Output(3, text)
	Session().Exit(1)
}

var loaded sync.Map

// Load is how the plugin of a cell hands over its function.
func Load(name string, run func(*Cell)) { loaded.Store(name, run) }

// Take returns the function that a plugin handed over, nil if there is none.
func Take(name string) func(*Cell) {
	run, _ := loaded.LoadAndDelete(name)
	f, _ := run.(func(*Cell))
	return f
}
