package fidelity

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// Class says how cells compare with the compiled program.
type Class string

const (
	Same    Class = "same"           // the same output and the same end
	Refused Class = "refused"        // refused, with a sentence that says what is not supported
	Wrong   Class = "wrong error"    // an error that the compiled program does not have, or has in other words
	Silent  Class = "silently wrong" // different output, without an error before it
)

// Outcome holds the result of running a program in cells.
type Outcome struct {
	Class Class
	Got   Result
	Error string // error of a program that was refused or failed

	Errors string // what it wrote to standard error
}

// refusals are texts in the messages with which an engine refuses programs.
var refusals = []string{"not supported", "types of cells", "no package", "cannot be imported", "is not in this kernel",
	"is not one this notebook can import"}

// InCells runs a program in cells of the session and compares the result with that of the compiled program.
func InCells(s kernel.Session, p *Case, want Result) Outcome {
	return inCells(context.Background(), s, p, want, 3*limit)
}

// inCells is InCells until the parent ends, with the time that a cell may take.
func inCells(parent context.Context, s kernel.Session, p *Case, want Result, limit time.Duration) Outcome {
	out := &kerneltest.Output{}
	var fail *kernel.Error
	for _, code := range p.Cells {
		ctx, cancel := context.WithTimeout(parent, limit)
		r := s.Execute(ctx, kernel.Request{Code: code}, out)
		cancel()
		if fail = r.Error; fail != nil {
			break
		}
	}
	o := Outcome{Class: Same, Got: Result{Output: tidy(out.Stdout())}, Errors: tidyErrors(out.Stderr())}
	if fail == nil {
		if o.Got != want {
			o.Class = Silent
		}
		return o
	}
	o.Error = fail.Name + ": " + fail.Message
	o.Got.End = o.Error
	switch fail.Name {
	case "Panic":
		text := strings.TrimSuffix(fail.Message, " (in a goroutine of this cell)")
		if strings.HasPrefix(text, "stack overflow") {
			o.Got.End = "fatal error: stack overflow"
		} else {
			o.Got.End = tidy("panic: " + text)
			if typ, ok := strings.CutSuffix(want.End, " 0xADDRESS"); ok && strings.HasPrefix(o.Got.End, typ+" ") {
				o.Got.End = want.End // a cell shows the value, where the compiled program does not
			}
		}
	case "Exit":
		o.Got.End = strings.TrimSuffix("exit status "+fail.Message[strings.LastIndexByte(fail.Message, ' ')+1:],
			"exit status 0")
		if strings.Contains(fail.Message, "runtime.Goexit") {
			o.Got.End = "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"
		}
	case "Interrupted":
		o.Got.End = "ran too long"
		if strings.Contains(want.End, "deadlock") {
			o.Got.End = want.End
		}
	}
	switch {
	case o.Got == want:
	case !strings.HasPrefix(want.Output, o.Got.Output):
		o.Class = Silent
	case fail.Name == "CompileError" && refusal(fail.Message):
		o.Class = Refused
	default:
		o.Class = Wrong
	}
	return o
}

func refusal(message string) bool {
	for _, r := range refusals {
		if strings.Contains(message, r) {
			return true
		}
	}
	return false
}

// Difference shows how the outcome differs from the wanted one; "" if it does not.
func (o Outcome) Difference(p *Case, want Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s\n", p.Name, o.Class, o.Error)
	got, expected := strings.Split(o.Got.Output+o.Got.End, "\n"), strings.Split(want.Output+want.End, "\n")
	for k := 0; k < max(len(got), len(expected)); k++ {
		at := func(l []string) string {
			if k < len(l) {
				return l[k]
			}
			return "(nothing)"
		}
		if at(got) != at(expected) {
			fmt.Fprintf(&b, "line %d: got\n\t%s\nwant\n\t%s\n", k+1, at(got), at(expected))
			break
		}
	}
	return b.String()
}
