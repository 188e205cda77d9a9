package kernel_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

func TestInterrupt(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { interrupts(t, e.engine) })
	}
}

func interrupts(t *testing.T, engine kernel.Engine) {
	for name, code := range map[string]string{
		"empty loop":                `for {}`,
		"function":                  "func spin() { for { } }\nspin()",
		"recursion":                 "func r(n int) int { if n == 0 { return 0 }; return r(n-1) + r(n-1) }\nr(60)",
		"sleep":                     "import \"time\"\ntime.Sleep(time.Hour)",
		"channel":                   "c := make(chan int)\n<-c",
		"mutex":                     "import \"sync\"\nvar mu sync.Mutex\nmu.Lock()\nmu.Lock()",
		"native sort":               "import \"sort\"\nxs := make([]int, 1000000)\nfor { sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }) }",
		"recovering":                "for { func() { defer func() { recover() }(); panic(1) }() }",
		"label":                     "k := 0\nagain:\nk++\ngoto again",
		"what a goroutine deferred": "done := false\nfunc() { defer func() { done = true }(); for {} }()",
		"goroutine":                 "import \"sync\"\nvar wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); for {} }()\nwg.Wait()",
	} {
		t.Run(name, func(t *testing.T) {
			s := startOn(t, engine)
			execute(s, "x := 7\nadd := func(n int) int { return x + n }")
			var at atomic.Pointer[time.Time]
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			out := &kerneltest.Output{}
			go func() {
				for out.Stdout() == "" && ctx.Err() == nil { // until it is compiled and runs
					time.Sleep(time.Millisecond)
				}
				time.Sleep(50 * time.Millisecond)
				now := time.Now()
				at.Store(&now)
				s.Interrupt()
			}()
			r := s.Execute(ctx, kernel.Request{Code: "import \"fmt\"\nfmt.Println(\"runs\")\n" + code}, out)
			t.Logf("ended %v after the interrupt", time.Since(*at.Load()).Round(time.Millisecond))
			if r.Error == nil || r.Error.Name != "Interrupted" {
				t.Fatalf("got %+v", r.Error)
			}
			for range 3 {
				if r, _ = execute(s, "add(1)"); value(r) != "8" {
					t.Fatalf("closure after the interrupt: %s", value(r))
				}
			}
		})
	}
}

func TestContextEnds(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	r := s.Execute(ctx, kernel.Request{Code: "for {}"}, &kerneltest.Output{})
	if r.Error == nil || r.Error.Name != "Interrupted" {
		t.Fatalf("got %+v", r.Error)
	}
}

func TestRecursionWithoutEnd(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { recursion(t, e.engine) })
	}
}

func recursion(t *testing.T, engine kernel.Engine) {
	s := startOn(t, engine)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // it takes a second or two of processor time
	defer cancel()
	r := s.Execute(ctx, kernel.Request{Code: "func f(n int) int { return f(n+1) + 1 }\nf(0)"}, &kerneltest.Output{})
	if r.Error == nil || r.Error.Name != "Panic" {
		t.Fatalf("got %+v", r.Error)
	}
	t.Log(r.Error.Message)
	if r, _ = execute(s, "1 + 1"); value(r) != "2" {
		t.Fatal(value(r))
	}
}
