package prelude

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unique"

	ourrand "nacre/kernel/internal/prelude/math_rand_v2"
	ourreflect "nacre/kernel/internal/prelude/reflect"
	oursync "nacre/kernel/internal/prelude/sync"
	ouratomic "nacre/kernel/internal/prelude/sync_atomic"
	ourunique "nacre/kernel/internal/prelude/unique"
)

// TypeFor and TypeAssert give what those of package reflect do, of interfaces too.
func TestReflect(t *testing.T) {
	for k, pair := range [][2]reflect.Type{
		{ourreflect.TypeFor[int](), reflect.TypeFor[int]()},
		{ourreflect.TypeFor[error](), reflect.TypeFor[error]()},
		{ourreflect.TypeFor[any](), reflect.TypeFor[any]()},
		{ourreflect.TypeFor[*time.Time](), reflect.TypeFor[*time.Time]()},
		{ourreflect.TypeFor[map[string][]io.Reader](), reflect.TypeFor[map[string][]io.Reader]()},
	} {
		if pair[0] != pair[1] {
			t.Errorf("TypeFor %d: %v, want %v", k, pair[0], pair[1])
		}
	}
	for _, x := range []any{3, "s", io.EOF, time.Second} {
		v := reflect.ValueOf(x)
		i, ok := ourreflect.TypeAssert[int](v)
		j, ok2 := reflect.TypeAssert[int](v)
		e, isErr := ourreflect.TypeAssert[error](v)
		f, isErr2 := reflect.TypeAssert[error](v)
		if i != j || ok != ok2 || e != f || isErr != isErr2 {
			t.Errorf("TypeAssert of %v: %v %v %v %v, want %v %v %v %v", x, i, ok, e, isErr, j, ok2, f, isErr2)
		}
	}
}

// N is in [0, n), takes every value, and panics where that of math/rand/v2 does.
func TestRandN(t *testing.T) {
	type small uint8
	seen := map[small]bool{}
	for range 400 {
		x := ourrand.N(small(5))
		if x >= 5 {
			t.Fatal("N(5) is ", x)
		}
		seen[x] = true
	}
	if len(seen) != 5 {
		t.Error("N(5) takes the values ", seen)
	}
	if d := ourrand.N(time.Hour); d < 0 || d >= time.Hour {
		t.Error("N(1h) is ", d)
	}
	panics := func(f func()) (x any) {
		defer func() { x = recover() }()
		f()
		return nil
	}
	for _, n := range []int{0, -1} {
		got, want := panics(func() { ourrand.N(n) }), panics(func() { rand.N(n) })
		if fmt.Sprint(got) != fmt.Sprint(want) || got == nil {
			t.Errorf("N(%d) panics with %v, want %v", n, got, want)
		}
	}
}

// Pointer does what atomic.Pointer does, also when goroutines use it at once.
func TestAtomicPointer(t *testing.T) {
	var ours ouratomic.Pointer[int]
	var standard atomic.Pointer[int]
	values := []*int{nil, new(int), new(int)}
	same := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, a := range values {
		for _, b := range values {
			same("Load", ouratomic.Pointer_Load(&ours), standard.Load())
			same("CompareAndSwap", ouratomic.Pointer_CompareAndSwap(&ours, a, b), standard.CompareAndSwap(a, b))
			same("Swap", ouratomic.Pointer_Swap(&ours, b), standard.Swap(b))
			ouratomic.Pointer_Store(&ours, a)
			standard.Store(a)
		}
	}
	if got, want := reflect.TypeOf(&ours).Elem().NumField(), reflect.TypeOf(&standard).Elem().NumField(); got != want {
		t.Errorf("%d fields, want %d", got, want)
	}
	var sum ouratomic.Pointer[int]
	ouratomic.Pointer_Store(&sum, new(int))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 250 {
				for old := ouratomic.Pointer_Load(&sum); ; old = ouratomic.Pointer_Load(&sum) {
					next := *old + 1
					if ouratomic.Pointer_CompareAndSwap(&sum, old, &next) {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	same("sum", *ouratomic.Pointer_Load(&sum), 1000)
}

// Handles are equal where their values are, as those of package unique.
func TestUnique(t *testing.T) {
	type pair struct{ a, b string }
	values := []pair{{}, {"a", "b"}, {"a", "b"}, {"b", "a"}}
	for _, a := range values {
		for _, b := range values {
			got, want := ourunique.Make(a) == ourunique.Make(b), unique.Make(a) == unique.Make(b)
			if got != want {
				t.Errorf("%v and %v: %v, want %v", a, b, got, want)
			}
		}
		if got := ourunique.Handle_Value(ourunique.Make(a)); got != a {
			t.Errorf("Value %v, want %v", got, a)
		}
	}
}

// OnceValue and OnceValues call once, from many goroutines too, and panic again with what the function panicked with.
func TestOnce(t *testing.T) {
	calls := 0
	one := oursync.OnceValue(func() int { calls++; return 7 })
	two := oursync.OnceValues(func() (string, error) { calls++; return "x", io.EOF })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := two()
			if one() != 7 || s != "x" || err != io.EOF {
				t.Error("wrong values")
			}
		})
	}
	wg.Wait()
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
	again := func(f func()) (out [2]any) {
		for k := range out {
			func() {
				defer func() { out[k] = recover() }()
				f()
			}()
		}
		return out
	}
	bad, standard := oursync.OnceValue(func() int { panic(io.EOF) }), sync.OnceValue(func() int { panic(io.EOF) })
	if got, want := again(func() { bad() }), again(func() { standard() }); got != want {
		t.Errorf("panics with %v, want %v", got, want)
	}
	bads := oursync.OnceValues(func() (int, int) { panic("twice") })
	if got := again(func() { bads() }); got != [2]any{"twice", "twice"} {
		t.Errorf("panics with %v", got)
	}
}
