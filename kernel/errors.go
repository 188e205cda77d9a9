package kernel

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/live"
	"nacre/kernel/internal/rt"
)

const (
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// compileError reports all errors of a cell, each with its line.
func compileError(code string, err error) *Error {
	var list cells.Errors
	if !errors.As(err, &list) {
		return &Error{Name: "CompileError", Message: err.Error(), Traceback: []string{err.Error()}}
	}
	e := &Error{Name: "CompileError"}
	var messages []string
	for _, x := range list {
		where := ""
		if x.Pos.Line > 0 {
			where = fmt.Sprintf("%d:%d: ", x.Pos.Line, x.Pos.Column)
			e.Positions = append(e.Positions, Position{x.Pos.Line, x.Pos.Column})
		}
		messages = append(messages, where+x.Msg)
		e.Traceback = append(e.Traceback,
			entry(bold+where+plain+red+x.Msg+plain, excerpt(code, x.Pos.Line, x.Pos.Column)))
	}
	e.Message = strings.Join(messages, "\n")
	return e
}

// entry is one of a traceback's: an error or a call, with its line of the cell.
func entry(what string, lines []string) string {
	return strings.Join(append([]string{what}, lines...), "\n")
}

// maxExcerpt is the number of characters of a cell's line that an error shows. With the line's number they fit 80
// columns. A wider line would be wrapped, and a mark would stand below the wrong token.
const maxExcerpt = 72

// excerpt is a line of the cell with a mark under the column, counted in bytes from 1; 0 for none. Of a long line it is
// the part around the column.
func excerpt(code string, line, column int) []string {
	lines := strings.Split(code, "\n")
	if line < 1 || line > len(lines) {
		return nil
	}
	bytes := strings.TrimSuffix(strings.ReplaceAll(lines[line-1], "\t", " "), "\r")
	text, mark := []rune(bytes), -1
	if column >= 1 && column <= len(bytes)+1 {
		mark = len([]rune(bytes[:column-1]))
	}
	if len(text) > maxExcerpt {
		from := min(max(0, mark-maxExcerpt/2), len(text)-maxExcerpt)
		mark -= from
		long := text
		text = slices.Clone(long[from : from+maxExcerpt])
		if from > 0 {
			text[0] = '…'
		}
		if from+maxExcerpt < len(long) {
			text[maxExcerpt-1] = '…'
		}
	}
	number := fmt.Sprintf("%4d | ", line)
	out := []string{faint + number + plain + string(text)}
	if mark >= 0 {
		out = append(out, strings.Repeat(" ", len(number)+mark)+red+"^"+plain)
	}
	return out
}

func engineError(code string, err error) *Error {
	if errors.As(err, new(cells.Errors)) {
		return compileError(code, err)
	}
	var r *engine.Refused
	if errors.As(err, &r) {
		e := &Error{Name: "CompileError", Message: r.Text, Traceback: []string{red + r.Text + plain}}
		if r.Line > 0 {
			e.Message = fmt.Sprintf("%d:%d: %s", r.Line, r.Column, r.Text)
			e.Positions = []Position{{r.Line, r.Column}}
			e.Traceback = []string{entry(bold+fmt.Sprintf("%d:%d: ", r.Line, r.Column)+plain+red+r.Text+plain,
				excerpt(code, r.Line, r.Column))}
		}
		return e
	}
	return &Error{Name: "EngineError", Message: err.Error(), Traceback: []string{red + err.Error() + plain}}
}

// panicked is the error of a cell that panicked with x.
func (r *run) panicked(p *engine.Compiled, code string, x any) *Error {
	x = r.session.reg.Panicked(x)
	if v, ok := x.(exit); ok {
		return v.failure()
	}
	if e, ok := x.(rt.Refusal); ok {
		return r.located(p, code, "CompileError", e.Text)
	}
	if f, ok := x.(live.Failed); ok {
		return failed(code, f)
	}
	if e, ok := x.(error); ok && errors.Is(e, errInputRefused) {
		return &Error{Name: "InputRefused", Message: e.Error(), Traceback: []string{red + e.Error() + plain}}
	}
	return r.located(p, code, "Panic", panicText(x))
}

func isFailed(x any) bool { _, ok := x.(live.Failed); return ok }

// failed is the error of a cell that leaves out an error which is there.
func failed(code string, f live.Failed) *Error {
	text := f.Err.Error()
	if errors.Is(f.Err, errInputRefused) {
		return &Error{Name: "InputRefused", Message: text, Traceback: []string{red + text + plain}}
	}
	message, in := text, ""
	if f.Call != "" {
		message, in = f.Call+": "+text, ", "+f.Call
	}
	return placed(code, message, text, in, Position{f.Line, f.Column})
}

// valueError is the error of a cell whose last expression, at a place, has a value that cannot be shown. The engine no
// longer knows the place: the cell's statements have ended.
func valueError(code string, at token.Position, err error) *Error {
	return placed(code, err.Error(), err.Error(), "", Position{at.Line, at.Column})
}

// placed is the error of an expression of the cell at a place. in is the text after its line number.
func placed(code, message, text, in string, at Position) *Error {
	e := &Error{Name: "Error", Message: message, Positions: []Position{at}}
	where := fmt.Sprintf("line %d of this cell", at.Line) + in
	e.Traceback = append([]string{red + e.Name + plain + ": " + text, faint + where + plain},
		excerpt(code, at.Line, at.Column)...)
	return e
}

// located is an error with the statement that ran last, and of a panic the calls that led to it.
func (r *run) located(p *engine.Compiled, code, name, text string) *Error {
	e := &Error{Name: name, Message: text, Traceback: []string{red + name + plain + ": " + text}}
	if p.Frames != nil && name == "Panic" {
		if frames := p.Frames(); len(frames) > 0 {
			r.trace(e, frames)
			return e
		}
	}
	if line, ok := p.At(); ok {
		e.Positions = []Position{{line, 1}}
		near := ""
		if r.live.Load() > 0 { // other goroutines note their statements too
			near = "near "
		}
		e.Traceback = append(e.Traceback, entry(faint+near+fmt.Sprintf("line %d of this cell", line)+plain,
			excerpt(code, line, 0)))
	}
	return e
}

// mostCalls are shown of a stack, half of them its innermost.
const mostCalls = 20

// trace writes where a panic happened and the calls that led there, each with its cell and line.
func (r *run) trace(e *Error, frames []engine.Frame) {
	for k, f := range frames {
		if len(frames) > mostCalls && k == mostCalls/2 {
			e.Traceback = append(e.Traceback, faint+fmt.Sprintf("… %d calls more …", len(frames)-mostCalls)+plain)
		}
		if len(frames) > mostCalls && k >= mostCalls/2 && k < len(frames)-mostCalls/2 {
			continue
		}
		in, where := "", fmt.Sprintf("line %d of this cell", f.Line)
		if f.Func != "" {
			in = ", in " + f.Func
		}
		source := r.session.sources[f.Cell]
		if f.Cell != r.number {
			where = fmt.Sprintf("cell [%d]:%d:1", source.count, f.Line)
		} else if len(e.Positions) == 0 {
			e.Positions = []Position{{f.Line, 1}}
		}
		if k == 0 && r.live.Load() > 0 { // other goroutines note their statements too
			where = "near " + where
		}
		e.Traceback = append(e.Traceback, entry(faint+where+in+plain, excerpt(source.code, f.Line, 0)))
	}
}

// failure is the error of a cell that exits.
func (e exit) failure() *Error {
	text := fmt.Sprintf("the kernel and its variables are still there; the cell ended with exit status %d", e.code)
	return &Error{Name: "Exit", Message: text, Traceback: []string{red + text + plain}}
}

// panicText is a panic's value as the Go run time prints it, except values for which it prints an address.
func panicText(x any) string {
	switch v := x.(type) {
	case error:
		return v.Error()
	case rt.Obj:
		if v.HasText() {
			return fmt.Sprint(v)
		}
		return custom(v.T.Name, reflect.ValueOf(v.V), v)
	case fmt.Stringer:
		return v.String()
	}
	v := reflect.ValueOf(x)
	if v.Type().PkgPath() == "" && v.Kind() != reflect.Struct && isBasic(v.Kind()) {
		return fmt.Sprint(x)
	}
	return custom(rt.TypeName(x), v, x)
}

func isBasic(k reflect.Kind) bool {
	return k < reflect.Array && k != reflect.Invalid || k == reflect.String
}

// custom is a panic's value of a declared type or of a type without a name.
func custom(typ string, v reflect.Value, x any) string {
	switch {
	case v.Kind() == reflect.String:
		return fmt.Sprintf(`%s("%s")`, typ, v.String())
	case isBasic(v.Kind()):
		return fmt.Sprintf("%s(%v)", typ, x)
	}
	return fmt.Sprintf("(%s) %v", typ, x)
}

// interrupted is the error of a cell that was stopped; detached says that its code is still blocked somewhere.
func (r *run) interrupted(p *engine.Compiled, code string, detached bool) *Error {
	r.mu.Lock()
	fail := r.fail
	r.mu.Unlock()
	if fail != nil {
		return r.located(p, code, fail.Name, fail.Message)
	}
	text := "the cell was interrupted"
	if detached {
		text = "the cell was interrupted; a call that it made has not ended yet: it may be saving what it has done, " +
			"or run on until the kernel ends"
	}
	return r.located(p, code, "Interrupted", text)
}

// exit is the panic with which os.Exit and log.Fatal end a cell.
type exit struct{ code int }

// Final makes the panic skip the cell's deferred calls.
func (exit) Final() {}

var errInputRefused = errors.New("the cell asks for input, but the client has no one to ask")
