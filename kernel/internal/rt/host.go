package rt

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"nacre/kernel/internal/live"
)

// Hooks are the functions of the session that lowered code calls.
type Hooks struct {
	Check   func()                 // ends the goroutine if its cell was interrupted
	GoStart func()                 // called when a goroutine is about to start
	GoDone  func()                 // called when a goroutine has ended
	GoPanic func(any)              // called when a goroutine has panicked
	Exit    func(int)              // ends the program
	Done    func() <-chan struct{} // closed when the cell is interrupted
	Show    func([]any)            // shows the values of a cell's last expression
	Print   func(string)           // the built-in functions print and println
	Global  func(string, func() any)

	Stdout, Stderr func() io.Writer // what the variables of package os are now

	Tested func(t testing.TB, f func()) // calls a function of a test that package testing would call
}

// Symbols are the host functions by the names that lowered code uses.
func (r *Registry) Symbols(h Hooks) map[string]reflect.Value {
	m := map[string]any{
		"Box": r.Box, "Value": r.Value, "Norm": r.Norm, "Is": r.Is, "As": r.As, "Method": r.Method, "Equal": r.Equal,
		"Hashed":   hashed,
		"Register": r.Register, "Lowered": r.Lowered, "TemplateFuncs": r.TemplateFuncs, "Plain": r.Plain,
		"Panicked":      r.Panicked,
		"PrintDefaults": r.PrintDefaults, "TextVar": r.TextVar,
		"Thrown": r.thrown, "Logged": r.Logged, "Decode": r.Decode,
		"Same":   r.Same,
		"IsNil":  func(x any) bool { return r.Norm(x) == nil },
		"NotNil": notNil, "Runes": runes, "MinusZero": minusZero,
		"Clear": clearAny,
		"Min":   func(xs []any) any { return extreme(xs, -1) },
		"Max":   func(xs []any) any { return extreme(xs, 1) },
		"Count": func(n int) int {
			if n < 0 {
				panic(runtimeError("negative shift amount"))
			}
			return n
		},
		"Bytes": func(s string) []byte { return append(make([]byte, 0, len(s)), s...) },
		"Float32": func(n int64) float32 {
			return float32(n)
		}, "Float32U": func(n uint64) float32 { return float32(n) },
		"Scanned": r.Scanned, "ScannedAll": eachOf(r.Scanned), "LoggedAll": eachOf(r.Logged),
		"Entered": entered,
		"RecoverIn": func(deferred bool) any {
			if !deferred {
				return nil
			}
			return r.recovered(innermost())
		},
		"RecoverOuter": func(deferred bool) any { // the statement "defer recover()", as the function's defers run
			// It does nothing while a panic of the function runs them.
			if u := innermost(); deferred && u != nil && !u.active {
				return r.recovered(u.outer)
			}
			return nil
		},
		"Defers": newDefers, "Defer": pushDeferred, "DeferCall": pushAsking, "Run": runDeferring,
		"Go": func(f func()) {
			h.GoStart()
			go func() {
				defer h.GoDone()
				defer func() {
					if x := recover(); x != nil {
						h.GoPanic(r.Panicked(x))
					}
				}()
				f()
			}()
		},
		"Print":   func(xs []any) { h.Print(printText(xs, "", "")) },
		"Println": func(xs []any) { h.Print(printText(xs, " ", "\n")) },
		"Stdout":  h.Stdout,
		"Stderr":  h.Stderr,

		"Write":       func(to string, b []byte) (int, error) { return h.stream(to).Write(b) },
		"WriteString": func(to, s string) (int, error) { return io.WriteString(h.stream(to), s) },

		"Select": h.choose, "Encoded": EncodeError,
		"Fatal": func(l *log.Logger, method string, args ...any) { // log.Logger's own would end the process
			switch method {
			case "Fatal":
				l.Output(2, r.Sprint(args))
			case "Fatalln":
				l.Output(2, r.Sprintln(args))
			default:
				l.Output(2, r.Sprintf(args[0].(string), args[1:]))
			}
			h.Exit(1)
		},
		"TestLog": func(t testing.TB, method, place string, args ...any) {
			live.TestLog(t, method, place, r.Sprintln(args))
		},
		"TestLogf": func(t testing.TB, method, place, format string, args ...any) {
			live.TestLog(t, strings.TrimSuffix(method, "f"), place, r.Sprintf(format, args))
		},
		"TestRun": func(t *testing.T, name string, f func(*testing.T)) bool {
			return t.Run(name, func(t *testing.T) { h.Tested(t, func() { f(t) }) })
		},
		"BenchmarkRun": func(b *testing.B, name string, f func(*testing.B)) bool {
			return b.Run(name, func(b *testing.B) { h.Tested(b, func() { f(b) }) })
		},
		"RunParallel": func(b *testing.B, body func(*testing.PB)) {
			b.RunParallel(func(p *testing.PB) { h.Tested(b, func() { body(p) }) })
		},
		"Fuzz":    func(f *testing.F, target any) { f.Fuzz(live.Target(target, h.Tested)) },
		"Cleanup": func(t testing.TB, f func()) { t.Cleanup(func() { h.Tested(t, f) }) },

		"Index": index, "IndexUnsigned": indexUnsigned, "Bounds": bounds, "Bounds3": bounds3, "Ranged": ranged,
		"NoReceiver": noReceiver, "Capacity": capacity, "Grown": grown,
		"UnsafeSlice": unsafeSlice, "UnsafeSliceData": unsafeSliceData, "UnsafeString": unsafeString,
		"UnsafeStringData": unsafeStringData,
		"Check":            h.Check, "Fail": live.Fail, "Show": h.Show, "Global": h.Global,
	}
	out := map[string]reflect.Value{}
	for name, f := range m {
		out[name] = reflect.ValueOf(f)
	}
	return out
}

// eachOf returns a function that applies f to each element of a list.
func eachOf(f func(any) any) func([]any) []any {
	return func(list []any) []any {
		out := make([]any, len(list))
		for k, x := range list {
			out[k] = f(x)
		}
		return out
	}
}

// thrown returns the value with which panic(x) panics.
func (r *Registry) thrown(x any) any {
	if r.Norm(x) == nil {
		return new(runtime.PanicNilError)
	}
	return x
}

// runes returns the positions and values of the runes of s.
func runes(s string) (at []int, values []rune) {
	for k, r := range s {
		at, values = append(at, k), append(values, r)
	}
	return at, values
}

func notNil(x any) any {
	if x == nil {
		panic(&AssertError{"interface conversion: interface is nil, not interface {}"})
	}
	return x
}

func clearAny(x any) {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Map || v.Kind() == reflect.Slice {
		v.Clear()
	}
}

// printText joins values as the built-in print does. It prints floating-point numbers in their shortest form, and
// pointers and the like as addresses.
func printText(xs []any, sep, end string) string {
	s := ""
	for k, x := range xs {
		if k > 0 {
			s += sep
		}
		s += printed(reflect.ValueOf(x))
	}
	return s + end
}

func printed(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", v.Len(), v.Cap(), v.Pointer())
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", v.Pointer())
	case reflect.Invalid: // an interface
		return "(0x0,0x0)"
	}
	if v.CanInt() {
		return strconv.FormatInt(v.Int(), 10)
	}
	if v.CanUint() {
		return strconv.FormatUint(v.Uint(), 10)
	}
	return fmt.Sprint(v.Interface()) // the value in an interface, whose address would say less
}

// extreme is the built-in min (sign -1) or max of values of one type.
func extreme(xs []any, sign int) any {
	best := reflect.ValueOf(xs[0])
	for _, x := range xs[1:] {
		v := reflect.ValueOf(x)
		c := 0
		switch {
		case v.CanInt():
			c = cmp.Compare(v.Int(), best.Int())
		case v.CanUint():
			c = cmp.Compare(v.Uint(), best.Uint())
		case v.CanFloat():
			a, b := v.Float(), best.Float()
			var m float64
			if sign < 0 {
				m = min(a, b)
			} else {
				m = max(a, b)
			}
			best = reflect.ValueOf(m).Convert(v.Type())
			continue
		default:
			c = cmp.Compare(v.String(), best.String())
		}
		if c == sign {
			best = v
		}
	}
	return best.Interface()
}

// Plain passes x to a native function that must not see a cell's type.
func (r *Registry) Plain(x any, where string) any {
	if o, ok := object(r.Norm(x)); ok {
		refuse("%s looks into its argument by reflection, which shows no types of cells, such as %s", where, o.T.Name)
	}
	return x
}

// choose is a select statement over channels. sent and received hold pointers; the pointer is nil if the clause does
// the other. choose returns the index of the chosen clause, or -1 for the default, and whether the received value had
// been sent.
func (h Hooks) choose(hasDefault bool, chans, sent, received []any) (int, bool) {
	cases := make([]reflect.SelectCase, len(chans), len(chans)+1)
	for k, c := range chans {
		cases[k] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
		if sent[k] != nil {
			cases[k].Dir, cases[k].Send = reflect.SelectSend, reflect.ValueOf(sent[k]).Elem()
		}
		if !cases[k].Chan.IsValid() || cases[k].Chan.IsNil() { // never ready
			cases[k] = reflect.SelectCase{Dir: reflect.SelectRecv}
		}
	}
	if hasDefault {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	} else {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(h.Done())})
	}
	for {
		k, v, ok := reflect.Select(cases)
		switch {
		case k < len(chans):
			if received[k] != nil {
				reflect.ValueOf(received[k]).Elem().Set(v)
			}
			return k, ok
		case hasDefault:
			return -1, false
		}
		h.Check()
		cases[k].Chan = reflect.Value{} // the cell has ended otherwise
	}
}

// stream returns the writer for os.Stdout or os.Stderr.
func (h Hooks) stream(name string) io.Writer {
	if name == "Stderr" {
		return h.Stderr()
	}
	return h.Stdout()
}
