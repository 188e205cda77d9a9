package difftest

import (
	"context"
	"strings"
	"time"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// Class is how cells compare with the compiled program.
type Class string

const (
	Same       Class = "as compiled"
	Refused    Class = "refused"          // with a sentence that says what is not supported
	Misleading Class = "misleading"       // an error that the compiled program does not have
	PanicText  Class = "other panic text" // both panic
	Silent     Class = "silently wrong"   // other output, without an error
)

// Outcome is what running a program in cells gave.
type Outcome struct {
	Class Class
	Got   Result
	Error string // of a program that was refused or failed
}

// InCells runs a program in cells of the session and compares it with what it gave compiled.
func InCells(s kernel.Session, p *Program, want Result) Outcome {
	out := &kerneltest.Output{}
	var fail *kernel.Error
	for _, code := range p.Cells() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		r := s.Execute(ctx, kernel.Request{Code: code}, out)
		cancel()
		if fail = r.Error; fail != nil {
			break
		}
	}
	o := Outcome{Class: Same, Got: Result{Output: out.Stdout()}}
	if fail != nil {
		o.Error = fail.Name + ": " + fail.Message
		if fail.Name == "Panic" {
			o.Got.End = "panic: " + fail.Message
		}
	}
	prefix := strings.HasPrefix(want.Output, o.Got.Output)
	switch {
	case fail == nil:
		if o.Got != want {
			o.Class = Silent
		}
	case !prefix:
		o.Class = Silent
	case fail.Name == "Panic" && want.End != "" && o.Got.Output == want.Output:
		if o.Got.End != want.End {
			o.Class = PanicText
		}
	case fail.Name == "CompileError" && (strings.Contains(fail.Message, "not supported") || strings.Contains(fail.Message, "types of cells")):
		o.Class = Refused
	default:
		o.Class = Misleading
	}
	return o
}
