//go:build !js

package kernel_test

import (
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

func init() { engines = append(engines, testEngine{"go", kernel.Compiled(".."), nil}) }

// What the checker lets pass and the compiler does not is an error at its place in the cell, and the session goes on.
func TestCompilerErrorsHavePlaces(t *testing.T) {
	s := startOn(t, kernel.Compiled(".."))
	if r, _ := execute(s, "x := 1"); r.Error != nil {
		t.Fatal(value(r))
	}
	r, _ := execute(s, "type big [1 << 50]byte\nvar b big\nlen(b)")
	if r.Error == nil {
		t.Fatal("an array of a petabyte was compiled")
	}
	if r.Error.Name != "CompileError" || len(r.Error.Positions) == 0 || r.Error.Positions[0].Line != 1 {
		t.Errorf("got %s at %v", value(r), r.Error.Positions)
	}
	kerneltest.Cells(t, s, [][2]string{{"x", "1"}})
}

// A panic in a function of the cell is located where it happens, also behind calls.
func TestPanicInACompiledFunction(t *testing.T) {
	s := startOn(t, kernel.Compiled(".."))
	r, _ := execute(s, "func f(m map[string]int) {\n\tm[\"a\"] = 1\n}\nf(nil)")
	if r.Error == nil || r.Error.Name != "Panic" || len(r.Error.Positions) != 1 || r.Error.Positions[0].Line != 2 {
		t.Errorf("got %+v", r.Error)
	}
}
