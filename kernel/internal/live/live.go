// Package live connects compiled cells with the kernel that loads them. A cell imports the package, and the kernel
// finds the cell's function in it. Both run in one process, so the variables of this package exist once.
package live

import (
	"fmt"
	"log"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Hooks are the functions of a session that its cells call. They may be called from any goroutine.
type Hooks struct {
	Check   func()                   // ends the goroutine if its cell was interrupted
	GoStart func()                   // called before a goroutine starts
	GoDone  func()                   // called when a goroutine has ended
	GoPanic func(any)                // called when a goroutine has panicked
	Exit    func(int)                // called instead of os.Exit
	Tested  func(testing.TB, func()) // calls a function of a test that package testing would call
	Show    func([]any)              // shows the values of a cell's last expression
	Print   func(...any)             // replaces the built-in print; Println replaces println
	Println func(...any)

	// Variable returns a pointer to a variable of the session. name is its name in compiled code.
	Variable func(name string) any

	// Symbol returns what cells use instead of a function or variable that would act outside the session. A variable is
	// addressable.
	Symbol func(path, name string) (reflect.Value, bool)
}

// Cell is a cell that runs.
type Cell struct {
	*Hooks
	Reached int            // number of top-level statements started
	Vars    map[string]any // pointers to the cell's new variables and its functions, by their names in compiled code
}

// Bind sets *f, a function or a pointer to a variable, to the session's replacement, if there is one.
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

// Failed is the panic of a call whose error the cell does not handle.
type Failed struct {
	Err          error
	Call         string // name of the call in messages; "" if the error comes from no call
	Line, Column int    // place in the cell
}

// Fail ends the cell if err is not nil.
func Fail(err error, call string, line, column int) {
	if err != nil {
		panic(Failed{err, call, line, column})
	}
}

// New makes a variable of the type that *p is to point to.
func New[T any](p *T) *T { return new(T) }

// Cast makes *p point to the session's variable of this name, whose type must have the same layout as T.
func Cast[T any](c *Cell, p **T, name string) {
	*p = (*T)(reflect.ValueOf(c.Variable(name)).UnsafePointer())
}

// Seed sets *p, if it is nil, to a variable that was made before any compiled cell needed it.
func Seed[T any](c *Cell, p **T, name string) {
	if *p == nil {
		Cast(c, p, name)
	}
}

// Raised is not zero while the code of a cell must end. Loops and functions then call Check.
var Raised int32

// Flag is the address of Raised. A function with a loop keeps this address in a register.
var Flag = &Raised

// Stop reports whether a loop must call Check. It is one load in the cell. Functions without a loop read Raised
// directly at each call. This is one comparison with memory and needs no register.
func Stop(flag *int32) bool { return atomic.LoadInt32(flag) != 0 }

// Session returns the hooks of the session that the calling goroutine belongs to, or nil outside cells. The kernel sets
// this variable.
var Session func() *Hooks

// Check ends the calling goroutine if its cell was interrupted. It is not inlined, so that functions of cells stay
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

// GoEnd is the first deferred call in the goroutine of a go statement.
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

// Print replaces the built-in print.
func Print(xs ...any) { Session().Print(xs...) }

// Println replaces the built-in println.
func Println(xs ...any) { Session().Println(xs...) }

// Fatal replaces the method Fatal of a logger, which would end the process.
func Fatal(l *log.Logger) func(...any) {
	return func(xs ...any) { fatal(l, fmt.Sprint(xs...)) }
}

// Fatalf replaces the method Fatalf of a logger, which would end the process.
func Fatalf(l *log.Logger) func(string, ...any) {
	return func(format string, xs ...any) { fatal(l, fmt.Sprintf(format, xs...)) }
}

// Fatalln replaces the method Fatalln of a logger, which would end the process.
func Fatalln(l *log.Logger) func(...any) {
	return func(xs ...any) { fatal(l, fmt.Sprintln(xs...)) }
}

// TestRun replaces the method Run of a test: a panic there would end the process.
func TestRun(t *testing.T) func(string, func(*testing.T)) bool {
	return func(name string, f func(*testing.T)) bool {
		return t.Run(name, func(t *testing.T) { Session().Tested(t, func() { f(t) }) })
	}
}

// BenchmarkRun replaces the method Run of a benchmark.
func BenchmarkRun(b *testing.B) func(string, func(*testing.B)) bool {
	return func(name string, f func(*testing.B)) bool {
		return b.Run(name, func(b *testing.B) { Session().Tested(b, func() { f(b) }) })
	}
}

// Cleanup replaces the method Cleanup of tests, benchmarks and fuzz tests.
func Cleanup(t testing.TB) func(func()) {
	return func(f func()) { t.Cleanup(func() { Session().Tested(t, f) }) }
}

// RunParallel replaces the method of a benchmark.
func RunParallel(b *testing.B) func(func(*testing.PB)) {
	return func(body func(*testing.PB)) {
		h := Session()
		b.RunParallel(func(p *testing.PB) { h.Tested(b, func() { body(p) }) })
	}
}

// Fuzz replaces the method of a fuzz test.
func Fuzz(f *testing.F) func(any) {
	return func(target any) { f.Fuzz(Target(target, Session().Tested)) }
}

// Target returns a target for a fuzz test. This target calls the argument target inside a call of the function tested.
func Target(target any, tested func(testing.TB, func())) any {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Func || v.Type().NumIn() == 0 || v.Type().In(0) != reflect.TypeFor[*testing.T]() {
		return target // which Fuzz refuses
	}
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) (results []reflect.Value) {
		tested(args[0].Interface().(*testing.T), func() { results = v.Call(args) })
		return results
	}).Interface()
}

// TestLog does what a method of a test such as Error does, at a place of a cell.
func TestLog(t testing.TB, method, place, text string) {
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ")
	fmt.Fprintf(t.Output(), "%s: %s\n", place, text)
	switch method {
	case "Error":
		t.Fail()
	case "Fatal":
		t.FailNow()
	case "Skip":
		t.SkipNow()
	}
}

func fatal(l *log.Logger, text string) {
	l.Output(3, text)
	Session().Exit(1)
}

var loaded sync.Map

// Load receives the function of a cell from its plugin.
func Load(name string, run func(*Cell)) { loaded.Store(name, run) }

// Take returns the function that Load received, or nil.
func Take(name string) func(*Cell) {
	run, _ := loaded.LoadAndDelete(name)
	f, _ := run.(func(*Cell))
	return f
}
