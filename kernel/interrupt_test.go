package kernel_test

import (
	"context"
	"testing"
	"time"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

func TestInterrupt(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { interrupts(t, e.start(t)) })
	}
}

func interrupts(t *testing.T, s kernel.Session) {
	execute(s, "state := 7\nadd := func(n int) int { return state + n }")
	for _, c := range kerneltest.Interrupts {
		took, err := kerneltest.Interrupt(s, c.Code)
		if err != nil {
			t.Fatalf("%s: %v", c.Kind, err)
		}
		t.Logf("%s ended %v after the interrupt", c.Kind, took.Round(time.Millisecond))
		for range 3 {
			if r, _ := execute(s, "add(1)"); value(r) != "8" {
				t.Fatalf("closure after the interrupt of %s: %s", c.Kind, value(r))
			}
		}
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
		t.Run(e.name, func(t *testing.T) { recursion(t, e.start(t)) })
	}
}

func recursion(t *testing.T, s kernel.Session) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // it takes a second or two of processor time
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
